"""What is refused, and how."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import ShuffleSplit

from rsens._errors import InputError
from rsens._select_interactions import select_interactions
from rsens.kernels import Matern12
from rsens.models import BayesianLinearRegression, GPClassifier, GPRegressor
from tests.select_interactions.made import asked

X = np.random.default_rng(0).normal(size=(20, 3))
Y = X[:, 0] + X[:, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"estimator": BayesianLinearRegression()}, "estimator must be a GPRegressor or GPClassifier.*BayesianLinear"),
        ({"estimator": GPRegressor}, "estimator must be a GPRegressor"),
        ({"X": X[:, :1]}, "at least two columns; X has one"),
        ({"y": None}, "got NoneType"),
        ({"k": -1}, "k must be a whole number of at least 0"),
        ({"cv": 1}, "folds from 2 to the 20 rows"),
        ({"repeats": 0}, "repeats must be a whole number of at least 1"),
        ({"estimator": GPClassifier(), "y": np.where(np.arange(20) < 1, "rare", "often")}, "class 'rare' is rare"),
        ({"folder": ""}, "folder must be"),
        ({"estimator": GPRegressor(Matern12(), n_restarts=0)}, "'rsens2' cannot rank .*: Matern12 has no derivatives"),
    ],
)
def test_wrong_arguments(arguments, message):
    call = {"estimator": GPRegressor(n_restarts=0), "X": X, "y": Y, "k": 1} | arguments
    with pytest.raises(InputError, match=message):
        asked(**call)


def test_given_splits_are_part_of_the_question(tmp_path):
    """A splitter without a seed gives other splits the next time: what was scored on the first ones does not count."""
    model, settings = GPRegressor(n_restarts=0), {"k": 0, "folder": tmp_path, "random_state": 0}
    positions = [(np.arange(10), np.arange(10, 20)), (np.arange(10, 20), np.arange(10))]
    found = select_interactions(model, X, Y, cv=iter(positions), **settings)
    assert found.n_splits == 2
    again = select_interactions(model, X, Y, cv=positions, **settings)
    pd.testing.assert_frame_equal(again.scores, found.scores)
    for change, text in (({"cv": ShuffleSplit(2)}, "cv was"), ({"k": 1}, "k was 0"), ({"y": Y + 1.0}, "y")):
        with pytest.raises(InputError, match=f"another question: {text}"):
            select_interactions(**{"estimator": model, "X": X, "y": Y, "cv": positions} | settings | change)
