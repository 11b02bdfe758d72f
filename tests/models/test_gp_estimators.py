"""The Gaussian processes pass scikit-learn's own checks, without exceptions, for every likelihood and link."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rsens import GPClassifier, GPRegressor, InputError

#: scikit-learn asks how estimators behave, not how well they fit; the first one searches to its end.
QUICK = {"n_restarts": 0, "tolerance": 0.1, "random_state": 0}


@parametrize_with_checks(
    [
        GPRegressor(),
        GPClassifier(**QUICK),
        GPClassifier(link="logit", **QUICK),
        GPRegressor(likelihood="poisson", **QUICK),
        GPRegressor(inducing=10, **QUICK),
    ]
)
# The checks fit pure noise, zeros and single columns; a search that ends at a limit there says so.
@pytest.mark.filterwarnings("ignore::rsens._errors.RsensWarning")
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::rsens._errors.RsensWarning")
def test_random_states_of_every_kind():
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30.0)
    fits = [
        GPRegressor(random_state=state, n_restarts=1, tolerance=1e-3)
        for state in (np.random.default_rng(1), np.random.default_rng(1), np.random.RandomState(1), np.int64(1), None)
    ]
    values = [fit.fit(X, y).log_marginal_likelihood_ for fit in fits]
    assert values[0] == values[1]
    for wrong in (-1, "seed", 1.5):
        with pytest.raises(InputError, match="random_state must be None, a whole number"):
            GPRegressor(random_state=wrong).fit(X, y)
