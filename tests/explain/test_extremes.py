"""Values at the ends of float64, and tables with nothing to explain."""

import numpy as np
import pytest

import rsens

X = np.random.default_rng(0).standard_normal((12, 2))


def test_squares_that_do_not_fit_in_float64_are_never_formed():
    model = rsens.from_function(lambda z: rsens.Normal(1e225 * z[:, 0] + z[:, 1], np.ones(len(z))))
    found = rsens.explain(model, X, pairs=False, scale="raw")
    np.testing.assert_allclose(found.main["x0"], 1e225, rtol=1e-6)
    np.testing.assert_allclose(found.intervals.loc["x0"], 1e225, rtol=1e-6)


def test_a_mean_or_a_slope_beyond_float64_is_said_once(tmp_path):
    """NaN and a warning, not inf, which no file could hold."""
    model = rsens.from_function(lambda z: rsens.LogNormal(1000.0 + z[:, 0] + z[:, 1], np.ones(len(z))))
    with pytest.warns(rsens.RsensWarning, match="No direction and no effect of 'x0', 'x1'") as caught:
        explanation = rsens.explain(model, X, pairs=False, scale="raw")
    assert len(caught) == 1
    assert explanation.direction.isna().all()
    np.testing.assert_allclose(explanation.main, 1.0, rtol=1e-6)
    assert not np.isfinite(explanation.row(0).prediction)
    slope = rsens.from_function(lambda z: rsens.LogNormal(709.0 + 30.0 * np.tanh(z[:, 0]), np.ones(len(z))))
    with pytest.warns(rsens.RsensWarning, match="No direction"):
        explanation = rsens.explain(slope, X[:, :1], pairs=False, scale="raw")
    assert explanation.direction.isna().all()
    explanation.save(tmp_path / "explanation.json")


@pytest.mark.parametrize("scale", [5e-324, 1e-320, 1e-308, 1e307])
def test_columns_at_the_ends_of_float64(scale):
    """Steps, features of the test of pairs and checks of differences: an answer or our error, and no NumPy warning."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([scale * np.round(4.0 * rng.random(12)), rng.normal(size=12)])
    try:
        main = rsens.explain(rsens.from_function(lambda z: rsens.Normal(np.sin(z[:, 1]), 1.0)), rows).main
    except rsens.InputError:
        return
    assert np.isfinite(main).all()


def test_what_differences_warn_of_is_said_once():
    model = rsens.from_function(lambda z: rsens.Normal(0.0 * z[:, 0], 1.0))
    for call in (
        lambda: rsens.explain(model, X),
        lambda: rsens.rsens(model, X),
        lambda: rsens.rsens2(model, X),
        lambda: rsens.explain(model, iter([X[:6], X[6:]]), training=X),
    ):
        with pytest.warns(rsens.RsensWarning, match="does not change in") as caught:
            call()
        assert [warning.filename for warning in caught] == [__file__]


def test_many_columns_are_a_few_lines_and_no_storm():
    rng = np.random.default_rng(1)
    wide = rng.standard_normal((20, 400))
    wide[:, 100:] = 1.0  # constants
    model = rsens.BayesianLinearRegression(prior_precision=1.0).fit(wide, wide[:, 0] + rng.standard_normal(20))
    with pytest.warns(rsens.RsensWarning) as caught:
        explanation = rsens.explain(model, wide)
    assert len(caught) == 1
    assert len(str(caught[0].message)) < 500
    assert len(str(explanation).splitlines()) < 60
    assert "and 390 more" in str(explanation)


def test_more_coefficients_than_a_covariance_can_hold_are_refused():
    wide = np.zeros((3, 5001))
    for model, y in (
        (rsens.BayesianLinearRegression(prior_precision=1.0), [0.0, 1.0, 2.0]),
        (rsens.BayesianLogisticRegression(), [0, 1, 0]),
    ):
        with pytest.raises(rsens.InputError, match="can have 5000 of them; got 5001 from 5001 columns"):
            model.fit(wide, y)
