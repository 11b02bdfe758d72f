"""One row: contributions and slopes, with known answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from rsens import BayesianLinearRegression, Explanation, InputError, explain, from_function
from rsens.distributions import Bernoulli
from tests.explain.test_effects import QUICK, mixed


@pytest.fixture(scope="module")
def linear():
    X, y = mixed()
    model = BayesianLinearRegression().fit(X, y)
    return X, model, explain(model, X, **QUICK)


def test_a_linear_model_is_explained_exactly(linear):
    X, model, found = linear
    row = found.row(7)
    frame = row.to_frame().set_index("term")
    a, b, genf, ulm, new = model.coef_
    assert frame["contribution"]["a"] == pytest.approx(a * (X["a"][7] - X["a"].mean()))
    of_level = {"Bern": 0.0, "Genf": genf, "Ulm": ulm}
    assert frame["contribution"]["city"] == pytest.approx(of_level[X["city"][7]] - X["city"].map(of_level).mean())
    assert frame["contribution"]["new"] == pytest.approx(new * (X["new"][7] - X["new"].mean()))
    assert row.explained == pytest.approx(row.prediction - row.mean_prediction)
    assert row.prediction == pytest.approx(model.predict(X)[7])
    assert frame["slope"]["b"] == pytest.approx(b * X["b"].std(ddof=0))
    assert np.isnan(frame["slope"]["city"])
    assert frame["value"]["city"] == X["city"][7]
    np.testing.assert_array_equal(frame["rsens"][list(found.names)], found.local_main.loc[7])
    for text in (repr(row), row._repr_html_()):
        assert "they add up to" in text


def test_groups_have_a_contribution_and_no_slope_and_repeated_labels_need_a_position():
    X, y = mixed()
    model = BayesianLinearRegression().fit(X[["a", "b"]], y)
    labelled = X[["a", "b"]].set_axis(["p", "q", *["r"] * 118])
    found = explain(model, labelled, groups={"both": ["a", "b"]}, **QUICK)
    frame = found.row("q").to_frame()
    expected = (model.coef_ * (X[["a", "b"]].iloc[1] - X[["a", "b"]].mean())).sum()
    assert frame["contribution"][0] == pytest.approx(expected)
    assert np.isnan(frame["slope"][0])
    with pytest.raises(InputError, match="label of 118 rows"):
        found.row("r")


def test_probabilities_are_in_points():
    X = np.random.default_rng(2).normal(size=(50, 2))
    row = explain(from_function(lambda X: Bernoulli(logit=X[:, 0])), X, **QUICK).row(3)
    assert row.prediction == pytest.approx(expit(X[3, 0]))
    assert "percentage points" in repr(row)
    assert f"Row 3: probability {100 * row.prediction:.0f} %" in repr(row)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ({"label": 999}, "is not the label of a row"),
        ({"position": 999}, "from 0 to 119"),
        ({"position": True}, "whole number"),
        ({"position": -1}, "whole number"),
        ({"position": 0, "X": [[1.0, 2.0]]}, "X must have"),
    ],
)
def test_wrong_rows(linear, call, text):
    with pytest.raises(InputError, match=text):
        linear[2].row(**call)


def test_after_load_the_model_is_given(linear, tmp_path):
    X, model, found = linear
    found.save(tmp_path / "x.json")
    loaded = Explanation.load(tmp_path / "x.json")
    with pytest.raises(InputError, match="does not have both"):
        loaded.row(0)
    assert repr(loaded.row(0, model=model, X=X)) == repr(found.row(0))
