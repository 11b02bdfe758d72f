"""The columns that the formula of a bambi model reads, and which of them hold levels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._frames import as_pandas
from rsens._labels import plain
from rsens._table import is_frame
from rsens._text import first_few, quoted
from rsens._typing import Array


@dataclass(frozen=True)
class FormulaColumns:
    """The variables of a formula, in the order of the data it was fitted to."""

    names: tuple[str, ...]
    #: Those with levels, and the levels of the training data: factors, and the groups of (1 | group).
    levels: dict[str, tuple[Any, ...]]
    #: The variables of the left-hand side.
    response: tuple[str, ...]

    #: The types of the columns, which rows made from numbers get again.
    types: dict[str, Any]

    def frame(self, numbers: Array, names: tuple[str, ...]) -> Any:
        """Rows of numbers as a data frame with the labels that the model was fitted to."""
        import pandas as pd

        columns = dict(zip(names, numbers.T, strict=True))
        for name, levels in self.levels.items():
            labels = pd.Series([levels[code] for code in _codes(columns[name], levels)])
            columns[name] = labels.astype(self.types[name])
        return pd.DataFrame(columns)

    def check(self, X: Any) -> Any:
        """X as a data frame that has these columns and not the response."""
        X = as_pandas(X)
        if not is_frame(X):
            raise InputError(
                Argument("X"),
                f" must be a data frame with the columns of the formula ({', '.join(map(repr, self.names))}); got "
                f"{type(X).__name__}.",
            )
        given = list(map(str, X.columns))
        missing = [name for name in self.names if name not in given]
        if missing:
            raise InputError(Argument("X"), f" must have the columns {quoted(missing)} of the formula; got {given}.")
        words = [name for name in self.names if name not in self.levels and not _is_number(X[name])]
        if words:
            raise InputError(
                Argument("X"),
                f": column {words[0]!r} must hold numbers, as in the data of the model; got {X[words[0]].dtype}.",
            )
        for name, levels in self.levels.items():
            unknown = [level for level in X[name].dropna().unique() if level not in levels]
            if unknown:
                raise InputError(
                    Argument("X"),
                    f": column {name!r} has {first_few([repr(plain(level)) for level in unknown])}, which the model "
                    f"was not fitted to. It knows {first_few([repr(plain(level)) for level in levels])}.",
                )
        response = [name for name in self.response if name in given and name not in self.names]
        if response:
            raise InputError(
                Argument("X"),
                f" has the column {response[0]!r}, which the model predicts. Leave it out: "
                f"X.drop(columns={response[0]!r}).",
            )
        return X


def formula_columns(model: Any) -> FormulaColumns:
    """Read the design matrices of a built model."""
    used: set[str] = set()
    with_levels: set[str] = set()
    for component in parameters_of(model).values():
        design = getattr(component, "design", None)  # a constant component has none
        for part in (getattr(design, "common", None), getattr(design, "group", None)):
            for term in getattr(part, "terms", {}).values():
                used |= set(term.var_names)
                with_levels |= set(_factors(term))
    data = model.data
    names = tuple(name for name in map(str, data.columns) if name in used)
    with_levels |= {name for name in names if not _is_number(data[name])}
    response = response_term(model)
    return FormulaColumns(
        names,
        {name: tuple(_levels(data[name])) for name in names if name in with_levels},
        tuple(sorted(set(getattr(getattr(response, "term", response), "var_names", ()) or ()) - {""})),
        {name: data[name].dtype for name in names},
    )


def parameters_of(model: Any) -> dict[str, Any]:
    """The parameters of the family by name; older releases call them components."""
    parameters = getattr(model, "parameters", None)
    return model.components if parameters is None else parameters


def response_term(model: Any) -> Any:
    """The left-hand side of the formula; older releases keep it in a component."""
    term = getattr(model, "response_term", None)
    return model.response_component.term if term is None else term


def _codes(numbers: Array, levels: tuple[Any, ...]) -> list[int]:
    """Which level each number stands for: levels that are numbers stand for themselves, others are counted."""
    if not all(isinstance(level, Real | np.bool_) for level in levels):
        return [int(number) for number in numbers]
    known = {float(level): code for code, level in enumerate(levels)}
    return [known[float(number)] for number in numbers]


def _factors(term: Any) -> Iterator[str]:
    """The variables of a term that are read as levels: C(x), and groups."""
    if hasattr(term, "factor"):  # (expr | factor)
        yield from term.factor.var_names
        yield from _factors(term.expr)
    for part in getattr(term, "components", ()):
        if getattr(part, "kind", None) == "categoric":
            yield from part.var_names


def _is_number(column: Any) -> bool:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return is_numeric_dtype(column) and not is_bool_dtype(column)


def _levels(column: Any) -> list[Any]:
    """The labels of a column, in the order of its categories or else sorted."""
    if hasattr(column, "cat"):
        return list(column.cat.categories)
    return sorted(column.unique())
