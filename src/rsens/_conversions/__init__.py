"""Distributions of other libraries as our families, in our parameters λ."""
