"""Effects: known answers, steps, intervals, and tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import norm
from scipy.stats import t as student

from rsens import BayesianLinearRegression, BayesianPoissonRegression, explain, from_function
from rsens._arguments import child, seed_sequence
from rsens._contents import own_order
from rsens._explain._context import FOLDS
from rsens._explain._effects import readable_unit, steps_of
from rsens._explain._values import jackknife
from rsens._refits import rounds_of_folds
from rsens.distributions import Bernoulli, Categorical, Normal, Poisson, StudentT

QUICK = {"null": False, "random_state": 0}


def mixed(n=120, seed=0):
    """Two numbers, a category with three levels, and a number of two values."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(50.0, 10.0, n),
            "b": rng.normal(0.0, 0.02, n),
            "city": rng.choice(["Bern", "Genf", "Ulm"], n, p=[0.5, 0.3, 0.2]),
            "new": rng.integers(0, 2, n),
        }
    )
    y = 2.0 * X["a"] + 90.0 * X["b"] + X["city"].map({"Bern": 0.0, "Genf": 3.0, "Ulm": 10.0}) - 4.0 * X["new"]
    return X, y + rng.normal(size=n)


def by_term(explanation):
    """The lines of numbers, by term."""
    table = explanation.effects
    return table[table["level"].isna()].set_index("term")


# ---- known answers ---------------------------------------------------------------------------------------------------


def test_a_linear_model_has_its_coefficients():
    X, y = mixed()
    model = BayesianLinearRegression().fit(X, y)
    found = explain(model, X, **QUICK)
    a, b, genf, ulm, new = model.coef_
    lines = by_term(found)
    sd = X[["a", "b"]].std(ddof=0)
    np.testing.assert_allclose(lines.loc[["a", "b"], "effect"], [a * sd["a"], b * sd["b"]], rtol=1e-10)
    np.testing.assert_allclose(lines.loc[["a", "b", "new"], "per_unit"], [a, 0.01 * b, new], rtol=1e-10)
    assert lines["unit"].loc[["a", "b", "new"]].tolist() == [1.0, 0.01, 1.0]
    assert lines["step"].loc["new"] == "from 0 to 1"
    assert lines["step"].loc["a"].startswith("1 sd (")
    # each level against the others, weighted by their frequencies
    coefficients = {"Bern": 0.0, "Genf": genf, "Ulm": ulm}
    shares = X["city"].value_counts(normalize=True)
    levels = found.effects.query("term == 'city'").set_index("level")["effect"]
    for level, value in coefficients.items():
        rest = [other for other in coefficients if other != level]
        mean = np.average([coefficients[other] for other in rest], weights=shares[rest])
        assert levels[level] == pytest.approx(value - mean, rel=1e-10)


def test_a_logistic_model_states_probabilities():
    X = np.random.default_rng(2).normal(size=(90, 2))
    found = explain(from_function(lambda X: Bernoulli(logit=X @ np.array([1.0, -2.0]))), X, **QUICK)
    p = expit(X @ [1.0, -2.0])
    expected = np.mean(p * (1.0 - p)) * np.array([1.0, -2.0])
    np.testing.assert_allclose(by_term(found)["per_unit"].loc[["x0", "x1"]], expected, rtol=1e-6)
    assert "spread" not in found.effects
    assert "percent" not in found.effects


def test_classes_have_a_line_each_and_add_up_to_0():
    X = np.random.default_rng(3).normal(size=(50, 2))

    def predict(X):
        z = np.exp(X @ np.array([[1.0, 0.0, -1.0], [0.5, 2.0, 0.0]]))
        return Categorical(z / z.sum(axis=1, keepdims=True))

    table = explain(from_function(predict), X, **QUICK).effects
    assert table["output"].tolist() == ["y0", "y1", "y2"] * 2
    np.testing.assert_allclose(table.groupby("term")["effect"].sum(), 0.0, atol=1e-8)


def test_counts_in_percent():
    """exp(β x) changes by the factor exp(β) per unit, whatever the rest does."""
    X = pd.DataFrame(np.random.default_rng(4).normal(size=(60, 2)) * [1.0, 40.0], columns=["a", "b"])
    found = explain(from_function(lambda X: Poisson(np.exp(0.3 * X[:, 0] - 0.01 * X[:, 1] + 1.0))), X, **QUICK)
    lines, sd = by_term(found), X.std(ddof=0)
    expected = 100.0 * np.expm1([0.3 * sd["a"], -0.01 * sd["b"]])
    np.testing.assert_allclose(lines["percent"].loc[["a", "b"]], expected, rtol=1e-6)
    assert ((lines["percent_lower"] <= lines["percent"]) & (lines["percent"] <= lines["percent_upper"])).all()


