"""Whether results were computed by the present code.

The code counts as the same if its sources are, without comments, docstrings, plots and reports. If they are not, the
first analysis of each design is done again: a design whose first analysis comes out as before keeps its results.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd

from experiments._calibration.analysis import analyse
from experiments._calibration.counts import FIRST, Tables, tables_of
from experiments._calibration.designs import DESIGNS, rng_of
from experiments._calibration.source import source_stamp

#: Values that differ by less than this share, or this much, are the same: other processors round otherwise.
RELATIVE, ABSOLUTE = 0.01, 1e-3

CURRENT = "current"
UNCHANGED = "current: the source changed, the first analysis did not"
NOT_RUN = "not run"
FEWER = "fewer analyses than asked for"
CHANGED = "stale: the first analysis changed"
OTHER_DATA = "stale: the data changed"


def stamps(name: str, seed: int) -> dict[str, str]:
    """The code, and the first data set of the design."""
    X, y = DESIGNS[name].draw(rng_of(name, 0, seed))
    text = X.assign(y=y).to_csv(index=False, float_format="%.6g")
    return {"source": source_stamp(), "data": sha256(text.encode()).hexdigest()[:12]}


def state(name: str, kept: Tables | None, wanted: int, seed: int) -> str:
    """Whether the committed tables hold for the present code: one of the sentences above."""
    if kept is None or name not in set(kept["designs"]["design"]):
        return NOT_RUN
    before, now = kept["designs"].set_index("design").loc[name], stamps(name, seed)
    if before["data"] != now["data"]:
        return OTHER_DATA
    if before["analyses"] < wanted:
        return FEWER
    if before["source"] == now["source"]:
        return CURRENT
    terms = kept["terms"]
    return UNCHANGED if same_first(terms[terms["design"] == name], name, seed) else CHANGED


def same_first(terms: pd.DataFrame, name: str, seed: int) -> bool:
    """Whether the first analysis still gives the values, intervals and p-values in these lines."""
    again = tables_of(name, DESIGNS[name], [analyse(name, 0, seed=seed)], {})["terms"]
    columns = [f"first_{number}" for number in FIRST]
    before, now = (frame[columns].to_numpy(dtype=float) for frame in (terms, again))
    return before.shape == now.shape and np.allclose(before, now, RELATIVE, ABSOLUTE, equal_nan=True)


def can_go_on(name: str, analyses: dict[int, Any], seed: int) -> bool:
    """Whether unfinished work on a design can be finished: made by this code, or with the same first analysis."""
    if all(analysis["source"] == source_stamp() for analysis in analyses.values()):
        return True
    return 0 in analyses and same_first(tables_of(name, DESIGNS[name], [analyses[0]], {})["terms"], name, seed)
