"""The parts of an explanation, and how they are written to a file."""

from __future__ import annotations

from typing import Any

from rsens._errors import InputError
from rsens._explain._effects import Effects
from rsens._explain._interaction_marks import Interactions
from rsens._explain._intervals import Intervals
from rsens._explain._kept_refits import KeptRefits
from rsens._explain._null_level import NullLevel
from rsens._explain._posterior import DrawValues
from rsens._explain._query import Setup
from rsens._explain._rows import Rows
from rsens._explain._subgroups import Subgroups
from rsens._explain._values import Values
from rsens._explain._versions import from_version_1, from_version_2
from rsens._results import Form, check_size

#: An explanation is made of these, and so are its files. What was not asked for is None.
FORM = Form(
    "an explanation",
    "Explanation.save",
    {
        "setup": Setup,
        "values": Values,
        "effects": Effects,
        "posterior": DrawValues,
        "intervals": Intervals,
        "null_level": NullLevel,
        "interactions": Interactions,
        "subgroups": Subgroups,
        "rows": Rows,
        "refits": KeptRefits,
    },
    upgrades=(from_version_1, from_version_2),
)


def check_together(parts: dict[str, Any]) -> None:
    """What must agree between the parts of a file, besides the shapes."""
    for name in ("setup", "values", "rows"):
        if parts[name] is None:
            raise InputError(f"{name} are missing")
    values, intervals = parts["values"], parts["intervals"]
    n_terms = len(parts["setup"].terms)
    check_size("pairs", values.pairs, n_terms * (n_terms - 1) // 2)
    if values.pairs is None and intervals is not None and intervals.pair_intervals is not None:
        raise InputError("pair_intervals without pairs")
