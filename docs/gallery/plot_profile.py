"""
Along one variable
==================

Above, what the body mass index does to the prediction, near the rows; below, R-sens along it, split into what moves
the mean and what moves the uncertainty. The ticks are the rows.
"""

from sklearn.datasets import load_diabetes

import rsens

data = load_diabetes(as_frame=True, scaled=False)
X, y = data.data[["age", "bmi", "bp", "s5"]], data.target.rename("progression")
model = rsens.GPRegressor(random_state=0, n_restarts=0).fit(X, y)
above, below = rsens.plots.profile(model, X, "bmi", y=y)
