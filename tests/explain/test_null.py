"""The level that an irrelevant variable reaches."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator

from rsens._errors import InputError, RsensWarning
from rsens._explain import explain
from rsens._explain._evaluate import sums_of
from rsens._explain._null_level import (
    CATEGORICAL,
    SINGLE,
    TWO_VALUED,
    _compare,
    _reach_of_terms,
    discoveries,
    familywise,
    find_null_level,
    probes_of_refits,
    tail_p_values,
)
from rsens._explain._probes import sources_of
from rsens.derivatives import from_function
from rsens.distributions import Normal
from rsens.kernels import EQ
from rsens.measures import local_values
from rsens.models import BayesianLinearRegression, GPRegressor
from tests.explain.cases import asked_of
from tests.explain.models import BayesianLinear, Linear
from tests.few_probes import explain_with_probes


def figure_2(seed: int, n: int = 10) -> tuple[pd.DataFrame, np.ndarray]:
    """The data of the paper's Figure 2: y = x1 + ε, and x2 that has nothing to do with it."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["x1", "x2"])
    return X, X["x1"].to_numpy() + 0.5 * rng.normal(size=n)


def test_an_irrelevant_variable_scores_above_zero_and_below_the_null_level():
    X, y = figure_2(0)
    result = explain(BayesianLinear().fit(X, y), X, y, random_state=0)
    assert 0.0 < result.main["x2"] < result.null["x2"]
    assert result.null["x1"] < result.main["x1"]
    assert result.parts.loc["x2", "scale2"] > 0.0  # the second summand of equation (5)
    frame = result.to_frame().set_index("term")
    assert frame["null"].tolist() == result.null[frame.index].tolist()
    assert frame.loc["x1", ["above_null", "discovery", "familywise"]].tolist() == [True, True, True]
    assert frame.loc["x2", ["above_null", "discovery", "familywise"]].tolist() == [False, False, False]
    assert frame.loc["x1", "p_value"] < 0.01 < frame.loc["x2", "p_value"]
    assert result.inference.null_kind == "conditional probes, 5 % per variable"


@pytest.mark.parametrize("rho", [0.0, 0.8])
def test_about_one_irrelevant_variable_in_twenty_lies_above_the_level(rho):
    """Over 120 variables 6 are expected; more than 13 has a probability of 0.3 %, none at all of 0.2 %.

    At a correlation of 0.8 shuffled columns would let a third of them pass.
    """
    above = []
    for seed in range(1000, 1030):
        rng = np.random.default_rng(seed)
        X = np.sqrt(rho) * rng.normal(size=(60, 1)) + np.sqrt(1.0 - rho) * rng.normal(size=(60, 5))
        y = 2.0 * X[:, 0] + 0.5 * rng.normal(size=60)
        level = null_level(BayesianLinear(), X, y, linear=True, seed=seed)
        marks = level.found > level.null
        assert marks[0]
        above += marks[1:].tolist()
    assert 1 <= sum(above) <= 13


def null_level(estimator, X, y, *, clusters=None, linear=False, seed=0, **asked):
    """`find_null_level` by itself, for what `explain` does not ask of it."""
    context = asked_of(estimator.fit(X, y), X, y, clusters=clusters, random_state=seed, **asked)
    found = sums_of(context.query).main.mean
    return SimpleNamespace(**vars(find_null_level(context, found, linear=linear)), found=found)


