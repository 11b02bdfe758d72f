"""Predictions whose mean does not fit in float64: R-sens needs no mean, but directions and effects do."""

from __future__ import annotations

import warnings

import numpy as np

from rsens._errors import RsensWarning
from rsens._explain._query import Query
from rsens._explain._values import Values
from rsens._text import quoted


def warn_of_no_mean(values: Values, query: Query, *, stacklevel: int) -> None:
    """An `RsensWarning` that names the columns of numbers that have no direction.

    `stacklevel` counts the calls from here up to the line that the warning is about.
    """
    without = set(query.categorical) - set(query.two_valued)
    names = [
        name
        for t, (name, members) in enumerate(zip(query.terms.names, query.terms.members, strict=True))
        if len(members) == 1 and members[0] not in without and not np.isfinite(values.direction[t]).all()
    ]
    if names:
        warnings.warn(
            RsensWarning(
                f"No direction and no effect of {quoted(names)}: the mean of the {values.family} prediction, or its "
                "slope, is no finite number. R-sens does not need it; if the mean is too large for float64, give y in "
                "other units."
            ),
            stacklevel=stacklevel,
        )
