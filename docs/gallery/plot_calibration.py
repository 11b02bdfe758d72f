"""
Do the probabilities hold?
==========================

If the predictions are right, the observations fall evenly over their predicted quantiles, and the bars stay within
the grey band. Here they do: the uncertainty of this model, on which R-sens relies, can be trusted.
"""

from sklearn.datasets import load_diabetes

import rsens

X, y = load_diabetes(return_X_y=True, as_frame=True)
assessment = rsens.assess(rsens.BayesianLinearRegression(), X, y, random_state=0)
ax = rsens.plots.calibration(assessment)
