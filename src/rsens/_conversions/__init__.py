"""Distributions of other libraries as our families, in our parameters λ."""

from rsens._conversions._as_family import CONVERSIONS, Conversion, as_family, converted, is_a, package_of