def test_the_spread(tmp_path):
    """sd = exp(x₁): its slope is itself; x₀ moves only the mean."""
    Z = np.random.default_rng(5).normal(size=(70, 2)) * 0.3
    found = explain(from_function(lambda X: Normal(X[:, 0], np.exp(2.0 * X[:, 1]))), Z, **QUICK)
    spread = by_term(found)["spread"]
    assert spread["x1"] == pytest.approx(np.exp(Z[:, 1]).mean() * Z[:, 1].std(), rel=1e-6)
    assert spread["x0"] == pytest.approx(0.0, abs=1e-9)
    X, _ = mixed()
    model = from_function(lambda X: Normal(X[:, 0], np.where(X[:, 2] == 1.0, 4.0, 1.0)), categorical=["city"])
    levels = explain(model, X, numeric=["new"], **QUICK).effects.query("term == 'city'").set_index("level")
    rest = X["city"].value_counts(normalize=True)[["Bern", "Genf"]]
    assert levels["spread"]["Genf"] == pytest.approx(1.0)
    assert levels["spread"]["Ulm"] == pytest.approx(-rest["Genf"] / rest.sum())
    none = explain(from_function(lambda X: StudentT(X[:, 0], 1.0, 1.5)), Z, **QUICK)
    assert none.effects["spread"].isna().all()
    none.save(tmp_path / "x.json")


def test_levels_without_intervals_and_intervals_of_steps_and_levels():
    """A level that a refit lacks has no interval."""
    X, y = mixed()
    X["z"] = np.where(np.arange(120) % 3, 0.0, X["a"] ** 2)
    X.loc[3, "city"] = "Rom"
    counts = (y / 10.0).round().clip(0)
    table = explain(BayesianPoissonRegression().fit(X, counts), X, counts, **QUICK).effects.set_index("level")
    assert np.isfinite(table.loc["Rom", "effect"])
    assert np.isnan(table.loc["Rom", "lower"])
    table = table.drop("Rom")
    assert ((table["lower"] < table["effect"]) & (table["effect"] < table["upper"])).all()
    assert np.isfinite(table[["percent_lower", "percent_upper", "spread_lower", "spread_upper"]]).all(axis=None)


def test_weights_repeat_rows():
    X, _ = mixed(40)
    model = from_function(lambda X: Normal(np.sin(X[:, 0] / 10.0) * X[:, 1], 1.0 + X[:, 0] ** 2))
    numbers = X[["a", "b"]].assign(z=np.where(np.arange(40) % 4, 0.0, np.arange(40)))
    times = np.arange(40) % 3
    twice = explain(model, numbers, weights=times, **QUICK).effects
    repeated = explain(model, numbers.loc[np.repeat(np.arange(40), times)], **QUICK).effects
    columns = ["term", "step", "effect", "per_unit", "spread"]
    pd.testing.assert_frame_equal(twice[columns], repeated[columns], rtol=1e-6)


# ---- steps -----------------------------------------------------------------------------------------------------------


def test_columns_that_are_mostly_zero_step_within_the_data():
    """An additive model: the step has f(b) − f(a), to the last digits, however f bends in between."""
    rng = np.random.default_rng(6)
    rain = np.where(rng.random(400) < 0.7, 0.0, rng.exponential(30.0, 400))
    X = pd.DataFrame({"rain": rain, "x": rng.normal(size=400) + 0.02 * rain})
    found = explain(from_function(lambda X: Normal(np.log1p(X[:, 0]) + X[:, 1], 1.0)), X, **QUICK)
    line = by_term(found).loc["rain"]
    start, stop = np.quantile(rain[rain > 0.0], [0.25, 0.75], method="inverted_cdf")
    assert line["kind"] == "step"
    assert line["effect"] == pytest.approx(np.log1p(stop) - np.log1p(start), rel=1e-10)
    assert line["step"] == f"from {start:.4g} to {stop:.4g}"
    assert line["per_unit"] == pytest.approx(line["effect"] / (stop - start) * line["unit"])


def test_steps_ask_the_model_near_the_rows():
    """f is what it is on the line x₁ = x₀, and huge away from it: only rows near it may be asked."""
    rng = np.random.default_rng(7)
    x = np.exp(1.5 * rng.normal(size=800))
    asked = []

    def predict(X):
        asked.append(X.copy())
        return Normal(X[:, 0], 1.0)

    explain(from_function(predict), np.column_stack([x, x + 0.01 * rng.normal(size=800)]), pairs=False, **QUICK)
    gap = np.concatenate([np.abs(rows[:, 0] - rows[:, 1]) for rows in asked])
    low, high = np.quantile(x, [0.25, 0.75])
    assert gap.max() < 0.35 * (high - low)


