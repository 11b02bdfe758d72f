"""
Along one variable
==================

Above, the effect of the body mass index on the prediction, near the rows; below, R-sens along it, split into changes
of the mean and of the uncertainty. The ticks are the rows.
"""

from sklearn.datasets import load_diabetes

import rsens

data = load_diabetes(as_frame=True, scaled=False)
X, y = data.data[["age", "bmi", "bp", "s5"]], data.target.rename("progression")
model = rsens.GPRegressor(random_state=0, n_restarts=0).fit(X, y)
above, below = rsens.plots.profile(model, X, "bmi", y=y)
