"""R-sens within subgroups: values, intervals and p-values by hand, what they hold for, and what is printed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from rsens import Explanation
from rsens._arguments import child, seed_sequence
from rsens._contents import own_order
from rsens._explain import explain
from rsens._explain._context import FOLDS
from rsens._refits import rounds_of_folds
from tests.explain.models import BayesianLinear, Linear

QUICK = {"null": False, "pairs": False, "random_state": 3}
LABELS = np.array(["north", "south", "east"])


def regions(n=60, seed=0):
    """The rows of the south lie far out, where the prediction is less certain."""
    rng = np.random.default_rng(seed)
    region = LABELS[np.arange(n) % 3]
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    X.loc[region == "south", "b"] *= 4.0
    return X, X["a"] + 0.5 * X["b"] + rng.normal(size=n), region


def tables(explanation: Explanation) -> pd.DataFrame:
    return explanation.by_frame().set_index(["subgroup", "term"])


def average(local, weights):
    return local.T @ weights / weights.sum()


@pytest.mark.parametrize(
    "options", [{}, {"intervals": ("refits", 0.8)}, {"weights": 1.0 + np.arange(60) % 4}, {"scale": "raw"}]
)
def test_intervals_from_refits_by_hand(options):
    """Each refit is explained with its own rows; within and outside of a subgroup, these are averaged as all rows are.

    The difference is found within each refit, so that what a refit changes in both is not counted.
    """
    X, y, region = regions()
    found = explain(BayesianLinear().fit(X, y), X, y, by=region, **options, **QUICK)
    weights = options.get("weights", np.ones(60))
    spreads = {label: [] for label in LABELS}
    rows = own_order(X, y, options.get("weights")).rows
    for splits in rounds_of_folds(2, 5, y.to_numpy(), False, child(seed_sequence(3), FOLDS), None, rows):
        seen = {label: [] for label in LABELS}
        for train, _ in splits:
            part, counts = X.iloc[train], weights[train]
            fixed = {**options, "weights": counts, "intervals": False, "null": False, "pairs": False}
            local = explain(BayesianLinear().fit(part, y.iloc[train]), part, **fixed).local_main.to_numpy()
            for label in LABELS:
                rows = region[train] == label
                value, rest = (average(local[side], counts[side]) for side in (rows, ~rows))
                seen[label].append([value, value - rest])
        for label in LABELS:
            refits = np.array(seen[label])  # refits × value and difference × terms
            spreads[label].append(4 / 5 * ((refits - refits.mean(axis=0)) ** 2).sum(axis=0))
    t = stats.t.ppf(0.5 + options.get("intervals", ("refits", 0.95))[1] / 2, 8)
    frame = tables(found)
    for label in LABELS:
        lines = frame.loc[label].loc[list(X.columns)]
        se, se_difference = np.sqrt(np.mean(spreads[label], axis=0))
        np.testing.assert_allclose(lines["upper"], lines["value"] + t * se, rtol=1e-9)
        np.testing.assert_allclose(lines["lower"], np.maximum(lines["value"] - t * se, 0.0), rtol=1e-9, atol=1e-12)
        apart = lines["difference"]
        np.testing.assert_allclose(lines["difference_upper"], apart + t * se_difference, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(lines["difference_lower"], apart - t * se_difference, rtol=1e-9, atol=1e-12)
        p = 2.0 * stats.t.sf(np.abs(apart) / se_difference, 8)
        np.testing.assert_allclose(lines["p_value"], p, rtol=1e-7)
        assert (lines["differs"] == (p <= 0.05)).all()
    assert set(frame["interval_kind"]) == {"refits"}
    assert frame["differs"].nunique() == 2  # both occur, or the last line above says nothing


def test_intervals_from_rows_by_hand():
    """A subgroup and the other rows are independent: the t-test of Welch, of which no p-value is given."""
    X, y, region = regions()
    found = explain(BayesianLinear().fit(X, y), X, by=region, **QUICK)
    frame, local = tables(found), found.local_main
    ranked = found.main.sort_values(ascending=False).index
    assert frame.index.tolist() == [(label, term) for label in sorted(LABELS) for term in ranked]
    for label in LABELS:
        inside, lines = region == label, frame.loc[label].loc[list(X.columns)]
        assert (lines["rows"] == inside.sum()).all()
        means = local[inside].mean(), local[~inside].mean()
        np.testing.assert_allclose(lines[["value", "rest"]].T, means, rtol=1e-12)
        np.testing.assert_allclose(lines["difference"], means[0] - means[1], rtol=1e-9, atol=1e-12)
        one = stats.t.interval(0.95, inside.sum() - 1, means[0], stats.sem(local[inside]))
        np.testing.assert_allclose(lines[["lower", "upper"]].T, np.maximum(one, 0.0), rtol=1e-9)
        both = stats.ttest_ind(local[inside], local[~inside], equal_var=False).confidence_interval(0.95)
        np.testing.assert_allclose(lines[["difference_lower", "difference_upper"]].T, both, rtol=1e-9)
    assert set(frame["interval_kind"]) == {"rows"}
    assert frame[["p_value", "differs"]].isna().all(axis=None)


def test_without_intervals_and_without_subgroups():
    X, _, region = regions()
    model = Linear([1.0, 0.5, 0.0])
    frame = explain(model, X, by=region, intervals=False, **QUICK).by_frame()
    assert frame[["lower", "upper", "difference_lower", "difference_upper", "p_value", "differs"]].isna().all(axis=None)
    assert frame[["value", "rest", "difference"]].notna().all(axis=None)
    assert explain(model, X, **QUICK).by_frame() is None


def test_a_subgroup_that_a_refit_lacks_has_no_interval():
    """The one row of a subgroup is left out by one refit of each round."""
    X, y, region = regions()
    region = np.where(np.arange(60) == 7, "alone", region)
    frame = tables(explain(BayesianLinear().fit(X, y), X, y, by=region, **QUICK))
    ends = ["lower", "upper", "difference_lower", "difference_upper", "p_value", "differs"]
    assert frame.loc["alone", ends].isna().all(axis=None)
    assert frame.loc["alone", ["value", "rest"]].notna().all(axis=None)
    assert frame.loc["north", ends].notna().all(axis=None)
