"""
Two explanations, compared
==========================

A linear model and a Gaussian process of the same data, variable by variable. A filled dot is a difference that chance
rarely gives.
"""

from sklearn.datasets import load_diabetes

import rsens

X, y = load_diabetes(return_X_y=True, as_frame=True)
X = X[["sex", "age", "bmi", "bp", "s5"]]
linear = rsens.BayesianLinearRegression().fit(X, y)
process = rsens.GPRegressor(random_state=0, n_restarts=0).fit(X, y)
first, second = (rsens.explain(model, X, y, pairs=False, null=False, random_state=0) for model in (linear, process))
values, differences = rsens.plots.difference(first.difference(second))
