"""
Which pairs bend the prediction
===============================

Each cell is R-sens₂ of a pair. A dot marks the pairs for which the data contradict a model in which the two add up;
the others may have a large value only because the prediction, or its uncertainty, bends.
"""

from sklearn.datasets import load_diabetes

import rsens

X, y = load_diabetes(return_X_y=True, as_frame=True)
X = X[["sex", "age", "bmi", "bp", "s5"]]
model = rsens.GPRegressor(random_state=0, n_restarts=0).fit(X, y)
explanation = rsens.explain(model, X, y, intervals=False, random_state=0)
ax = rsens.plots.heatmap(explanation)
