"""Separate 60-digit arithmetic, and the comparison of a float64 result with it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath
import numpy as np

#: A separate context, so that no other user of mpmath sees our precision.
mp = mpmath.MPContext()
mp.dps = 60

FLOAT_MAX = sys.float_info.max
#: The accuracy promised for log_prob, fisher_norm and renyi, given the float64 parameters.
PROMISED = 1e-8


def constant(function: Callable[..., Any], *arguments: Any) -> Any:
    """A value that is wanted again and again, computed once for each precision."""
    return _constant(mp.prec, function, *arguments)


@cache
def _constant(_precision: int, function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def exact(value: Any) -> Any:
    """The exact value of a float64; our own numbers stay."""
    return value if isinstance(value, mp.mpf) else mp.mpf(float(value))


def relative_error(got: float, want: Any) -> float:
    """|got − want|/|want|; 0 where both are infinite, both zero, or both beyond the range of float64."""
    got = float(got)
    if np.isnan(got):
        return np.inf
    if mp.isinf(want) or abs(want) > FLOAT_MAX:
        return 0.0 if got == np.sign(float(mp.sign(want))) * np.inf else np.inf
    if np.isinf(got):
        return np.inf
    if want == 0:
        return 0.0 if got == 0.0 else np.inf
    return float(abs(mp.mpf(got) - want) / abs(want))
