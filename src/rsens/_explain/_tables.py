"""The fields of an explanation as tables of pandas: one of shape ("rows", "terms") is a frame with their labels."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._errors import Argument, InputError
from rsens._explain._effects import Effects
from rsens._explain._interaction_marks import Interactions
from rsens._explain._null_level import NullLevel
from rsens._explain._posterior import DrawValues
from rsens._explain._rows import Rows
from rsens._explain._subgroups import Subgroups
from rsens._explain._values import Intervals, KeptRefits, Setup, Values
from rsens._results import Field, Form
from rsens._typing import Array

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation


#: The first columns of `to_frame`; all others follow in the order in which their fields are declared.
LEADING = (
    "term", "first", "second", "per", "value", "lower", "upper", "interval_kind", "rank", "direction", "consistency",
    "null", "above_null", "p_value", "discovery", "familywise", "null_kind", "reached",
)  # fmt: skip


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


def frame_of(explanation: Explanation, order: int, by: str = "value") -> pd.DataFrame:
    """One line per term (order 1) or pair (order 2), largest value (or part of it) first; equal ones as columns are."""
    columns = _terms(explanation) if order == 1 else _pairs(explanation)
    size, n = "terms" if order == 1 else "pairs", len(columns["term"])
    for name, field in explanation.fields():
        if field.column is not None and size in field.shape:
            columns |= _columns(explanation, field, getattr(explanation._part(name), field.name, None), n)
    kind = explanation.inference.null_kind if order == 1 else explanation.inference.pair_null_kind
    columns["interval_kind"] = pd.Series([explanation.interval_kind] * n, dtype=object)
    columns["null_kind"] = pd.Series([kind] * n, dtype=object)
    if order == 2 and (only := uncertainty_only(explanation._values)) is not None:
        columns["uncertainty_only"] = only
    frame = pd.DataFrame(columns)
    ranked, _ = ranked_by(explanation._values, order, by)
    frame["rank"] = frame[ranked].rank(ascending=False, method="min").astype("int64")
    if order == 1:
        frame["above_null"] = explanation.inference.above_null.array
    for mark in frame.columns.intersection(["above_null", "discovery", "familywise"]):
        frame[mark] = frame[mark].astype("boolean")
    in_order: list[str] = sorted(frame.columns.astype(str), key=_place)
    return frame[in_order].sort_values(ranked, ascending=False, kind="stable", ignore_index=True)


def _columns(explanation: Explanation, field: Field, values: Any, n: int) -> dict[str, Any]:
    """The columns of one field with n lines; what is not known is missing."""
    if field.shape[0] == 2:
        both = np.full((2, n), np.nan) if values is None else values
        return dict(zip(labels(explanation, 2), both, strict=True))
    if len(field.shape) == 1:
        return {str(field.column): np.full(n, np.nan) if values is None else values}
    if values is None:
        return {}
    if field.shape[1] == "outputs" and values.shape[1] == 1:
        return {str(field.column): values[:, 0]}
    return {f"{field.column}_{label}": values[:, k] for k, label in enumerate(labels(explanation, field.shape[1]))}


def _place(column: str) -> int:
    """The place of a column in LEADING, where those by output ("direction_a", …) share one; others come last."""
    name = column.partition("_")[0] if column.startswith(("direction_", "consistency_")) else column
    return LEADING.index(name) if name in LEADING else len(LEADING)


def _terms(explanation: Explanation) -> dict[str, Any]:
    columns: dict[str, Any] = {"term": pd.Series(list(explanation.names), dtype=object)}
    if explanation.categorical:
        step, switch = {"sd": ("sd", "sd"), "raw": ("unit", "switch")}.get(explanation.scale_kind, ("given", "given"))
        columns["per"] = [switch if name in explanation.categorical else step for name in explanation.names]
    return columns


def _pairs(explanation: Explanation) -> dict[str, Any]:
    first, second = (list(explanation.pairs.index.get_level_values(level)) for level in ("first", "second"))
    terms = [f"{d}:{e}" for d, e in zip(first, second, strict=True)]
    texts = {"term": terms, "first": first, "second": second}
    return {name: pd.Series(values, dtype=object) for name, values in texts.items()}


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


def ranked_by(values: Values, order: int, by: Any) -> tuple[str, Array]:
    """The ranking: the name of its column in `to_frame`, and a number per term (order 1) or pair (order 2)."""
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


class NotComputedError(InputError, AttributeError):
    """The explanation was made without this; the text names the argument of `explain` that asks for it."""


def shown_field(
    part: str, field: str, *, name: str | None = None, missing: tuple[str, str | Argument, str] | None = None
) -> Any:  # fmt: skip
    """An attribute that shows a field of a part, documented by its meaning; None is the error `missing`."""
    declared = FORM.parts[part].fields()[field]

    def shown(self: Any) -> Any:
        values = getattr(self._part(part), field, None)
        if values is None and missing is not None:
            text, argument, end = missing
            argument = argument if isinstance(argument, Argument) else Argument(argument, True)
            raise NotComputedError(f"This explanation {text} with explain(..., ", argument, f"){end}")
        return table_of(self, declared, values, field if name is None else name)

    return property(shown, doc=declared.meaning)


#: The parts of an explanation, and of its files. Parts that were not asked for are None.
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
                values = getattr(self._explanation._part(part), name, None)
                return table_of(self._explanation, field, values, field.column or name)
        raise AttributeError(f"An explanation has no {name!r} in its inference; it has {', '.join(dir(self))}.")

    def __dir__(self) -> list[str]:
        return ["above_null", *(name for part in self.PARTS for name in FORM.parts[part].fields())]
