"""The interface of a model: rows in, derivatives of λ out; and the loop over rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._table import Table, read_table
from rsens._typing import Array
from rsens.derivatives import _output as output
from rsens.derivatives._contrasts import contrast_bytes, contrasts_at
from rsens.derivatives._derivatives import Bends, Derivatives, without_columns, without_derivatives
from rsens.distributions import Distribution

#: Working memory for one chunk of rows.
MAX_BYTES = 256 * 2**20
#: Automatic differentiation makes many arrays of the same size, one after another. With at least a few dozen rows,
#: chunks whose arrays stay in the processor's cache took a third of the time of chunks that fill `MAX_BYTES`.
CACHE_BYTES, FEW_ROWS = 16 * 2**20, 64


class Model(ABC):
    """Anything that gives a predictive distribution for rows, with derivatives in the columns.

    With `coding`, some columns are categorical: rows have labels there, and derivatives are 0.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> class Line(rsens.Model):
        ...     def predict_distribution(self, X):
        ...         return rsens.Normal(2.0 * np.asarray(X)[:, 0], np.ones(len(X)))
        ...     def derivatives(self, X, order):
        ...         first = np.tile([[2.0], [0.0]], (len(X), 1, 1))  # of the mean and of the variance
        ...         return rsens.Derivatives(self.predict_distribution(X), first)
        ...     def rows_per_chunk(self, n_columns, order):
        ...         return 1000
        >>> rsens.rsens(Line(), [[0.0], [1.0]]).tolist()
        [[2.0], [2.0]]
    """

    #: The categorical columns; None without any, or before rows are seen.
    coding: Coding | None = None
    #: Whether derivatives are differences, with their rounding.
    by_differences: ClassVar[bool] = False
    #: How derivatives are made, in a word or two.
    made: ClassVar[str] = "as the model gives them"
    #: Whether X may be a `Table`, so that rows that have been read are not read again.
    takes_tables: bool = False
    #: Whether rows whose levels were switched may be a `Table` of level codes: labels need not be made and read again.
    takes_codes: bool = False
    #: Whether rows at several levels may come in one call. A user's function may choose its family by the rows it sees.
    takes_many_levels: bool = False
    #: About how many parameters λ has, which decides how many rows fit in memory.
    n_parameters: int = 4
    #: Training data of the model, if known: standard deviations of its inputs (D,), the inputs (N, D).
    input_scale_: Any = None
    training_inputs_: Any = None
    #: The class labels behind the codes 0, 1, … of its predictions.
    classes_: Any = None

    @property
    def name(self) -> str:
        """The name of the model in errors."""
        return type(self).__name__

    @abstractmethod
    def derivatives(self, X: Any, order: int) -> Derivatives:
        """λ at the rows X with its first (order 1) or first and second (order 2) derivatives."""

    @abstractmethod
    def predict_distribution(self, X: Any) -> Distribution:
        """The predictive distribution at the rows X."""

    def predict_point(self, X: Any) -> Array:
        """The point prediction at the rows X, shape (n, P) for P outputs: usually the mean."""
        return self.predict_distribution(X).prediction()

    @property
    def for_pairs(self) -> Model:
        """The model whose second derivatives R-sens₂ takes: this one, but for posterior draws."""
        return self

    @property
    def description(self) -> Description | None:
        """A summary of a model of another library; None for models of rsens and wrapped functions."""
        return None

    def checks(self, X: Any) -> Iterator[Finding]:
        """Findings of `rsens.check` for this model at the rows X, in addition to its checks of every model."""
        yield from ()

    def partial_dependence(self, columns: tuple[int, ...], at: Array, X: Any) -> Array | None:
        """The point prediction with `columns` held at values `at` (m, columns), averaged over X: (m, P), or None."""
        return None

    @abstractmethod
    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        """How many rows `derivatives` can take at once with about `MAX_BYTES` of working memory."""

    def coded(self, X: Any, weights: Any = None) -> Model:
        """This model with its categorical columns known, and their levels counted in X unless they already were."""
        return self

    def contrasted(self, coding: Coding) -> Model:
        """This model with contrasts in further columns that hold numbers: `coding` names all, numbers are labels."""
        return Contrasted(self, coding)

    def counted(self, counter: Counter) -> Model:
        """This model, with the rows that it is asked about counted."""
        return CountedModel(self, counter)

    def prepared(self, X: Any) -> Model:
        """This model with everything fixed that depends on all rows X, so that chunks of them give the same numbers."""
        return self

    def numbers(self, X: Any) -> Array:
        """The rows X as numbers (n, D), with numbers in place of levels in categorical columns."""
        values = rows_of(self, X).values
        return values if self.coding is None else self.coding.numbers(values)

    def continuous(self, n_columns: int) -> list[int]:
        """Positions of the columns to differentiate in."""
        return list(range(n_columns) if self.coding is None else self.coding.continuous)


class Function(Model):
    """A model made from a function of numbers. It is a frozen dataclass with the fields `coding` and `categorical`."""

    categorical: Any
    takes_tables = True
    takes_codes = True

    @property
    def name(self) -> str:
        return "function"

    def derivatives(self, X: Any, order: int) -> Derivatives:
        check_order(order)
        return self.coded(X)._derivatives(X, order)

    @abstractmethod
    def _derivatives(self, X: Any, order: int) -> Derivatives:
        """`derivatives` of a model that knows its categorical columns."""

    def coded(self, X: Any, weights: Any = None) -> Self:
        if self.coding is not None:
            return self
        if isinstance(X, Table) and weights is None:
            coding = X.coding  # found when the table was read
        else:
            coding = Coding.of(X, self.categorical, weights=weights, keep_unused=True)
        return replace(self, coding=coding) if coding else self  # type: ignore[type-var]

    def contrasted(self, coding: Coding) -> Self:
        return replace(self, coding=coding)  # type: ignore[type-var]


class DifferentiatedFunction(Function):
    """A model made from a function that JAX or PyTorch differentiates."""

    @abstractmethod
    def _results(self, X: Array, order: int) -> tuple[Distribution, Array, Sequence[bool], Any, Any, Any]:
        """The family of arrays, λ (n, M), which arguments are single precision, which depend on x, ∂λ and ∂²λ."""

    def _derivatives(self, X: Any, order: int) -> Derivatives:
        X = self.numbers(X)
        continuous = self.continuous(X.shape[1])
        family, λ, single, moved, first, second = self._results(X, order if continuous else 0)
        distribution = family.checked(len(X))
        output.check_rows_independent(lambda Z: self._results(Z, 0)[1], X, λ, self.coding)
        if not continuous:
            return without_derivatives(distribution, X.shape[1], order)
        output.check_moved(family, moved, single)
        if second is not None:
            second = output.spread_out(0.5 * (second + second.swapaxes(-1, -2)), self.coding, 2)
        record = Derivatives(distribution, output.spread_out(first, self.coding, 1), second)
        output.warn_if_cut(distribution, record.first, output.categorical_values(self.coding, X))
        return record

    def predict_distribution(self, X: Any) -> Distribution:
        X = self.coded(X).numbers(X)
        return self._results(X, 0)[0].checked(len(X))


def iterate(
    model: Model,
    table: Table,
    order: int,
    *,
    max_bytes: int = MAX_BYTES,
    watch: bool = True,  # warn at the end if the model is piecewise linear
    prepared: bool = False,  # the model is, for more rows than these
) -> Iterator[tuple[slice, Derivatives]]:
    """The derivatives of a model at the rows of a table, chunk by chunk: (which rows, their record)."""
    check_order(order)
    n, columns = table.values.shape
    model = model if prepared else prepare(model, table)
    chunks = -(-n // _rows_at_once(model, columns, order, max_bytes))
    bends = Bends(table, model.by_differences) if watch and order == 2 else None
    for k in range(chunks):
        start, stop = n * k // chunks, n * (k + 1) // chunks
        try:
            record = model.derivatives(_as_taken(model, table.part(start, stop)), order)
            if table.coding is not None:
                pairs, rows = record.matched, slice(start, stop)
                if pairs is not None:
                    pairs = replace(pairs, contrasts=contrasts_at(model.for_pairs, table, rows, pairs, order))
                own = contrasts_at(model, table, rows, record, order if pairs is None else 1)
                record = replace(record, contrasts=own, matched=pairs)
        except InputError as error:
            if chunks == 1:
                raise
            raise type(error)(error.sentence, f" (Rows are counted from row {start} of X.)") from error
        if bends is not None:
            bends.add(slice(start, stop), record.for_pairs)
        yield slice(start, stop), record
    if bends is not None:
        bends.warn()


def _rows_at_once(model: Model, columns: int, order: int, max_bytes: int) -> int:
    rows = model.rows_per_chunk(columns, order)
    if model.coding is not None:  # contrasts have to be kept as well
        kept = contrast_bytes(model.coding, order, model.n_parameters)
        rows = max(1, int(1.0 / (1.0 / rows + kept / MAX_BYTES)))
    return max(1, rows * max_bytes // MAX_BYTES)


def prepare(model: Model, table: Table) -> Model:
    """The model prepared for the rows of a table; see `Model.prepared`."""
    return model.prepared(_as_taken(model, table))


def rows_of(model: Model, X: Any) -> Table:
    """The rows X as a table, with level codes in the categorical columns of a model."""
    return read_table(X) if model.coding is None else model.coding.read(X)


def _as_taken(model: Model, table: Table) -> Any:
    """The rows of a table as the model takes them: as the table, or in the type that was given."""
    return table if model.takes_tables else table.source


def check_order(order: int) -> None:
    if order not in (1, 2):
        raise InputError(Argument("order"), f" must be 1 (first derivatives) or 2 (first and second); got {order!r}.")


def result_bytes(n_columns: int, order: int, parameters: int = 4) -> int:
    """Bytes per row for the record itself, and as much again for making it."""
    return 2 * 8 * parameters * (1 + n_columns + (n_columns**2 if order == 2 else 0))


def rows_for(bytes_per_row: float) -> int:
    """How many rows fit in `MAX_BYTES`, at least one."""
    return max(1, int(MAX_BYTES / bytes_per_row))


#: "ok": as it should be. "warning": read the text before you read the numbers. "wrong": the numbers are not to be used.
Verdict = Literal["ok", "warning", "wrong"]


@dataclass(frozen=True)
class Description:
    """A summary of a model in a few words for each aspect, short enough for one line."""

    model: str  # "GaussianProcessRegressor of scikit-learn"
    family: str  # of an observation: "Normal"
    noise: str  # of an observation: "included: 0.04 (WhiteKernel)"; "none"
    derivatives: str  # "closed form", "automatic (PyTorch)", "differences over 0.3 standard deviations"
    columns: str = "columns of X as given"  # or the original ones of a pipeline

    def __str__(self) -> str:
        return (
            f"{self.model}: {self.family} prediction of an observation, noise {self.noise}; "
            f"derivatives: {self.derivatives}; {self.columns}."
        )


@dataclass(frozen=True)
class Finding:
    """The result of one check of a model, and what to do about it."""

    name: str
    verdict: Verdict
    text: str


@dataclass
class Counter:
    """How many rows were asked about so far."""

    rows: int = 0

    def calls(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with the rows of each call counted."""

        def counted(X: Any, *rest: Any) -> Any:
            self.rows += len(X)
            return fn(X, *rest)

        return counted


