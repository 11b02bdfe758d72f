"""EAD, AED, EAH, AEH: derivatives of the point prediction by the chain rule, against differences of that prediction."""

import numpy as np
import pytest

from rsens.measures import importance, local_values
from rsens.measures._prediction import arrows, consistency
from tests.differences import of_rows
from tests.measures.models import MODELS, D, Written, rows

X = rows()


def prediction(model: Written, x: np.ndarray) -> np.ndarray:
    """The mean of y, outputs last; a Student-t here has df = 4, so its mean is its location."""
    distribution = model.predict_distribution(x)
    return np.asarray(distribution.checked(len(x)).mean).reshape(len(x), -1)


@pytest.mark.parametrize("family", MODELS)
def test_derivatives_of_the_mean(family: str) -> None:
    weight = 0.5 if family == "Categorical" else 1.0
    first, second = (local_values(name, MODELS[family], X) / weight for name in ("aed", "aeh"))
    outputs = {"Categorical": 3, "MultivariateNormal": 2}.get(family, 1)
    assert first.shape == (len(X), outputs, D)
    expected, bends = of_rows(lambda x: prediction(MODELS[family], x), X, 2e-3)
    np.testing.assert_allclose(first, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    np.testing.assert_allclose(second, bends, rtol=1e-6, atol=1e-7 * np.abs(bends).max())


@pytest.mark.parametrize("family", MODELS)
def test_local_and_global_values(family: str) -> None:
    model = MODELS[family]
    for absolute, signed in (("ead", "aed"), ("eah", "aeh")):
        slopes = local_values(signed, model, X)
        np.testing.assert_allclose(local_values(absolute, model, X), np.abs(slopes).sum(axis=1), rtol=1e-14)
        mean_of_absolute = np.abs(slopes).mean(axis=0).sum(axis=0)
        absolute_of_mean = np.abs(slopes.mean(axis=0)).sum(axis=0)
        np.testing.assert_allclose(importance(absolute, model, X), mean_of_absolute, rtol=1e-13)
        np.testing.assert_allclose(importance(signed, model, X), absolute_of_mean, rtol=1e-12)


@pytest.mark.parametrize(
    ("slopes", "share"),
    [([1, 2], 1.0), ([-1.0, -1e-300], 1.0), ([0.0, 5.0], 1.0), ([3.0, -1.0], 0.5), ([2, -2], 0)],
)
def test_one_way_is_one_and_ups_count_against_downs(slopes, share):
    np.testing.assert_allclose(consistency(np.mean(slopes), np.abs(slopes).mean()), share, rtol=1e-15)


def test_arrows():
    direction = [2.0, -2.0, 2.0, -2.0, 0.0, 0.0, np.nan]
    share = [1.0, 0.5, 0.49, 0.0, 0.0, np.nan, np.nan]
    assert arrows(direction, share) == ["▲", "▼", "±", "±", "±", "", ""]
