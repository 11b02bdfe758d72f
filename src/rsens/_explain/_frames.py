"""The tidy tables of an explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation


def of_terms(explanation: Explanation) -> pd.DataFrame:
    """One line per term."""
    frame = pd.DataFrame({"term": list(explanation.names)}, dtype=object)
    if explanation.categorical:
        step = {"sd": "sd", "raw": "unit"}.get(explanation.scale_kind, "given")
        frame["per"] = ["switch" if name in explanation.categorical else step for name in explanation.names]
    _values(frame, explanation.main, explanation.intervals)
    for name in ("direction", "consistency"):
        table = getattr(explanation, name)
        if isinstance(table, pd.Series):
            frame[name] = table.to_numpy()
        else:
            for output in table.columns:
                frame[f"{name}_{output}"] = table[output].to_numpy()
    _null(frame, explanation.null_levels, explanation.reached)
    parts = explanation.parts
    if parts is not None:
        for part in parts.columns:
            frame[f"part_{part}"] = parts[part].to_numpy()
    return _sorted(frame)


def of_pairs(explanation: Explanation) -> pd.DataFrame:
    """One line per pair."""
    pairs = explanation.pairs
    first, second = (list(pairs.index.get_level_values(level)) for level in ("first", "second"))
    terms = [f"{d}:{e}" for d, e in zip(first, second, strict=True)]
    frame = pd.DataFrame({"term": terms, "first": first, "second": second}, dtype=object)
    _values(frame, pairs, explanation.pair_intervals)
    _null(frame, explanation.null_pairs, explanation.reached_pairs)
    return _sorted(frame)


def _values(frame: pd.DataFrame, values: pd.Series[float], intervals: pd.DataFrame | None) -> None:
    frame["value"] = values.to_numpy()
    for bound in ("lower", "upper"):
        frame[bound] = float("nan") if intervals is None else intervals[bound].to_numpy()
    frame["rank"] = frame["value"].rank(ascending=False, method="min").astype("int64")


def _null(frame: pd.DataFrame, null: pd.Series[float] | None, reached: pd.Series[float] | None) -> None:
    """The null level, whether the value is above it, and how many probes reach it; missing where there is no level."""
    frame["null"] = float("nan") if null is None else null.to_numpy()
    above = (frame["value"] > frame["null"]).astype("boolean")
    frame["above_null"] = above.mask(frame["null"].isna())
    frame["reached"] = float("nan") if reached is None else reached.to_numpy()


def _sorted(frame: pd.DataFrame) -> pd.DataFrame:
    """Largest first; equal values in the order of columns."""
    return frame.sort_values("value", ascending=False, kind="stable", ignore_index=True)
