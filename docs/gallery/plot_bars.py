"""
Which variables matter
======================

Body mass index, s5, blood pressure and sex move the predicted progression of diabetes by more than noise would: their
bars pass the dashed null levels. Those of s1 to s4 are high because these nearly determine one another. All bars are
blue: it is the mean that moves, not the uncertainty.
"""

from sklearn.datasets import load_diabetes

import rsens

X, y = load_diabetes(return_X_y=True, as_frame=True)
model = rsens.BayesianLinearRegression(prior_precision=20.0, standardize=True).fit(X, y)
explanation = rsens.explain(model, X, y, pairs=False, null=True, random_state=0)
ax = rsens.plots.bars(explanation)
