"""docs/reproduction.md, made from the CSV files of all scripts: `python -m experiments.page`."""