def test_the_level_by_hand():
    """R_j, s_j, L, null_j and the share of probes, from the frames that a refit gets."""
    rng = np.random.default_rng(2)
    n = 40
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    X["b"] += 2.0 * X["a"]
    y = X["a"].to_numpy() + 0.5 * rng.normal(size=n)
    seen = []

    def refit(Z, target):
        assert target is y
        seen.append(Z)
        return BayesianLinear().fit(Z, target)

    model = BayesianLinear().fit(X, y)
    result = explain_with_probes(model, X, y, refit=refit, random_state=0, n_probes=30, pairs=False, intervals=False)
    assert len(seen) == 10  # three at a time
    for Z in seen:
        pd.testing.assert_frame_equal(Z[list("abcd")], X)
    assert pd.Series(result.inference.probe_values.index).value_counts().max() == 8  # columns take turns
    sd = X.std(ddof=0).to_numpy()
    refits = [explain(BayesianLinear().fit(Z, y), Z, scale="raw", pairs=False, intervals=False).main for Z in seen]
    real, probes = np.array([main[:4] for main in refits]) * sd, [main[4:] for main in refits]
    vif = np.array([source.inflation for source in sources_of(X.to_numpy(), ((0,), (1,), (2,), (3,)), ())])
    assert vif[:2].min() > 3.0 > 1.5 > vif[2:].max()
    positions = ["abcd".index(term) for term in result.inference.probe_values.index]
    scaled = np.concatenate(probes) * sd[positions] / vif[positions] ** 0.5
    np.testing.assert_allclose(result.inference.probe_values, scaled, rtol=1e-9)
    level = np.quantile(scaled, 0.95, method="weibull")
    reached = np.sqrt(np.mean(real**2, axis=0)) / vif**0.5
    np.testing.assert_allclose(result.null, level / reached * result.main, rtol=1e-9)
    assert ((result.main > result.null) == (reached > level)).all()


def test_a_linear_model_has_wider_slopes_where_columns_are_collinear():
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[:, 1] += 3.0 * X[:, 0]
    y = X[:, 2] + 0.3 * np.random.default_rng(1).normal(size=60)
    bent, straight = (null_level(BayesianLinear(), X, y, linear=linear) for linear in (False, True))
    vif = np.array([source.inflation for source in sources_of(X, ((0,), (1,), (2,)), ())])
    positions = [int(term[1:]) for term in bent.probe_terms]
    np.testing.assert_allclose(straight.probe_values, bent.probe_values / vif[positions] ** 0.25, rtol=1e-12)


@pytest.mark.parametrize("scale", ["raw", {"x1": 2.0, "x2": 1e-3, "x3": 0.5}])
def test_marks_do_not_depend_on_units(scale):
    X, y = figure_2(2, n=30)
    X["x3"] = 100.0 * X["x2"] + 50.0 * np.arange(30.0)
    model = BayesianLinear().fit(X, y)
    per_sd = explain(model, X, y, random_state=0, pairs=False, intervals=False)
    other = explain(model, X, y, random_state=0, pairs=False, intervals=False, scale=scale)
    np.testing.assert_allclose(other.null / other.main, per_sd.null / per_sd.main, rtol=1e-12)
    for name in ("p_value", "discovery", "familywise"):
        pd.testing.assert_series_equal(getattr(other.inference, name), getattr(per_sd.inference, name))
    pd.testing.assert_series_equal(other.inference.probe_values, per_sd.inference.probe_values)


def test_categories_are_compared_with_categories_that_reach_as_far():
    """Probes of b reach twice as far as those of a; so must b itself. Probes of numbers do not count."""
    values, terms = np.array([1.0, 1.2, 0.8, 2.0, 2.4, 1.6, 2.0]), np.array([1, 1, 1, 2, 2, 2, 2])
    reach, without = _reach_of_terms(values, terms, 4)
    c2 = np.mean(values**2)
    np.testing.assert_allclose(reach[1:3] ** 2, [(3.08 + c2) / 4 / c2, (16.32 + c2) / 5 / c2])
    assert reach[[0, 3]].tolist() == [1.0, 1.0]
    np.testing.assert_allclose(without[0] ** 2, (1.2**2 + 0.8**2 + c2) / 3 / c2)  # without itself
    assert _reach_of_terms(np.zeros(3), np.zeros(3, dtype=int), 1)[0].tolist() == [1.0]

    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=80), "a": rng.choice(list("uv"), 80), "b": rng.choice(list("stuvw"), 80)})
    probe_terms = np.tile([0, 1, 2], 30)
    probes = rng.uniform(0.9, 1.1, size=90) * np.array([10.0, 1.0, 2.0])[probe_terms]
    query = asked_of(GPRegressor(n_restarts=0).fit(X, X["x"]), X).query
    found = sums_of(query).main.mean
    for a, b, marks in [(1.0, 2.0, [False, False]), (1.2, 2.0, [True, False]), (1.0, 2.4, [False, True])]:
        level = _compare(np.array([[10.0, a, b]]), probes, probe_terms, np.ones(3), query, found)
        assert (found > level.null)[1:].tolist() == marks


