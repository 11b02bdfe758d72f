"""Explanations of parts of the rows, joined: the same as the explanation of all rows."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pandas as pd
import pytest

from rsens import BayesianLinearRegression, Explanation, InputError, Normal, explain, from_function
from tests.explain.merging import CASES, assert_same, gp, in_parts, linear, numbers, with_town

#: Small differences of predictions, which round differently in batches of another size.
ROUNDING = ("effect", "sum_effects", "replicate_effects", "extrapolation")


@pytest.mark.parametrize("case", CASES)
def test_cut_anywhere(case):
    """Random cuts, one of them a single row, and parts in any order."""
    model, X, asked = CASES[case]()
    rng = np.random.default_rng(len(case))
    cut = sorted(rng.choice(np.arange(2, len(X) - 1), size=3, replace=False).tolist())
    whole = explain(model, X, random_state=1, first_row=0, n_bootstrap=100, **asked)
    parts = in_parts(model, X, [1, *cut], random_state=1, n_bootstrap=100, **asked)
    merged = Explanation.merge([parts[k] for k in rng.permutation(len(parts))])
    assert_same(whole, merged, rtol=1e-11, loose=ROUNDING)
    assert merged.n == len(X)
    assert merged.intervals is not None


def test_the_same_as_an_explanation_that_is_no_part():
    model, X, _ = linear()
    whole = explain(model, X, random_state=1)
    merged = Explanation.merge(in_parts(model, X, [17, 300], random_state=1))
    for name in ("main", "pairs", "parts", "pair_parts", "direction", "consistency", "intervals", "pair_intervals"):
        np.testing.assert_allclose(getattr(whole, name), getattr(merged, name), rtol=1e-12, atol=1e-14, err_msg=name)
    pd.testing.assert_frame_equal(whole.local_main, merged.local_main)
    pd.testing.assert_frame_equal(whole.effects, merged.effects, rtol=1e-10)
    assert str(whole) == str(merged)


@pytest.mark.parametrize(
    "asked",
    [
        {"aggregate": "rms"},
        {"pair_scale": "link"},
        {"groups": {"both": ["a", "b"]}},
        {"alpha": 0.5, "level": 0.8, "scale": "raw"},
        {"keep_local_pairs": True},
        {"pairs": False},
        {"intervals": False},
        {"numeric": ["flag"], "scale": [1.0, 2.0, 3.0, 4.0, 5.0]},
    ],
    ids=str,
)
def test_whatever_is_asked(asked):
    model, X, _ = gp()
    weights = np.random.default_rng(3).choice([0.0, 1.0, 2.5], len(X))
    by = np.random.default_rng(4).choice(["x", "y", "z"], len(X))
    by[:50] = "x"  # so that a part lacks some subgroups
    asked = asked | {"random_state": 1, "n_bootstrap": 50}
    whole = explain(model, X, weights=weights, by=by, first_row=0, **asked)
    merged = Explanation.merge(in_parts(model, X, [40, 41, 256, 399], weights, by, **asked))
    assert_same(whole, merged, rtol=1e-11, loose=ROUNDING)


def test_subgroups_keep_the_order_of_categories():
    model, X, _ = gp()
    by = pd.Series(pd.Categorical(np.repeat(["low", "high", "mid"], 200), ["low", "mid", "high"]))
    whole = explain(model, X, by=by, first_row=0, random_state=1)
    merged = Explanation.merge(in_parts(model, X, [250, 450], by=by, random_state=1))
    assert list(merged.by.index) == ["low", "mid", "high"]
    pd.testing.assert_frame_equal(whole.by_frame(), merged.by_frame(), rtol=1e-10)


def test_merged_ones_merge_again_and_files_and_pickles_do(tmp_path):
    model, X, _ = gp()
    whole = explain(model, X, random_state=1, first_row=0, by="flag")
    parts = in_parts(model, X, [100, 200, 450], by="flag", random_state=1)
    for number, part in enumerate(parts):
        part.save(tmp_path / f"{number}.json")
    read = [Explanation.load(tmp_path / f"{number}.json") for number in range(4)]
    pickled = [pickle.loads(pickle.dumps(part)) for part in parts]
    texts = [Explanation.from_json(part.to_json()) for part in parts]
    for a, b, c, d in (read, pickled, texts, parts):
        outer, inner = Explanation.merge([d, a]), Explanation.merge([c, b])
        assert_same(whole, Explanation.merge([outer, inner]), rtol=1e-11, loose=ROUNDING)
    merged = Explanation.merge(read)
    merged.save(tmp_path / "merged.json")
    assert_same(merged, Explanation.load(tmp_path / "merged.json"))


def test_arrays_are_numbered_and_labels_stay():
    model, X, _ = gp()
    merged = Explanation.merge(
        in_parts(BayesianLinearRegression().fit(X.to_numpy(), X["a"] * X["b"]), X.to_numpy(), [10])
    )
    pd.testing.assert_index_equal(merged.local_main.index, pd.RangeIndex(600))
    days = pd.date_range("2026-01-01", periods=600, name="day")
    days.freq = None  # parts of the rows do not know it
    named = X.set_index(days)
    merged = Explanation.merge(in_parts(model, named, [10, 11])[::-1])
    pd.testing.assert_index_equal(merged.local_main.index, named.index)


def test_equal_rows_are_drawn_each_on_its_own():
    """Every row 4 times: the interval is half as wide as with every row once, not as wide, however parts are cut."""
    X = numbers(200, 3)
    model = from_function(lambda X: Normal(X[:, 0] ** 2 * X[:, 1], 1.0))
    once = explain(model, X, training=X, first_row=0, random_state=1, pairs=False, n_bootstrap=2000)
    four = pd.concat([X] * 4, ignore_index=True)
    parts = in_parts(model, four, [200, 400, 600], training=X, random_state=1, pairs=False, n_bootstrap=2000)
    width, narrow = (np.ptp(e.intervals.to_numpy(), axis=1)[:2] for e in (once, Explanation.merge(parts)))
    np.testing.assert_allclose(narrow, 0.5 * width, rtol=0.1)  # a quantile of 2000 draws is known to about 4 %


def test_parts_without_a_common_seed_are_independent():
    """Parts that draw for themselves need no row numbers: the intervals are as wide, with other ends."""
    X = numbers(400, 3)
    model = from_function(lambda X: Normal(X[:, 0] ** 2 * X[:, 1], 1.0))
    asked = {"training": X, "pairs": False, "n_bootstrap": 1000}
    whole = explain(model, X, random_state=1, first_row=0, **asked)
    merged = Explanation.merge([explain(model, X.iloc[k : k + 100], first_row=0, **asked) for k in range(0, 400, 100)])
    np.testing.assert_allclose(merged.main, whole.main, rtol=1e-12)
    widths = [np.ptp(e.intervals.to_numpy(), axis=1)[:2] for e in (whole, merged)]
    np.testing.assert_allclose(*widths, rtol=0.15)


def test_what_is_known_of_the_fit_carries_over():
    X = numbers(80)[["a", "b"]]
    y = X["a"] + 0.1 * np.random.default_rng(1).normal(size=80)
    model = BayesianLinearRegression().fit(X, y)
    training = explain(model, X, y, first_row=0, random_state=1, n_probes=6)
    other = explain(model, numbers(50, 8)[["a", "b"]], first_row=80, random_state=1, n_bootstrap=100)
    merged = Explanation.merge([other, training])
    assert merged.n == 130
    pd.testing.assert_series_equal(merged.null_levels, training.null_levels)
    pd.testing.assert_series_equal(merged.p_value, training.p_value)
    pd.testing.assert_series_equal(merged.pair_p_values, training.pair_p_values)
    assert merged.interval_kind == "refits"
    reach = [e.intervals["upper"] - e.main for e in (training, merged)]
    np.testing.assert_allclose(*reach, rtol=1e-9)
    np.testing.assert_allclose(merged.main, (80 * training.main + 50 * other.main) / 130, rtol=1e-12)
    with pytest.raises(InputError, match="make the others without y"):
        Explanation.merge([training, explain(model, X, y, first_row=200, random_state=2, n_probes=6)])


# ---- refusals --------------------------------------------------------------------------------------------------------


def part(model=None, start=0, rows=50, **asked):
    X = numbers(300)
    model = BayesianLinearRegression().fit(X, X["a"] + X["b"] ** 2) if model is None else model
    return explain(model, numbers(rows, start), first_row=start, random_state=1, n_bootstrap=20, **asked)


first_part = cache(part)


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({"alpha": 2.0}, "alpha"),
        ({"aggregate": "rms"}, "aggregate"),
        ({"level": 0.5}, "level"),
        ({"scale": "raw"}, "scale"),
        ({"pairs": False}, "pairs"),
        ({"pair_scale": "link"}, "pair_scale"),
        ({"groups": {"both": ["a", "b"]}}, "groups"),
        ({"numeric": ["flag"]}, "numeric"),
        ({"by": "flag"}, "by"),
        ({"intervals": False}, "n_bootstrap"),
    ],
)
def test_other_questions_are_refused(asked, what):
    with pytest.raises(InputError, match=what):
        Explanation.merge([first_part(), part(start=50, **asked)])


def test_other_units_are_refused():
    with pytest.raises(InputError, match="a step of 'b' is 1 in the one and 2 in the other"):
        Explanation.merge([part(scale=[1.0] * 5), part(start=50, scale=[1.0, 2.0, 1.0, 1.0, 1.0])])


def test_other_models_of_the_same_type_are_refused():
    X = numbers(300)
    other = BayesianLinearRegression().fit(X, X["a"] + X["b"] ** 2 + 0.01 * X["c"])
    with pytest.raises(InputError, match="different models"):
        Explanation.merge([first_part(), part(other, 50)])


def test_other_training_inputs_are_refused():
    function, X = from_function(lambda X: Normal(X[:, 0] * (X[:, 2] + 1.0), 1.0)), with_town(100)
    asked = {"scale": "raw", "random_state": 1}
    parts = [explain(function, X, first_row=k, training=with_town(50, k), **asked) for k in (0, 100)]
    with pytest.raises(InputError, match="same training"):
        Explanation.merge(parts)


def test_the_same_rows_twice_are_refused():
    with pytest.raises(InputError, match="Row 40 is in two of the explanations"):
        Explanation.merge([first_part(), part(start=40)])


def test_a_part_needs_training_inputs():
    with pytest.raises(InputError, match="Pass them as training"):
        explain(from_function(lambda X: Normal(X[:, 0], 1.0)), numbers(10), first_row=0)


def test_a_third_value_of_two_is_refused():
    X = numbers(300)
    model = BayesianLinearRegression().fit(X, X["a"] + X["b"] ** 2)
    with pytest.raises(InputError, match=r"'flag' has two values in the training inputs, and 0.5 in row 3.*numeric"):
        explain(model, numbers(10).assign(flag=[0, 1, 0, 0.5, 1, 1, 1, 0, 0, 1]), first_row=0)


def test_what_is_no_part_is_refused():
    X = numbers(300)
    model = BayesianLinearRegression().fit(X, X["a"] + X["b"] ** 2)
    with pytest.raises(InputError, match="first_row"):
        Explanation.merge([first_part(), explain(model, X)])
    with pytest.raises(InputError, match="empty"):
        Explanation.merge([])
    with pytest.raises(InputError, match="DataFrame"):
        Explanation.merge([first_part(), X])
    with pytest.raises(InputError, match="list of explanations"):
        Explanation.merge(3)
    with pytest.raises(InputError, match="first_row"):
        explain(model, X, first_row=-1)
