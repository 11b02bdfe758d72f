"""Estimators: linear models in closed form; classifiers, forests and boosted distributions by their predictions.

Random forests for regression: a tree drawn at random, and then a training row drawn from the leaf of x, give a target
whose mean is the prediction of the forest. Its variance is (law of total variance)

    Var_t[mean of the leaf of tree t] + E_t[variance of the targets in that leaf],

the second term being the `impurity` of the leaf under squared error. Fully grown trees have one target per leaf, and
then the spread between trees is all of it; with large leaves the second term takes over.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from scipy.special import expit

from rsens._conversions import as_family, is_a
from rsens._errors import InputError
from rsens._table import is_frame
from rsens._typing import Array
from rsens.adapters._adapter import check_fitted, not_fitted, overrides, with_derivatives
from rsens.adapters._linear_predictor import LinearPredictor, MultinomialPredictor
from rsens.adapters._sklearn._prediction import Prediction, as_fitted, n_columns_of, numbers_in, read_std, record_of
from rsens.derivatives import Derivatives, Finding, Inner
from rsens.distributions import Bernoulli, Categorical, Distribution, Normal
from rsens.likelihoods import GaussianLikelihood

# ---- Linear models, with derivatives in closed form ------------------------------------------------------------------


def _linear(predictor: LinearPredictor | MultinomialPredictor, centre: Array, **words: Any) -> Prediction:
    """The prediction at the design (1, x − centre)."""

    def design(X: Any) -> Array:
        centred = numbers_in(X) - centre
        return np.column_stack([np.ones(len(centred)), centred])

    def derivatives(X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        record = predictor.derivatives(design(X), order)
        second = None if record.second is None else record.second[..., 1:, 1:]
        return record_of(record.distribution, record.first[..., 1:], second, order, inner)

    return Prediction(
        lambda X: predictor.predict(design(X)),
        derivatives=derivatives,
        bytes_per_row=lambda n, order: predictor.bytes_per_row(max(n, len(centre)) + 1, order),
        **words,
    )


def read_bayesian_linear(model: Any) -> Prediction:
    """Normal(xᵀw + b, (x − x̄)ᵀΣ(x − x̄) + 1/α) of a fitted BayesianRidge or ARDRegression."""
    if not hasattr(model, "coef_"):
        raise not_fitted(model)
    if overrides(model, "sklearn", "predict"):
        return read_std(model)
    if not float(model.alpha_) > 0.0:
        raise InputError(f"{type(model).__name__} has no finite noise: its precision alpha_ is 0. Scale y, and refit.")
    w = np.asarray(model.coef_, dtype=np.float64)
    covariance = np.zeros((1 + len(w), 1 + len(w)))
    # `sigma_` of ARDRegression covers the columns that it kept.
    kept = np.flatnonzero(model.lambda_ < model.threshold_lambda) if len(model.sigma_) < len(w) else np.arange(len(w))
    covariance[np.ix_(1 + kept, 1 + kept)] = model.sigma_
    noise = 1.0 / float(model.alpha_)
    words = f"included: {noise:.3g} (1/alpha_)"
    offset = np.broadcast_to(np.asarray(model.X_offset_, dtype=np.float64), w.shape)
    rows = offset + np.vstack([np.ones_like(w), np.linspace(-2.0, 1.0, len(w))])
    mean, deviation = model.predict(as_fitted(model, rows), return_std=True)
    for centre in (offset, np.zeros_like(w)):  # whether x is centred depends on the release
        coefficients = np.array([float(model.intercept_) + centre @ w, *w])
        predictor = LinearPredictor(coefficients, covariance, GaussianLikelihood(noise))
        closed = _linear(predictor, centre, family="Normal", noise=words)
        found = closed.predict(rows)
        if np.allclose(found.variance, deviation**2, 1e-9, 0.0) and np.allclose(found.mean, mean, 1e-9, 1e-12):
            return closed
    return read_std(model)


class _LogitOf:
    """The response of a class to a known η: π = σ(η), ∂π = π(1 − π), ∂²π = π(1 − π)(1 − 2π)."""

    def predictive(self, m: Array, v: Array) -> Distribution:
        return Bernoulli(logit=m)

    def predictive_derivatives(self, m: Array, v: Array, order: int) -> tuple[Array, Array | None]:
        slope = expit(m) * expit(-m)
        first, second = np.zeros((len(m), 1, 2)), np.zeros((len(m), 1, 2, 2))
        first[:, 0, 0] = slope
        second[:, 0, 0, 0] = -slope * np.tanh(0.5 * m)  # 1 − 2π, without cancellation
        return first, second if order == 2 else None


#: Classes with `coef_` and `intercept_`; whether probabilities follow from them as we think is checked for each object.
LINEAR_CLASSIFIERS = (
    "sklearn.LogisticRegression",
    "sklearn.LogisticRegressionCV",
    "sklearn.LinearDiscriminantAnalysis",
    "sklearn.SGDClassifier",
)


def _linear_classifier(classifier: Any, **words: Any) -> Prediction | None:
    """The closed form of a linear classifier, if its `predict_proba` is that closed form; else None."""
    if not (hasattr(classifier, "coef_") and hasattr(classifier, "intercept_")):
        return None
    W = np.atleast_2d(np.asarray(classifier.coef_, dtype=np.float64))
    b = np.broadcast_to(np.asarray(classifier.intercept_, dtype=np.float64), (len(W),))
    coefficients = np.vstack([b, W.T])
    predictor: LinearPredictor | MultinomialPredictor
    if len(W) == 1:
        predictor = LinearPredictor(coefficients[:, 0], np.zeros((len(coefficients),) * 2), _LogitOf())
    else:  # against the first class
        predictor = MultinomialPredictor((coefficients[:, 1:] - coefficients[:, :1])[None])
    closed = _linear(predictor, np.zeros(W.shape[1]), **words)
    rows = np.outer([0.0, 1.0, -2.0], W[0] / (W[0] @ W[0] or 1.0))
    try:
        given = np.asarray(classifier.predict_proba(as_fitted(classifier, rows)))
    except AttributeError:  # SGDClassifier with a loss that has no probabilities
        return None
    found = closed.predict(rows).mean
    found = np.stack([1.0 - found, found], axis=1) if found.ndim == 1 else found
    return closed if given.shape == found.shape and np.allclose(given, found, 0.0, 1e-10) else None


def read_own(estimator: Any) -> Prediction:
    """An object with derivatives, such as our own estimators; its family is known when it predicts."""
    model = with_derivatives(estimator)

    def derivatives(X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        record = model.derivatives(X if is_frame(X) else numbers_in(X), order)
        return record_of(record.distribution, record.first, record.second, order, inner)

    def predict(X: Any) -> Distribution:
        return model.predict_distribution(X if is_frame(X) else numbers_in(X))

    return Prediction(predict, "its own", "included", derivatives, classes=model.classes_)


# ---- Classifiers with `predict_proba`: a Bernoulli for two classes, a Categorical for more ---------------------------

#: Votes: probabilities of exactly 0 and 1 are common.
VOTES = (
    "sklearn.BaseDecisionTree",
    "sklearn.BaseForest",
    "sklearn.KNeighborsClassifier",
    "sklearn.RadiusNeighborsClassifier",
)
#: Classifiers that vote if one of their members does.
OF_MEMBERS = ("sklearn.BaggingClassifier", "sklearn.VotingClassifier", "sklearn.OneVsRestClassifier")
#: Their logits are sums of jumps: differences over a wide step are differences of probabilities.
JUMPS = ("sklearn.BaseGradientBoosting", "sklearn.BaseHistGradientBoosting")
#: Where all have voted alike, one more vote would not: without this, a change from probability 0 is infinitely much.
EDGE = 0.005
#: The error for estimators with several targets.
SEVERAL = "predicts several targets at once; rsens explains one. Fit one per target"
#: The noise of a prediction of classes, in words.
OF_CLASSES = "in the probabilities"


def read_probabilities(classifier: Any) -> Prediction:
    """The probabilities of the classes, as the classifier gives them."""
    name, classes = type(classifier).__name__, getattr(classifier, "classes_", None)
    if classes is None:
        raise not_fitted(classifier)
    if isinstance(classes, list) or np.ndim(classes) != 1 or len(classes) < 2:
        one = np.ndim(classes) == 1 and len(classes) == 1
        problem = "was fitted to one class only: its probability is always 1" if one else SEVERAL
        raise InputError(f"{name} {problem}.")
    two = len(classes) == 2
    words = {"family": "Bernoulli" if two else "Categorical", "noise": OF_CLASSES, "classes": classes}
    closed = _linear_classifier(classifier, **words) if is_a(classifier, *LINEAR_CLASSIFIERS) else None
    if closed is not None:
        return closed
    logit = _logit_of(classifier) if two else None
    if logit is not None:
        return Prediction(lambda X: Bernoulli(logit=logit(X)), **words)
    votes = _votes(classifier)

    def predict(X: Any) -> Distribution:
        p = np.asarray(classifier.predict_proba(X), dtype=np.float64)
        if p.ndim == 1:  # some libraries give the second class only
            p = np.stack([1.0 - p, p], axis=1)
        if p.ndim != 2 or p.shape[1] != len(classes):
            expected = f"one probability for each of the {len(classes)} classes"
            raise InputError(f"{name}.predict_proba must return {expected}; got shape {p.shape}.")
        p = np.clip(p, EDGE, 1.0) if votes else p
        p = p / p.sum(axis=1, keepdims=True)
        return Bernoulli(p[:, 1]) if two else Categorical(p)

    text = f"probabilities below {EDGE} and above {1 - EDGE} count as these: a change from 0 would be infinite."
    return Prediction(predict, **words, findings=(Finding("votes", "ok", text),) if votes else ())


def _votes(classifier: Any) -> bool:
    """Whether the probabilities are shares of votes, which may be exactly 0 or 1."""
    if is_a(classifier, *OF_MEMBERS):
        return any(_votes(member) for member in classifier.estimators_)
    if is_a(classifier, "sklearn.CalibratedClassifierCV"):
        return bool(classifier.method == "isotonic")
    return is_a(classifier, *VOTES)


def _logit_of(classifier: Any) -> Callable[[Any], Array] | None:
    """The logit as the classifier computes it, where it does: it keeps the digits of probabilities near 0 and 1."""
    if callable(getattr(classifier, "predict_joint_log_proba", None)):  # naive Bayes
        return lambda X: np.diff(classifier.predict_joint_log_proba(X), axis=1)[:, 0]
    columns = n_columns_of(classifier)
    if columns is None or is_a(classifier, *JUMPS) or not callable(getattr(classifier, "decision_function", None)):
        return None
    rows = as_fitted(classifier, np.outer([0.0, 1.0, -0.5], np.ones(columns)))
    try:
        logit, p = classifier.decision_function(rows), classifier.predict_proba(rows)
    except (ValueError, TypeError, AttributeError):  # rows that it does not take, such as numbers in place of text
        return None
    if np.shape(logit) != (3,) or not np.allclose(expit(logit), np.asarray(p)[:, 1], 0.0, 1e-12):
        return None
    return lambda X: np.asarray(classifier.decision_function(X), dtype=np.float64)


# ---- Random forests --------------------------------------------------------------------------------------------------

#: Criteria whose impurity is a variance.
VARIANCE = ("squared_error", "friedman_mse")
#: Where all trees agree on one target, the standard deviation is still this share of the target's own.
LEAST = 0.01
#: Leaves that hold less than this share of the variance of the targets count as leaves of one target.
PURE = 0.01


def read_forest(forest: Any) -> Prediction:
    """Normal(mean over trees, variance between and within leaves)."""
    check_fitted(forest)
    trees = [tree.tree_ for tree in forest.estimators_]
    # Trees that were grown until each leaf had one target have almost no variance in their leaves.
    leaves = [(tree.impurity * tree.weighted_n_node_samples)[tree.children_left < 0].sum() for tree in trees]
    pure = sum(leaves) < PURE * sum(tree.impurity[0] * tree.weighted_n_node_samples[0] for tree in trees)
    problem = ""
    if forest.n_outputs_ != 1:
        problem = SEVERAL
    elif forest.criterion not in VARIANCE:
        problem = (
            f"was fitted with criterion={forest.criterion!r}, whose leaves do not keep the spread of their targets. "
            "Fit with criterion='squared_error', or give the spread: from_function(fn, step=0.3)"
        )
    elif len(trees) < 2:
        problem = "has one tree, and so no spread between trees. Fit more: n_estimators=100"
    elif pure and not forest.bootstrap:
        problem = (
            "has leaves of one target and no bootstrap: at its training rows all trees find the same target, without "
            "any spread. Fit with min_samples_leaf=5, or with bootstrap=True"
        )
    if problem:
        raise InputError(f"{type(forest).__name__} {problem}.")
    least = LEAST**2 * float(np.mean([tree.impurity[0] for tree in trees]))

    def predict(X: Any) -> Normal:
        leaves = forest.apply(X).T  # (trees, n)
        mean = np.stack([tree.value[leaf, 0, 0] for tree, leaf in zip(trees, leaves, strict=True)])
        within = np.stack([tree.impurity[leaf] for tree, leaf in zip(trees, leaves, strict=True)]).mean(axis=0)
        return Normal(mean.mean(axis=0), np.maximum(mean.var(axis=0) + within, least))

    text = f"the variance is taken over training targets in the leaves of a row, between and within {len(trees)} trees"
    alone = "; leaves hold one target, so at its training rows it is too narrow. Fit with min_samples_leaf=5"
    finding = Finding("spread", "warning" if pure else "ok", f"{text}{alone if pure else ''}.")
    return Prediction(predict, "Normal", "included: targets between and within the trees' leaves", findings=(finding,))


# ---- Estimators of other libraries that predict a distribution for every row -----------------------------------------

IN_DISTRIBUTION = "included: in the distribution that it predicts"


def read_ngboost(estimator: Any) -> Prediction:
    """NGBRegressor, NGBClassifier and NGBSurvival: `pred_dist(X)`."""
    if not getattr(estimator, "base_models", None):
        raise not_fitted(estimator)
    any_row = as_family(estimator.Dist(np.zeros((estimator.Dist.n_params, 1))))
    return Prediction(lambda X: as_family(estimator.pred_dist(X)), type(any_row).__name__, IN_DISTRIBUTION)


def read_skpro(estimator: Any) -> Prediction:
    """skpro's regressors: `predict_proba(X)`, a distribution over the rows of a data frame."""
    if not getattr(estimator, "is_fitted", True):
        raise not_fitted(estimator)

    def predict(X: Any) -> Distribution:
        import pandas as pd

        return as_family(estimator.predict_proba(X if is_frame(X) else pd.DataFrame(X)))

    return Prediction(predict, "as predict_proba gives it", IN_DISTRIBUTION)


