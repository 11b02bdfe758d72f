"""Explanations with effects and rows to draw."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import softmax

from rsens import BayesianLinearRegression, Explanation, explain, from_function
from rsens.distributions import Bernoulli, Categorical, Normal
from tests.explain.test_effects import mixed
from tests.plots.explained import rows


def mixed_columns() -> Explanation:
    """A linear model of two numbers, a category with three levels, and a number of two values."""
    X, y = mixed()
    return explain(BayesianLinearRegression().fit(X, y), X, null=False, random_state=0)


def of_events() -> Explanation:
    model = from_function(lambda Z: Bernoulli(logit=Z @ np.array([1.0, -2.0, 0.5])))
    return explain(model, rows().iloc[:, :3], null=False, random_state=0)


def of_classes() -> Explanation:
    """Three classes that three numbers tell apart."""
    weights = np.random.default_rng(9).standard_normal((3, 3))
    model = from_function(lambda Z: Categorical(softmax(Z @ weights, axis=1)))
    return explain(model, rows().iloc[:, :3], null=False, random_state=0)


def with_names(names: list[str]) -> Explanation:
    """A model that adds up columns with these names, with slopes of both signs; no intervals."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(40, len(names))), columns=names)
    slopes = 3.0 * 0.9 ** np.arange(len(names)) * np.where(np.arange(len(names)) % 2, -1.0, 1.0)
    return explain(from_function(lambda Z: Normal(Z @ slopes, 1.0)), X, null=False, intervals=False)
