"""The Gaussian processes pass scikit-learn's own checks, without exceptions, for every likelihood and link."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rsens import GPClassifier, GPRegressor

ONE_START = {"n_restarts": 0, "random_state": 0}


@parametrize_with_checks(
    [
        GPRegressor(),
        GPClassifier(**ONE_START),
        GPClassifier(link="logit", **ONE_START),
        GPRegressor(likelihood="poisson", **ONE_START),
        GPRegressor(likelihood="negative_binomial", **ONE_START),
        GPRegressor(likelihood="student_t", **ONE_START),
        GPRegressor(inducing=10, **ONE_START),
    ]
)
# The checks fit pure noise, zeros and single columns; a search that ends at a limit there says so.
@pytest.mark.filterwarnings("ignore::rsens._errors.RsensWarning")
def test_scikit_learn(estimator, check):
    check(estimator)
