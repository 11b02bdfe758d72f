"""What terms and pairs are ranked by: their value, or the part of it that moves the prediction, or the uncertainty."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import Argument, InputError
from rsens._explain._values import Values
from rsens._typing import Array

#: A pair is "uncertainty only" if less than this share of its R-sens₂ is in the prediction.
UNCERTAINTY_ONLY = 0.05
#: What the two parts are called whatever the family: of a Normal the mean and the variance, of a Gamma the mean and
#: the shape. Families that can be split say first what the prediction is.
ROLES = ("prediction", "uncertainty")


def ranked_by(values: Values, order: int, by: Any) -> tuple[str, Array]:
    """What to rank by: the name of its column in `to_frame`, and a number per term (order 1) or pair (order 2)."""
    whole, split = (values.main, values.parts) if order == 1 else (values.pairs, values.pair_parts)
    assert whole is not None  # asked for before
    names = () if split is None else values.names_of_parts(order)
    named = {} if split is None else {name: (f"part_{name}", split[:, k]) for k, name in enumerate(names)}
    roles = dict(zip(ROLES, named.values(), strict=True)) if len(named) == len(ROLES) else {}
    choices = {"value": ("value", whole)} | named | roles
    if not isinstance(by, str) or by not in choices:
        what = "these values" if order == 1 else "these pairs"
        why = "" if roles else f" ({what} are not split into prediction and uncertainty)"
        raise InputError(Argument("by"), f" must be one of {', '.join(map(repr, choices))}{why}; got {by!r}.")
    return choices[by]


def uncertainty_only(values: Values) -> NDArray[np.bool_] | None:
    """Which pairs have less than 5 % of their value in the prediction; None where pairs are not split in two."""
    if values.pair_parts is None or values.pairs is None or values.pair_parts.shape[1] != len(ROLES):
        return None
    return values.pair_parts[:, 0] < UNCERTAINTY_ONLY * values.pairs