@pytest.mark.parametrize(
    ("values", "step"),
    [
        (np.linspace(0.0, 1.0, 40), None),
        (norm.ppf(np.linspace(0.02, 0.98, 40)), None),
        (np.exp(1.5 * norm.ppf(np.linspace(0.01, 0.99, 80))), (0.37, 2.7)),
        (-np.exp(1.5 * norm.ppf(np.linspace(0.01, 0.99, 80))), (-2.7, -0.37)),
        (np.repeat([0.0, 1.0, 2.0, 3.0, 4.0], [30, 5, 5, 5, 5]), (1.0, 3.0)),
        (np.repeat([7.0, 1.0, 2.0], [30, 9, 1]), (1.0, 7.0)),  # nearly all others share a value: the step leads there
        (np.repeat([0.0, 1.0, 9.0], [30, 9, 1]), (0.0, 1.0)),
        (np.full(10, 3.0), None),
    ],
)
def test_which_columns_have_steps(values, step):
    found = steps_of(np.asarray(values, dtype=float)[:, np.newaxis], [0])
    if step is None:
        assert found == {}
    else:
        assert (found[0][0], found[0][-1]) == pytest.approx(step, rel=0.1)
        assert np.all(np.diff(found[0]) > 0.0)


def test_readable_units():
    units = {4.4: 1.0, 13.0: 1.0, 0.6: 1.0, 0.0476: 0.01, 0.3: 0.1, 40.0: 10.0, 5e4: 1e4, 0.0: 1.0}
    assert {sd: readable_unit(sd) for sd in units} == units


# ---- intervals -------------------------------------------------------------------------------------------------------


def test_intervals_over_rows_of_a_linear_model_have_no_width():
    X = np.random.default_rng(8).normal(size=(60, 2))
    X[:, 1] = np.where(X[:, 1] < 0.3, 0.0, X[:, 1])
    table = explain(from_function(lambda X: Normal(X @ np.array([1.0, 2.0]), 1.0)), X, **QUICK).effects
    assert set(table["kind"]) == {"slope", "step"}
    assert set(table["interval_kind"]) == {"rows"}
    np.testing.assert_allclose(table["upper"] - table["lower"], 0.0, atol=1e-7)


def test_intervals_from_refits_by_hand():
    """value ± t · se of the jackknife, of coefficients that are fitted here again; with a sign, they may be below 0."""
    X, y = mixed()
    X = X[["a"]].assign(b=np.random.default_rng(1).permutation(X["b"]))
    found = explain(BayesianLinearRegression().fit(X, y), X, y, **QUICK)
    rounds = rounds_of_folds(2, 5, y.to_numpy(), False, child(seed_sequence(0), FOLDS), None, own_order(X, y).rows)
    refits = [
        np.array([BayesianLinearRegression().fit(X.iloc[train], y.iloc[train]).coef_ for train, _ in splits])
        for splits in rounds
    ]
    lines, sd = by_term(found).loc[["a", "b"]], X.std(ddof=0)
    reach = student.ppf(0.975, 8) * jackknife(refits) * sd
    np.testing.assert_allclose(lines["upper"], lines["effect"] + reach, rtol=1e-9)
    np.testing.assert_allclose(lines["lower"], lines["effect"] - reach, rtol=1e-9)
    assert lines["lower"]["b"] < 0.0 < lines["upper"]["b"]
    assert set(lines["interval_kind"]) == {"refits"}


# ---- odd questions ---------------------------------------------------------------------------------------------------


def test_groups_have_no_effects():
    X, y = mixed()
    found = explain(BayesianLinearRegression().fit(X, y), X, groups={"both": ["a", "b"]}, **QUICK)
    assert set(found.effects["term"]) == {"city", "new"}
    only = explain(from_function(lambda X: Normal(X[:, 0], 1.0)), X[["a", "b"]], groups={"both": [0, 1]}, **QUICK)
    assert not len(only.effects)
    assert "step" in only.effects


def test_levels_that_are_written_alike():
    """1 and "1" are two levels."""
    X = np.array([[1, 0.0], ["1", 1.0], [2, 2.0], [1, 3.0], ["1", 4.0]], dtype=object)
    model = from_function(lambda X: Normal(X[:, 0] * 2.0, 1.0), categorical={0: [1, "1", 2]})
    assert explain(model, X, **QUICK).effects.query("term == 'x0'")["level"].tolist() == ["1", "'1'", "2"]


def test_one_row_and_constant_columns():
    found = explain(from_function(lambda X: Normal(X @ np.ones(2), 1.0)), [[1.0, 2.0]], scale="raw")
    assert found.effects["effect"].tolist() == [0.0, 0.0]
    assert found.effects["per_unit"].isna().all()  # nobody knows how far one unit is
    assert found.effects["lower"].isna().all()
