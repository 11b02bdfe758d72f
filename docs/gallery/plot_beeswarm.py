"""
Every row
=========

One point for each tumour and variable, coloured by the variable's value. The points on the right are tumours that may
be either benign or malignant: there a little more of a variable changes the prediction most. Clear cases, high or
low, are on the left.
"""

from sklearn.datasets import load_breast_cancer

import rsens

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[["worst perimeter", "worst texture", "worst smoothness", "mean symmetry"]]
model = rsens.BayesianLogisticRegression().fit(X, y)
explanation = rsens.explain(model, X, pairs=False, random_state=0)
ax = rsens.plots.beeswarm(explanation)
