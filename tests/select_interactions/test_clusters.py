"""Folds of whole clusters, and what they change."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold

from rsens._errors import InputError, RsensWarning
from rsens._select_interactions import select_interactions
from rsens.models import GPRegressor

PERSON = np.repeat(np.arange(40), 4)


def persons(seed=1):
    """40 persons with 4 rows each: y is a matter of the person, and has nothing to do with the columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))[PERSON] + 0.02 * rng.normal(size=(160, 3))
    return X, rng.normal(size=40)[PERSON] + 0.2 * rng.normal(size=160)


def test_the_scores_are_of_new_persons(tmp_path):
    X, y = persons()
    options = {"k": 0, "cv": 3, "random_state": 0}
    model = GPRegressor(n_restarts=0)
    together = select_interactions(model, X, y, clusters=PERSON, folder=tmp_path, **options)
    with pytest.warns(RsensWarning, match="clusters"):
        apart = select_interactions(model, X, y, **options)
    full = [float(found.summary().iloc[-1]["mean"]) for found in (together, apart)]
    assert full[0] < -1.4 < full[1]  # −1.4 is what the distribution of all y gives: log(√(2π)) + 1/2
    with pytest.raises(InputError, match="another question"):
        select_interactions(model, X, y, clusters=PERSON // 2, folder=tmp_path, **options)


def test_given_splits_keep_clusters_whole():
    X, y = persons()
    options = {"k": 0, "clusters": PERSON, "random_state": 0}
    found = select_interactions(GPRegressor(n_restarts=0), X, y, cv=GroupKFold(2), **options)
    assert found.n_splits == 2
    with pytest.raises(InputError, match="other rows of its cluster") as raised:
        select_interactions(GPRegressor(), X, y, cv=KFold(2, shuffle=True, random_state=0), **options)
    assert raised.value.argument == "cv"
    with pytest.raises(InputError, match="from 2 to the 40 clusters"):
        select_interactions(GPRegressor(), X, y, cv=41, **options)
