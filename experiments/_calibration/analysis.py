"""One analysis: draw the data, fit, explain by default settings, and note what a reader would see.

Only public names of rsens are used, and columns that may be missing are left out, so that earlier code can be run too.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import rsens
from experiments._calibration.designs import DESIGNS, MODELS, Design, rng_of
from experiments._calibration.source import source_stamp

#: Columns of `to_frame` that are truth values, written as "0110", and those that are numbers.
MARKS = {"marked": "above_null", "discovery": "discovery", "familywise": "familywise"}
NUMBERS = {"value": "value", "lower": "lower", "upper": "upper", "p": "p_value"}


def analyse(name: str, number: int, *, seed: int) -> dict[str, Any]:
    """The result of analysis `number` of a design; see `seen` for its tables."""
    design = DESIGNS[name]
    X, y = design.draw(rng_of(name, number, seed))
    model = MODELS[design.model](number)
    with warnings.catch_warnings(record=True) as raised, threadpool_limits(1):
        warnings.simplefilter("always")
        start = process_time()
        model.fit(X, y)
        fitted = process_time()
        with count_fits(type(model)) as refits:
            explanation = rsens.explain(model, X, y, random_state=number, **_clusters(design))
        explained = process_time()
    variables, pairs = explanation.to_frame(), explanation.to_frame(2)
    terms = [f"x{j}" for j in range(design.columns)]
    return {
        "variables": seen(variables, terms),
        "pairs": seen(pairs, [f"x{i}:x{j}" for i, j in design.pairs()]),
        "interval_kind": str(variables["interval_kind"].iloc[0]) if "interval_kind" in variables else "rows",
        "source": source_stamp(),
        "seconds": [round(fitted - start, 3), round(explained - fitted, 3)],
        "refits": refits[0],
        "warnings": sorted({" ".join(str(warning.message).split())[:100] for warning in raised}),
    }


def _clusters(design: Design) -> dict[str, Any]:
    """`clusters=` where rows belong together and `explain` takes them."""
    known = design.people and "clusters" in signature(rsens.explain).parameters
    return {"clusters": design.clusters()} if known else {}


def seen(frame: pd.DataFrame, terms: list[str]) -> dict[str, Any]:
    """Marks as "0110" and numbers with four digits, in the order of the columns of X; missing entries are left out."""
    ordered = frame.set_index("term").loc[terms]
    kept: dict[str, Any] = {}
    for name, column in MARKS.items():
        if column in ordered and not ordered[column].isna().all():
            kept[name] = "".join("01"[bool(mark)] for mark in ordered[column].fillna(False))
    for name, column in NUMBERS.items():
        if column in ordered and not ordered[column].isna().all():
            kept[name] = [None if np.isnan(number) else float(f"{number:.4g}") for number in ordered[column]]
    return kept


@contextmanager
def count_fits(model: type) -> Iterator[list[int]]:
    """A list whose entry counts how often models of this class are fitted in this process."""
    fit, count = model.fit, [0]

    @wraps(fit)
    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        count[0] += 1
        return fit(self, *args, **kwargs)

    with patch.object(model, "fit", counted):
        yield count
