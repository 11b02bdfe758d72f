"""Results as flat dictionaries of arrays."""

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

import rsens
from rsens.distributions import Distribution

Numbers = dict[str, np.ndarray]

#: Names that start like this hold ends of intervals over rows, lower and upper along the first axis.
ROWS_INTERVAL = "rows_interval/"
#: Intervals over rows are recorded from this number of rows on.
ENOUGH_ROWS = 100

ALWAYS = ("main", "direction", "consistency", "parts", "pair_parts", "scale")
ALWAYS += ("n",)
INFERENCE = {
    "null": "null_levels",
    "pair_additive": "pair_additive",
    "pair_unclear": "pair_unclear",
    "probe_values": "probes/value",
}
LOCAL = ("extrapolation", "local_main", "local_pairs", "weights")


def flat(**things: Any) -> Numbers:
    """Everything in these results that is a number, under names like `first/second`. Text and None are left out."""
    found: Numbers = {}
    for name, value in things.items():
        _add(found, name, value)
    return found


def _add(found: Numbers, name: str, value: Any) -> None:
    if value is None or isinstance(value, str | bytes):
        return
    if isinstance(value, Distribution):
        value = family(value)
    elif isinstance(value, rsens.Derivatives):
        value = {"lambda": value.distribution.parameters, "first": value.first, "second": value.second}
    elif isinstance(value, pd.DataFrame):
        value = {":".join(map(str, np.atleast_1d(column))): value.iloc[:, k] for k, column in enumerate(value.columns)}
    if isinstance(value, Mapping):
        for key, each in value.items():
            _add(found, f"{name}/{key}" if name else str(key), each)
        return
    if isinstance(value, pd.Series):
        if not (pd.api.types.is_numeric_dtype(value) or pd.api.types.is_bool_dtype(value)):
            return
        array = value.astype("Float64").to_numpy(np.float64, na_value=np.nan)
    else:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            return
    found[name] = array.astype(np.float64)


def family(distribution: Any) -> dict[str, Any]:
    """The parameters of a distribution and its moments, as far as it has them."""
    return {"parameters": distribution.parameters, "mean": distribution.mean, "variance": distribution.variance}


def learned(model: Any) -> Numbers:
    """Learned numbers of a fitted model: attributes that end in `_`, and the matrix of its kernel at a few points."""
    found = flat(
        **{name: value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")}
    )
    found.pop("training_inputs_", None)
    kernel = getattr(model, "kernel_", None)
    if kernel is not None:
        points = np.random.default_rng(5).integers(0, 2, size=(4, model.n_features_in_)).astype(float)
        for k, each in enumerate(kernel if isinstance(kernel, list | tuple) else [kernel]):
            found[f"kernel_{k}"] = each(points)
    return found


def explained(explanation: Any, *, local: bool = True) -> Numbers:
    """Every number of an explanation; ends of intervals over rows have separate names."""
    e = explanation
    found: Numbers = {}
    for name in (*ALWAYS, *(LOCAL if local else ())):
        with contextlib.suppress(rsens.InputError):  # not asked for
            found |= flat(**{name: getattr(e, name)})
    for name, recorded in INFERENCE.items():
        found |= flat(**{recorded: getattr(e.inference, name)})
    if (by := e.by_frame()) is not None:
        found |= flat(by_counts=by.drop_duplicates("subgroup")["rows"])
    tables = {"frame": e.to_frame(1), "effects": e.effects, "by": e.by_frame()}
    if e.order == 2:
        tables["pair_frame"] = e.to_frame(2)
    for name, table in tables.items():
        if table is not None:
            # Intervals of subgroups come from sums over rows, not from a sample of rows.
            over_rows = name != "by" and "rows" in set(table["interval_kind"])
            found |= without_row_intervals(name, table, over_rows, e.n)
    return found


def without_row_intervals(name: str, table: pd.DataFrame, over_rows: bool, n: int) -> Numbers:
    """The numbers of a table; ends of intervals over rows apart, and only if there are enough rows for them."""
    found = flat(**{name: table})
    if not over_rows:
        return found
    for column in [str(each) for each in table.columns if "lower" in str(each)]:
        ends = [found.pop(f"{name}/{each}") for each in (column, column.replace("lower", "upper"))]
        if n >= ENOUGH_ROWS:
            found[f"{ROWS_INTERVAL}{name}/{column.replace('lower', 'ends')}"] = np.stack(ends)
    return found


def both(model: Any, X: Any) -> Numbers:
    return flat(rsens=rsens.rsens(model, X), rsens2=rsens.rsens2(model, X), half=rsens.rsens(model, X, alpha=0.5))
