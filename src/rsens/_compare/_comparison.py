"""A comparison: settings that serve many models, one model with its rows, and the answer of each method."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from time import perf_counter
from typing import Any, Self

import numpy as np

from rsens import black_box, measures
from rsens._arguments import child, one_of
from rsens._contents import OwnOrder, own_order
from rsens._errors import Argument, InputError, MissingExtraError
from rsens._refits import FAILURES, check_one_per_row, one_target, reason_of
from rsens._table import Table, as_pandas
from rsens._typing import Array, Flags
from rsens.adapters import as_contrasts, classes_of, read_for, two_valued
from rsens.derivatives import Counter, Model
from rsens.models import read_labels

NOUNS = {1: "variable", 2: "pair"}
#: Rows of the type of X, one for each target, in; one number for each, out. More is better.
RowScores = Callable[[Any], Array]


@dataclass(frozen=True, eq=False)
class ComparisonSettings:
    """Which methods, and how they are to answer: the arguments of `compare`, checked, apart from model and data."""

    methods: tuple[measures.ComparedMethod, ...]
    order: int
    budget: black_box.Budget
    scale: Any = "sd"
    #: Columns that stay numbers even if they have two values; see `explain`.
    numeric: Any = ()
    #: Positions of the columns whose two values are compared; None to decide for every model.
    two_valued: tuple[int, ...] | None = None
    groups: Any = None

    @classmethod
    def read(cls, methods: Any, order: Any, budget: Any, *, cheap: bool = False, **others: Any) -> Self:
        """The arguments as users give them. With `cheap`, methods may be "cheap"."""
        sizes = black_box.budget_of(budget)
        return cls(tuple(find_methods(methods, order, sizes if cheap else None)), order, sizes, **others)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the methods."""
        return tuple(method.name for method in self.methods)

    @property
    def scale_name(self) -> str:
        """The name of the scale in results."""
        return self.scale if isinstance(self.scale, str) else "given"


@dataclass(frozen=True, eq=False)
class Comparison:
    """The question to every method: a model, rows, targets, and the length of one step of each column."""

    settings: ComparisonSettings
    seed: np.random.SeedSequence
    model: Any
    #: The model as rsens reads it.
    source: Model
    X: Any
    table: Table
    #: The terms that are scored: columns, and groups of columns.
    terms: measures.Terms
    scores: RowScores | None
    units: Array
    #: The same where a two-valued column is a number like others, for methods that are read off the model.
    number_units: Array
    #: Columns that do not vary, where standard deviations are the units; they score 0.
    constant: Flags
    y: Any = None

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, settings: ComparisonSettings, seed: np.random.SeedSequence) -> Self:
        """A model and data as users give them."""
        X, y = as_pandas(X), as_pandas(y, "y")
        source, table = read_for(model, X)
        n, columns = table.values.shape
        terms = measures.Terms.of(settings.groups, table.names)
        check_terms(terms, settings.order)
        measures.check_groups(terms, table)
        training, weights = measures.training_inputs(model, columns), measures.check_weights(None, n)
        of_numbers = measures.deviations_of(model, table, training, weights)
        compared = settings.two_valued
        if compared is None:
            compared = two_valued(table, training, numeric=settings.numeric, grouped=terms.grouped_columns)
        source, table = as_contrasts(source, table, compared, training=training)
        deviations = measures.deviations_of(model, table, training, weights)
        units = measures.column_units(settings.scale, deviations, table.names).copy()
        number_units = of_numbers if settings.scale_name == "sd" else units
        measures.warn_of_gaps(model, training, table)
        scores = row_scores(model, source, y, n)
        constant = (units == 0.0) & (settings.scale_name == "sd")
        return cls(settings, seed, model, source, X, table, terms, scores, units, number_units, constant, y)

    @cached_property
    def order(self) -> OwnOrder:
        """An order of rows and columns that does not depend on how they come."""
        return own_order(self.table.values, self.y, names=self.table.names)

    @property
    def labels(self) -> list[str]:
        """The names of the terms or pairs, in the order of the values of every method."""
        return term_labels(self.terms.names, self.settings.order)


def term_labels(names: tuple[str, ...], order: int) -> list[str]:
    """Names of terms (columns and groups), or for order 2 of pairs "x0:x1", in the order of the upper triangle."""
    if order == 1:
        return list(names)
    pairs = [f"{first}:{second}" for first, second in combinations(names, 2)]
    if len({*pairs}) < len(pairs):
        repeated = next(pair for pair in pairs if pairs.count(pair) > 1)
        raise InputError(f"{repeated!r} is the name of more than one pair, as names contain ':'. Rename a column.")
    return pairs


def check_terms(terms: measures.Terms, order: int) -> None:
    """An `InputError` for pairs of a single column or group."""
    if order == 2 and len(terms) < 2:
        what = "X has one" if not terms.grouped else "all are in one group"
        raise InputError(f"Pairs need at least two columns; {what}. Use ", Argument("order", 1), ".")


@dataclass(frozen=True, eq=False)
class MethodResult:
    """The answer of one method. `values` is one number per term, or None with the reason in `status`."""

    method: str
    values: Array | None
    seconds: float
    evaluations: int
    status: str = "ok"


def method_values(
    model: Any, X: Any, y: Any, settings: ComparisonSettings, seed: np.random.SeedSequence
) -> list[MethodResult]:
    """One result per method of the settings; its values are in the order of `terms`."""
    comparison = Comparison.of(model, X, y, settings, seed)
    return [run(comparison, method) for method in settings.methods]


