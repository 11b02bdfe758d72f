"""What was understood of a fitted estimator: its prediction as a family, and derivatives where we know the formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._sklearn._closed import Closed
from rsens.derivatives import Finding
from rsens.distributions import Distribution
from rsens.kernels import Kernel


@dataclass(frozen=True, eq=False)
class Understood:
    """A prediction of an observation at rows X, which come as the estimator takes them: a data frame or an array."""

    predict: Callable[[Any], Distribution]
    #: Words for `Description`.
    family: str
    noise: str
    #: The same prediction with derivatives in closed form; None where only differences are left.
    closed: Closed | None = None
    #: The class labels, for a classifier.
    classes: Any = None
    #: The training inputs, in the columns of X, where the estimator keeps them.
    training: Array | None = None
    #: The kernel, or one per class, in the columns of X, of a Gaussian process with one of ours.
    kernel: Kernel | tuple[Kernel, ...] | None = None
    #: What there is to know before reading numbers; "warning"s among them are also warnings.
    findings: tuple[Finding, ...] = ()

    @classmethod
    def of(cls, closed: Closed, family: str, noise: str, **more: Any) -> Understood:
        """A prediction in closed form."""
        return cls(closed.predict, family, noise, closed, **more)


def not_fitted(estimator: Any) -> InputError:
    return InputError(f"{type(estimator).__name__} is not fitted. Call fit(X, y) first.")


def overrides(estimator: Any, method: str) -> bool:
    """Whether somebody has replaced a method of scikit-learn's class: then their method counts, not our formula."""
    kind = next((kind for kind in type(estimator).__mro__ if method in vars(kind)), object)
    return method in vars(estimator) or kind.__module__.partition(".")[0] != "sklearn"


def check_fitted(estimator: Any) -> None:
    """An `InputError` for an estimator of scikit-learn that has not been fitted."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(estimator)
    except NotFittedError:
        raise not_fitted(estimator) from None
    except TypeError:  # not an estimator, but something that looks like one
        return
