"""Numeric columns of two values through `explain`: what they mean, next to numbers and to categories."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rsens import (
    BayesianPoissonRegression,
    GPRegressor,
    Normal,
    explain,
    from_function,
    rsens,
    rsens2,
)
from rsens._explain._query import Reader
from tests.few_probes import explain_with_probes

QUICK = {"intervals": False, "random_state": 0}


def flagged(n=1000, ones=10, effect=3.0, noise=0.5, seed=0, **values):
    """`flag` is 1 in some of the rows and moves y by `effect`; x0 and x1 matter, x2 does not."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["x0", "x1", "x2"])
    X["flag"] = rng.permutation(np.arange(n) < ones).astype(float)
    y = X["x0"] + np.sin(X["x1"]) + effect * X["flag"] + noise * rng.normal(size=n)
    return X, y.to_numpy()


@pytest.fixture(scope="module")
def rare():
    X, y = flagged()
    return X, y, GPRegressor(n_restarts=0).fit(X, y)


def test_a_rare_flag_counts_what_it_does(rare):
    """1 in 10 of 1,000 rows, moving y by 6 noise sd: 6 √(0.01 · 0.99) = 0.597 per standard deviation."""
    X, _, model = rare
    found = explain(model, X, **QUICK)
    assert found._two_valued == found.categorical == ("flag",)
    # The fit shrinks ten rows towards the others a little, and is less sure of them.
    assert 0.45 < found.main["flag"] < 0.65
    assert found.main["flag"] > 5.0 * found.main["x2"]
    np.testing.assert_allclose(found.scale["flag"], X["flag"].std(ddof=0), rtol=1e-12)


def test_numeric_gives_the_papers_formula(rare):
    X, _, model = rare
    with pytest.warns(UserWarning, match="'flag' has values that are more than two length-scales apart"):
        found = explain(model, X, numeric=["flag"], **QUICK)
    units = X.std(ddof=0).to_numpy()
    np.testing.assert_allclose(found.main, rsens(model, X).mean(axis=0) * units, rtol=1e-9)
    pairs = (rsens2(model, X) * np.outer(units, units)).mean(axis=0)[np.triu_indices(4, 1)]
    np.testing.assert_allclose(found.pairs, pairs, rtol=1e-9)
    assert found._two_valued == found.categorical == ()
    assert found.main["flag"] < 0.05  # the slope at the rows has nothing to say


def equal_effects(share, seed, values=(0.0, 1.0), n=400):
    """x and b move the mean alike: their contributions have the same standard deviation."""
    rng = np.random.default_rng(seed)
    b = rng.permutation(np.arange(n) < round(share * n)) * 1.0
    X = np.column_stack([rng.normal(size=n), values[0] + (values[1] - values[0]) * b])
    X[:, 0] = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std()
    return X, X[:, 0] + (b - b.mean()) / b.std()


@pytest.mark.parametrize("share", [0.5, 0.2, 0.02])
@pytest.mark.parametrize("values", [(0.0, 1.0), (-3.0, 8.5)], ids=["0/1", "others"])
def test_the_truth_ranks_equal_effects_equally(share, values):
    """For the function itself both are exactly 1 in units of the noise."""
    X, mean = equal_effects(share, 0, values)
    offset, slope = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X[:, 1]]), mean - X[:, 0], rcond=None)[0]
    found = explain(from_function(lambda Z: Normal(Z[:, 0] + offset + slope * Z[:, 1], 1.0)), X, **QUICK)
    assert found._two_valued == ("x1",)
    np.testing.assert_allclose(found.main, 1.0, rtol=1e-7)
    np.testing.assert_allclose(found.direction, 1.0, rtol=1e-7)
    np.testing.assert_allclose(found.consistency, 1.0, rtol=1e-7)
    np.testing.assert_allclose(found.pairs, 0.0, atol=1e-5)


