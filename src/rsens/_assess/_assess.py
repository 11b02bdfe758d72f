"""`assess`: cross-validation of a probabilistic model against a constant, a model without inputs.

Numbers: StudentT(ȳ, s²(1 + 1/N), N − 1), which a flat prior in (mean, log sd) gives, s² with divisor N − 1.
Counts: Poisson or NegativeBinomial, whichever is likelier, with the mean (Σy + ½)/N. Classes: (n_k + ½)/(N + K/2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from rsens import _refits as refits
from rsens._arguments import jobs, seed_sequence
from rsens._assess._assessment import Assessment, HeldOutRows
from rsens._contents import own_order
from rsens._errors import Argument, InputError, RsensWarning
from rsens._progress import progress_of
from rsens._typing import Array, Flags, Positions
from rsens.adapters import as_model, classes_of
from rsens.derivatives import Model
from rsens.distributions import Distribution, Mixture, NegativeBinomial, Poisson, StudentT, is_event


def assess(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    clusters: Any = None,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
    refit: Callable[[Any, Any], Any] | None = None,
    progress: bool | None = None,
) -> Assessment:
    """Measure the quality of a model by cross-validation: its log score against a constant, and its calibration.

    Sensitivities that take uncertainty into account are only as good as that uncertainty (paper, section 2.3), so look
    at this first.

    Args:
        estimator: A model that can be fitted again, fitted or not: anything with `fit` and `get_params` whose
            predictive distribution rsens knows.
        X: Rows: a data frame or an array.
        y: Targets: numbers, counts, or class labels.
        cv: The number of folds; or a splitter of scikit-learn; or a list of (train, test) positions that hold out every
            row at most once. Numbered folds are random, and have the same share of every class.
        clusters: Rows that belong together (of one person, one field): a label for each row. Folds are then made of
            whole clusters, so that the model is asked about new ones. They are not stratified.
        random_state: Seed of the folds, and of estimators whose own random_state is None: a whole number, a NumPy
            Generator, or None for a new one.
        n_jobs: How many folds run at once, as in joblib. It changes no result.
        refit: How to fit: a function (X, y) -> fitted model. By default `estimator` is cloned and fitted.
        progress: A progress bar: True, False, or None for one only in a terminal and only if it takes long.

    Returns:
        An `Assessment`: `print` it, read its `warnings`, or `plot` it.

    Example:
        >>> from sklearn.datasets import load_diabetes
        >>> import rsens
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> assessment = rsens.assess(rsens.BayesianLinearRegression(), X, y, random_state=0)
        >>> assessment.ok, assessment.coverage["share"].round(1).to_dict()
        (True, {0.5: 0.5, 0.9: 0.9})
    """
    refits.check_refit(estimator, refit)
    seed, n_jobs, follow = seed_sequence(random_state), jobs(n_jobs), progress_of(progress)
    rows = refits.rows_with_levels(None if refit is not None else estimator, X)
    targets = refits.read_targets(y, len(rows))
    order = own_order(rows, targets, clusters=refits.read_clusters(clusters, len(rows)))
    splits = refits.given_splits(cv, rows, targets, order.clusters)
    if splits is None:
        if clusters is None:  # with given splits, the user knows the rows
            refits.warn_of_tight_clusters(rows)
        stratify = refits.stratified(estimator, targets)
        splits = refits.rounds_of_folds(1, int(cv), targets, stratify, seed, order.clusters, order.rows)[0]
    elif (times := np.bincount(np.concatenate([test for _, test in splits]))).max() > 1:
        raise InputError(
            Argument("cv"),
            f" holds row {times.argmax()} out {times.max()} times. Use folds that hold out every row at most once, "
            "without repetitions.",
        )
    [[seen]] = refits.refit_folds(
        # The estimator need not have been fitted, so nothing was warned of yet.
        refits.Fit(estimator, refit, silent=(RsensWarning,)),
        rows,
        targets,
        [splits],
        [HeldOut(rows, targets)],
        n_jobs=n_jobs,
        seed=seed,
        progress=follow,
    )
    name = type(estimator).__name__ if estimator is not None else getattr(refit, "__name__", "model")
    return assessment_of(seen, name, rows, targets)


def assessment_of(seen: Sequence[Any], name: str, X: Any, y: NDArray[Any]) -> Assessment:
    """The assessment of a model called `name`, from the records of `HeldOut` for each fold of one round."""
    folds: list[HeldOutRows | None] = [refits.succeeded(fold) for fold in seen]
    found = [(number, part) for number, part in enumerate(folds, start=1) if part is not None]
    kinds: list[Any] = sorted({part.kind for _, part in found})
    if len(kinds) != 1:
        raise InputError(
            "No row could be predicted: every fold lacks the classes or levels of the rows held out. Use fewer folds."
            if not kinds
            else f"The model predicts {' in some folds and '.join(kinds)} in others. Give a model of one kind of y."
        )
    names = [name for name in vars(found[0][1]) if name != "kind"]
    columns = {name: np.concatenate([getattr(part, name) for _, part in found]) for name in names}
    rows, probabilities = columns.pop("rows"), columns.pop("probabilities")
    if len(rows) < 2:
        raise InputError("Only one row could be held out and predicted; at least two are needed.")
    classes = tuple(np.unique(y).tolist()) if kinds == ["classes"] else ()
    frame = pd.DataFrame(columns, index=rows)
    if classes:
        frame["prediction"] = [classes[int(k)] for k in columns["prediction"]]
        frame = frame.drop(columns=["pit_lower", "pit_upper"])
        frame = frame.assign(**{f"p({label})": probabilities[:, k] for k, label in enumerate(classes)})
    frame.insert(0, "fold", np.repeat([number for number, _ in found], [len(part.rows) for _, part in found]))
    frame = frame.astype({"fold": "Int64"}).reindex(range(len(y)))  # missing where a row was left out
    frame.insert(1, "y", y.copy())
    frame.index = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(len(y))
    return Assessment(name, len(folds), kinds[0], classes, frame)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Predicts the rows that a model was not fitted to: a look, for `refit_folds`."""

    sees: ClassVar[type] = HeldOutRows
    X: Any
    y: NDArray[Any]

    def __call__(self, model: Any, train: Positions, test: Positions) -> HeldOutRows | None:
        """Predict the held-out rows; None where none of them can be."""
        source = as_model(model).coded(self.X)
        test = test[_known_levels(source, refits.take_rows(self.X, test))]
        if not len(test):
            return None
        family = source.predict_distribution(refits.take_rows(self.X, test)).checked(len(test))
        if family.support == "classes" or is_event(family):
            return self._predict_classes(model, family, train, test)
        if family.support == "vector":
            raise InputError(f"assess needs a model of one number or class; got {type(family).__name__}.")
        numbers = _numbers(self.y)
        counts = family.support == "counts"
        if counts and (numbers != np.floor(numbers)).any():
            raise InputError(Argument("y"), " must be whole numbers for a model of counts.")
        X, y = refits.take_rows(self.X, test), numbers[test]
        if all(callable(getattr(model, name, None)) for name in ("log_predictive_density", "predictive_cdf")):
            log_density, upper = model.log_predictive_density(X, y), model.predictive_cdf(X, y)
            lower = model.predictive_cdf(X, y - 1.0) if counts else upper
        else:
            log_density, upper = family.log_prob(y), family.cdf(y)  # type: ignore[attr-defined]
            lower = family.cdf(y - 1.0) if counts else upper  # type: ignore[attr-defined]
        constant = (constant_for_counts if counts else constant_for_numbers)(numbers[train])
        return HeldOutRows(
            rows=test,
            kind="counts" if counts else "numbers",
            log_density=_no_nan(log_density),
            baseline_log_density=constant.log_prob(y),
            prediction=source.predict_point(X)[:, 0],
            pit_lower=lower,
            pit_upper=upper,
            probabilities=np.empty((len(test), 0)),
        )

    def _predict_classes(
        self, model: Any, family: Distribution, train: Positions, test: Positions
    ) -> HeldOutRows | None:
        """Probabilities in the order of all classes of y; rows of a class that the model has not seen are left out."""
        classes = np.unique(self.y)
        codes = np.searchsorted(classes, self.y)
        labels = classes_of(model)
        member = family.member if isinstance(family, Mixture) else family
        n_classes = 2 if is_event(family) else len(member.parameter_names)
        own = np.arange(n_classes) if labels is None else np.asarray(labels)
        if len(own) > len(classes) or not set(own.tolist()) <= set(classes.tolist()):
            raise InputError(f"the model predicts the classes {own.tolist()}; y has {classes.tolist()}.")
        log_p = np.full((len(test), len(classes)), -np.inf)
        for code, label in enumerate(own):
            log_p[:, classes == label] = family.log_prob(np.full(len(test), float(code)))[:, None]
        kept = np.isin(classes, own)[codes[test]]
        if not kept.any():
            return None
        test, log_p = test[kept], log_p[kept]
        nothing = np.full(len(test), np.nan)
        return HeldOutRows(
            rows=test,
            kind="classes",
            log_density=_no_nan(log_p[np.arange(len(test)), codes[test]]),
            baseline_log_density=np.log(constant_for_classes(codes[train], len(classes)))[codes[test]],
            prediction=log_p.argmax(axis=1).astype(np.float64),
            pit_lower=nothing,
            pit_upper=nothing,
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


def constant_for_numbers(y: Array) -> StudentT:
    """The prediction for every further row. If y is constant, its scale is the rounding error of y."""
    n = len(y)
    if n < 2:
        raise InputError("the constant that the model is compared with needs two training rows; there is one.")
    least = 8.0 * np.finfo(np.float64).eps * (float(np.abs(y).max()) or 1.0)
    s2 = max(float(np.var(y, ddof=1)), least**2)
    return StudentT(float(np.mean(y)), s2 * (1.0 + 1.0 / n), n - 1.0)


def constant_for_counts(y: Array) -> Distribution:
    """The prediction for every further row; a size is only sought where the variance exceeds the mean."""
    mean = (float(np.sum(y)) + 0.5) / len(y)
    poisson = Poisson(mean)
    if np.var(y) <= np.mean(y):
        return poisson
    values, times = np.unique(y, return_counts=True)

    def log_likelihood(family: Distribution) -> float:
        return float(times @ family.log_prob(values))

    def loss(log_size: float) -> float:
        return -log_likelihood(NegativeBinomial(mean, np.exp(log_size)))

    best = minimize_scalar(loss, bounds=(-10.0, 20.0), method="bounded")
    return max(poisson, NegativeBinomial(mean, float(np.exp(best.x))), key=log_likelihood)


def constant_for_classes(codes: Positions, n_classes: int) -> Array:
    """The probability of every class."""
    counts = np.bincount(codes, minlength=n_classes)
    return np.asarray((counts + 0.5) / (len(codes) + 0.5 * n_classes))
