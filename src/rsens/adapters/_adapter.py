"""The adapter, and the parts that adapters share: tests for classes of other libraries, and kinds of model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._conversions import package_of
from rsens._errors import Argument, InputError
from rsens._table import is_frame, shape_of
from rsens._text import quoted
from rsens._typing import Array
from rsens.derivatives import Derivatives, Description, Finding, Model, Quotients, check_order, result_bytes, rows_for
from rsens.distributions import Distribution


@dataclass(frozen=True)
class Adapter:
    """How objects of one kind become a `Model`: which objects it accepts, and how it adapts one; None if it cannot."""

    name: str
    accepts: Callable[[Any], bool]
    adapt: Callable[[Any], Model | None]


class NoTranslationError(Exception):
    """A part of a model, such as its kernel, does not exist in rsens; the text names it."""


def own_class(obj: Any) -> str:
    """The name "gpytorch.RBFKernel" for an object of that very class; a user's subclass has another first word."""
    return f"{package_of(type(obj))}.{type(obj).__qualname__}"


def overrides(obj: Any, library: str, *methods: str) -> bool:
    """Whether one of the methods is not the library's own: then the method counts, not our formula."""
    kinds = [next((kind for kind in type(obj).__mro__ if name in vars(kind)), object) for name in methods]
    return any(package_of(kind) != library for kind in kinds) or any(name in vars(obj) for name in methods)


def expected_model(text: str, kind: str = "") -> InputError:
    """The error for an object that cannot be explained: `text` follows "expected a model", `kind` precedes "model"."""
    return InputError(f"expected a {kind}", Argument("model"), text)


def wrong_kind(call: str, argument: str, expected: str, got: Any) -> InputError:
    """The error for an argument of a public call that is another kind of object than expected."""
    return InputError(f"{call}: ", Argument(argument), f" must be {expected}; got {type(got).__name__}.")


def first_line(error: Exception) -> str:
    """The first line of an error's text, to quote in a sentence."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def check_columns(X: Any, whose: str, count: int | None, names: Sequence[Any] = (), advice: str = "") -> None:
    """An `InputError` if a data frame or array has other columns than a model knows, by number or by name.

    `whose` follows the word "columns" in the sentence; `advice` follows a wrong number of them.
    """
    given = list(X.columns) if is_frame(X) else []
    got = shape_of(X)[1]
    if count is not None and got != count:
        missing = [name for name in names if name not in given] if given else []
        more = [name for name in given if name not in names] if names else []
        wrong = (f", without {quoted(missing)}" if missing else "") + (f", with {quoted(more)}" if more else "")
        raise InputError(Argument("X"), f" must have the {count} columns {whose}; got {got}{wrong}.{advice}")
    if names and given and given != list(names):
        listed = f"{quoted(names)}; got {quoted(given)}"
        raise InputError(Argument("X"), f" must have the columns {whose}, in their order: {listed}.")


def not_fitted(estimator: Any) -> InputError:
    """The error for an estimator without fitted attributes."""
    return InputError(f"{type(estimator).__name__} is not fitted. Call fit(X, y) first.")


def check_fitted(estimator: Any) -> None:
    """An `InputError` for an estimator of scikit-learn, or one that looks like it, that has not been fitted."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    with suppress(TypeError):  # not an estimator, but something that looks like one
        try:
            check_is_fitted(estimator)
        except NotFittedError:
            raise not_fitted(estimator) from None


#: Steps that balance truncation (h⁴ after extrapolation) against rounding (eps/h, eps/h²), in units of a column.
FIRST, SECOND = 2.0**-10, 2.0**-8
#: transform(rows, which): z (m, L) at moved copies of the rows numbered `which`.
Transform = Callable[[Array, Any], Array]


def quotients(transform: Transform, X: Array, columns: list[int]) -> Quotients:
    """Difference quotients at the rows X of z(x), made of x by a step of a pipeline or a formula.

    With Richardson's extrapolation the error is h⁴: they are exact up to rounding for products of columns.
    """
    which = np.arange(len(X))

    def moved(points: Array) -> Array:
        z = transform(points.reshape(-1, X.shape[1]), np.tile(which, len(points)))
        return z.reshape(*points.shape[:2], -1)

    return Quotients(moved, X, transform(X, which), columns)


