"""Models with a formula: rows are the data frame behind it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula
import statsmodels.formula.api as smf

import rsens
from rsens import InputError, RsensWarning
from rsens.adapters import as_model

RNG = np.random.default_rng(0)
N = 90
FRAME = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "b": RNG.normal(size=N) + 4.0,
        "town": RNG.choice(["Bergen", "Oslo", "Tromsø"], N),
        "grade": RNG.integers(1, 4, N),
        "old": RNG.integers(0, 2, N),
    }
)
FRAME["two words"] = FRAME["a"]
ETA = 0.4 * FRAME.a * FRAME.b - 0.5 * FRAME.b + (FRAME.town == "Oslo") + 0.3 * FRAME.grade
DATA = FRAME.assign(
    y=ETA + RNG.normal(size=N),
    n=RNG.poisson(np.exp(0.3 * ETA)),
    k=RNG.integers(0, 3, N),
    z=(ETA + RNG.logistic(size=N) > -1.0).astype(int),
)
NUMBERS = ["a", "b"]


@pytest.fixture(params=["patsy", "formulaic"])
def engine(request, monkeypatch):
    monkeypatch.setattr(statsmodels.formula.options, "_formula_engine", request.param)
    return request.param


def test_the_same_as_its_design(engine):
    """y ~ a*b against OLS on the columns 1, a, b, ab, with the chain rule done by hand."""
    results = smf.ols("y ~ a*b", DATA).fit()
    design = np.column_stack([np.ones(N), FRAME.a, FRAME.b, FRAME.a * FRAME.b])
    plain = as_model(sm.OLS(DATA.y, design).fit()).derivatives(design, 2)
    slopes = np.zeros((N, 4, 2))
    slopes[:, 1, 0] = slopes[:, 2, 1] = 1.0
    slopes[:, 3, 0], slopes[:, 3, 1] = FRAME.b, FRAME.a
    first = plain.first @ slopes
    second = np.einsum("npd,nmpq,nqe->nmde", slopes, plain.second, slopes)
    second[:, :, 0, 1] += plain.first[:, :, 3]
    second[:, :, 1, 0] += plain.first[:, :, 3]
    found = as_model(results).derivatives(FRAME[NUMBERS], 2)
    np.testing.assert_allclose(found.distribution.parameters, plain.distribution.parameters, rtol=1e-11)
    np.testing.assert_allclose(found.first, first, rtol=1e-8, atol=1e-11)
    np.testing.assert_allclose(found.second, second, rtol=1e-8, atol=1e-9)


FORMULAS = {
    "interactions": "y ~ a*b + a:town",
    "curved": "y ~ np.exp(0.3*a) + np.log(b) + I(a**2)",
    "splines": "y ~ bs(a, df=5) + b",
    "remembers": "y ~ center(a) + standardize(b)",
}


@pytest.mark.parametrize("name", FORMULAS)
def test_derivatives_are_those_of_the_prediction(name):
    model = as_model(smf.ols(FORMULAS[name], DATA).fit())
    rows = FRAME.loc[FRAME.a.abs() < 1.0, ["a", "b", "town"]].iloc[:20]  # away from the last knots
    found = model.derivatives(rows, 2)

    def moved(values):
        copies = -(-len(values) // len(rows))
        frame = pd.concat([rows] * copies).iloc[: len(values)]
        return model.predict_distribution(frame.assign(a=values[:, 0], b=values[:, 1]))

    h = 1e-5
    base = rows[NUMBERS].to_numpy()
    for d in range(2):
        step = h * np.eye(2)[d]
        expected = (moved(base + step).parameters - moved(base - step).parameters) / (2 * h)
        np.testing.assert_allclose(found.first[:, :, d], expected, rtol=1e-6, atol=1e-8)
    h = 1e-3
    corners = [moved(base + h * np.array(s)).parameters for s in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
    expected = (corners[0] - corners[1] - corners[2] + corners[3]) / (4 * h * h)
    np.testing.assert_allclose(found.second[:, :, 0, 1], expected, rtol=1e-4, atol=1e-6)
    assert not found.first[:, :, 2].any()


@pytest.mark.parametrize("formula", ["y ~ a + C(grade) + town + old", "y ~ a + C(grade, Treatment(2)) * town + old"])
def test_categories_are_contrasts_also_where_they_are_numbers(engine, formula):
    """√(2 D₁) between the levels, from the predictions that statsmodels itself makes for the switched frame."""
    rows = FRAME[["a", "town", "grade", "old"]].iloc[:40]
    results = smf.ols(formula, DATA).fit()
    explained = rsens.explain(results, rows, scale="raw", pairs=False, intervals=False)
    model = as_model(results)
    here = model.predict_distribution(rows)
    shares = rows.grade.value_counts(normalize=True)
    values = np.zeros(len(rows))
    for level in (1, 2, 3):
        there = model.predict_distribution(rows.assign(grade=level))
        np.testing.assert_allclose(there.location, results.predict(rows.assign(grade=level)), rtol=1e-10)
        weight = np.where(rows.grade == level, 0.0, shares[level] / (1.0 - rows.grade.map(shares)))
        values += weight * np.sqrt(2.0 * np.maximum(here.renyi(there, 1.0), 0.0))
    assert explained.main["grade"] == pytest.approx(values.mean(), rel=1e-8)
    assert "old" in explained.categorical


WRONG = {
    "an array": (FRAME[NUMBERS].to_numpy(), "must be a data frame"),
    "a column less": (FRAME[["a", "town"]], "cannot be evaluated.*b"),
    "an unknown level": (FRAME[["a", "b", "town"]].replace("Oslo", "Rome"), "cannot be evaluated"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_rows(name):
    rows, text = WRONG[name]
    with pytest.raises(InputError, match=text):
        rsens.rsens(smf.ols("y ~ a*b + town", DATA).fit(), rows)


def test_the_edge_of_a_spline():
    """At the first and the last row a difference would leave the knots: it is taken a little inside."""
    results = smf.ols("y ~ bs(a, df=5)", DATA).fit()
    rows = FRAME[["a"]].sort_values("a")
    found = rsens.rsens(results, rows)[:, 0]
    inner = rows.assign(a=rows.a + 0.01)
    assert found[0] == pytest.approx(rsens.rsens(results, inner.iloc[:-1])[0, 0], rel=0.1)
    assert np.isfinite(rsens.rsens2(results, rows)).all()


def test_the_edge_of_a_logarithm():
    results = smf.ols("y ~ np.log(b)", DATA).fit()
    rows = FRAME[["b"]].copy()
    rows.loc[3, "b"] = -1.0
    with pytest.raises(InputError, match="not finite at all rows"):
        rsens.rsens(results, rows)


def test_formulas_that_mix_rows():
    with pytest.raises(InputError, match=r"mixes rows.*Use center\(x\)"):
        rsens.rsens(smf.ols("y ~ I(a - np.mean(a))", DATA).fit(), FRAME[["a"]])


def test_jumps_are_warned_of():
    with pytest.warns(RsensWarning, match="jumps"):
        rsens.rsens(smf.ols("y ~ I(1.0*(a > 0)) + b", DATA).fit(), FRAME[NUMBERS])


def test_one_row_near_the_edge_of_a_logarithm():
    """One row has no spread: its unit is 1, and the formula ends before that."""
    results = smf.ols("y ~ np.log(z)", DATA.assign(z=FRAME.b / 10.0)).fit()
    found = rsens.rsens(results, pd.DataFrame({"z": [0.2]}))
    slope = results.params["np.log(z)"] / 0.2
    assert found[0, 0] == pytest.approx(abs(slope) / np.sqrt(results.scale), rel=0.2)
