"""The marks of pairs: a test, except where the model adds up by construction."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rsens._explain._interaction_marks import CollinearityWarning, Interactions, interaction_marks
from rsens._interactions import Untested
from rsens.derivatives import from_function
from rsens.distributions import MultivariateNormal, Normal
from rsens.models import BayesianLinearRegression
from tests.explain.cases import asked_of


def marks(model, X, y, *, groups=None, **given):
    context = asked_of(model, X, y, pairs=True, null="auto", groups=groups)
    none = np.zeros((len(context.query.terms),) * 2, dtype=bool)
    return interaction_marks(context, given.get("additive", none))


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((120, 3)), columns=["a", "b", "c"])
    X["kind"] = pd.Categorical(rng.choice(["u", "v"], 120))
    y = X["a"] + X["b"] * X["c"] + (X["kind"] == "v") + 0.3 * rng.standard_normal(120)
    return X, y


def test_a_model_that_adds_up_is_never_marked(data):
    X, y = data
    model = BayesianLinearRegression().fit(X, y)
    free, bound = marks(model, X, y), marks(model, X, y, additive=np.ones((4, 4), dtype=bool))
    b_c = 3
    assert free.pair_above[b_c]
    assert free.pair_discovery[b_c]
    np.testing.assert_array_equal(free.pair_p_values, bound.pair_p_values)
    assert not bound.pair_above.any()
    assert not bound.pair_discovery.any()
    assert bound.pair_additive.all()
    assert "cannot hold: b:c" in bound.pair_notes[-1]
    assert bound.pair_null_kind == "score test of additivity on the scale of y"


def test_groups_and_foreign_models(data):
    X, y = data
    numbers = X[["a", "b", "c"]]
    model = from_function(lambda rows: Normal(rows[:, 0] + rows[:, 1] * rows[:, 2], 0.1))
    grouped = marks(model, numbers, y - (X["kind"] == "v"), groups={"bc": ["b", "c"]})
    assert isinstance(grouped, Interactions)
    assert len(grouped.pair_p_values) == 1
    assert not grouped.pair_above.any()
    vectors = from_function(lambda rows: MultivariateNormal(rows[:, :2], np.broadcast_to(np.eye(2), (len(rows), 2, 2))))
    with pytest.raises(Untested):
        marks(vectors, numbers, np.zeros((120, 2)))


def test_collinear_columns_are_named(data):
    X, y = data
    X = X.assign(d=X["a"] + 0.1 * np.random.default_rng(1).standard_normal(120))
    model = BayesianLinearRegression().fit(X, y)
    with pytest.warns(CollinearityWarning, match="determine a and d"):
        found = marks(model, X, y)
    first, second = np.triu_indices(5, 1)
    of_these = np.isin(first, [0, 4]) | np.isin(second, [0, 4])
    np.testing.assert_array_equal(found.pair_unclear, of_these & ~found.pair_above)