def jumps(transform: Transform, at: Quotients, first: Array, unit: Array) -> NDArray[np.bool_]:
    """Flags outputs that have no slope at nearly all rows, and yet change where the rows move inwards by a unit.

    `first` (n, L, columns) are the derivatives of z. At rows outside the domain of z nothing is known.
    """
    flat = first.any(axis=2).mean(axis=0) < 0.1
    inwards = np.where(np.median(at.X, axis=0) > at.X, unit, -unit)
    inwards[:, [d for d in range(at.X.shape[1]) if d not in at.columns]] = 0.0
    try:
        return flat & (transform(at.X + inwards, np.arange(len(at.X))) != at.z).any(axis=0) if flat.any() else flat
    except ValueError:
        return np.zeros_like(flat)


class Described:
    """Mixed into a model with these three fields, in front of its other bases: it shows them."""

    #: The class of the object, for errors.
    label: str
    about: Description | None
    #: Facts to know before reading numbers.
    findings: tuple[Finding, ...]

    @property
    def name(self) -> str:
        return self.label

    @property
    def description(self) -> Description | None:
        return self.about

    def checks(self, X: Any) -> Iterator[Finding]:
        yield from self.findings


class Pending(Model):
    """A model that is built when it sees rows: how many columns there are, and what they are called."""

    def __init__(self, built_for: Callable[[Any], Model]) -> None:
        self.built_for = built_for

    def coded(self, X: Any, weights: Any = None) -> Model:
        return self.built_for(X).coded(X, weights)

    def derivatives(self, X: Any, order: int) -> Derivatives:
        return self.built_for(X).derivatives(X, order)

    def predict_distribution(self, X: Any) -> Distribution:
        return self.built_for(X).predict_distribution(X)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return 1  # chunks are made of the model that `coded` returns


class WithDerivatives(Model):
    """An object with a method `derivatives(X, order)`; its other methods and attributes are used where it has them."""

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator
        self.coding = getattr(estimator, "coding_", None) or None
        self.takes_codes = self.takes_many_levels = bool(getattr(estimator, "_takes_codes", False))
        for name in ("input_scale_", "training_inputs_", "classes_"):
            setattr(self, name, getattr(estimator, name, None))

    def derivatives(self, X: Any, order: int) -> Derivatives:
        check_order(order)
        record, problem = self._estimator.derivatives(X, order), ""
        if not isinstance(record, Derivatives):
            problem = f"must return Derivatives; got {type(record).__name__}"
        elif record.first.shape[::2] != shape_of(X):
            problem = f"must have the rows and columns of X, {shape_of(X)}; got first of shape {record.first.shape}"
        elif order == 2 and record.second is None:
            problem = "must give second derivatives for order 2; got None"
        if problem:
            raise InputError(f"{self.name}.derivatives {problem}.")
        return record

    def predict_distribution(self, X: Any) -> Distribution:
        distribution = self._ask("predict_distribution", X)
        distribution = self.derivatives(X, 1).distribution if distribution is None else distribution
        if not isinstance(distribution, Distribution):
            got = type(distribution).__name__
            raise InputError(f"{self.name}.predict_distribution must return an rsens family; got {got}.")
        return distribution

    def predict_point(self, X: Any) -> Array:
        point = self._ask("predict_point", X)  # a mean can be much cheaper than a variance
        return super().predict_point(X) if point is None else point

    def checks(self, X: Any) -> Iterator[Finding]:
        yield from self._ask("_findings", X) or ()

    def partial_dependence(self, columns: tuple[int, ...], at: Array, X: Any) -> Array | None:
        return self._ask("partial_dependence", columns, at, X)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return int(self._ask("rows_per_chunk", n_columns, order) or rows_for(result_bytes(n_columns, order)))

    def _ask(self, method: str, *arguments: Any) -> Any:
        """The answer of a method of the object; None if it has no such method."""
        found = getattr(self._estimator, method, None)
        return found(*arguments) if callable(found) else None

    @property
    def name(self) -> str:
        return type(self._estimator).__name__


def with_derivatives(obj: Any) -> Model:
    """A `Model` of an object with a method `derivatives(X, order)`, if it is fitted."""
    if callable(getattr(obj, "fit", None)) and callable(getattr(obj, "get_params", None)):
        check_fitted(obj)
    return WithDerivatives(obj)


WITH_DERIVATIVES = Adapter(
    "objects with derivatives(X, order)", lambda obj: callable(getattr(obj, "derivatives", None)), with_derivatives
)
