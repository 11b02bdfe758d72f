"""Global values: means over rows, with weights and scales."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rsens._errors import InputError
from rsens.measures import METHODS, Terms, importance, local_values
from tests.measures.models import MODELS, rows

X = rows(30)


@pytest.mark.parametrize("name", ["rsens", "rsens2", "kl"])
def test_weighted_mean_of_local_values_in_units_of_the_scale(name: str) -> None:
    model = MODELS["Gamma"]
    weights = np.random.default_rng(1).uniform(size=len(X))
    scale = np.array([2.0, 0.0, 5.0])
    # The weights add up to more than float64 holds; only their ratios count.
    values = local_values(name, model, X, alpha=2.0) * (scale if METHODS[name].order == 1 else np.outer(scale, scale))
    expected = np.average(values, axis=0, weights=weights)
    got = importance(name, model, X, weights=9e307 * weights, scale=scale, alpha=2.0)
    np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_weights_count_rows() -> None:
    model = MODELS["Poisson"]
    twice = np.concatenate([X, X[:10]])
    weights = np.where(np.arange(len(X)) < 10, 2.0, 1.0)
    for name in ("rsens", "aed", "rsens2", "aeh"):
        counted = importance(name, model, X, weights=weights)
        np.testing.assert_allclose(counted, importance(name, model, twice), rtol=1e-12)


def test_a_group_in_measures_of_a_mean_slope_or_bend() -> None:
    """The mean derivatives are signed and add up first; of a group their length counts."""
    record = MODELS["Poisson"].derivatives(X, 2)
    slopes, bends = record.first[:, 0].mean(axis=0), record.second[:, 0].mean(axis=0)
    terms = Terms(("ends", "middle"), ((0, 2), (1,)))
    got = METHODS["aed"].importance(MODELS["Poisson"], X, scale=[2.0, 1.0, 3.0], terms=terms)
    np.testing.assert_allclose(got, [np.hypot(2.0 * slopes[0], 3.0 * slopes[2]), abs(slopes[1])], rtol=1e-12)
    pairs = METHODS["aeh"].importance(MODELS["Poisson"], X, terms=terms)
    own = np.linalg.norm(bends[np.ix_([0, 2], [0, 2])])
    across = np.hypot(bends[0, 1], bends[2, 1])
    np.testing.assert_allclose(pairs, [[own, across], [across, abs(bends[1, 1])]], rtol=1e-12)


def test_scale_by_name() -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    scale = pd.Series({"c": 3.0, "a": 1.0, "b": 2.0})
    expected = importance("rsens", MODELS["Normal"], X, scale=[1.0, 2.0, 3.0])
    by_label = pd.Series([1.0, 2.0, 3.0], index=[0, 1, 2])  # columns 0, 1, 2 are called "0", "1", "2"
    for x, given in ((frame, scale), (frame, dict(scale)), (pd.DataFrame(X), by_label)):
        np.testing.assert_array_equal(importance("rsens", MODELS["Normal"], x, scale=given), expected)


@pytest.mark.parametrize(
    "arguments",
    [
        *({"weights": wrong} for wrong in (np.ones(3), -np.ones(30), np.zeros(30), np.full(30, np.nan), "equal")),
        *({"scale": wrong} for wrong in ([1.0, 2.0], [1.0, -2.0, 1.0], {"x0": 1.0, "x2": 1.0}, "sd")),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(InputError) as raised:
        importance("rsens", MODELS["Normal"], X, **arguments)
    assert raised.value.argument in arguments
    with pytest.raises(InputError, match="'sobol' is not a measure"):
        importance("sobol", MODELS["Normal"], X)
    with pytest.raises(InputError, match="ard has no values at rows"):
        local_values("ard", MODELS["Normal"], X)
