"""bambi models: the parameters of the family for every draw, in the columns of the formula."""

from __future__ import annotations

import bambi
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import rsens
from rsens import InputError, from_bambi, from_draws

from .conftest import QUICK

rng = np.random.default_rng(3)
DATA = pd.DataFrame(
    {
        "x": rng.normal(size=40),
        "z": rng.normal(size=40),
        "kind": pd.Categorical(np.array(["low", "mid", "top"])[np.arange(40) % 3], ["low", "mid", "top"]),
        "school": np.arange(40) % 4 + 10,
    }
)
DATA["y"] = 1.5 * DATA["x"] - 0.5 * DATA["z"] + 2.0 * (DATA["kind"] == "top") + 0.3 * rng.normal(size=40)
DATA["hit"] = np.arange(40) % 2
DATA["count"] = np.arange(40) % 5
DATA["share"] = (np.arange(40) % 9 + 1.0) / 10.0
S = 12


def posterior(**variables):
    """Made-up draws in the form in which bambi keeps them, two chains."""
    arrays = {}
    for name, values in variables.items():
        array = np.asarray(values).reshape(2, S // 2, *np.shape(values)[1:])
        further = f"{name.partition('|')[2]}__factor_dim" if "|" in name else f"{name}_dim"
        dims = ["chain", "draw", further][: array.ndim]
        arrays[name] = xr.DataArray(array, {d: np.arange(n) for d, n in zip(dims, array.shape, strict=True)}, dims)
    return xr.DataTree.from_dict({"posterior": xr.Dataset(arrays)})


def built(formula, family="gaussian", **settings):
    model = bambi.Model(formula, DATA, family=family, **settings)
    model.build()
    return model


INTERCEPT, SLOPE, OTHER = rng.normal(size=S), rng.normal(1.0, 0.3, size=S), np.exp(rng.normal(-1.0, 0.2, size=S))


@pytest.fixture(scope="module")
def fitted():
    model = bambi.Model("y ~ x + z + kind", DATA)
    return model, model.fit(**QUICK)


def test_nuts_end_to_end(fitted):
    model, draws = fitted
    X = DATA[["x", "z", "kind"]]
    before = draws.copy(deep=True)
    explanation = rsens.explain(from_bambi(model, draws), X, null=False, random_state=0)
    xr.testing.assert_identical(draws, before)  # predict writes into its argument unless told not to
    assert explanation.main["x"] > explanation.main["z"]
    assert list(explanation.parts.columns) == ["prediction", "noise", "knowledge"]


FAMILIES = {
    "gaussian": ("y ~ x", {"sigma": OTHER}, lambda e, s: rsens.Normal(e, s**2), {}),
    "t": ("y ~ x", {"sigma": OTHER, "nu": np.full(S, 4.0)}, lambda e, s: rsens.StudentT(e, s**2, 4.0), {}),
    "bernoulli": ("hit ~ x", {}, lambda e, s: rsens.Bernoulli(logit=e), {}),
    "poisson": ("count ~ x", {}, lambda e, s: rsens.Poisson(np.exp(e)), {}),
    "negativebinomial": ("count ~ x", {"alpha": OTHER}, lambda e, s: rsens.NegativeBinomial(np.exp(e), s), {}),
    "gamma": ("share ~ x", {"alpha": OTHER}, lambda e, s: rsens.Gamma(np.exp(e), s), {"link": "log"}),
    "beta": (
        "share ~ x",
        {"kappa": 20 * OTHER},
        lambda e, s: rsens.Beta(20 * s / (1 + np.exp(-e)), 20 * s / (1 + np.exp(e))),
        {},
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_families_are_converted_to_our_parameters(family):
    formula, more, by_hand, settings = FAMILIES[family]
    model = from_bambi(built(formula, family, **settings), posterior(Intercept=INTERCEPT, x=SLOPE, **more))
    draws = {"a": INTERCEPT, "b": SLOPE, "s": OTHER}
    oracle = from_draws(lambda p, X: by_hand(p["a"] + p["b"] * X[:, 0], p["s"]), draws)
    X = DATA[["x"]].head(6)
    np.testing.assert_allclose(rsens.rsens(model, X), rsens.rsens(oracle, X.to_numpy()), rtol=1e-6)
    second = rsens.rsens2(oracle, X.to_numpy())
    np.testing.assert_allclose(rsens.rsens2(model, X), second, atol=1e-4 * second.max())  # second differences in both


def test_noise_that_depends_on_x():
    model = built(bambi.Formula("y ~ x", "sigma ~ z"))
    draws = posterior(Intercept=INTERCEPT, x=SLOPE, sigma_Intercept=np.full(S, -1.0), sigma_z=np.full(S, 0.5))
    X = DATA[["x", "z"]].head(4)
    oracle = from_draws(
        lambda p, Z: rsens.Normal(p["a"] + p["b"] * Z[:, 0], np.exp(2 * (-1.0 + 0.5 * Z[:, 1]))),
        {"a": INTERCEPT, "b": SLOPE},
    )
    np.testing.assert_allclose(rsens.rsens(from_bambi(model, draws), X), rsens.rsens(oracle, X.to_numpy()), rtol=1e-6)


def test_factors_and_groups_are_contrasts():
    """Groups are numbers here, and have levels all the same."""
    model = built("y ~ x + kind + (1 | school)")
    draws = posterior(
        Intercept=np.zeros(S),
        x=np.ones(S),
        kind=np.tile([2.0, 4.0], (S, 1)),
        sigma=np.ones(S),
        **{"1|school_sigma": np.ones(S), "1|school": np.tile([0.0, 3.0, 3.0, 3.0], (S, 1))},
    )
    X = DATA[["school", "x", "kind"]]
    local = rsens.rsens(from_bambi(model, draws), X)
    np.testing.assert_allclose(local[:, 1], 1.0, rtol=1e-8)
    np.testing.assert_allclose(local[DATA["school"] == 10, 0], 3.0, rtol=1e-6)  # √(2·3²/2) to each other school
    explanation = rsens.explain(from_bambi(model, draws), X, pairs=False, null=False, intervals=False, random_state=0)
    assert list(explanation.main.index) == ["school", "x", "kind"]
    with pytest.raises(InputError, match="column 'school' has 99, which the model was not fitted to"):
        rsens.rsens(from_bambi(model, draws), X.assign(school=99))


def test_the_order_of_columns_and_columns_that_the_formula_leaves_out_do_not_matter():
    model, draws = built("y ~ x + z"), posterior(Intercept=INTERCEPT, x=SLOPE, z=2 * SLOPE, sigma=OTHER)
    X = DATA[["x", "z"]].head(5)
    expected = rsens.rsens(from_bambi(model, draws), X)
    swapped = rsens.rsens(from_bambi(model, draws), X.assign(unused=np.arange(5.0))[["unused", "z", "x"]])
    np.testing.assert_allclose(swapped, np.column_stack([np.zeros(5), expected[:, 1], expected[:, 0]]), rtol=1e-9)


WRONG_ROWS = {
    "an array": (lambda: DATA[["x", "z"]].to_numpy(), "data frame with the columns 'x', 'z'"),
    "a column missing": (lambda: DATA[["x"]], "columns 'z'"),
    "text for a number": (lambda: DATA[["x", "z"]].assign(z="high"), "'z' must hold numbers"),
}


@pytest.mark.parametrize("name", WRONG_ROWS)
def test_rows_that_do_not_fit_the_formula(name):
    make, text = WRONG_ROWS[name]
    model, draws = built("y ~ x + z"), posterior(Intercept=INTERCEPT, x=SLOPE, z=SLOPE, sigma=OTHER)
    with pytest.raises(InputError, match=text):
        rsens.rsens(from_bambi(model, draws), make())


def test_what_cannot_be_explained_says_why(fitted):
    model, draws = fitted
    for call, given, text in (
        (from_bambi, (built("y ~ x", "vonmises"), draws), "'vonmises' of bambi does not correspond"),
        (from_bambi, (bambi.Model("y ~ x", DATA), draws), "not fitted"),
        (from_bambi, (model, {"x": SLOPE}), "got dict"),
        (from_bambi, (draws, model), "got DataTree"),
        (rsens.from_pymc, (model, draws), "from_bambi"),
        (rsens.explain, (model, DATA), r"posterior draws, .*from_bambi\(model, posterior\)"),
    ):
        with pytest.raises(InputError, match=text):
            call(*given)
