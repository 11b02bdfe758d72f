"""
One row
=======

Contributions to the difference between the predicted progression of this patient and the average one, to first order
and in the units of the target. The line below names the remainder.
"""

from sklearn.datasets import load_diabetes

import rsens

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
model = rsens.BayesianLinearRegression(prior_precision=20.0, standardize=True).fit(X, y)
explanation = rsens.explain(model, X, pairs=False, random_state=0)
ax = rsens.plots.row(explanation.row(position=7))
