"""
Two variables together
======================

The colours are the prediction over body mass index and blood pressure, near the rows only; it is highest where both
are high. The lines join places of equal R-sens₂: the larger it is, the more the effect of one variable depends on the
other.
"""

from sklearn.datasets import load_diabetes

import rsens

data = load_diabetes(as_frame=True, scaled=False)
X, y = data.data[["age", "bmi", "bp", "s5"]], data.target.rename("progression")
model = rsens.GPRegressor(random_state=0, n_restarts=0).fit(X, y)
explanation = rsens.explain(model, X, intervals=False)
ax = rsens.plots.surface(explanation, "bmi", "bp")
