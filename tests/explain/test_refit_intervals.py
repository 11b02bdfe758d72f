"""Intervals from refits: the jackknife by hand, what they hold for, and what happens where refits are not possible."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from rsens import BayesianLinearRegression, BayesianLogisticRegression, Explanation, InputError, RsensWarning
from rsens._arguments import child, seed_sequence
from rsens._contents import own_order
from rsens._explain import _refit_intervals, explain
from rsens._explain._context import FOLDS
from rsens._explain._values import jackknife
from rsens._refits import LOOKS, rounds_of_folds
from tests.explain.models import BayesianLinear, Linear

QUICK = {"null": False, "random_state": 3}


def linear_data(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)) * [1.0, 2.0, 0.5], columns=["a", "b", "c"])
    return X, X["a"] + 0.5 * X["b"] * rng.normal(1.0, 0.2, size=n) + rng.normal(size=n)


# ---- the numbers -----------------------------------------------------------------------------------------------------


def test_the_jackknife_of_a_mean_is_its_standard_error():
    """Without fold k the mean is (K ȳ − ȳ_k)/(K − 1), so se² = var(ȳ_k)/K, as for K independent means."""
    rounds, expected = [], []
    for seed in range(2):
        means = np.random.default_rng(seed).normal(size=(5, 3))
        rounds.append((means.sum(axis=0) - means) / 4.0)
        expected.append(means.var(axis=0, ddof=1) / 5.0)
    np.testing.assert_allclose(jackknife(rounds[:1]), np.sqrt(expected[0]), rtol=1e-12)
    np.testing.assert_allclose(jackknife(rounds), np.sqrt(np.mean(expected, axis=0)), rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "pair_rows"),
    [
        ({}, 300),
        ({}, 25),
        ({"intervals": ("refits", 0.8)}, 300),
        ({"scale": "raw"}, 300),
        ({"pairs": "link"}, 300),
        ({"scale": {"a": 1.0, "b": 2.0, "c": 3.0}}, 300),
        ({"groups": {"both": ["a", "c"]}, "pairs": False}, 300),
        ({"weights": np.arange(40) % 3}, 25),
    ],
)
def test_by_hand(monkeypatch, options, pair_rows):
    """Each refit is explained as a model of its own, with the rows that it was fitted to."""
    monkeypatch.setattr(_refit_intervals, "PAIR_ROWS", pair_rows)
    X, y = linear_data()
    result = explain(BayesianLinear().fit(X, y), X, y, **options, **QUICK)
    seed = child(seed_sequence(3), FOLDS)
    order = own_order(X, y, options.get("weights"))
    chosen = np.zeros(40, dtype=bool)
    chosen[np.random.default_rng(child(seed, LOOKS)).permutation(order.rows)[:pair_rows]] = True
    assert chosen.sum() == min(pair_rows, 40)
    variances = []
    for splits in rounds_of_folds(2, 5, y.to_numpy(), False, seed, None, order.rows):
        main, pairs = [], []
        for train, _ in splits:
            part, refit = X.iloc[train], BayesianLinear().fit(X.iloc[train], y.iloc[train])
            fixed = {**options, "intervals": False, "null": False}
            if "weights" in options:
                fixed["weights"] = options["weights"][train]
            found = explain(refit, part, **fixed)
            main.append(found.main)
            if result.order == 2:
                rows = chosen[train]
                fixed |= {"scale": found.scale}
                if "weights" in options:
                    fixed["weights"] = options["weights"][train][rows]
                pairs.append(explain(refit, part[rows], **fixed).pairs)
        variances.append([4 / 5 * ((np.array(v) - np.mean(v, axis=0)) ** 2).sum(axis=0) for v in (main, pairs) if v])
    t = stats.t.ppf(0.5 + options.get("intervals", ("auto", 0.95))[1] / 2, 8)
    for k, (value, bounds) in enumerate(
        [(result.main, result.intervals)] + ([(result.pairs, result.pair_intervals)] if result.order == 2 else [])
    ):
        se = np.sqrt(np.mean([by_round[k] for by_round in variances], axis=0))
        np.testing.assert_allclose(bounds["upper"], value + t * se, rtol=1e-9)
        np.testing.assert_allclose(bounds["lower"], np.maximum(value - t * se, 0.0), rtol=1e-9, atol=1e-12)
    assert result.inference.interval_refits == 10


def test_they_are_as_wide_as_data_vary():
    """Over data sets, the jackknife finds the standard deviation of the values; the bootstrap of rows finds little."""
    values, reach, by_rows = [], [], []
    for seed in range(40):
        rng = np.random.default_rng([5, seed])
        X = rng.normal(size=(60, 2))
        y = X @ [1.0, 0.5] + 0.7 * rng.normal(size=60)
        model = BayesianLinear(fit_intercept=True).fit(X, y)
        result = explain(model, X, y, pairs=False, null=False, random_state=seed)
        values.append(result.main)
        reach.append((result.intervals["upper"] - result.main) / stats.t.ppf(0.975, 8))
        rows = explain(model, X, pairs=False, random_state=seed).intervals
        by_rows.append((rows["upper"] - rows["lower"]) / (2 * 1.96))
    spread = np.std(values, axis=0, ddof=1)
    ratio = np.sqrt(np.mean(np.square(reach), axis=0)) / spread
    assert ((ratio > 0.75) & (ratio < 1.4)).all()
    assert (np.mean(by_rows, axis=0) < 0.4 * spread).all()


def test_copies_of_rows_tell_nothing_new():
    """Four copies of each row halve the intervals, unless they are known to belong together."""
    X, y = linear_data()
    copies = np.repeat(np.arange(40), 4)
    many, targets = X.iloc[copies].reset_index(drop=True), y.iloc[copies].to_numpy()
    model, options = BayesianLinear().fit(many, targets), {"pairs": False, **QUICK}

    def width(result):
        return (result.intervals["upper"] - result.main).mean()

    once = width(explain(BayesianLinear().fit(X, y), X, y, **options))
    with pytest.warns(RsensWarning, match="tight clusters of about 4"):
        assert width(explain(model, many, targets, **options)) < 0.75 * once
    assert width(explain(model, many, targets, clusters=copies, **options)) > 0.75 * once
    three = explain(model, many, targets, clusters=copies % 3, **options)
    assert three.inference.interval_refits == 6
    with pytest.warns(RsensWarning, match="takes 3 clusters; got 2"):
        assert explain(model, many, targets, clusters=copies % 2, **options).interval_kind == "rows"


def test_kinds(tmp_path):
    X, y = linear_data()
    model, function = BayesianLinear().fit(X, y), Linear([1.0, 0.5, 0.0])
    refits = [explain(model, X, y, **QUICK), explain(model, X, y, intervals="refits", **QUICK)]
    pd.testing.assert_frame_equal(refits[0].pair_intervals, refits[1].pair_intervals)
    other = explain(model, X, y, null=False, random_state=6)
    assert (other.intervals != refits[0].intervals).any(axis=None)
    pd.testing.assert_series_equal(other.main, refits[0].main)
    refits.append(explain(function, X, y, refit=lambda X, y: BayesianLinear().fit(X, y), **QUICK))
    rows = [explain(model, X, **QUICK), explain(model, X, y, intervals="rows", **QUICK), explain(function, X, y)]
    none = [explain(model, X, y, intervals=False, **QUICK), explain(model, X, intervals=False)]
    for kind, n_refits, results in (("refits", 10, refits), ("rows", 0, rows), (None, None, none)):
        for result in results:
            result.save(tmp_path / "file.json")
            loaded = Explanation.load(tmp_path / "file.json")
            pd.testing.assert_frame_equal(loaded.to_frame(2), result.to_frame(2))
            for each in (result, loaded):
                assert (each.interval_kind, each.inference.interval_refits) == (kind, n_refits)
            assert (result.intervals is None) == (kind is None)
            assert result.intervals_hold or kind is None  # without a null level nobody knows better
            for order in (1, 2):
                column = result.to_frame(order)["interval_kind"]
                assert column.isna().all() if kind is None else set(column) == {kind}


def test_a_model_of_other_rows_is_not_refitted_to_these():
    """Fitted to 400 rows it varies less than models of 40 rows; asked for, it is done."""
    X, y = linear_data(400)
    model = BayesianLinearRegression().fit(X, y)
    assert explain(model, X, y, **QUICK).interval_kind == "refits"
    assert explain(model, X[:40], y[:40], **QUICK).interval_kind == "rows"
    assert explain(model, X[:40], y[:40], intervals="refits", **QUICK).interval_kind == "refits"


# ---- what is not possible --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "y", "options", "text"),
    [
        (BayesianLinear(), None, {"intervals": "refits"}, r"intervals='refits' needs the targets"),
        (Linear([1.0, 0.5, 0.0]), "y", {"intervals": "refits"}, r"needs a model that can be refitted.*Linear.*refit"),
        *[(BayesianLinear(), "y", {"intervals": wrong}, "intervals must be one of") for wrong in (True, None, "fits")],
        (BayesianLinear(), "y", {"clusters": [1, 2]}, "clusters must have one label"),
    ],
)
def test_refits_that_are_asked_for_must_be_possible(model, y, options, text):
    X, targets = linear_data()
    model = model.fit(X, targets) if hasattr(model, "fit") else model
    with pytest.raises(InputError, match=text):
        explain(model, X, None if y is None else targets, **QUICK | options)


class OnlyAll(BayesianLinear):
    """Fails with fewer than 40 rows."""

    def fit(self, X, y):
        if len(X) < 40:
            raise RuntimeError("too few")
        return super().fit(X, y)


def test_a_refit_that_fails():
    X, y = linear_data()
    model = OnlyAll().fit(X, y)
    with pytest.warns(
        RsensWarning, match=r"Fold 1 of 5 \(32 training rows, 8 held out\) failed: RuntimeError: too few"
    ):
        result = explain(model, X, y, **QUICK)
    assert result.interval_kind == "rows"
    pd.testing.assert_frame_equal(result.intervals, explain(model, X, y, intervals="rows", **QUICK).intervals)
    with pytest.raises(InputError, match=r"too few\. Use intervals='rows'") as caught:
        explain(model, X, y, intervals="refits", **QUICK)
    assert isinstance(caught.value.__cause__, RuntimeError)


@pytest.mark.parametrize("rare", [2, 3, 4, 20])
def test_as_many_folds_as_the_smallest_class_has_rows(rare):
    X, _ = linear_data()
    y = np.where(np.random.default_rng(0).permutation(40) < rare, "yes", "no")
    model = BayesianLogisticRegression().fit(X, y)
    if rare == 2:
        with pytest.warns(RsensWarning, match="takes 3 rows of the smallest class; got 2"):
            assert explain(model, X, y, **QUICK).interval_kind == "rows"
    else:
        assert explain(model, X, y, **QUICK).inference.interval_refits == 2 * min(rare, 5)


def test_levels_that_a_fold_lacks():
    X, y = linear_data()
    X["city"] = pd.Categorical(["Ulm", *["Bonn", "Mainz", "Trier"] * 13])
    options = {"intervals": "refits", "pairs": False, **QUICK}
    result = explain(BayesianLinearRegression(prior_precision=1.0).fit(X, y), X, y, **options)
    assert np.isfinite(result.intervals).all(axis=None)
    as_array = X.to_numpy(dtype=object)
    model = BayesianLinearRegression(prior_precision=1.0, categorical=[3]).fit(as_array, y)
    np.testing.assert_allclose(explain(model, as_array, y, **options).intervals, result.intervals, rtol=1e-9)


def test_weights_that_leave_a_fold_without_rows():
    X, y = linear_data()
    alone = np.eye(40)[7]
    with pytest.warns(RsensWarning, match="weights are 0"):
        assert explain(BayesianLinear().fit(X, y), X, y, weights=alone, scale="raw", **QUICK).interval_kind == "rows"