class Around(Model):
    """A model around another one, which it forwards everything to that a subclass does not override."""

    def __init__(self, model: Model) -> None:
        self._model = model
        facts = ("by_differences", "takes_tables", "takes_codes", "takes_many_levels", "n_parameters")
        for name in ("coding", *facts, "input_scale_", "training_inputs_", "classes_"):
            setattr(self, name, getattr(model, name))

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def description(self) -> Description | None:
        return self._model.description

    def checks(self, X: Any) -> Iterator[Finding]:
        return self._model.checks(X)

    def derivatives(self, X: Any, order: int) -> Derivatives:
        return self._model.derivatives(X, order)

    def predict_distribution(self, X: Any) -> Distribution:
        return self._model.predict_distribution(X)

    def predict_point(self, X: Any) -> Array:
        return self._model.predict_point(X)

    def partial_dependence(self, columns: tuple[int, ...], at: Array, X: Any) -> Array | None:
        return self._model.partial_dependence(columns, at, X)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return self._model.rows_per_chunk(n_columns, order)


class CountedModel(Around):
    """The same model. A row with its derivatives, or the value of an average in closed form, counts once."""

    def __init__(self, model: Model, counter: Counter) -> None:
        super().__init__(model)
        self._counter = counter
        for name in ("derivatives", "predict_distribution", "predict_point"):
            setattr(self, name, counter.calls(getattr(model, name)))

    def partial_dependence(self, columns: tuple[int, ...], at: Array, X: Any) -> Array | None:
        values = super().partial_dependence(columns, at, X)
        self._counter.rows += 0 if values is None else len(at)
        return values

    def coded(self, X: Any, weights: Any = None) -> CountedModel:
        return CountedModel(self._model.coded(X, weights), self._counter)

    def prepared(self, X: Any) -> CountedModel:
        return CountedModel(self._model.prepared(X), self._counter)


