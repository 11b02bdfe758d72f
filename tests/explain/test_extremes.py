"""Values at the ends of float64, and tables with nothing to explain."""

import numpy as np
import pandas as pd
import pytest

import rsens

X = np.random.default_rng(0).standard_normal((12, 2))


def test_squares_that_do_not_fit_are_refused_by_name():
    model = rsens.from_function(lambda z: rsens.Normal(1e225 * z[:, 0] + z[:, 1], np.ones(len(z))))
    with pytest.raises(rsens.InputError, match=r"aggregate='rms' squares .* 1e\+225|aggregate='rms'.*aggregate='mean'"):
        rsens.explain(model, X, pairs=False, scale="raw", aggregate="rms")
    main = rsens.explain(model, X, pairs=False, scale="raw").main
    np.testing.assert_allclose(main["x0"], 1e225, rtol=1e-6)


def test_a_mean_beyond_float64_is_said_once():
    model = rsens.from_function(lambda z: rsens.LogNormal(1000.0 + z[:, 0] + z[:, 1], np.ones(len(z))))
    with pytest.warns(rsens.RsensWarning, match="No direction and no effect of 'x0', 'x1'") as caught:
        explanation = rsens.explain(model, X, pairs=False, scale="raw")
    assert len(caught) == 1
    assert explanation.direction.isna().all()
    np.testing.assert_allclose(explanation.main, 1.0, rtol=1e-6)


def test_a_category_with_one_level_is_a_constant():
    y = np.arange(5.0)
    only = pd.DataFrame({"c": ["a"] * 5})
    model = rsens.BayesianLinearRegression().fit(only, y)
    np.testing.assert_allclose(model.predict(only), 2.0)
    assert rsens.explain(model, only, scale="raw").main["c"] == 0.0
    with pytest.raises(rsens.InputError, match="no column of X varies"):
        rsens.explain(model, only)


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
