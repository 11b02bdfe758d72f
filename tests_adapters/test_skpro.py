"""skpro's regressors, as they are: a distribution per row from `predict_proba`, by differences."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from skpro.distributions import Normal, TDistribution
from skpro.regression.linear import ARDRegression
from skpro.regression.residual import ResidualDouble

import rsens
from rsens import InputError, as_family

rng = np.random.default_rng(4)
X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
Y = pd.DataFrame({"y": 2.0 * X["a"] - 1.0 * X["b"] + 0.3 * rng.normal(size=60)})


def test_distributions_become_families():
    family = as_family(Normal(mu=[[0.0], [1.0]], sigma=[[2.0], [3.0]]))
    assert isinstance(family, rsens.Normal)
    np.testing.assert_array_equal(family.variance, [4.0, 9.0])
    family = as_family(TDistribution(mu=[[0.0], [1.0]], sigma=2.0, df=5.0))
    np.testing.assert_array_equal(family.checked(2).scale2, [4.0, 4.0])


@pytest.mark.parametrize("model", [ARDRegression(), ResidualDouble(LinearRegression())], ids=lambda m: type(m).__name__)
def test_a_fitted_regressor_is_explained_as_it_is(model):
    with pytest.raises(InputError, match="fit"):
        rsens.rsens(model, X)
    fitted = model.fit(X, Y)
    predicted = fitted.predict_proba(X)
    local = rsens.rsens(fitted, X)
    # Of linear means: slope/sd, and what the spread adds where it moves.
    slope = fitted.predict(X.assign(a=X["a"] + 1.0)).to_numpy() - fitted.predict(X).to_numpy()
    spread = np.sqrt(predicted.var().to_numpy())
    assert (local[:, :1] >= np.abs(slope / spread) * (1 - 1e-5)).all()
    explanation = rsens.explain(fitted, X, null=False, random_state=0)
    assert explanation.main["a"] > explanation.main["b"]
