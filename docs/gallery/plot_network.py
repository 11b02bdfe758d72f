"""
Variables and interactions at once
==================================

Circles are variables, their area is R-sens; hollow ones are not above the null level. Only pairs that the data say
interact have a line, as wide as their R-sens₂.
"""

from sklearn.datasets import load_diabetes

import rsens

X, y = load_diabetes(return_X_y=True, as_frame=True)
X = X[["sex", "age", "bmi", "bp", "s5"]]
model = rsens.GPRegressor(random_state=0, n_restarts=0).fit(X, y)
explanation = rsens.explain(model, X, y, intervals=False, random_state=0)
ax = rsens.plots.network(explanation)
