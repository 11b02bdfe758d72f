"""Families and likelihoods against arithmetic of 60 digits, over grids of extreme values."""
