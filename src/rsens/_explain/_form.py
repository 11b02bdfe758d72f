"""The parts of an explanation, and how they are written to a file."""

from __future__ import annotations

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
from rsens._results import Form

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
)
