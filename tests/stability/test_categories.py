"""Classes, levels and columns that a sample may lack."""

import numpy as np
import pandas as pd
import pytest

from rsens._errors import InputError
from rsens._stability import stability
from rsens.models import BayesianLinearRegression, GPClassifier, GPRegressor
from tests.stability.models import LeastSquares, linear_data

X, Y = linear_data()


def test_classes():
    labels = np.where(X[:, 1] > 1.2, "high", np.where(X[:, 1] < -0.3, "low", "middle"))
    assert (labels == "high").sum() < 10
    for y in (labels, pd.Categorical(labels)):
        result = stability(GPClassifier(n_restarts=0), X, y, n_boot=4, methods=["rsens", "pfi"], random_state=0)
        assert result.failures.empty
        assert result.top(1).loc["x1"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("kind", ["category", "text", "array"])
def test_levels_that_a_sample_lacks(kind):
    rng = np.random.default_rng(1)
    level = rng.permutation(["a"] * 30 + ["b"] * 29 + ["rare"])  # half of the samples lack it
    y = 3.0 * (level == "a") + 0.2 * rng.normal(size=60)
    rows, categorical = pd.DataFrame({"x": rng.normal(size=60), "c": level}), None
    if kind == "category":
        rows["c"] = pd.Categorical(level)
    elif kind == "array":
        rows, categorical = np.column_stack([rows["x"], np.searchsorted(["a", "b", "rare"], level)]), [1]
    options = {"n_boot": 6, "methods": ["rsens", "ead", "pfi"], "random_state": 0}
    result = stability(GPRegressor(optimize=False, categorical=categorical), rows, y, **options)
    assert result.failures.empty
    assert result.top(1).iloc[1].tolist() == [1.0, 1.0, 1.0]


def test_a_column_that_is_constant_in_some_samples():
    """One row of 60 differs: half of the samples lack it, and the column scores 0 there, without a warning."""
    data = X.copy()
    data[:, 0] = 0.0
    data[7, 0] = 1.0
    result = stability(LeastSquares(), data, Y, n_boot=10, methods="rsens", random_state=0)
    values = result.ranks.query("term == 'x0'")["value"]
    assert 0 < (values == 0.0).sum() < 10


def test_two_values_are_compared_in_every_sample():
    """In each sample the value is that of `explain` for the model of that sample: here 2/3 of the gap, per sd."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"x": rng.normal(size=60), "flag": rng.permutation(np.arange(60) < 6) * 3 + 1})
    y = frame["x"] + 2.0 * (frame["flag"] - 1) / 3 + 0.3 * rng.normal(size=60)
    options = {"n_boot": 5, "methods": ["rsens", "ead"], "random_state": 0}
    found = stability(BayesianLinearRegression(), frame, y, **options)
    truth = stability(BayesianLinearRegression(), frame.assign(flag=frame["flag"] > 1), y, **options)
    slopes = stability(BayesianLinearRegression(), frame, y, numeric=["flag"], **options)
    np.testing.assert_allclose(found.ranks["value"], truth.ranks["value"], rtol=1e-6)
    ead = found.ranks["method"] == "ead"
    np.testing.assert_allclose(found.ranks["value"][ead], slopes.ranks["value"][ead], rtol=1e-6)  # a line is a line
    with pytest.raises(InputError, match="numeric names the column 'flog'"):
        stability(BayesianLinearRegression(), frame, y, numeric=["flog"])
    with pytest.raises(InputError, match="numeric names the column 'flag', which is categorical"):
        stability(BayesianLinearRegression(categorical=["flag"]), frame, y, numeric=["flag"])
