"""
Where groups of rows differ
===========================

R-sens within the two sexes of the diabetes data, whose codes are not documented. The colour is the difference from
the other sex, and ≠ marks differences that chance rarely gives.
"""

from sklearn.datasets import load_diabetes

import rsens

data = load_diabetes(as_frame=True, scaled=False)
X, y = data.data[["age", "bmi", "bp", "s5"]], data.target
sex = data.data["sex"].map({1.0: "sex 1", 2.0: "sex 2"})
model = rsens.GPRegressor(random_state=0, n_restarts=0).fit(X, y)
explanation = rsens.explain(model, X, y, pairs=False, null=False, by=sex, random_state=0)
ax = rsens.plots.subgroups(explanation)
