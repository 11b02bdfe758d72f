"""The plots of a real explanation: the stand-ins of the other tests have the attributes that it has."""

import numpy as np
import pandas as pd

from rsens._explain import explain
from rsens.derivatives import from_function
from rsens.distributions import Normal
from tests.plots.pictured import NAMES, pictured


def test_a_stand_in_has_the_attributes_of_an_explanation():
    X = pd.DataFrame(np.random.default_rng(1).standard_normal((40, 4)), columns=["a_1", "$b$", "c", "d"])
    model = from_function(lambda X: Normal(X[:, 0] * X[:, 1] + np.sin(X[:, 2]), 0.3 + 0.2 * X[:, 3] ** 2))
    explanation = explain(model, X, random_state=0)
    for name, value in vars(pictured(NAMES)).items():
        real = getattr(explanation if hasattr(explanation, name) else explanation.inference, name)
        assert real is None or isinstance(value, type(real)), name
