"""
The effect of a change
======================

The same question in the units of the target: more body mass goes with a larger predicted progression. A dot is the
change of the prediction when one variable moves by one standard deviation, or from one value to the other; its line
is for new data of this size.
"""

from sklearn.datasets import load_diabetes

import rsens

X, y = load_diabetes(return_X_y=True, as_frame=True)
model = rsens.BayesianLinearRegression(prior_precision=20.0, standardize=True).fit(X, y)
explanation = rsens.explain(model, X, y, pairs=False, null=False, random_state=0)
ax = rsens.plots.effects(explanation)
