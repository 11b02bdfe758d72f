"""
Would the ranking hold?
=======================

The model was fitted to twenty samples of the rows. s5 and bmi are among the first five in all of them; the ranks of
s1 to s4, which nearly determine one another, depend on the sample.
"""

from sklearn.datasets import load_diabetes

import rsens

X, y = load_diabetes(return_X_y=True, as_frame=True)
model = rsens.BayesianLinearRegression()
stability = rsens.stability(model, X, y, n_boot=20, methods="rsens", random_state=0)
ax = rsens.plots.rank_stability(stability)
