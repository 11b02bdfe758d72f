"""docs/reproduction.md, made from the CSV files of all scripts by `python -m experiments.page`."""
