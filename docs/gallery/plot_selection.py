"""
How many interactions
=====================

Models with 0, 1 and 2 interactions against one with all of them, on held-out rows. The ring marks the number that is
enough: with 150 patients and these four variables it is 0, as the model that only adds up predicts about as well.
"""

from sklearn.datasets import load_diabetes

import rsens

X, y = load_diabetes(return_X_y=True, as_frame=True)
X, y = X[["sex", "bmi", "bp", "s5"]].iloc[:150], y[:150]
model = rsens.GPRegressor(random_state=0, n_restarts=0)
selection = rsens.select_interactions(model, X, y, k=2, cv=3, random_state=0)
ax = rsens.plots.selection(selection)
