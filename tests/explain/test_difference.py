"""The difference of two explanations: units, what is paired, intervals by hand, wrong arguments, files, text."""

from __future__ import annotations

import json
from copy import copy
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rsens
from rsens import BayesianLinearRegression, Difference, InputError
from rsens._explain import explain
from rsens._explain._values import jackknife
from tests.explain.marked import marked
from tests.explain.models import BayesianLinear, Linear, Softmax

QUICK = {"null": False, "random_state": 3}


def sample(seed, n=60, slope=1.0, spread=1.0, columns="abc"):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, len(columns))), columns=list(columns))
    X["a"] *= spread
    return X, slope * X["a"] + 0.5 * X["b"] + rng.normal(size=n)


def explained(X, y, model=BayesianLinear, **options):
    return explain(model().fit(X, y), X, y, **QUICK | options)


@cache
def first_sample(model=BayesianLinear, scale="sd"):
    return explained(*sample(0), model, scale=scale)


@cache
def second_sample(scale="sd"):
    return explained(*sample(1, slope=3.0, spread=2.0), scale=scale)


@pytest.fixture(scope="module")
def two_samples():
    return first_sample(), second_sample()


def p_values(difference, order=1):
    """In the order of terms or pairs."""
    return difference.to_frame(order).set_index("term")["p_value"].sort_index()


# ---- units -----------------------------------------------------------------------------------------------------------


def test_values_per_sd_of_two_samples_are_put_into_one_unit(two_samples):
    """Per natural unit both are what `scale="raw"` says; the common unit is the root mean square of the two.

    It is a number, whatever the refits say: intervals are those of raw values times the unit.
    """
    a, b = two_samples
    found, raw = a.difference(b), first_sample(scale="raw").difference(second_sample(scale="raw"))
    unit = np.sqrt((a.scale**2 + b.scale**2) / 2.0)
    np.testing.assert_allclose(found.units, unit, rtol=1e-12)
    np.testing.assert_allclose(found.main, raw.main * unit, rtol=1e-9)
    product = [unit[first] * unit[second] for first, second in found.pairs.index]
    np.testing.assert_allclose(found.pairs, raw.pairs * product, rtol=1e-9)
    assert any("standard deviations of the two differ" in note for note in found.notes)
    assert found.interval_kind == raw.interval_kind == "refits"
    np.testing.assert_allclose(found.intervals.to_numpy(), raw.intervals.mul(unit, axis=0).to_numpy(), rtol=1e-6)
    np.testing.assert_allclose(p_values(found), p_values(raw), rtol=1e-6)
    np.testing.assert_allclose(p_values(found, 2), p_values(raw, 2), rtol=1e-5)


def test_columns_that_are_left_out():
    X, y = sample(0)
    with pytest.warns(rsens.RsensWarning, match="Constant"):
        constant = explain(Linear([1.0, 1.0, 1.0]), X.assign(c=1.0))
    found = explain(Linear([1.0, 1.0, 1.0]), X).difference(constant)
    assert found.notes[0] == "not compared: c, as it does not vary in one of the two, so it has no unit there"
    X["c"] = (X["c"] > 0).astype(float)
    a, b = explained(X, y, BayesianLinearRegression), explained(X, y, BayesianLinearRegression, numeric=["c"])
    assert a.difference(b).notes[0].startswith("not compared: c, as its levels")


def test_a_minus_b_is_minus_b_minus_a(two_samples):
    a, b = two_samples
    one, other = a.difference(b), b.difference(a)
    np.testing.assert_allclose(one.main, -other.main, rtol=1e-12)
    np.testing.assert_allclose(one.intervals["lower"], -other.intervals["upper"], rtol=1e-9)
    np.testing.assert_allclose(p_values(one), p_values(other), rtol=1e-9)
    np.testing.assert_allclose(one.pairs, -other.pairs, rtol=1e-12)


def test_switches_between_levels_are_converted_too():
    """A switch counts √(P(two rows differ)/2), which differs with the frequencies of the levels."""
    rng = np.random.default_rng(0)
    frames = []
    for share in (0.5, 0.1):
        X = pd.DataFrame({"c": np.where(rng.random(80) < share, "u", "v"), "x": rng.normal(size=80)})
        frames.append((X, X["x"] + (X["c"] == "u") + rng.normal(size=80)))
    a, b = (explained(X, y, BayesianLinearRegression) for X, y in frames)
    raw = [explained(X, y, BayesianLinearRegression, scale="raw") for X, y in frames]
    found = a.difference(b)
    np.testing.assert_allclose(found.main / found.units, raw[0].main - raw[1].main, rtol=1e-9)


