"""One method on one model: its values, its time, how often it asked the model, and why it failed if it did.

A method that cannot answer does not stop the others. An error from rsens, from the user's model or from another library
becomes its status. An error that starts in rsens's own code and is not one of ours is a defect, and is raised.
"""

from __future__ import annotations

import traceback
import zlib
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from rsens._arguments import child
from rsens._compare._comparison import Comparison, ComparisonSettings
from rsens._errors import InputError, MissingExtraError
from rsens._refits import reason_of
from rsens._typing import Array
from rsens.black_box import NO_TARGETS, Method, Predictor, grouped, reordered, reordered_terms
from rsens.derivatives import Counter
from rsens.measures import ComparedMethod, Measure, ModelMeasure

PACKAGE = Path(__file__).parents[1]
#: Errors that input, a missing package or extreme numbers cause, and not a defect in the code.
EXPECTED = (InputError, MissingExtraError, ArithmeticError, np.linalg.LinAlgError, MemoryError)


@dataclass(frozen=True, eq=False)
class MethodResult:
    """What one method says. `values` is one number per term, or None with the reason in `status`."""

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


def run(comparison: Comparison, method: ComparedMethod) -> MethodResult:
    """What the method says about the model."""
    counter = Counter()
    values, status = None, "ok"
    start = perf_counter()
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # `_vector` reports what is not finite
            values = _vector(_value(method, comparison, counter), comparison)
    except Exception as error:
        if _starts_here(error) and not isinstance(error, EXPECTED):
            raise
        status = reason_of(error)
    seconds = perf_counter() - start
    return MethodResult(method.name, values, seconds, counter.rows, status)


def _value(method: ComparedMethod, comparison: Comparison, counter: Counter) -> Array:
    """One number per term (T,) or pair of terms (T, T), in the units of the comparison."""
    method.check_groups(comparison.terms)
    if isinstance(method, Method):
        return _from_predictions(method, comparison, counter)
    assert isinstance(method, Measure | ModelMeasure)
    alpha, terms = comparison.settings.alpha, comparison.terms
    if isinstance(method, ModelMeasure):
        units = comparison.number_units
        return method.importance(comparison.model, comparison.X, scale=units, alpha=alpha, terms=terms)
    model = comparison.source.counted(counter)
    if method.of_function:  # it wants the function itself, and differentiates it once per row
        model = comparison.source
        counter.add(len(comparison.table))
    return method.importance(model, comparison.table, scale=comparison.units, alpha=alpha, terms=terms)


def _from_predictions(method: Method, comparison: Comparison, counter: Counter) -> Array:
    terms, units = comparison.terms, comparison.units
    if method.needs_y and comparison.scores is None:
        raise InputError(NO_TARGETS)
    scores = None if comparison.scores is None else counter.calls(comparison.scores)
    whole = Predictor.of(comparison.source.counted(counter), comparison.table, scores)
    order = comparison.order  # a method draws among rows and columns in an order of their own
    own_terms, back = reordered_terms(terms, order)
    predictor = grouped(reordered(whole, order), own_terms, units[order.columns])
    # Every method has its own random numbers: which others run, and in what order, changes nothing.
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


def _starts_here(error: Exception) -> bool:
    """Whether a line of this package raised the error, and not a function that it called."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return Path(frames[-1].f_code.co_filename).is_relative_to(PACKAGE)
