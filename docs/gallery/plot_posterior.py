"""
Posterior draws
===============

R-sens of each draw's own prediction: how sure the posterior is of it. Next to each line is the probability that
this variable has the largest value, which here is either bmi or s5.
"""

import numpy as np
from sklearn.datasets import load_diabetes

import rsens

X, y = load_diabetes(return_X_y=True, as_frame=True)
X = X[["sex", "age", "bmi", "bp", "s5"]]
fit = rsens.BayesianLinearRegression().fit(X, y)
draws = np.random.default_rng(0).multivariate_normal(fit.coef_, fit.coef_scale2_, size=100)  # or from your sampler


def one_draw(draw, rows):
    """The prediction of one draw."""
    return rsens.Normal(fit.intercept_ + rows @ draw["slopes"], fit.noise_variance_)


model = rsens.from_draws(one_draw, {"slopes": draws})
explanation = rsens.explain(model, X, pairs=False, random_state=0, numeric=["sex"])
ax = rsens.plots.posterior(explanation.posterior)
