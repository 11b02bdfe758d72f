"""The paper, one script per table and figure. `make paper` runs all of them; docs/reproduction.md shows the results."""
