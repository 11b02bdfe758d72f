"""One method on one question: its values, how long it took, how often it asked the model, and why it failed if it did.

A method that cannot answer does not stop the others. What it was told by rsens, by the user's model or by another
library becomes its status; an error that starts in rsens's own code and is not one of ours is a defect, and is raised.
"""

from __future__ import annotations

import traceback
import zlib
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._arguments import child
from rsens._compare._counted import Counted
from rsens._compare._methods import ARD
from rsens._compare._targets import Scores
from rsens._errors import InputError, MissingExtraError
from rsens._table import Table
from rsens._typing import Array
from rsens.black_box import BLACK_BOX, Asked, Budget, Method, asked
from rsens.derivatives import Model
from rsens.measures import ard, importance

PACKAGE = Path(__file__).parents[1]
#: Errors that numbers cause, not code.
NUMERICAL = (ArithmeticError, np.linalg.LinAlgError, MemoryError)


@dataclass(frozen=True, eq=False)
class Question:
    """What every method is asked: a model, rows, targets, and what one step of each column is."""

    model: Any
    source: Model
    X: Any
    table: Table
    scores: Scores | None
    order: int
    units: Array
    #: Columns that do not vary, where standard deviations are the units; they get 0.
    constant: NDArray[np.bool_]
    budget: Budget
    alpha: float
    seed: np.random.SeedSequence


@dataclass(frozen=True, eq=False)
class MethodResult:
    """What one method says. `values` is one number per term, or None with the reason in `status`."""

    method: str
    values: Array | None
    seconds: float
    evaluations: int
    status: str = "ok"


def run(name: str, question: Question) -> MethodResult:
    """The method on the question."""
    counters: list[Asked | Counted] = []
    values, status = None, "ok"
    start = perf_counter()
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is reported by `_vector`
            values = _vector(_value(name, question, counters), question)
    except (InputError, MissingExtraError) as error:
        status = _one_line(str(error))
    except Exception as error:
        if _starts_here(error) and not isinstance(error, NUMERICAL):
            raise
        status = _one_line(f"{type(error).__name__}: {error}")
    seconds = perf_counter() - start
    return MethodResult(name, values, seconds, sum(counter.evaluations for counter in counters), status)


def _value(name: str, question: Question, counters: list[Asked | Counted]) -> Array:
    """One number per column (D,) or pair of columns (D, D), in the units of the question."""
    method = BLACK_BOX.get((name, question.order))
    if method is not None:
        return _from_predictions(method, question, counters)
    if name == ARD:
        return question.units * ard(question.model, question.X)
    counted = Counted(question.source)
    counters.append(counted)
    model: Model = counted
    if name == "fourth_derivative":  # it differentiates the user's function itself, once per row
        model, counted.evaluations = question.source, len(question.table.values)
    return importance(name, model, question.X, scale=question.units, alpha=question.alpha)


def _from_predictions(method: Method, question: Question, counters: list[Asked | Counted]) -> Array:
    if method.needs_y and question.scores is None:
        raise InputError("this method compares predictions with the targets, and y is None. Give y.")
    model = asked(question.source, question.table, question.scores)
    counters.append(model)
    # A number of its own for every method: which others are asked for, and in what order, changes nothing.
    number = zlib.crc32(f"{method.name} of order {method.order}".encode())
    values = method.value(model, question.budget, np.random.default_rng(child(question.seed, number)))
    if not method.scaled:
        return values
    return values * (question.units if method.order == 1 else np.outer(question.units, question.units))


def _vector(values: Array, question: Question) -> Array:
    """One number per term, checked; 0 for columns that do not vary."""
    constant = question.constant
    names = question.table.names
    if question.order == 2:
        first, second = np.triu_indices(len(values), 1)
        constant = constant[first] | constant[second]
        values = values[first, second]
    values = np.where(constant, 0.0, values)
    bad = ~np.isfinite(values)
    if bad.any():
        k = int(bad.argmax())
        where = repr(names[k]) if question.order == 1 else f"{names[first[k]]!r} and {names[second[k]]!r}"
        raise InputError(f"the value for {where} is not a finite number.")
    return values


def _starts_here(error: Exception) -> bool:
    """Whether the error was raised by a line of this package, not by a function that it called."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return Path(frames[-1].f_code.co_filename).is_relative_to(PACKAGE)


def _one_line(text: str) -> str:
    return " ".join(text.split())
