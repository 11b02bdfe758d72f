"""Functions whose answers are known, through every method there is: also those that are added later."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from rsens._compare import compare
from rsens._compare._comparison import known
from rsens.kernels import Linear
from rsens.measures import importance
from rsens.models import GPRegressor
from tests.compare.models import NOISE, ishigami, mirrored, noisy, uniform_grid

BUDGETS = ["paper", "standard"]
#: ard reads the kernel of a GP.
OF_ANY_MODEL = {order: [name for name in known(order) if name != "ard"] for order in (1, 2)}
every_budget = pytest.mark.parametrize("budget", BUDGETS)
every_method = pytest.mark.parametrize("method", OF_ANY_MODEL[1])
every_pair_method = pytest.mark.parametrize("method", OF_ANY_MODEL[2])

BETA, SD = np.array([0.5, -0.04, 0.25, 8.0]), np.array([1.0, 50.0, 0.8, 0.01])  # |β|·sd = 0.5, 2, 0.2, 0.08
rng = np.random.default_rng(1)
NORMAL = rng.standard_normal((40, 3))
SYMMETRIC = mirrored(NORMAL)
UNIFORM = np.pi * rng.uniform(-1.0, 1.0, (200, 3))

FUNCTIONS = {
    "product": (lambda X: X[:, 0] * X[:, 1] + 0.5 * X[:, 2], SYMMETRIC),
    "additive": (lambda X: np.sin(X[:, 0]) + X[:, 1] ** 2 + X[:, 2], NORMAL),
    "ishigami": (ishigami, UNIFORM),
}


@cache
def values_of(name: str, order: int, budget: str) -> pd.DataFrame:
    """One row per term, one column per method."""
    f, X = FUNCTIONS[name]
    table = compare(noisy(f), X, f(X), methods=OF_ANY_MODEL[order], order=order, budget=budget, random_state=0)
    assert (table["status"] == "ok").all()
    return table.pivot(index="term", columns="method", values="value")


@cache
def linear(budget: str) -> pd.DataFrame:
    """A Gaussian process with a linear kernel, so that ard has something to read too."""
    X = SD * rng.standard_normal((80, 4))
    y = X @ BETA + 0.02 * rng.standard_normal(80)
    model = GPRegressor(Linear((1.0,) * 4), random_state=0).fit(X, y)
    return compare(model, X, y, methods=list(known(1)), budget=budget, random_state=0).set_index("term")


@every_budget
@pytest.mark.parametrize("method", known(1))
def test_linear_effects_rank_by_slope_times_sd(method, budget):
    table = linear(budget)
    of_method = table[table["method"] == method]
    assert list(of_method.index) == ["x1", "x0", "x2", "x3"], of_method["status"].iloc[0]


def test_linear_effects_per_standard_deviation():
    """What derivatives and difference quotients of xβ are; for R-sens, in units of the predictive deviation."""
    X = SD * rng.standard_normal((50, 4))
    table = compare(noisy(lambda X: X @ BETA), X, methods=["rsens", "kl", "ead", "aed", "apc"], random_state=0)
    values = table.pivot(index="term", columns="method", values="value")
    expected = np.abs(BETA) * X.std(axis=0)
    for method, unit in {"rsens": NOISE, "kl": NOISE, "ead": 1.0, "aed": 1.0, "apc": 1.0}.items():
        # Central differences and the finite step of kl leave about eight digits.
        np.testing.assert_allclose(values[method], expected / unit, rtol=1e-6)


@every_budget
@every_method
def test_a_product_without_main_effects(method, budget):
    """aed and pd average x0·x1 over a symmetric x1, and see nothing of x0; all others do."""
    values = values_of("product", 1, budget)[method]
    if method in ("aed", "pd"):
        assert (values[["x0", "x1"]] < 1e-8 * values["x2"]).all()
    else:
        assert (values[["x0", "x1"]] > 0.1 * values["x2"]).all()


@every_budget
@every_pair_method
def test_the_pair_of_a_product_is_alone(method, budget):
    values = values_of("product", 2, budget)[method]
    # 1e-7: differences, and the least squares of shapiq with its large weights.
    assert (values[["x0:x2", "x1:x2"]] < 1e-7 * values["x0:x1"]).all()


@every_budget
@every_pair_method
def test_additive_functions_have_no_pairs(method, budget):
    single = values_of("additive", 1, "paper")["ead"].max()
    # Second differences of functions of size 1 with a step of eps^(1/4) leave 1e-8 or so.
    assert (values_of("additive", 2, budget)[method] < 1e-6 * single).all()


@every_budget
@every_pair_method
def test_ishigami_has_one_pair(method, budget):
    """Also aeh, whose expectation is 0 (it is odd in x2): what is left of it in a sample is above the exact zeros."""
    values = values_of("ishigami", 2, budget)[method]
    assert (values[["x0:x1", "x1:x2"]] < 1e-6 * values["x0:x2"]).all()


#: Of Ishigami's variables, by formula: E|∂f/∂x_d| = 1.88, 4.46, 1.97, as good as equal for x0 and x2 in a sample;
#: partial dependence spreads by 2.08, 2.47, 0; Shapley values are 1.88, 2.23, 0.66 in the mean; the squared error grows
#: by twice the total effects 7.72, 6.13, 3.37 when a column is permuted.
ISHIGAMI = {"rsens": "x1", "kl": "x1", "ead": "x1", "pd": "x1 x0 x2", "shap": "x1 x0 x2", "pfi": "x0 x1 x2"}


@pytest.mark.parametrize("method", ISHIGAMI)
def test_ishigami_ranks(method):
    expected = ISHIGAMI[method].split()
    ranked = values_of("ishigami", 1, "standard")[method].sort_values(ascending=False).index
    assert list(ranked[: len(expected)]) == expected


def test_ishigami_derivatives_on_a_grid():
    """Means over midpoints of the uniform distribution: E|∂f/∂x_d| by formula, to the error of the midpoint rule."""
    X, model = uniform_grid(40), noisy(ishigami)
    expected = [2.0 / np.pi * (1.0 + 0.1 * np.pi**4 / 5.0), 14.0 / np.pi, 0.1 * np.pi**3 * 2.0 / np.pi]
    np.testing.assert_allclose(importance("ead", model, X), expected, rtol=5e-3)
    np.testing.assert_allclose(importance("rsens", model, X), np.array(expected) / NOISE, rtol=5e-3)
    np.testing.assert_allclose(importance("aed", model, X), 0.0, atol=1e-7)
