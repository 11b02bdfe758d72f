"""The level that an irrelevant variable reaches."""

from __future__ import annotations

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from rsens._errors import InputError, RsensWarning
from rsens._explain import explain
from rsens._explain._null_level import refitter
from rsens.kernels import EQ
from rsens.models import GPRegressor
from tests.explain.models import BayesianLinear, Linear


def figure_2(seed: int, n: int = 10) -> tuple[pd.DataFrame, np.ndarray]:
    """The data of the paper's Figure 2: y = x1 + ε, and x2 that has nothing to do with it."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["x1", "x2"])
    return X, X["x1"].to_numpy() + 0.5 * rng.normal(size=n)


def test_an_irrelevant_variable_scores_above_zero_and_below_the_null_level():
    X, y = figure_2(0)
    result = explain(BayesianLinear().fit(X, y), X, y, random_state=0)
    assert 0.0 < result.main["x2"] < result.null < result.main["x1"]
    assert isinstance(result.null, float)  # one level in standard deviations
    assert result.null_levels.tolist() == [result.null] * 2
    assert result.parts.loc["x2", "scale2"] > 0.0  # the second summand of equation (5)
    frame = result.to_frame().set_index("term")
    assert frame.loc["x1", "above_null"]
    assert not frame.loc["x2", "above_null"]
    assert frame["null"].tolist() == [result.null] * 2


def test_about_one_irrelevant_variable_in_twenty_lies_above_the_level():
    """Over 60 data sets 3 are expected; more than 8 has a probability of 0.4 %, none at all of 5 %."""
    above = []
    for seed in range(60):
        X, y = figure_2(seed, n=20)
        result = explain(BayesianLinear().fit(X, y), X, y, random_state=seed, pairs=False, n_bootstrap=0)
        above.append(bool(result.main["x2"] > result.null))
        assert result.main["x1"] > result.null
    assert 1 <= sum(above) <= 8


def test_the_level_is_the_quantile_of_the_probes():
    X, y = figure_2(1)
    result = explain(BayesianLinear().fit(X, y), X, y, random_state=0, n_probes=30)
    assert len(result.probes) == 30
    assert sorted(result.probes["term"]) == ["x1"] * 15 + ["x2"] * 15
    np.testing.assert_allclose(result.null, np.quantile(result.probes["value"], 0.95, method="weibull"), rtol=1e-15)


def test_the_share_of_probes_that_reach_a_term():
    X, y = figure_2(1)
    result = explain(BayesianLinear().fit(X, y), X, y, random_state=0, n_probes=30)
    probes = result.probes["value"].to_numpy()
    assert result.reached.tolist() == [np.mean(probes >= value) for value in result.main]
    assert result.reached["x1"] < result.reached["x2"]
    per_unit = explain(BayesianLinear().fit(X, y), X, y, random_state=0, n_probes=30, scale="raw")
    pd.testing.assert_series_equal(per_unit.reached, result.reached)
    np.testing.assert_array_equal(result.to_frame(order=2)["reached"], result.reached_pairs)


def test_a_probe_is_a_shuffled_column_beside_the_real_ones():
    X, y = figure_2(2, n=15)
    X["x3"] = np.arange(15.0)
    seen = []

    def refit(Z, target):
        assert target is y
        seen.append(Z)
        return BayesianLinear().fit(Z, target)

    model = BayesianLinear().fit(X, y)
    result = explain(model, X, y, refit=refit, random_state=0, n_probes=6, scale={"x1": 2.0, "x2": 1.0, "x3": 0.5})
    assert len(seen) == 3  # at most half as many probes as columns, rounded up: 2 at a time
    probes = [Z[name] for Z in seen for name in Z.columns[3:]]
    for Z in seen:
        pd.testing.assert_frame_equal(Z[["x1", "x2", "x3"]], X)
    for probe, source in zip(probes, result.probes["term"], strict=True):
        assert sorted(probe) == sorted(X[source])
        assert list(probe) != list(X[source])
    # By hand: the first refit, in standard deviations of the source, brought to the unit of each column.
    refitted = BayesianLinear().fit(seen[0], y)
    local = explain(refitted, seen[0], scale="raw").main.to_numpy()[3:]
    sd = X.std(ddof=0)
    np.testing.assert_allclose(result.probes["value"][:2], local * sd[result.probes["term"][:2]].to_numpy(), rtol=1e-12)
    level = result.probes["value"].max()  # of fewer than 19 probes
    np.testing.assert_allclose(result.null, level * np.array([2.0, 1.0, 0.5]) / sd, rtol=1e-12)


def test_pairs_by_hand():
    """One refit with one probe: the level of (d, e) is the larger of R-sens₂(d, probe) and R-sens₂(probe, e)."""
    X, y = figure_2(3)
    seen = []

    def refit(Z, target):
        seen.append(Z)
        return BayesianLinear().fit(Z, target)

    result = explain(BayesianLinear().fit(X, y), X, y, refit=refit, n_probes=1, random_state=0)
    sd = X.std(ddof=0)
    again = explain(refit(seen[0], y), seen[0], scale=[*sd, sd[result.probes["term"][0]]])
    with_probe = [again.pairs[name, "probe_0"] for name in ("x1", "x2")]
    np.testing.assert_allclose(result.null_pairs["x1", "x2"], max(with_probe), rtol=1e-12)
    assert result.to_frame(order=2)["null"].tolist() == result.null_pairs.tolist()
    assert result.reached_pairs["x1", "x2"] == float(max(with_probe) >= result.pairs["x1", "x2"])


def test_seeds_and_parallel_refits_change_nothing():
    X, y = figure_2(4)
    model = BayesianLinear().fit(X, y)
    once = explain(model, X, y, random_state=5)
    pd.testing.assert_frame_equal(explain(model, X, y, random_state=5).probes, once.probes)
    pd.testing.assert_frame_equal(explain(model, X, y, random_state=5, n_bootstrap=0).probes, once.probes)
    assert (explain(model, X, y, random_state=6).probes["value"] != once.probes["value"]).any()
    with joblib.parallel_config(backend="threading"):  # as processes would, but without starting any
        pd.testing.assert_frame_equal(explain(model, X, y, random_state=5, n_jobs=2).probes, once.probes)


class Guess(BayesianLinear):
    """Adds a random number to every coefficient."""

    def __init__(self, fit_intercept=False, random_state=None):
        super().__init__(fit_intercept)
        self.random_state = random_state

    def fit(self, X, y):
        super().fit(X, y)
        self.beta_ = self.beta_ + np.random.default_rng(self.random_state).normal(size=self.beta_.shape)
        return self


def test_a_model_with_a_random_fit_is_seeded():
    X, y = figure_2(4)
    model = Guess().fit(X, y)
    once, again, other = (explain(model, X, y, random_state=seed).probes["value"] for seed in (5, 5, 6))
    pd.testing.assert_series_equal(again, once)
    assert (other != once).all()


def test_a_refit_can_be_sent_to_another_process():
    X, y = figure_2(4)
    refit = pickle.loads(pickle.dumps(refitter(BayesianLinear(fit_intercept=True), None)))
    np.testing.assert_array_equal(
        refit(X, y, np.random.SeedSequence(0)).beta_, BayesianLinear(fit_intercept=True).fit(X, y).beta_
    )


def test_arrays_are_refitted_as_arrays():
    X, y = figure_2(5)
    frame = explain(BayesianLinear().fit(X, y), X, y, random_state=0)
    array = explain(BayesianLinear().fit(X.to_numpy(), y), X.to_numpy(), y, random_state=0)
    np.testing.assert_allclose(array.null, frame.null, rtol=1e-12)  # the order of memory may change the last digit


def test_a_group_has_probes_of_its_own():
    rng = np.random.default_rng(6)
    X = pd.DataFrame(rng.normal(size=(30, 4)), columns=list("abcd"))
    y = X["a"].to_numpy() + 0.5 * rng.normal(size=30)
    seen = []

    def refit(Z, target):
        seen.append(Z)
        return BayesianLinear().fit(Z, target)

    result = explain(
        BayesianLinear().fit(X, y), X, y, refit=refit, groups={"bc": ["b", "c"]}, n_probes=10, random_state=0
    )
    assert (result.probes["term"] == "bc").sum() == 10
    assert result.null["a"] == result.null["d"] != result.null["bc"]
    assert result.null.notna().all()
    assert result.null_pairs.notna().all()
    copies = [Z.iloc[:, 4:] for Z in seen if Z.shape[1] == 6 and sorted(Z.iloc[:, 4]) == sorted(X["b"])]
    rows = {tuple(row) for row in X[["b", "c"]].to_numpy()}
    assert len(copies) == 10
    for copy in copies:
        assert {tuple(row) for row in copy.to_numpy()} == rows  # shuffled together


def test_constant_columns_are_not_copied():
    X, y = figure_2(7)
    X["one"] = 1.0
    model = BayesianLinear().fit(X, y)
    with pytest.warns(RsensWarning, match="'one'"):
        result = explain(model, X, y, random_state=0)
    assert "one" not in set(result.probes["term"])
    assert result.null_levels["one"] == result.null_levels["x1"]
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
        assert result.null is None
        assert result.null_pairs is None
        assert result.probes is None
        assert result.to_frame()["null"].isna().all()
        assert result.to_frame()["above_null"].isna().all()
    assert explain(model, X, y, pairs=False).null_pairs is None


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
    with pytest.raises(InputError, match=r"explain\(model, X, y\)"):
        explain(model, X, null=True)
    with pytest.raises(InputError, match=r"explain\(model, X, y\)"):
        explain(model, X, refit=lambda Z, t: model)
    with pytest.raises(InputError, match="Pass refit"):
        explain(Linear([1.0, 0.0]), X, y, null=True)
    with pytest.raises(InputError, match="refit must be a function"):
        explain(model, X, y, refit="clone")
    with pytest.raises(InputError, match="each of the 10 rows"):
        explain(model, X, y[:9])
    with pytest.raises(InputError, match="each of the 10 rows"):
        explain(model, X, 3.0)
    with pytest.raises(InputError, match="n_probes"):
        explain(model, X, y, n_probes=0)
    with pytest.raises(InputError, match="n_jobs"):
        explain(model, X, y, n_jobs=0)
    with pytest.raises(InputError, match="null must be one of"):
        explain(model, X, y, null="yes")


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
