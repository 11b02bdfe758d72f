"""Classifiers with `predict_proba`: a Bernoulli for two classes, a Categorical for more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._origin import is_a
from rsens.adapters._sklearn._logistic import LINEAR, logistic_of
from rsens.adapters._sklearn._rows import as_fitted, n_columns_of
from rsens.adapters._sklearn._understood import Understood, not_fitted
from rsens.derivatives import Finding
from rsens.distributions import Bernoulli, Categorical, Distribution

#: Votes: probabilities of exactly 0 and 1 are common.
VOTES = (
    "sklearn.BaseDecisionTree",
    "sklearn.BaseForest",
    "sklearn.KNeighborsClassifier",
    "sklearn.RadiusNeighborsClassifier",
)
#: As their members do.
OF_MEMBERS = ("sklearn.BaggingClassifier", "sklearn.VotingClassifier", "sklearn.OneVsRestClassifier")
#: Their logits are sums of jumps: differences over a wide step are differences of probabilities.
JUMPS = ("sklearn.BaseGradientBoosting", "sklearn.BaseHistGradientBoosting")
#: Where all have voted alike, one more vote would not: without this, a change from probability 0 is infinitely much.
EDGE = 0.005

NOISE = "in the probabilities"


def read_probabilities(classifier: Any) -> Understood:
    """The probabilities of the classes, as the classifier gives them."""
    classes = getattr(classifier, "classes_", None)
    if classes is None:
        raise not_fitted(classifier)
    _check_classes(classifier, classes)
    closed = logistic_of(classifier) if is_a(classifier, *LINEAR) else None
    if closed is not None:
        return Understood.of(closed, "Bernoulli" if len(classes) == 2 else "Categorical", NOISE, classes=classes)
    logit = _logit_of(classifier) if len(classes) == 2 else None
    if logit is not None:
        return Understood(lambda X: Bernoulli(logit=logit(X)), "Bernoulli", NOISE, classes=classes)
    votes, findings = _votes(classifier), list[Finding]()
    if votes:
        findings.append(
            Finding(
                "votes",
                "ok",
                f"probabilities below {EDGE} and above {1 - EDGE} count as {EDGE} and {1 - EDGE}: a change from a "
                "probability of exactly 0 would be infinitely large.",
            )
        )

    def predict(X: Any) -> Distribution:
        p = _probabilities(classifier, X, len(classes))
        p = np.clip(p, EDGE, 1.0) if votes else p
        p = p / p.sum(axis=1, keepdims=True)
        return Bernoulli(p[:, 1]) if len(classes) == 2 else Categorical(p)

    return Understood(
        predict, "Bernoulli" if len(classes) == 2 else "Categorical", NOISE, classes=classes, findings=tuple(findings)
    )


def _votes(classifier: Any) -> bool:
    """Whether the probabilities are shares of votes, which may be exactly 0 or 1."""
    if is_a(classifier, *OF_MEMBERS):
        return any(_votes(member) for member in classifier.estimators_)
    if is_a(classifier, "sklearn.CalibratedClassifierCV"):
        return bool(classifier.method == "isotonic")
    return is_a(classifier, *VOTES)


def _probabilities(classifier: Any, X: Any, n_classes: int) -> Array:
    p = np.asarray(classifier.predict_proba(X), dtype=np.float64)
    if p.ndim == 1:  # some libraries give the second class only
        p = np.stack([1.0 - p, p], axis=1)
    if p.ndim != 2 or p.shape[1] != n_classes:
        raise InputError(
            f"{type(classifier).__name__}.predict_proba must return one probability for each of the {n_classes} "
            f"classes; got shape {p.shape}."
        )
    return p


def _check_classes(classifier: Any, classes: Any) -> None:
    if isinstance(classes, list) or np.ndim(classes) != 1:
        raise InputError(
            f"{type(classifier).__name__} predicts several targets at once; rsens explains one. Fit one per target."
        )
    if len(classes) < 2:
        raise InputError(f"{type(classifier).__name__} was fitted to one class only: its probability is always 1.")


def _logit_of(classifier: Any) -> Callable[[Any], Array] | None:
    """The logit as the classifier computes it, where it does: it keeps the digits of probabilities near 0 and 1."""
    if _has_logit(classifier):
        return lambda X: np.asarray(classifier.decision_function(X), dtype=np.float64)
    if callable(getattr(classifier, "predict_joint_log_proba", None)):  # naive Bayes
        return lambda X: np.diff(classifier.predict_joint_log_proba(X), axis=1)[:, 0]
    return None


def _has_logit(classifier: Any) -> bool:
    """Whether `decision_function` is the logit of `predict_proba`."""
    columns = n_columns_of(classifier)
    if columns is None or is_a(classifier, *JUMPS) or not callable(getattr(classifier, "decision_function", None)):
        return False
    rows = as_fitted(classifier, np.vstack([np.zeros(columns), np.ones(columns), -0.5 * np.ones(columns)]))
    try:
        logit, p = classifier.decision_function(rows), classifier.predict_proba(rows)
    except (ValueError, TypeError, AttributeError):  # rows that it does not take: text, say
        return False
    return np.shape(logit) == (3,) and np.allclose(expit(logit), np.asarray(p)[:, 1], 0.0, 1e-12)
