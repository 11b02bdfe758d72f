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
from rsens._compare._counting_model import CountingModel
from rsens._errors import InputError, MissingExtraError
from rsens._refits import reason_of
from rsens._typing import Array
from rsens.black_box import Method, Predictor
from rsens.derivatives import Model
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
    return [run(method, comparison) for method in settings.methods]


def run(method: ComparedMethod, comparison: Comparison) -> MethodResult:
    """What the method says about the model."""
    counters: list[Predictor | CountingModel] = []
    values, status = None, "ok"
    start = perf_counter()
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # `_vector` reports what is not finite
            values = _vector(_value(method, comparison, counters), comparison)
    except Exception as error:
        if _starts_here(error) and not isinstance(error, EXPECTED):
            raise
        status = reason_of(error)
    seconds = perf_counter() - start
    return MethodResult(method.name, values, seconds, sum(counter.evaluations for counter in counters), status)


def _value(method: ComparedMethod, comparison: Comparison, counters: list[Predictor | CountingModel]) -> Array:
    """One number per column (D,) or pair of columns (D, D), in the units of the comparison."""
    if isinstance(method, Method):
        return _from_predictions(method, comparison, counters)
    assert isinstance(method, Measure | ModelMeasure)
    alpha = comparison.settings.alpha
    if isinstance(method, ModelMeasure):
        return method.importance(comparison.model, comparison.X, scale=comparison.number_units, alpha=alpha)
    counter = CountingModel(comparison.source)
    counters.append(counter)
    model: Model = counter
    if method.of_function:  # the counter would hide the function, which is differentiated once per row
        model, counter.evaluations = comparison.source, len(comparison.table.values)
    return method.importance(model, comparison.table, scale=comparison.units, alpha=alpha)


def _from_predictions(method: Method, comparison: Comparison, counters: list[Predictor | CountingModel]) -> Array:
    predictor = Predictor.of(comparison.source, comparison.table, comparison.scores)
    counters.append(predictor)
    if method.needs_y:
        predictor.check_targets()
    # Every method has its own random numbers: which others run, and in what order, changes nothing.
    number = zlib.crc32(f"{method.name} of order {method.order}".encode())
    rng = np.random.default_rng(child(comparison.seed, number))
    return method.value(predictor, comparison.settings.budget, rng) * method.factor(comparison.units)


def _vector(values: Array, comparison: Comparison) -> Array:
    """One finite number per term; 0 for columns that do not vary."""
    constant = comparison.constant
    if comparison.settings.order == 2:
        first, second = np.triu_indices(len(values), 1)
        constant = constant[first] | constant[second]
        values = values[first, second]
    values = np.where(constant, 0.0, values)
    bad = ~np.isfinite(values)
    if bad.any():
        term = comparison.terms[int(bad.argmax())]
        raise InputError(f"the value for {term!r} is not a finite number.")
    return values


def _starts_here(error: Exception) -> bool:
    """Whether a line of this package raised the error, and not a function that it called."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return Path(frames[-1].f_code.co_filename).is_relative_to(PACKAGE)
