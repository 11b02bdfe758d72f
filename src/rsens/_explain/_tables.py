"""The tables of an explanation in pandas: its fields with their labels, and `to_frame`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens._errors import Argument, InputError
from rsens._explain._effects import Effects
from rsens._explain._interaction_marks import Interactions
from rsens._explain._null_level import NullLevel
from rsens._explain._rows import Rows
from rsens._explain._subgroups import Subgroups
from rsens._explain._values import Intervals, KeptRefits, Setup, Values
from rsens._results import Field, Form
from rsens._typing import Array, Flags

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation

#: The parts of an explanation, and of its files. Parts that were not asked for are None.
FORM = Form(
    "an explanation",
    "Explanation.save",
    {
        "setup": Setup,
        "values": Values,
        "effects": Effects,
        "intervals": Intervals,
        "null_level": NullLevel,
        "interactions": Interactions,
        "subgroups": Subgroups,
        "rows": Rows,
        "refits": KeptRefits,
    },
)


def labels(explanation: Explanation, size: str | int) -> pd.Index:
    """The labels along an axis."""
    setup, values = explanation._setup, explanation._values
    if size == "pairs":
        return pair_index(setup.terms).view()  # a view has its own name, which its reader may change
    if size == "rows":
        return explanation._index
    if size == "subgroups":
        groups = explanation._subgroups
        return pd.Index(list(groups.subgroups if groups else ()), name="subgroup")
    named = {
        2: ("lower", "upper"),
        "terms": setup.terms,
        "columns": setup.columns,
        "outputs": values.outputs,
        "part_names": values.part_names,
        "pair_part": values.names_of_parts(2),
        "probe_terms": getattr(explanation._null_level, "probe_terms", ()),
    }
    return pd.Index(named[size])


@lru_cache(maxsize=16)  # printing asks for the same labels dozens of times
def pair_index(terms: tuple[str, ...]) -> pd.MultiIndex:
    first, second = np.triu_indices(len(terms), 1)
    names = np.array(terms, dtype=object)
    return pd.MultiIndex.from_arrays([names[first], names[second]], names=["first", "second"])


def table_of(explanation: Explanation, field: Field, values: Any, name: str) -> Any:
    """A field as pandas shows it, as a copy: in pandas 2 it would be our own array, closed to writing."""
    if not field.shape or values is None or values.ndim == 3:
        return values
    if field.shape[-1] == "outputs" and len(explanation._values.outputs) == 1:
        return pd.Series(values[:, 0], index=labels(explanation, field.shape[0]), name=name, copy=True)
    axes = [labels(explanation, size) for size in field.shape]
    if len(axes) == 1:
        return pd.Series(values, index=axes[0], name=name, copy=True)
    if field.shape[0] == 2:  # lower and upper ends are columns
        return pd.DataFrame(values.T, index=axes[1], columns=list(axes[0]), copy=True)
    return pd.DataFrame(values, index=axes[0], columns=list(axes[1]), copy=True)


class NotComputedError(InputError, AttributeError):
    """The explanation was made without this; the text names the argument of `explain` that asks for it."""


def shown_field(part: str, field: str, *, name: str | None = None, needs: Argument | None = None) -> Any:
    """An attribute that shows a field of a part, documented by its meaning; `needs` is the argument to ask for it."""
    declared = FORM.parts[part].fields()[field]

    def shown(self: Any) -> Any:
        values = getattr(getattr(self, f"_{part}"), field, None)
        if values is None and needs is not None:
            raise NotComputedError(f"This explanation was made without {field}. Use explain(..., ", needs, ").")
        return table_of(self, declared, values, field if name is None else name)

    return property(shown, doc=declared.meaning)


class Inference:
    """The fields of the parts on intervals, the null level and the tests of pairs; None if they were not computed."""

    PARTS = ("intervals", "null_level", "interactions")

    def __init__(self, explanation: Explanation) -> None:
        self._explanation = explanation

    @property
    def above_null(self) -> pd.Series[bool]:
        """The star of each variable: its value is above its null level. Missing where that is not known."""
        main = self._explanation.main
        null = main * np.nan if self.null is None else self.null
        return (main > null).astype("boolean").mask(null.isna()).rename("above_null")

    def __getattr__(self, name: str) -> Any:
        for part in self.PARTS:
            if (field := FORM.parts[part].fields().get(name)) is not None:
                values = getattr(getattr(self._explanation, f"_{part}"), name, None)
                return table_of(self._explanation, field, values, name)
        raise AttributeError(f"An explanation has no {name!r} in its inference; it has {', '.join(dir(self))}.")

    def __dir__(self) -> list[str]:
        return ["above_null", *(name for part in self.PARTS for name in FORM.parts[part].fields())]


# ---- to_frame --------------------------------------------------------------------------------------------------------


#: The columns of marks in `to_frame`, and the names of their fields in `inference`, for terms and for pairs.
MARKS = (
    {name: name for name in ("null", "above_null", "p_value", "discovery", "familywise", "null_kind")},
    {
        "above_null": "pair_above",
        "p_value": "pair_p_values",
        "discovery": "pair_discovery",
        "null_kind": "pair_null_kind",
    },
)


def frame_of(e: Explanation, order: Any, by: str = "value") -> pd.DataFrame:
    """One line per term (order 1) or pair (order 2), largest value (or part of it) first; equal ones as columns are."""
    columns: dict[str, Any]
    if read_order(order) == 1:
        values, ends, columns = e.main, e.intervals, {"term": texts(e.names)}
        if e.categorical:
            columns["per"] = steps(e)
    else:
        values, ends, pairs = e.pairs, e.pair_intervals, list(e.pairs.index)
        columns = {"term": texts(f"{first}:{second}" for first, second in pairs)}
        columns |= {name: texts(pair[k] for pair in pairs) for k, name in enumerate(("first", "second"))}
    columns["value"] = values.array
    for end in ("lower", "upper"):
        columns[end] = np.nan if ends is None else ends[end].array
    columns |= {"interval_kind": texts([e.interval_kind] * len(values)), "rank": 0}
    if order == 1:
        columns |= _by_output(e, "direction") | _by_output(e, "consistency")
    for column, name in MARKS[order - 1].items():
        found = getattr(e.inference, name)
        if column == "null_kind":
            columns[column] = texts([found] * len(values))
        else:
            columns[column] = np.nan if found is None else found.array
    columns |= _parts(e._values, order)
    if order == 2 and (only := uncertainty_only(e._values)) is not None:
        columns["uncertainty_only"] = only
    frame, ranked = pd.DataFrame(columns), ranked_by(e._values, order, by)
    frame["rank"] = frame[ranked].rank(ascending=False, method="min").astype("int64")
    for mark in frame.columns.intersection(["above_null", "discovery", "familywise"]):
        frame[mark] = frame[mark].astype("boolean")
    return frame.sort_values(ranked, ascending=False, kind="stable", ignore_index=True)


def steps(e: Explanation) -> list[str]:
    """The step that each term is counted per: a standard deviation, a unit, a switch between levels or a given one."""
    step, switch = {"sd": ("sd", "sd"), "raw": ("unit", "switch")}.get(e.scale_kind, ("given", "given"))
    return [switch if name in e.categorical else step for name in e.names]


def texts(values: Iterable[Any]) -> pd.Series[Any]:
    """A column of text and missing values."""
    return pd.Series(list(values), dtype=object)


def _by_output(e: Explanation, name: str) -> dict[str, Array]:
    """A column for each output, if there are several."""
    values, outputs = getattr(e._values, name), e._values.outputs
    return {name if len(outputs) == 1 else f"{name}_{output}": values[:, k] for k, output in enumerate(outputs)}


def _parts(values: Values, order: int) -> dict[str, Array]:
    """The column of each part."""
    split = values.parts if order == 1 else values.pair_parts
    return {} if split is None else {f"part_{name}": split[:, k] for k, name in enumerate(values.names_of_parts(order))}


def read_order(order: Any) -> int:
    """The argument `order` of tables, checked."""
    if isinstance(order, bool) or order not in (1, 2):
        raise InputError(Argument("order"), f" must be 1 (variables) or 2 (pairs); got {order!r}.")
    return int(order)


#: A pair is "uncertainty only" if less than this share of its R-sens₂ is in the prediction.
UNCERTAINTY_ONLY = 0.05
#: Names of the two parts for any family: mean and variance of a Normal, mean and shape of a Gamma. The first part is
#: always the prediction.
ROLES = ("prediction", "uncertainty")


def ranked_by(values: Values, order: int, by: Any) -> str:
    """The column of `to_frame` to rank terms (order 1) or pairs (order 2) by."""
    parts = list(_parts(values, order))
    roles = dict(zip(ROLES, parts, strict=True)) if len(parts) == len(ROLES) else {}
    choices = {"value": "value"} | {part.removeprefix("part_"): part for part in parts} | roles
    if not isinstance(by, str) or by not in choices:
        why = "" if roles else " (these values are not split into prediction and uncertainty)"
        raise InputError(Argument("by"), f" must be one of {', '.join(map(repr, choices))}{why}; got {by!r}.")
    return choices[by]


def uncertainty_only(values: Values) -> Flags | None:
    """Which pairs have less than 5 % of their value in the prediction; None where pairs are not split in two.

    They change how uncertain the prediction is, as where rows are collinear, and barely the prediction itself.
    """
    if values.pair_parts is None or values.pairs is None or values.pair_parts.shape[1] != len(ROLES):
        return None
    return np.asarray(values.pair_parts[:, 0] < UNCERTAINTY_ONLY * values.pairs)