def test_a_decreasing_column_and_a_mixed_one():
    """Direction: the mean of f(high) − f(low), times the unit; consistency: how far it is always the same way."""
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=60), rng.permutation(np.arange(60) < 15) * 2.0 + 1.0])
    unit = np.sqrt(0.25 * 0.75)
    down = explain(from_function(lambda Z: Normal(-0.5 * Z[:, 1], 4.0)), X, **QUICK)
    found = [down.direction["x1"], down.consistency["x1"], down.main["x1"]]
    np.testing.assert_allclose(found, [-1.0 * unit, 1.0, 1.0 * unit / 2.0], rtol=1e-12)
    mixed = explain(from_function(lambda Z: Normal(Z[:, 0] * Z[:, 1], 1.0)), X, keep_local="pairs", **QUICK)
    np.testing.assert_allclose(mixed.direction["x1"], 2.0 * unit * X[:, 0].mean(), rtol=1e-10)
    consistency = abs(X[:, 0].mean()) / np.abs(X[:, 0]).mean()
    np.testing.assert_allclose(mixed.consistency["x1"], consistency, rtol=1e-10)
    np.testing.assert_allclose(mixed.pairs["x0", "x1"], 2.0 * unit * X[:, 0].std(), rtol=1e-6)


def test_scales():
    X, _ = equal_effects(0.2, 1, (2.0, 5.0))
    model = from_function(lambda Z: Normal(Z[:, 0] + Z[:, 1], 1.0))
    for scale, expected in (("raw", [1.0, 3.0]), ([2.0, 0.5], [2.0, 1.5]), ("sd", X.std(axis=0))):  # raw: per switch
        np.testing.assert_allclose(explain(model, X, scale=scale, **QUICK).main, expected, rtol=1e-8)


def test_a_fit_under_weights_has_its_own_shares():
    """A row with sample_weight 3 counts three times in the unit, as it does in that of other numbers; in refits too."""
    X, mean = equal_effects(0.2, 4, n=60)
    weights = np.where(X[:, 1] > 0.0, 3.0, 1.0)
    counts = np.random.default_rng(4).poisson(np.exp(0.3 * mean))
    repeated = np.repeat(X, weights.astype(int), axis=0)
    found = explain(BayesianPoissonRegression().fit(X, counts, sample_weight=weights), X, **QUICK)
    np.testing.assert_allclose(found.scale, repeated.std(axis=0), rtol=1e-12)
    reader, model = Reader(compared=(1,)), from_function(lambda Z: Normal(Z[:, 0] + Z[:, 1], 1.0))
    query = reader.query(model, *reader.rows(model, X, weights))
    np.testing.assert_allclose(query.table.coding[1].frequencies, np.array([48.0, 36.0]) / 84.0)
    np.testing.assert_allclose(query.deviations, repeated.std(axis=0), rtol=1e-12)


def test_members_of_a_group_stay_numbers():
    X, _ = equal_effects(0.5, 5, n=60)
    model = from_function(lambda Z: Normal(Z[:, 0] + Z[:, 1], 1.0))
    found = explain(model, X, groups={"both": ["x0", "x1"]}, **QUICK)
    assert found._two_valued == ()
    alone = explain(model, X, groups={"flag": ["x1"]}, **QUICK)  # another name for the column
    assert alone._two_valued == alone.categorical == ("flag",)
    np.testing.assert_allclose(alone.main["flag"], X[:, 1].std(), rtol=1e-8)


def test_rows_of_one_value_are_still_compared(rare):
    """The training inputs decide, and say how often each value occurs."""
    X, _, model = rare
    rows = X[X["flag"] == 0.0].head(50)
    found = explain(model, rows, **QUICK)
    assert found._two_valued == ("flag",)
    np.testing.assert_allclose(found.scale["flag"], X["flag"].std(ddof=0), rtol=1e-12)
    assert found.main["flag"] > 0.3


def test_null_level_of_two_valued_columns():
    """Refits get columns of numbers, and probes of a flag are compared between its two values too."""
    X, y = flagged(n=80, ones=20, effect=2.0, seed=8)
    found = explain_with_probes(GPRegressor(n_restarts=0).fit(X, y), X, y, n_probes=4, **QUICK)
    flag = found.to_frame().set_index("term").loc["flag"]
    assert found._two_valued == ("flag",)
    assert flag["null"] > 0.0
    assert flag["above_null"]
