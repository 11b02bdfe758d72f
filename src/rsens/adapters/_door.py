"""The door: every model and every X that a user gives comes in here, and is read once.

Numeric columns of two values become contrasts. A slope at the rows does not show the way from one value to the other,
so the two values are compared, as the levels of a categorical column are. The fit stays unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import numpy as np

from rsens._coding import Coding, Levels
from rsens._conversions import package_of
from rsens._errors import Argument, InputError
from rsens._table import Table, as_pandas, column_of, column_positions, columns_of_labels, numbers_of
from rsens._typing import Array
from rsens.adapters._adapter import WITH_DERIVATIVES, Adapter, expected_model, first_line
from rsens.adapters._gpytorch import GPYTORCH
from rsens.adapters._pytorch import LAPLACE, TORCH_MODULE
from rsens.adapters._sklearn import SCIKIT_LEARN
from rsens.adapters._statsmodels import STATSMODELS
from rsens.derivatives import Model, rows_of

#: Entry points in which other packages offer adapters, each under the name of the package whose objects it adapts.
ENTRY_POINTS = "rsens.adapters"


def _adapted_elsewhere(obj: Any) -> Model | None:
    """The model that the adapter of another package makes of the object; None if no package offers one for it."""
    packages = {package_of(kind) for kind in type(obj).__mro__}
    for entry in offered_adapters():
        if entry.name not in packages:
            continue
        try:
            model = entry.load()(obj)
            if model is not None and not isinstance(model, Model):
                raise TypeError(f"must return an rsens.Model or None; got {type(model).__name__}")
        except InputError:
            raise
        except Exception as error:  # code of another package may raise anything
            package = "an installed package" if entry.dist is None else entry.dist.name
            raise InputError(
                f"the adapter {entry.value} of {package} failed ({type(error).__name__}: {first_line(error)}). "
                "Update or uninstall that package, or wrap what the model predicts: from_function(fn)."
            ) from error
        if model is not None:
            return model
    return None


@cache
def offered_adapters() -> tuple[EntryPoint, ...]:
    """The adapters that installed packages offer, not loaded yet."""
    return tuple(entry_points(group=ENTRY_POINTS))


#: Every kind of object that needs no wrapping. The first adapter that makes a model of an object counts.
ADAPTERS: list[Adapter] = [
    WITH_DERIVATIVES,
    Adapter("objects of packages with an entry point in `rsens.adapters`", lambda obj: True, _adapted_elsewhere),
    STATSMODELS,
    SCIKIT_LEARN,
    GPYTORCH,
    LAPLACE,
    TORCH_MODULE,  # after GPyTorch, whose models are modules too
]


def as_model(obj: Any) -> Model:
    """The object as a `Model`. Only this function decides what can be explained."""
    if isinstance(obj, Model):
        return obj
    if isinstance(obj, type):
        raise expected_model(f"; got the class {obj.__name__}. Make one: {obj.__name__}(…), and fit it.")
    for adapter in ADAPTERS:
        model = adapter.adapt(obj) if adapter.accepts(obj) else None
        if model is not None:
            return model
    raise expected_model(
        f"; got {type(obj).__name__}. Fitted models of scikit-learn, statsmodels, GPyTorch, BoTorch, NGBoost and "
        "PyTorch need no wrapping; posterior draws, with the program that made them, go through from_draws(fn, draws), "
        "from_numpyro(model, mcmc), from_pymc(model, posterior) or from_bambi(model, posterior). For "
        "anything else wrap a function of rows X that returns a family, such as Normal(mean, variance): from_jax(fn) "
        "or from_torch(fn) if it is written in JAX or PyTorch, from_function(fn) otherwise."
    )


def read_for(model: Any, X: Any, weights: Any = None) -> tuple[Model, Table]:
    """The object as a `Model` that knows its categorical columns, and the rows X with level codes in those columns."""
    X = as_pandas(X)
    source = as_model(model).coded(X, weights)
    return source, rows_of(source, X)


def classes_of(model: Any) -> Any:
    """The class labels behind the codes 0, 1, … of the model's predictions; None if they are not known."""
    return as_model(model).classes_


# ---- Numeric columns of two values, such as 0/1 flags, become contrasts ----------------------------------------------

#: Two rows have at most two values in every column.
LEAST_ROWS = 3


def two_valued(
    table: Table, training: Array | None = None, *, numeric: Iterable[str | int] = (), grouped: Iterable[int] = ()
) -> tuple[int, ...]:
    """Positions of the numeric columns with exactly two values in the training inputs, and no others in the table.

    Without `training` (N, D) the table takes its place. Columns named `numeric`, and those at positions `grouped`,
    which move together along a direction, stay numbers.
    """
    categorical = () if table.coding is None else table.coding.categorical
    kept = {*read_numeric(numeric, table.names, categorical), *grouped, *categorical}
    inputs = table.values if training is None else training
    return tuple(
        d
        for d in range(len(table.names))
        if d not in kept and _has_two(inputs[:, d]) and np.isin(table.values[:, d], inputs[:, d]).all()
    )


def two_valued_columns(X: Any, numeric: Iterable[str | int], names: tuple[str, ...]) -> tuple[int, ...]:
    """The same for data that no model has read yet: what every model fitted to parts of X shall compare."""
    kept = read_numeric(numeric, names, columns_of_labels(X))
    return tuple(d for d in range(len(names)) if d not in kept and _has_two(numbers_of(column_of(X, d))))


def as_contrasts(
    source: Model,
    table: Table,
    positions: Iterable[int],
    *,
    training: Array | None = None,
    weights: Array | None = None,
) -> tuple[Model, Table]:
    """The model and its rows with contrasts between the values of these columns, of the training inputs and the table.

    How often each occurs is counted in the training inputs (N, D), or else in the table under `weights`, which add up
    to 1. A column with one value in the training inputs has nothing to compare: its R-sens is 0.
    """
    known = () if table.coding is None else table.coding.columns
    further = sorted({*positions} - {column.position for column in known})
    if not further:
        return source, table
    counted, shares = (table.values, weights) if training is None else (training, None)
    values, columns = table.values.copy(), list(known)
    for d in further:
        levels = np.union1d(counted[:, d], table.values[:, d])
        codes = np.searchsorted(levels, counted[:, d])
        counts = np.bincount(codes, weights=shares, minlength=len(levels))
        frequencies = counts / counts.sum()
        columns.append(Levels(d, table.names[d], tuple(map(_label, levels.tolist())), frequencies, numeric=True))
        values[:, d] = np.searchsorted(levels, table.values[:, d])
    coding = Coding(table.names, tuple(sorted(columns, key=lambda column: column.position)))
    return source.contrasted(coding), replace(table, values=values, coding=coding)


def read_numeric(numeric: Any, names: tuple[str, ...], categorical: Iterable[int]) -> list[int]:
    """Positions of the columns that `numeric` names; categorical ones cannot be numbers."""
    positions = column_positions(() if numeric is None else numeric, names, "numeric")
    labels = [d for d in positions if d in categorical]
    if labels:
        text = f" names the column {names[labels[0]]!r}, which is categorical. Leave it out, or fit to numbers there."
        raise InputError(Argument("numeric"), text)
    return positions


def _label(value: float) -> float:
    """The number as people write it: 1, not 1.0."""
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _has_two(values: Array | None) -> bool:
    """Whether there are exactly two different values, none of them missing, in enough rows to tell."""
    if values is None or len(values) < LEAST_ROWS:
        return False
    low, high = values.min(), values.max()
    return bool(low < high and ((values == low) | (values == high)).all())