def test_probes_of_numbers_and_categories():
    kinds = np.array([SINGLE] * 6 + [CATEGORICAL] * 2)
    columns = tuple((d,) for d in range(8))
    plan = probes_of_refits(columns, kinds, list(range(8)), 60, np.random.default_rng(0))
    counts = np.bincount(np.concatenate(plan))
    assert counts[:6].sum() == 45  # three quarters of the columns
    assert counts[6:].tolist() == [15, 15]  # half of the probes, not a quarter
    assert max(counts[:6]) - min(counts[:6]) <= 1
    assert all(0 < sum(t >= 6 for t in refit) < len(refit) for refit in plan[:-1])  # both kinds in a refit
    many = np.array([SINGLE] + [CATEGORICAL] * 30)
    plan = probes_of_refits(tuple((d,) for d in range(31)), many, list(range(31)), 20, np.random.default_rng(0))
    assert np.bincount(np.concatenate(plan)).tolist() == [10] + [3] * 30
    assert max(map(len, plan)) == 6
    three = np.array([SINGLE, CATEGORICAL, TWO_VALUED])
    for n_probes, each in [(6, 3), (42, 21), (60, 30), (90, 45)]:
        plan = probes_of_refits(((0,), (1,), (2,)), three, [0, 1, 2], n_probes, np.random.default_rng(0))
        assert np.bincount(np.concatenate(plan)).tolist() == [each] * 3


def test_the_number_of_probes_and_of_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(601, 2))
    y = X[:, 0] + rng.normal(size=601)
    asked = []

    class Watched(BayesianLinear):
        def derivatives(self, Z, order):
            asked.append((np.asarray(Z), order))
            return super().derivatives(Z, order)

    assert len(null_level(Watched(), X[:600], y[:600]).probe_terms) == 60
    assert {(len(Z), order) for Z, order in asked[1:]} == {(300, 1)}  # after the model itself
    assert len(null_level(Watched(), X, y).probe_terms) == 42
    weights = np.where(np.arange(80) < 40, 1.0 / 40.0, 0.0)  # rows without weight do not count
    assert np.isfinite(null_level(Watched(), X[:80], y[:80], weights=weights).null).all()
    np.testing.assert_array_equal(asked[-1][0][:, :2], X[:40])


def test_clusters_raise_the_level():
    """40 persons with 4 rows and a column that is fixed for each: there are only 40 values to fit the noise with."""
    rng = np.random.default_rng(4)
    person = np.repeat(np.arange(40), 4)
    X = rng.normal(size=(40, 3))[person]
    y = rng.normal(size=40)[person] + 0.1 * rng.normal(size=160)
    rows, persons = (null_level(BayesianLinear(), X, y, linear=True, clusters=c) for c in (None, person))
    assert np.median(persons.probe_values) > 1.5 * np.median(rows.probe_values)
    assert (persons.p_value >= 0.01).all()


def test_a_term_that_the_model_or_its_refits_do_not_use():
    """value 0: the level of an irrelevant variable, and p = 1. 0 in the refits: never above."""
    X, _ = figure_2(2, n=70)
    query = asked_of(from_function(lambda X: Normal(X[:, 0], 1.0)), X).query
    refits = np.array([[1.0, 0.0]]), np.linspace(0.1, 0.5, 20), np.tile([0, 1], 10)
    level = _compare(*refits, np.ones(2), query, np.array([0.0, 3.0]))
    assert (level.null >= [0.3, 3.0]).all()
    assert level.p_value.tolist() == [1.0, 1.0]
    assert not level.discovery.any()


def grouped_rsens(Z, y, sd):
    """Mean R-sens of a refit with the group bc, and the last two of its columns as a group."""
    groups = {"bc": [1, 2], "probe": [4, 5]} if Z.shape[1] == 6 else {"bc": [1, 2]}
    scale = [*sd, sd["b"], sd["c"], 1.0][: Z.shape[1]]
    return local_values("rsens", BayesianLinear().fit(Z, y), Z, groups=groups, scale=scale).mean(axis=0)


