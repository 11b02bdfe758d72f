"""One fold: what a model that was fitted to its training rows says about the rows held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rsens._assess._baseline import Kind, constant_for_classes, constant_for_counts, constant_for_numbers
from rsens._errors import Argument, InputError
from rsens._refits import take_rows
from rsens._typing import Array, Flags, Positions
from rsens.adapters import as_model, classes_of
from rsens.derivatives import Model
from rsens.distributions import Distribution, Mixture, is_event


@dataclass(frozen=True, eq=False)
class HeldOutFold:
    """The held-out rows of one fold that could be predicted."""

    rows: Positions  # (m,) positions in X
    kind: Kind
    log_density: Array  # (m,)
    baseline: Array  # (m,) log density of the constant
    prediction: Array  # (m,) the mean, or the code of the most probable class
    lower: Array  # (m,) P(Y < y), NaN for classes
    upper: Array  # (m,) P(Y ≤ y), NaN for classes
    probabilities: Array  # (m, K), K = 0 unless there are classes


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What a model that was fitted to some rows says about the others: a look, for `refit_folds`."""

    sees: ClassVar[type] = HeldOutFold
    X: Any
    y: NDArray[Any]

    def __call__(self, model: Any, train: Positions, test: Positions) -> HeldOutFold | None:
        """Predict the held-out rows; None where none of them can be."""
        source = as_model(model).coded(self.X)
        test = test[_known_levels(source, take_rows(self.X, test))]
        if not len(test):
            return None
        family = source.predict_distribution(take_rows(self.X, test)).checked(len(test))
        if family.support == "classes" or is_event(family):
            return self._predict_classes(model, family, train, test)
        if family.support == "vector":
            raise InputError(f"assess needs a model of one number or class; got {type(family).__name__}.")
        numbers = _numbers(self.y)
        counts = family.support == "counts"
        if counts and (numbers != np.floor(numbers)).any():
            raise InputError(Argument("y"), " must be whole numbers for a model of counts.")
        X, y = take_rows(self.X, test), numbers[test]
        if callable(getattr(model, "log_predictive_density", None)) and callable(
            getattr(model, "predictive_cdf", None)
        ):
            log_density, upper = model.log_predictive_density(X, y), model.predictive_cdf(X, y)
            lower = model.predictive_cdf(X, y - 1.0) if counts else upper
        else:
            log_density, upper = family.log_prob(y), family.cdf(y)  # type: ignore[attr-defined]
            lower = family.cdf(y - 1.0) if counts else upper  # type: ignore[attr-defined]
        constant = (constant_for_counts if counts else constant_for_numbers)(numbers[train])
        return HeldOutFold(
            rows=test,
            kind="counts" if counts else "numbers",
            log_density=_no_nan(log_density),
            baseline=constant.log_prob(y),
            prediction=source.predict_point(X)[:, 0],
            lower=lower,
            upper=upper,
            probabilities=np.empty((len(test), 0)),
        )

    def _predict_classes(
        self, model: Any, family: Distribution, train: Positions, test: Positions
    ) -> HeldOutFold | None:
        """Probabilities in the order of all classes of y; rows of a class that the model has not seen are left out."""
        classes = np.unique(self.y)
        codes = np.searchsorted(classes, self.y)
        labels = classes_of(model)
        own = np.arange(_n_classes(family)) if labels is None else np.asarray(labels)
        place = {label: k for k, label in enumerate(own.tolist())}
        seen = np.array([label in place for label in classes.tolist()])
        if len(own) > len(classes) or not set(own.tolist()) <= set(classes.tolist()):
            raise InputError(f"the model predicts the classes {own.tolist()}; y has {classes.tolist()}.")
        log_p = np.full((len(test), len(classes)), -np.inf)
        for k, label in enumerate(classes.tolist()):
            if seen[k]:
                log_p[:, k] = family.log_prob(np.full(len(test), float(place[label])))
        kept = seen[codes[test]]
        if not kept.any():
            return None
        test, log_p = test[kept], log_p[kept]
        nothing = np.full(len(test), np.nan)
        return HeldOutFold(
            rows=test,
            kind="classes",
            log_density=_no_nan(log_p[np.arange(len(test)), codes[test]]),
            baseline=np.log(constant_for_classes(codes[train], len(classes)))[codes[test]],
            prediction=log_p.argmax(axis=1).astype(np.float64),
            lower=nothing,
            upper=nothing,
            probabilities=np.exp(log_p),
        )


def _known_levels(source: Model, X: Any) -> Flags:
    """Which rows have only levels that the model has seen: some models cannot predict others."""
    known = np.ones(len(X), dtype=np.bool_)
    if source.coding is None:
        return known
    for column in source.coding.columns:
        values = X.iloc[:, column.position] if hasattr(X, "iloc") else X[:, column.position]
        known &= np.array([value in column.labels for value in list(values)])
    return known


def _n_classes(family: Distribution) -> int:
    if is_event(family):
        return 2
    return len((family.member if isinstance(family, Mixture) else family).parameter_names)


def _numbers(y: NDArray[Any]) -> Array:
    try:
        return np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"the model predicts numbers, but y holds {y.dtype} values. Use a classifier.") from None


def _no_nan(log_density: Any) -> Array:
    values = np.asarray(log_density, dtype=np.float64)
    if np.isnan(values).any():
        raise InputError(f"the log predictive density is NaN in {int(np.isnan(values).sum())} of {len(values)} rows.")
    return values
