"""The array types, named once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Real numbers: everything that is computed.
Array = NDArray[np.float64]
#: Positions of rows, level codes.
Positions = NDArray[np.intp]
#: True or false.
Flags = NDArray[np.bool_]