def test_a_group_is_compared_if_its_units_differ_by_one_factor(two_samples):
    X, y = sample(0, columns="abcd")
    groups = {"both": ["a", "c"]}
    one = explained(X, y, groups=groups)
    twice = explained(X * 2.0, y, groups=groups)
    found = one.difference(twice)
    np.testing.assert_allclose(
        found.main["both"], (one.main["both"] * np.sqrt(2.5) - twice.main["both"] * np.sqrt(0.625))
    )
    assert np.isnan(found.units["both"])
    uneven = explained(X.assign(a=3.0 * X["a"]), y, groups=groups)
    left = one.difference(uneven)
    assert "both" not in left.main.index
    assert any("both" in note and "different factors" in note for note in left.notes)
    assert ("both", "b") not in left.pairs.index
    assert "not compared: both" in repr(left)


# ---- intervals -------------------------------------------------------------------------------------------------------


def test_two_models_of_the_same_rows_are_compared_refit_by_refit():
    a, b = first_sample(), first_sample(BayesianLinearRegression)
    found = a.difference(b)
    assert found.same_rows
    assert found.interval_kind == "paired refits"
    one, other = a._refits.refit_main, b._refits.refit_main
    error = jackknife([(one - other)[:5], (one - other)[5:]])
    reach = stats.t.ppf(0.975, 8) * error
    np.testing.assert_allclose(found.intervals["upper"], found.main + reach, rtol=1e-12)
    np.testing.assert_allclose(found.intervals["lower"], found.main - reach, rtol=1e-12)
    np.testing.assert_allclose(p_values(found), 2.0 * stats.t.sf(np.abs(found.main) / error, 8), rtol=1e-9)
    assert (found.intervals["upper"] - found.main < (a.intervals["upper"] - a.main)).all()  # pairing pays


def test_other_folds_are_taken_for_independent_and_that_is_said():
    a, b = first_sample(), explained(*sample(0), BayesianLinearRegression, random_state=4)
    found = a.difference(b)
    assert found.same_rows
    assert found.interval_kind == "refits"
    assert any("same random_state" in note for note in found.notes)
    variances = [jackknife([e._refits.refit_main[:5], e._refits.refit_main[5:]]) ** 2 for e in (a, b)]
    degrees = sum(variances) ** 2 / sum(v**2 / 8.0 for v in variances)
    reach = stats.t.ppf(0.975, degrees) * np.sqrt(sum(variances))
    np.testing.assert_allclose(found.intervals["upper"], found.main + reach, rtol=1e-12)
    assert ((degrees > 8.0) & (degrees <= 16.0)).all()


