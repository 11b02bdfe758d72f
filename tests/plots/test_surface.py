"""Surfaces with the other variables fixed, and what all surfaces share."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from rsens._errors import InputError
from rsens._explain import Explanation, explain
from rsens.derivatives import from_function
from rsens.distributions import Normal
from rsens.measures import rsens2
from rsens.plots import pair_surface as any_pair_surface
from rsens.plots import surface as any_surface
from tests.plots import explained
from tests.plots.looks import below, drawn

surface = partial(any_surface, at="median")
pair_surface = partial(any_pair_surface, at="median")

#: Central differences are right to about 1e-7 of second derivatives.
DIFFERENCES = {"rtol": 1e-5, "atol": 1e-6}


@pytest.fixture(scope="module")
def numbers() -> Explanation:
    return explained.numbers()


@pytest.fixture(scope="module")
def levels() -> Explanation:
    return explained.levels()


# ---- the numbers -----------------------------------------------------------------------------------------------------


def test_prediction_spread_and_sensitivity_over_a_grid(numbers):
    X = explained.rows().iloc[:, :3]
    found = pair_surface(numbers, "age", "body mass", n_grid=7)
    a, b = np.linspace(X["age"].min(), X["age"].max(), 7), np.linspace(X["body mass"].min(), X["body mass"].max(), 7)
    np.testing.assert_array_equal(found.first, a)
    np.testing.assert_array_equal(found.second, b)
    c = np.sort(X["c"])[(len(X) - 1) // 2]
    variance = (0.2 + 0.1 * a**2)[:, None]
    np.testing.assert_allclose(found.prediction, np.outer(np.sin(1.3 * a), b) + 0.3 * c, rtol=1e-12)
    np.testing.assert_allclose(found.spread, np.broadcast_to(np.sqrt(variance), (7, 7)), rtol=1e-12)
    # ∂²mean/∂a∂b = 1.3 cos 1.3a, and the variance depends on a alone: R-sens₂ = |1.3 cos 1.3a|/sd
    expected = np.abs(1.3 * np.cos(1.3 * a))[:, None] / np.sqrt(variance) * X["age"].std(ddof=0)
    expected = np.broadcast_to(expected * X["body mass"].std(ddof=0), (7, 7))
    np.testing.assert_allclose(found.sensitivity, expected, **DIFFERENCES)
    assert (found.names, found.labels, found.others) == (("age", "body mass"), (None, None), " (others at the median)")
    assert found.unit == "per sd × sd"


def test_units_are_those_of_the_explanation():
    result = explained.numbers(scale={"age": 2.0, "body mass": 0.5, "c": 7.0})
    found = pair_surface(result, 0, 2, n_grid=3, at=5)
    rows = np.repeat(result.data.to_numpy()[[5]], 9, axis=0)
    rows[:, 0], rows[:, 2] = np.repeat(found.first, 3), np.tile(found.second, 3)
    expected = rsens2(result.model, rows)[:, 0, 2].reshape(3, 3) * 2.0 * 7.0
    np.testing.assert_allclose(found.sensitivity, expected, **DIFFERENCES)
    assert found.unit == "per given unit × given unit"
    turned = pair_surface(result, 2, 0, n_grid=3, at=5)
    np.testing.assert_allclose(turned.sensitivity.T, found.sensitivity, **DIFFERENCES)
    np.testing.assert_array_equal(turned.prediction.T, found.prediction)


def test_a_level_is_a_row_of_the_grid(levels):
    found = pair_surface(levels, "age", "city", n_grid=5)
    assert found.labels == (None, ("Aalto", "Bergen", "Kiel"))
    np.testing.assert_array_equal(found.second, [0.0, 1.0, 2.0])
    expected = np.outer(np.sin(1.3 * found.first), [1.0, 2.0, 3.0])  # sold is False at the median
    np.testing.assert_allclose(found.prediction, expected, rtol=1e-12, atol=1e-15)
    assert found.unit == "per sd × sd"
    turned = pair_surface(levels, "city", "age", n_grid=5)
    np.testing.assert_allclose(turned.sensitivity.T, found.sensitivity, **DIFFERENCES)


def test_two_categorical_variables(levels):
    found = pair_surface(levels, "city", "sold")
    np.testing.assert_allclose(found.prediction[2] - found.prediction[2, 0], [0.0, 0.5], rtol=1e-12)
    assert found.far.tolist() == [[False, False], [False, False], [False, True]]
    # Only a switch to or from Kiel changes what sold does, by 0.5; the variance is 0.3, 0.4 and 0.5.
    share = explained.rows()["city"].value_counts(normalize=True)
    to_kiel = np.array([share["Kiel"] / (1.0 - share["Aalto"]), share["Kiel"] / (1.0 - share["Bergen"]), 1.0])
    sold = explained.rows()["sold"].std(ddof=0)
    expected = 0.5 * to_kiel / np.sqrt([0.3, 0.4, 0.5]) * sold * np.sqrt((1.0 - (share**2).sum()) / 2.0)
    np.testing.assert_allclose(found.sensitivity, np.column_stack([expected, expected]), rtol=1e-9)


def test_where_no_row_is_near():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(400, 2))
    x = np.concatenate([x[(x.sum(axis=1) < 0.9)], [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.1]]])
    result = explain(from_function(lambda Z: Normal(Z[:, 0], 1.0 + 0.0 * Z[:, 0])), x, intervals=False)
    found = pair_surface(result, 0, 1, n_grid=21)
    total = np.add.outer(found.first, found.second)
    assert found.far[total > 1.2].all()
    assert not found.far[total < 0.85].any()


def test_the_output_that_changes_most_or_the_one_asked_for():
    result = explained.classes()
    every = [pair_surface(result, "age", "c", n_grid=5, output=k) for k in range(3)]
    np.testing.assert_allclose(sum(found.prediction for found in every), 1.0, rtol=1e-12)
    most = max(every, key=lambda found: np.ptp(found.prediction))
    chosen = pair_surface(result, "age", "c", n_grid=5)
    assert chosen.output == most.output
    np.testing.assert_array_equal(chosen.prediction, most.prediction)
    assert pair_surface(result, "age", "c", n_grid=5, output="class 1").output == "class 1"
    for wrong in (3, -1, "class 9", True, 1.0):
        with pytest.raises(InputError, match="output must be one of 'class 0'"):
            pair_surface(result, "age", "c", output=wrong)


# ---- the pictures ----------------------------------------------------------------------------------------------------


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_no_interaction_is_said_in_words(numbers):
    ax = drawn(surface(numbers, "age", "c", n_grid=10))
    assert legend(ax)[0] == "R-sens₂ 0 everywhere"
    X = np.random.default_rng(1).normal(size=(40, 2))
    product = explain(from_function(lambda Z: Normal(Z[:, 0] * Z[:, 1], 4.0 + 0.0 * Z[:, 0])), X, scale="raw")
    assert legend(drawn(surface(product, 0, 1, n_grid=10)))[0] == "R-sens₂ 0.5 everywhere"


def test_of_many_levels_the_frequent_ones_have_lines():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=200), "level": rng.choice(list("abcdefghijkl"), 200)})
    result = explain(from_function(lambda Z: Normal(Z[:, 0] * Z[:, 1], 1.0 + 0.0 * Z[:, 0])), X, intervals=False)
    ax = drawn(surface(result, "x", "level", n_grid=5))
    assert set(legend(ax)[1:]) == set(X["level"].value_counts(sort=True).sort_index().nlargest(7).index)
    assert "5 less frequent levels not shown" in below(ax)


# ---- errors ----------------------------------------------------------------------------------------------------------


def test_unknown_columns_get_a_suggestion(numbers):
    with pytest.raises(InputError, match=r"second must be a column of X.*got 'body mas'. Did you mean 'body mass'"):
        surface(numbers, "age", "body mas")
    with pytest.raises(InputError, match=r"first must be a column of X, by name or position; got 7\. X has age"):
        surface(numbers, 7, "c")
    with pytest.raises(InputError, match="two different variables; got 'age' twice"):
        surface(numbers, "age", 0)


def test_wrong_arguments_are_errors_before_anything_is_drawn(numbers):
    for options, text in (
        ({"quantity": "variance"}, "quantity must be one of 'prediction', 'interaction', 'uncertainty', 'rsens2'"),
        ({"n_grid": 1}, "n_grid must be a whole number of at least 2"),
        ({"at": "nowhere"}, "at must be"),
        ({"ax": 3}, "ax must be"),
        ({"X": np.zeros((3, 2))}, "X must have the columns that were explained"),
    ):
        with pytest.raises(InputError, match=text):
            surface(numbers, "age", "c", **options)
    assert plt.get_fignums() == []


def test_one_row_has_no_range():
    result = explain(from_function(lambda Z: Normal(Z[:, 0], 1.0 + Z[:, 1] ** 2)), [[1.0, 2.0]], scale="raw")
    with pytest.raises(InputError, match="'x0' is 1 in all rows of X, so it has no range"):
        surface(result, 0, 1)
