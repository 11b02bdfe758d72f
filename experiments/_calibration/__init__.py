"""How often marks, p-values and intervals are wrong: the designs, one analysis of each, the counts and the page."""