def read_boosted_parameters(estimator: Any) -> Prediction:
    """XGBoostLSS and LightGBMLSS: `predict(rows, pred_type="parameters")`, one column per parameter."""
    name, distribution = type(estimator).__name__, estimator.dist
    if getattr(estimator, "booster", None) is None:
        raise InputError(f"{name} is not trained. Call train(params, data) first.")
    if not isinstance(getattr(distribution, "distribution", None), type):
        raise InputError(
            f"{name} with {type(distribution).__name__} has no distribution with parameters. Use a parametric one, "
            "such as Gaussian, or write what it predicts: from_function(fn, step=0.3)."
        )

    def predict(X: Any) -> Distribution:
        import torch

        if is_a(estimator, "xgboostlss.XGBoostLSS"):
            X = import_module("xgboost").DMatrix(X, feature_names=estimator.booster.feature_names)
        table = estimator.predict(X, pred_type="parameters")
        values = {str(name): torch.tensor(np.asarray(table[name], dtype=np.float64)) for name in table.columns}
        return as_family(distribution.distribution(**values))

    return Prediction(predict, distribution.distribution.__name__, IN_DISTRIBUTION)


def read_catboost(estimator: Any) -> Prediction:
    """CatBoost with the loss RMSEWithUncertainty: a mean and a variance."""
    loss = str((estimator.get_params() or {}).get("loss_function") or "").partition(":")[0]
    if loss != "RMSEWithUncertainty":
        raise InputError(
            f"{type(estimator).__name__} with the loss {loss or 'of a point'} predicts points. Fit with "
            "loss_function='RMSEWithUncertainty', which predicts a mean and a variance."
        )

    def predict(X: Any) -> Normal:
        values = np.asarray(estimator.predict(X, prediction_type="RMSEWithUncertainty"), dtype=np.float64)
        return Normal(values[:, 0], values[:, 1])

    return Prediction(predict, "Normal", "included: the variance that RMSEWithUncertainty predicts")