def run(comparison: Comparison, method: measures.ComparedMethod) -> MethodResult:
    """The answer of the method; an error becomes its status."""
    counter = Counter()
    values, status = None, "ok"
    start = perf_counter()
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # `_vector` reports what is not finite
            values = _vector(_value(method, comparison, counter), comparison)
    except (*FAILURES, MissingExtraError, MemoryError) as error:
        status = reason_of(error)
    seconds = perf_counter() - start
    return MethodResult(method.name, values, seconds, counter.rows, status)


def _value(method: measures.ComparedMethod, comparison: Comparison, counter: Counter) -> Array:
    """One number per term (T,) or pair of terms (T, T), in the units of the comparison."""
    method.check_groups(comparison.terms)
    if isinstance(method, black_box.Method):
        return _from_predictions(method, comparison, counter)
    assert isinstance(method, measures.Measure)
    terms = comparison.terms
    if method.of_model is not None:
        return method.importance(comparison.model, comparison.X, scale=comparison.number_units, terms=terms)
    model = comparison.source.counted(counter)
    return method.importance(model, comparison.table, scale=comparison.units, terms=terms)


def _from_predictions(method: black_box.Method, comparison: Comparison, counter: Counter) -> Array:
    terms, units = comparison.terms, comparison.units
    if method.needs_y and comparison.scores is None:
        raise InputError(black_box.NO_TARGETS)
    scores = None if comparison.scores is None else counter.calls(comparison.scores)
    whole = black_box.Predictor.of(comparison.source.counted(counter), comparison.table, scores)
    order = comparison.order  # a method draws among rows and columns in an order that does not depend on X
    own_terms, back = black_box.reordered_terms(terms, order)
    predictor = black_box.grouped(black_box.reordered(whole, order), own_terms, units[order.columns])
    # Every method has its own random numbers: other methods and their order change nothing.
    number = zlib.crc32(f"{method.name} of order {method.order}".encode())
    rng = np.random.default_rng(child(comparison.seed, number))
    # A value of a group is per unit already: a step within the group has a length in units.
    return back(method.value(predictor, comparison.settings.budget, rng)) * method.factor(terms.of_columns(units, 1.0))


def _vector(values: Array, comparison: Comparison) -> Array:
    """One finite number per term; 0 for columns that do not vary."""
    members = comparison.terms.members
    constant = np.array([comparison.constant[list(columns)].all() for columns in members])
    if comparison.settings.order == 2:
        first, second = np.triu_indices(len(values), 1)
        constant = constant[first] | constant[second]
        values = values[first, second]
    values = np.where(constant, 0.0, values)
    bad = ~np.isfinite(values)
    if bad.any():
        term = comparison.labels[int(bad.argmax())]
        raise InputError(f"the value for {term!r} is not a finite number.")
    return values


def known(order: int) -> dict[str, measures.ComparedMethod]:
    """Every method of this order by name: in the order of the paper's tables; methods outside them come last."""
    listed: list[measures.ComparedMethod] = [*measures.METHODS.values(), *black_box.BLACK_BOX.values()]
    own = [method for method in listed if method.order == order]
    return {method.name: method for method in sorted(own, key=lambda method: (method.place is None, method.place or 0))}


def find_methods(methods: Any, order: Any, budget: black_box.Budget | None = None) -> list[measures.ComparedMethod]:
    """The methods asked for, each once: names, "all" of the paper's tables, or with a budget the "cheap" ones of these.

    Cheap methods are quick and need no optional package at this budget.
    """
    one_of(order, "order", (1, 2))
    every = [method for method in known(order).values() if method.place is not None]
    if isinstance(methods, str) and methods == "all":
        return every
    if isinstance(methods, str) and methods == "cheap" and budget is not None:
        return [method for method in every if method.cheap and (budget.paper or method.needs_extra is None)]
    names = (methods,) if isinstance(methods, str) else methods
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names) or not names:
        raise InputError(Argument("methods"), f" must be 'all', or names like ['rsens', 'pfi']; got {methods!r}.")
    return [_find(name, order) for name in dict.fromkeys(names)]


def legend_of(methods: Iterable[str], order: int) -> str:
    """a: what it measures; b: what it measures."""
    there = known(order)
    return "; ".join(f"{name}: {there[name].meaning}" for name in methods if name in there)


def _find(name: str, order: int) -> measures.ComparedMethod:
    there, other = known(order), 3 - order
    if name in there:
        return there[name]
    if name in known(other):
        raise InputError(f"{name} scores {NOUNS[other]}s: use ", Argument("order", other), ".")
    raise InputError(f"Unknown method {name!r} for {NOUNS[order]}s. Use one of {', '.join(there)}.")


def row_scores(model: Any, source: Model, y: Any, n: int) -> RowScores | None:
    """log p(y_i | x_i) of the n targets at rows of the type of X; None without targets."""
    if y is None:
        return None
    y = one_target(y)
    check_one_per_row(y, n)
    if callable(getattr(model, "log_predictive_density", None)):
        return lambda rows: np.asarray(model.log_predictive_density(rows, y), dtype=np.float64)
    return lambda rows: source.predict_distribution(rows).log_prob(_numbers(model, y, n))


def _numbers(model: Any, y: Any, n: int) -> Array:
    """The targets as families take them: class labels as codes, in the order of `classes_`."""
    classes = classes_of(model)
    if classes is not None:
        return read_labels(y, np.asarray(classes), n)
    try:
        return np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(Argument("y"), " must be numbers (class codes for a model without classes_).") from None