def test_rows_that_are_the_same_are_paired():
    """The difference of two means over the same rows has the standard error of the mean of the differences."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 2)), columns=["a", "b"])
    a, b = (explain(Linear([1.0, 2.0], gamma=g), X) for g in (0.5, 0.6))
    found = a.difference(b)
    assert found.interval_kind == "paired rows"
    assert found.differs is None
    reach = stats.t.ppf(0.975, 49) * stats.sem(a.local_main - b.local_main)
    np.testing.assert_allclose(found.intervals["upper"], found.main + reach, rtol=1e-9)
    turned = explain(Linear([1.0, 2.0], gamma=0.6), X.iloc[::-1])
    assert a.difference(turned).interval_kind == "rows"


def test_where_one_has_refits_only_rows_are_compared_and_that_is_said(two_samples):
    X, y = sample(1)
    model = BayesianLinear().fit(X, y)
    found = two_samples[0].difference(explain(model, X))
    assert found.interval_kind == "rows"
    assert any("which rows are explained: b has no values of refits" in note for note in found.notes)
    found = two_samples[0].difference(explain(model, X, intervals=False))
    assert found.intervals is found.interval_kind is found.differs is None
    assert found.to_frame()["lower"].isna().all()
    assert "Intervals are missing" in repr(found)


def test_what_is_all_noise_has_no_marks():
    assert not marked(null=(9.0, 9.0, 9.0, 9.0), discovery="", familywise="", intervals="rows").intervals_hold
    a, b = copy(first_sample()), copy(first_sample(BayesianLinearRegression))
    a._null_level = b._null_level = type("Level", (), {"null": np.full(3, 99.0)})()
    found = a.difference(b)
    assert found.differs is None
    assert any("above the null level in either" in note for note in found.notes)


# ---- what is compared ------------------------------------------------------------------------------------------------


def test_terms_of_one_only_are_listed():
    X, y = sample(0, columns="abcd")
    a, b = explained(X, y), explained(X[["b", "a"]], y)
    found = a.difference(b, names=("all four", "two"))
    assert found.same_rows
    assert found.interval_kind == "paired refits"
    assert found.terms == ("a", "b")
    assert list(found.pairs.index) == [("a", "b")]
    np.testing.assert_allclose(found.pairs, a.pairs[("a", "b")] - b.pairs[("b", "a")], rtol=1e-12)
    lines = [f"{name} ({a.main[name]:.3g})" for name in a.main[["c", "d"]].sort_values(ascending=False).index]
    assert found.notes[0] == f"only in all four: {' and '.join(lines)}"
    assert not found.to_frame().isna().any().any()
    assert not found.to_frame(2).isna().any().any()


@pytest.mark.parametrize("change", [lambda X: X.iloc[::-1], lambda X: X + 1e-9, lambda X: X.set_axis(range(1, 61))])
def test_other_rows_are_not_the_same(change):
    X, y = sample(0)
    assert not first_sample().difference(explained(change(X), y)).same_rows


def test_other_families_and_missing_pairs_are_said():
    X, y = sample(0)
    found = first_sample().difference(explained(X, y > 0, rsens.BayesianProbitRegression, pairs=False))
    assert any("different families, " in note for note in found.notes)
    assert any("Pairs are not compared: b has none" in note for note in found.notes)
    with pytest.raises(InputError, match=r"has no pairs.*pairs=True"):
        found.pairs  # noqa: B018
    with pytest.raises(InputError, match=r"has no pairs"):
        found.to_frame(2)


# ---- wrong arguments -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{"scale": "raw"}, {"intervals": ("rows", 0.9)}, {"pairs": "link"}])
def test_what_was_measured_otherwise_is_refused(options):
    X, y = sample(0)
    a = first_sample(BayesianLinearRegression)
    b = explained(X, y, BayesianLinearRegression, **{"intervals": False} | options)
    with pytest.raises(InputError, match=r"cannot be compared.*Explain both with the same"):
        a.difference(b)


@pytest.mark.parametrize(
    ("other", "options", "text"),
    [
        (second_sample, {"names": "ab"}, "names must be two different names"),
        (second_sample, {"names": ("a", "a")}, "names must be two different names"),
        (second_sample, {"names": (1, "1")}, "names must be two different names"),
        (lambda: "b", {}, "other must be an Explanation"),
        (lambda: explain(Linear([1.0]), [[1.0], [2.0]]), {}, r"no variable that can be compared.*same names"),
    ],
)
def test_wrong_arguments(other, options, text):
    with pytest.raises(InputError, match=text):
        first_sample().difference(other(), **options)


# ---- tables, text and files ------------------------------------------------------------------------------------------


def test_frame(two_samples):
    a, b = two_samples
    difference = a.difference(b)
    frame = difference.to_frame()
    assert list(frame.columns) == [
        "term", "value_a", "lower_a", "upper_a", "value_b", "lower_b", "upper_b", "a_minus_b", "lower", "upper",
        "p_value", "differs", "interval_kind",
    ]  # fmt: skip
    ends = frame.set_index("term").loc[list(a.names), ["lower_a", "upper_a"]]
    raw = first_sample(scale="raw").intervals
    np.testing.assert_allclose(ends, raw.mul(difference.units, axis=0).to_numpy(), rtol=1e-6)
    assert frame["a_minus_b"].abs().is_monotonic_decreasing
    assert frame["term"].iloc[0] == "a"
    assert bool(frame["differs"].iloc[0])
    assert ((frame["p_value"] <= 0.05) == frame["differs"]).all()
    assert ((frame["lower"] > 0) | (frame["upper"] < 0)).equals(frame["differs"].astype(bool))
    with pytest.raises(InputError, match="order must be 1"):
        difference.to_frame(3)


def test_text_names_the_direction_and_the_kind(two_samples):
    text = repr(two_samples[0].difference(two_samples[1], names=("before", "after")))
    assert "before − after" in text
    assert "≠" in text
    assert "as for two independent samples" in text
    html = two_samples[0].difference(two_samples[1], names=("<b>", "after"))._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;" in html


def test_round_trip(two_samples, tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 2))
    cases = [
        two_samples[0].difference(two_samples[1], names=("ü 🚲", "\n")),
        explain(Linear([1.0, 2.0]), X, pairs=False).difference(explain(Linear([1.0]), X[:, :1], intervals=False)),
        explain(Softmax(np.eye(2, 3)), X).difference(explain(Linear([1.0, 2.0]), X)),
    ]
    for found in cases:
        found.save(tmp_path / "d.json")
        loaded = Difference.load(tmp_path / "d.json")
        assert repr(loaded) == repr(found)
        assert loaded._repr_html_() == found._repr_html_()
        pd.testing.assert_frame_equal(loaded.to_frame(), found.to_frame(), check_exact=True)
    content = json.loads((tmp_path / "d.json").read_text())
    (tmp_path / "d.json").write_text(json.dumps(content | {"value_a": [1.0]}))
    with pytest.raises(InputError, match=r"damaged.*Difference\.save"):
        Difference.load(tmp_path / "d.json")


@pytest.mark.slow
def test_two_samples_of_one_design_are_rarely_marked():
    """5 % of marks are claimed; docs/differences.md has longer series. 40 data sets of 3 terms: 5 % ± 2 × 2 %."""
    marks = []
    for seed in range(40):
        a, b = (explained(*sample((seed, side)), pairs=False) for side in (0, 1))
        marks.append(a.difference(b).differs)
    assert 0.0 < np.mean(marks) < 0.09