def test_a_group_has_probes_of_its_own():
    rng = np.random.default_rng(6)
    X = pd.DataFrame(rng.normal(size=(30, 4)), columns=list("abcd"))
    y = X["a"].to_numpy() + 0.5 * rng.normal(size=30)
    seen = []

    def refit(Z, target):
        seen.append(Z)
        return BayesianLinear().fit(Z, target)

    asked = {"refit": refit, "groups": {"bc": ["b", "c"]}, "n_probes": 9, "random_state": 0, "intervals": False}
    result = explain_with_probes(BayesianLinear().fit(X, y), X, y, **asked)
    assert (result.inference.probe_values.index == "bc").sum() == 9
    assert result.null.notna().all()
    own = result.inference.probe_values["bc"]
    singles = result.inference.probe_values.drop("bc")
    assert own.mean() > singles.mean()  # of two columns the direction that matters most
    assert [Z.shape[1] for Z in seen] == [7] * 3 + [6] * 9  # three more columns at most: singles, then groups
    # By hand: the group in standard deviations, in all refits, against its own probes.
    sd = X.std(ddof=0)
    reached = np.sqrt(np.mean([grouped_rsens(Z, y, sd)[1] ** 2 for Z in seen]))
    level = np.quantile(own, 0.95, method="weibull")
    np.testing.assert_allclose(result.null["bc"], level / reached * result.main["bc"], rtol=1e-9)
    np.testing.assert_allclose(own, [grouped_rsens(Z, y, sd)[-1] for Z in seen[3:]], rtol=1e-9)


def test_constant_columns_are_not_copied():
    X, y = figure_2(7)
    X["one"] = 1.0
    model = BayesianLinear().fit(X, y)
    with pytest.warns(RsensWarning, match="'one'"):
        result = explain(model, X, y, random_state=0)
    assert "one" not in set(result.inference.probe_values.index)
    level = np.quantile(result.inference.probe_values, 0.95, method="weibull")
    assert result.null["one"] == pytest.approx(level, rel=1e-12)
    assert result.inference.p_value["one"] == 1.0
    raw = explain(model, X, y, random_state=0, scale="raw")
    assert np.isnan(raw.null["one"])  # no spread, so no level per unit
    assert raw.to_frame().set_index("term").loc["one", "above_null"] is pd.NA
    assert "NA" not in raw._repr_html_()  # what is missing is left empty


def test_no_level_without_targets_or_refits():
    X, y = figure_2(8)
    model = BayesianLinear().fit(X, y)
    for result in (
        explain(model, X),
        explain(model, X, y, null=False),
        explain(Linear([1.0, 0.0]), X, y),  # cannot be refitted
    ):
        assert result.null is result.inference.probe_values is None
        assert result.to_frame()[["null", "above_null", "p_value", "discovery"]].isna().all(axis=None)


class TwoColumns(BaseEstimator):
    """An estimator that is tied to the number of its columns."""

    def fit(self, X, y):
        if np.shape(X)[1] != 2:
            raise ValueError("two length-scales for three columns")
        self.model_ = BayesianLinear().fit(X, y)
        return self

    def derivatives(self, X, order):
        return self.model_.derivatives(X, order)


def test_a_model_that_takes_no_further_columns():
    X, y = figure_2(9)
    model = TwoColumns().fit(X, y)
    with pytest.warns(RsensWarning, match=r"two length-scales for three columns.*Pass refit"):
        assert explain(model, X, y).null is None
    with pytest.raises(InputError, match=r"two length-scales for three columns.*Pass refit"):
        explain(model, X, y, null=True)
    assert explain(model, X, y, refit=lambda Z, t: BayesianLinear().fit(Z, t)).null is not None


def test_what_null_needs_is_said():
    X, y = figure_2(10)
    model = BayesianLinear().fit(X, y)
    for given, options, text in (
        ((model, X), {"null": True}, r"explain\(model, X, y\)"),
        ((model, X), {"refit": lambda Z, t: model}, r"explain\(model, X, y\)"),
        ((Linear([1.0, 0.0]), X, y), {"null": True}, "Pass refit"),
        ((model, X, y), {"refit": "clone"}, "refit must be a function"),
        ((model, X, y[:9]), {}, "each of the 10 rows"),
        ((model, X, 3.0), {}, "each of the 10 rows"),
        ((model, X, y), {"n_jobs": 0}, "n_jobs"),
        ((model, X, y), {"null": "yes"}, "null must be one of"),
    ):
        with pytest.raises(InputError, match=text):
            explain(*given, **options)


