"""Random tables, models, functions and files, and whether rsens answers them or explains why it cannot.

A case follows from its number alone: `python -m fuzz --case 1234` repeats it. Every case must end in finite results of
the right shape and sign, or in an error of rsens; never in NaN, an error of somebody else, a storm of warnings or a
hang. `make fuzz` runs them all and writes docs/results/fuzz.json.
"""

#: All cases of all runs follow from this.
SEED = 20261117
