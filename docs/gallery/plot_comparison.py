"""
Other methods side by side
==========================

Ranks by R-sens and by other methods, which mostly agree on this model. The last line is the rank correlation with the
first method.
"""

from sklearn.datasets import load_diabetes

import rsens

X, y = load_diabetes(return_X_y=True, as_frame=True)
model = rsens.BayesianLinearRegression(prior_precision=20.0, standardize=True).fit(X, y)
table = rsens.compare(model, X, y, methods=["rsens", "ead", "pd", "pfi", "var"], random_state=0)
ax = rsens.plots.comparison(table)
