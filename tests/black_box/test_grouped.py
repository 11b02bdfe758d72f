"""Groups of columns: two copies of a variable, changed together, are the variable."""

import numpy as np
import pytest

from rsens.black_box import BLACK_BOX, BUDGETS, grouped
from rsens.black_box._gaussian import SampleGaussian
from rsens.measures import Terms
from tests.black_box.functions import correlated, linear, predictor_of

SAME = [("shap", 1), ("pfi", 1), ("shap", 2), ("h", 2)]


def value(name, predictor, budget="standard", order=1, seed=3):
    return BLACK_BOX[name, order].value(predictor, BUDGETS[budget], np.random.default_rng(seed))


def copies(n=60, seed=0):
    """Rows (x, z) with few different x, so that grids have all of them; and rows (x, z, x)."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 7, n) * 0.5
    z = 0.5 * x + rng.normal(size=n)
    return np.column_stack([x, z]), np.column_stack([x, z, x])


def bent(x, z):
    return x**2 + x * z + np.sin(z)


def alone_and_twice(log_densities=False):
    """A predictor of f(x, z), and one of the same function of both copies, grouped."""
    one, two = copies()
    terms = Terms.of({"x": [0, 2]}, ("x0", "z", "x2"))

    def of_two(b):
        return bent(0.5 * (b[..., 0] + b[..., 2]), b[..., 1])

    def of_one(b):
        return bent(b[..., 0], b[..., 1])

    y = of_one(one) + np.random.default_rng(1).normal(size=len(one))
    scores = [lambda b, f=f: -0.5 * (y - f(b)) ** 2 for f in (of_one, of_two)] if log_densities else [None, None]
    alone = predictor_of(one, of_one, log_densities=scores[0])
    twice = predictor_of(two, of_two, log_densities=scores[1])
    return alone, grouped(twice, terms, np.ones(3))


@pytest.mark.parametrize(
    ("name", "order", "budget"),
    [
        *((name, order, budget) for name, order in SAME for budget in ("paper", "standard")),
        ("pd", 1, "standard"),  # of the paper's budget, the grid of a column is its deciles
        ("pd", 2, "standard"),
    ],
)
def test_two_copies_that_change_together_are_the_variable(name, order, budget):
    alone, twice = alone_and_twice(log_densities=name == "pfi")
    expected, found = value(name, alone, budget, order), value(name, twice, budget, order)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)  # shapiq rounds
    assert twice.evaluations == alone.evaluations


@pytest.mark.parametrize("budget", ["paper", "standard"])
def test_apc_is_per_step_within_the_group(budget):
    """Both copies move by one unit: a step of √2 within the group."""
    alone, twice = alone_and_twice()
    expected, found = value("apc", alone, budget), value("apc", twice, budget)
    np.testing.assert_allclose(found, expected * [np.sqrt(0.5), 1.0], rtol=1e-5)  # copies determine each other


def test_var_of_a_linear_function_of_a_group():
    """βᵀ Cov(x_S | x_−S) β, exactly: the points have the right covariance."""
    x, beta = correlated(200, D=4), np.array([1.0, -2.0, 0.0, 0.3])
    terms = Terms.of({"g": [0, 2, 3]}, ("x0", "x1", "x2", "x3"))
    found = value("var", grouped(predictor_of(x, linear(beta)), terms, np.ones(4)))
    S = [0, 2, 3]
    given = np.linalg.inv(np.linalg.inv(np.cov(x.T))[np.ix_(S, S)])
    np.testing.assert_allclose(found[0], beta[S] @ given @ beta[S], rtol=1e-9)
    assert found[1] == pytest.approx(4.0 / np.linalg.inv(np.cov(x.T))[1, 1], rel=1e-9)


def test_a_group_given_the_others():
    x, S, rest = correlated(50, D=5), [1, 3], [0, 2, 4]
    means, directions = SampleGaussian.of(x).conditional((1, 3))
    covariance = np.cov(x.T)
    slopes = np.linalg.solve(covariance[np.ix_(rest, rest)], covariance[np.ix_(rest, S)])
    np.testing.assert_allclose(means, x[:, S].mean(axis=0) + (x - x.mean(axis=0))[:, rest] @ slopes, rtol=1e-9)
    given = covariance[np.ix_(S, S)] - covariance[np.ix_(S, rest)] @ slopes
    np.testing.assert_allclose(directions.T @ directions, given, rtol=1e-9)


def test_the_columns_of_a_group_never_part():
    """Every row that the model is asked about has a joint value of the data."""
    _, two = copies()
    seen = []

    def f(blocks):
        seen.append(blocks[..., 0] - blocks[..., 2])
        return blocks[..., 0]

    predictor = grouped(predictor_of(two, f), Terms.of({"x": [0, 2]}, ("a", "b", "c")), np.ones(3))
    for name, order in BLACK_BOX:
        if name not in ("pfi", "var"):  # pfi needs targets; var has values of its own
            value(name, predictor, order=order)
    assert all((part == 0.0).all() for part in seen)


def test_the_closed_form_gets_the_columns():
    one, two = copies()

    def averages(columns, at, rows):
        assert columns == (0, 2)
        np.testing.assert_array_equal(at[:, 0], at[:, 1])
        assert rows.shape[1] == 3
        return at[:, :1]

    plain = predictor_of(two, linear([0.5, 0.0, 0.5]))
    plain.averages = averages
    both = grouped(plain, Terms.of({"x": [0, 2]}, ("a", "b", "c")), np.ones(3))
    numbers = np.arange(3.0)[:, None]
    np.testing.assert_array_equal(both.partial_dependence((0,), numbers, both.values)[:, 0], np.unique(one[:, 0])[:3])
