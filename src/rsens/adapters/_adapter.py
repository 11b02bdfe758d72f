"""The adapter, and the parts that adapters share: tests for classes of other libraries, and kinds of model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._table import is_frame, shape_of
from rsens._text import quoted
from rsens._typing import Array
from rsens.derivatives import Derivatives, Description, Finding, Model, check_order, result_bytes, rows_for
from rsens.distributions import Distribution

#: How libraries spell their names, where that is not the name of their package.
SPELLED = {"sklearn": "scikit-learn", "gpytorch": "GPyTorch", "botorch": "BoTorch", "torch": "PyTorch"}


@dataclass(frozen=True)
class Adapter:
    """How objects of one kind become a `Model`: which objects it accepts, and how it adapts one."""

    name: str
    accepts: Callable[[Any], bool]
    adapt: Callable[[Any], Model]


class NoTranslationError(Exception):
    """A part of a model, such as its kernel, is none that rsens has; the text says which."""


def is_a(obj: Any, *names: str) -> bool:
    """Whether one of the ancestors of the object's class is one of `names`, such as "gpytorch.ExactGP".

    A name is the first part of the module and the name of the class: libraries move classes between their modules, and
    users subclass them in modules of their own. Nothing is imported to find out.
    """
    return any(_named(kind) in names for kind in type(obj).__mro__)


def own_class(obj: Any) -> str:
    """The name "gpytorch.RBFKernel" for an object of that very class; a user's subclass has another first word."""
    return _named(type(obj))


def library_of(obj: Any) -> str:
    """The library that the object's class, or its nearest ancestor outside the user's own code, comes from."""
    roots = [_root(kind) for kind in type(obj).__mro__]
    root = next((root for root in roots if root not in ("__main__", "builtins", "abc", "typing")), roots[0])
    return SPELLED.get(root, root)


def overrides(obj: Any, library: str, *methods: str) -> bool:
    """Whether one of the methods is not the library's own: then the method counts, not our formula."""
    kinds = [next((kind for kind in type(obj).__mro__ if name in vars(kind)), object) for name in methods]
    return any(_root(kind) != library for kind in kinds) or any(name in vars(obj) for name in methods)


def _root(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _named(kind: type) -> str:
    return f"{_root(kind)}.{kind.__qualname__}"


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

    try:
        check_is_fitted(estimator)
    except NotFittedError:
        raise not_fitted(estimator) from None
    except TypeError:  # not an estimator, but something that looks like one
        return


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
    """A model that needs to see rows before it can be built: how many columns there are, and what they are called.

    Every call goes to the model that `built_for` gives for its rows, with everything checked.
    """

    def __init__(self, built_for: Callable[[Any], Model]) -> None:
        self.built_for = built_for

    def coded(self, X: Any, weights: Any = None) -> Model:
        return self.built_for(X).coded(X, weights)

    def prepared(self, X: Any) -> Model:
        return self.built_for(X).prepared(X)

    def derivatives(self, X: Any, order: int) -> Derivatives:
        return self.built_for(X).derivatives(X, order)

    def predict_distribution(self, X: Any) -> Distribution:
        return self.built_for(X).predict_distribution(X)

    def checks(self, X: Any) -> Iterator[Finding]:
        yield from self.built_for(X).checks(X)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return 1  # chunks are made of prepared models, which know better

    def contrasted(self, coding: Coding) -> Model:
        raise NotImplementedError("contrasts are set on the model that `coded` returns")


class WithDerivatives(Model):
    """An object that gives its derivatives; whatever else it knows about itself is asked for where it has it."""

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator
        self.coding = getattr(estimator, "coding_", None) or None
        self.takes_codes = self.takes_many_levels = bool(getattr(estimator, "_takes_codes", False))
        for name in ("input_scale_", "training_inputs_", "classes_"):
            setattr(self, name, getattr(estimator, name, None))

    def derivatives(self, X: Any, order: int) -> Derivatives:
        check_order(order)
        record = self._estimator.derivatives(X, order)
        if not isinstance(record, Derivatives):
            raise InputError(f"{self.name}.derivatives must return Derivatives; got {type(record).__name__}.")
        shape = shape_of(X)
        if record.first.shape[::2] != shape:
            raise InputError(
                f"{self.name}.derivatives: ",
                Argument("X"),
                f" has shape {shape}; got first of shape {record.first.shape}.",
            )
        if order == 2 and record.second is None:
            raise InputError(f"{self.name}.derivatives(X, 2) must give second derivatives; got None.")
        return record

    def predict_distribution(self, X: Any) -> Distribution:
        predict = getattr(self._estimator, "predict_distribution", None)
        distribution = predict(X) if callable(predict) else self.derivatives(X, 1).distribution
        if not isinstance(distribution, Distribution):
            got = type(distribution).__name__
            raise InputError(f"{self.name}.predict_distribution must return an rsens family; got {got}.")
        return distribution

    def predict_point(self, X: Any) -> Array:
        predict = getattr(self._estimator, "predict_point", None)  # a mean can be much cheaper than a variance
        return predict(X) if callable(predict) else super().predict_point(X)

    def checks(self, X: Any) -> Iterator[Finding]:
        findings = getattr(self._estimator, "_findings", None)
        if callable(findings):
            yield from findings(X)

    def partial_dependence(self, columns: tuple[int, ...], at: Array, X: Any) -> Array | None:
        average = getattr(self._estimator, "partial_dependence", None)
        return average(columns, at, X) if callable(average) else None

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        rows = getattr(self._estimator, "rows_per_chunk", None)
        return int(rows(n_columns, order)) if callable(rows) else rows_for(result_bytes(n_columns, order))

    @property
    def name(self) -> str:
        return type(self._estimator).__name__


def _with_derivatives(obj: Any) -> Model:
    if callable(getattr(obj, "fit", None)) and callable(getattr(obj, "get_params", None)):
        check_fitted(obj)
    return WithDerivatives(obj)


WITH_DERIVATIVES = Adapter(
    "objects with derivatives(X, order)", lambda obj: callable(getattr(obj, "derivatives", None)), _with_derivatives
)
