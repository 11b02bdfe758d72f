"""Distributions of other libraries as our families, in our parameters λ."""

from rsens._conversions._as_family import CONVERSIONS as CONVERSIONS
from rsens._conversions._as_family import Conversion as Conversion
from rsens._conversions._as_family import as_family as as_family
from rsens._conversions._as_family import converted as converted