class Contrasted(Around):
    """The same model, with derivatives 0 in all columns of `coding`; rows have numbers there."""

    coding: Coding

    def __init__(self, model: Model, coding: Coding) -> None:
        super().__init__(model)
        self.coding, self.takes_tables = coding, False

    def derivatives(self, X: Any, order: int) -> Derivatives:
        return without_columns(super().derivatives(self._as_given(X), order), self.coding.categorical)

    def predict_distribution(self, X: Any) -> Distribution:
        return super().predict_distribution(self._as_given(X))

    def _as_given(self, X: Any) -> Any:
        """Level codes of numbers as these numbers, which the model knows."""
        if not isinstance(X, Table) or X.coding is not self.coding:
            return X
        return Table(X.names, self._numbers(X.values, range(len(X.names))), None, self._model.coding)

    def _numbers(self, values: Array, columns: Sequence[int]) -> Array:
        values = values.copy()
        for k, d in enumerate(columns):
            if d in self.coding.categorical and self.coding[d].numeric:
                values[:, k] = self.coding[d].numbers[values[:, k].astype(np.intp)]
        return values

    def partial_dependence(self, columns: tuple[int, ...], at: Array, X: Any) -> Array | None:
        return super().partial_dependence(columns, self._numbers(at, columns), X)

    def contrasted(self, coding: Coding) -> Contrasted:
        return Contrasted(self._model, coding)

    def prepared(self, X: Any) -> Contrasted:
        return Contrasted(self._model.prepared(X), self.coding)
