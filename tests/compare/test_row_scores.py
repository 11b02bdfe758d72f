"""Log densities of the targets by every kind of model."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from rsens._compare._comparison import row_scores
from rsens._errors import InputError
from rsens.adapters import read_for
from rsens.derivatives import from_function
from rsens.distributions import Normal
from rsens.models import GPRegressor
from tests.explain.models import Linear, Softmax

rng = np.random.default_rng(0)
X = rng.standard_normal((20, 2))
y = X[:, 0] + 0.1 * rng.standard_normal(20)


def scores_of(model, X, y):
    return row_scores(model, read_for(model, X)[0], y, len(X))


def test_numbers():
    model = GPRegressor(optimize=False).fit(X, y)
    np.testing.assert_array_equal(scores_of(model, X, y)(X[::-1]), model.log_predictive_density(X[::-1], y))
    # A frame of one column would be a warning of scikit-learn's, once for every permutation.
    np.testing.assert_array_equal(scores_of(model, X, pd.DataFrame({"y": y}))(X), model.log_predictive_density(X, y))
    function = from_function(lambda X: Normal(X[:, 0], 0.25))
    np.testing.assert_allclose(scores_of(function, X, pd.Series(y))(X), stats.norm.logpdf(y, X[:, 0], 0.5), rtol=1e-12)


@pytest.mark.parametrize("classes", [None, ["low", "mid", "high"]])
def test_labels_of_a_model_without_log_predictive_density(classes):
    model = Softmax(rng.standard_normal((2, 3)), classes)
    codes = rng.integers(3, size=20)
    labels = codes if classes is None else np.array(classes)[codes]
    probabilities = model.derivatives(X, 1).distribution.probabilities
    np.testing.assert_allclose(scores_of(model, X, labels)(X), np.log(probabilities[np.arange(20), codes]), rtol=1e-12)


def test_targets_that_are_not_numbers():
    with pytest.raises(InputError, match="class codes"):
        scores_of(Linear([1.0, 0.0]), X, ["a"] * 20)(X)
    with pytest.raises(InputError, match="label 'c'"):
        scores_of(Softmax(np.ones((2, 2)), ["a", "b"]), X, ["c"] * 20)(X)
