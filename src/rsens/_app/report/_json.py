"""Values as JSON that is safe inside HTML."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def round_to(values: ArrayLike, digits: int = 4) -> Any:
    """Numbers, nested as they are, with this many digits; None for what is not finite."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim:
        return [round_to(part, digits) for part in array]
    if not np.isfinite(array):
        return None
    value = float(f"{float(array):.{digits}g}")
    # A whole number without its point is shorter in a file.
    return int(value) if value == int(value) and abs(value) < 1e15 else value


def json_in_html(content: Any) -> str:
    """JSON for a script element: nothing in it can end the element or begin a comment."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))  # ASCII: no line separators
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