def test_a_model_that_ignores_further_columns_has_no_null_level():
    """A kernel with fixed dims never looks at the probes; their zero is not the level of an irrelevant variable."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=30)
    model = GPRegressor(kernel=EQ(lengthscale=1.0, dims=(0, 1)), optimize=False).fit(X, y)
    with pytest.warns(RsensWarning, match="does not use the columns that were added"):
        assert explain(model, X, y, random_state=0).null is None
    with pytest.raises(InputError, match="does not use the columns that were added"):
        explain(model, X, y, random_state=0, null=True)


@pytest.mark.parametrize("clustered", [False, True])
def test_of_very_many_rows_the_refits_take_some(clustered, monkeypatch):
    monkeypatch.setattr("rsens._explain._null_level.MOST_ROWS", 90)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + 0.5 * rng.normal(size=200)
    sizes = []

    def refit(X, y):
        sizes.append(len(X))
        return BayesianLinearRegression().fit(X, y)

    clusters = np.repeat(np.arange(50), 4) if clustered else None
    model = BayesianLinearRegression().fit(X, y)
    found = explain(model, X, y, clusters=clusters, refit=refit, intervals=False, random_state=0)
    assert set(sizes) == {88 if clustered else 90}
    assert list(found.main > found.null) == [True, False, False]


# ---- p-values --------------------------------------------------------------------------------------------------------


def test_p_values_count_among_the_probes_and_are_an_exponential_tail_above_them():
    probes = np.arange(1.0, 41.0)  # the ten largest lie 5.5 above the next on average
    p = tail_p_values(np.array([0.0, 1.0, 20.5, 30.0]), probes)
    np.testing.assert_allclose(p, np.array([41, 41, 21, 12]) / 41)
    values = np.array([30.5, 40.0, 60.0])
    np.testing.assert_allclose(tail_p_values(values, probes), 0.25 * np.exp(-(values - 30.0) / 5.5))
    for few in (np.array([0.5]), np.full(60, 0.5), np.arange(15.0) / 15.0):
        assert tail_p_values(np.array([2.0]), few) == 1.0 / (len(few) + 1)
    p = tail_p_values(np.linspace(0.0, 10.0, 500), np.random.default_rng(0).exponential(size=60))
    assert (np.diff(p) <= 0.0).all()
    assert ((p > 0.0) & (p <= 1.0)).all()


def test_few_rows_and_seeds():
    X, y = figure_2(1, n=60)

    def explained(n, seed):
        model = BayesianLinear().fit(X[:n], y[:n])
        return explain(model, X[:n], y[:n], random_state=seed, pairs=False, intervals=False)

    with pytest.warns(RsensWarning, match=r"only approximate: with 59 rows, "):
        explained(59, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        probes = [explained(60, seed).inference.probe_values for seed in (0, 0, 1)]
    pd.testing.assert_series_equal(probes[0], probes[1])
    assert not probes[0].equals(probes[2])


def test_they_are_nearly_uniform_for_irrelevant_variables():
    """Of variables that are like the probes, about 5 % have p ≤ 0.05 and 1 % p ≤ 0.01; here ± 2 %."""
    rng = np.random.default_rng(1)
    p = np.concatenate([tail_p_values(rng.gamma(4.0, size=4), rng.gamma(4.0, size=60)) for _ in range(1000)])
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=0.02)
    assert np.mean(p <= 0.01) == pytest.approx(0.01, abs=0.01)
    assert np.mean(p <= 0.5) == pytest.approx(0.5, abs=0.03)


def test_discoveries_are_those_of_scipy():
    """What was not tested does not count."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        p = np.where(rng.random(12) < 0.3, rng.uniform(0.0, 0.03, size=12), rng.random(12))
        np.testing.assert_array_equal(discoveries(p, 0.1), stats.false_discovery_control(p) <= 0.1)
    p = np.array([np.nan, 0.04, 0.8])
    assert discoveries(p, 0.1).tolist() == familywise(p, 0.1).tolist() == [False, True, False]  # 0.04 ≤ 0.1/2
    for none in (np.array([np.nan]), np.array([0.2, 0.3])):
        assert not discoveries(none, 0.1).any()
