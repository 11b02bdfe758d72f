"""PyMC models: the likelihood of every draw read from the graph, and what people get wrong by hand."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pymc as pm
import pytensor.tensor as pt
import pytest
import xarray as xr
from scipy.special import softmax

import rsens
from rsens import InputError, from_draws, from_pymc
from tests.adapters.oracles import rsens_of_normals

from .conftest import QUICK

rng = np.random.default_rng(1)
DRAWS = {
    "slope": rng.normal([1.0, -2.0, 0.5], 0.3, size=(50, 3)),
    "intercept": rng.normal(size=50),
    "sigma": np.exp(rng.normal(-1.0, 0.2, size=50)),
}


def linear(rows, y=None):
    with pm.Model() as model:
        X = pm.Data("X", rows)
        slope = pm.Normal("slope", 0.0, 1.0, shape=rows.shape[1])
        intercept = pm.Normal("intercept")
        sigma = pm.HalfNormal("sigma")
        mean = pm.Deterministic("mean", intercept + X @ slope)
        pm.Normal("y", mean, sigma, observed=np.zeros(len(rows)) if y is None else y)
    return model


def likelihood(rows, build, **observed):
    """A model with a slope for each column and one more positive parameter, and a likelihood of e = X @ slope."""
    with pm.Model() as model:
        X = pm.Data("X", rows)
        slope = pm.Normal("slope", shape=rows.shape[1])
        sigma = pm.HalfNormal("sigma")
        build(X @ slope, sigma)
    return model


@pytest.fixture(scope="module")
def sampled(rows):
    y = rows @ [1.0, -2.0, 0.5] + 0.3 * np.random.default_rng(2).normal(size=len(rows))
    model = linear(rows, y)
    with model:
        return model, pm.sample(**QUICK)


def stacked(tree):
    names = ("slope", "intercept", "sigma")
    values = {name: tree["posterior"][name].values for name in names}
    return {name: value.reshape(-1, *value.shape[2:]) for name, value in values.items()}


def test_nuts_end_to_end(sampled, rows):
    model, posterior = sampled
    explanation = rsens.explain(from_pymc(model, posterior), rows, null=False, random_state=0)
    assert list(explanation.main.sort_values(ascending=False).index) == ["x1", "x0", "x2"]
    expected = rsens_of_normals(rows, **stacked(posterior)) * rows.std(axis=0)
    np.testing.assert_allclose(explanation.local_main, expected, rtol=1e-7)  # the integral stops at a change of 1e-6
    assert list(explanation.parts.columns) == ["prediction", "noise", "knowledge"]


def test_draws_come_in_many_containers(sampled, rows):
    model, tree = sampled
    assert isinstance(tree, xr.DataTree)
    expected = rsens.rsens(from_pymc(model, tree), rows)
    with model, pytest.warns(FutureWarning, match="return_inferencedata"):
        trace = pm.sample(**QUICK, return_inferencedata=False)
    assert type(trace).__name__ == "MultiTrace"
    group = tree["posterior"]
    by_chain = {name: group[name].values for name in ("slope", "intercept", "sigma")}
    for other in (
        group,
        group.to_dataset(),
        stacked(tree),
        trace,
        by_chain,
        group.to_dataset().stack(sample=("chain", "draw")),
    ):
        np.testing.assert_allclose(rsens.rsens(from_pymc(model, other), rows), expected, rtol=1e-12)


def observed(family, value=0.0):
    """A likelihood of y with these parameters, by name."""
    return lambda **parameters: getattr(pm, family)("y", observed=np.full(30, value), **parameters)


#: PyMC's likelihood of e = X @ slope and s, and ours.
OTHERS = {
    "StudentT": (
        lambda e, s: observed("StudentT")(nu=4.0, mu=e, sigma=s),
        lambda e, s: rsens.StudentT(e, s**2, 4.0),
    ),
    "Cauchy": (lambda e, s: observed("Cauchy")(alpha=e, beta=s), lambda e, s: rsens.StudentT(e, s**2, 1.0)),
    "LogNormal": (lambda e, s: observed("LogNormal", 1.0)(mu=e, sigma=s), lambda e, s: rsens.LogNormal(e, s**2)),
    "Gamma": (
        lambda e, s: observed("Gamma", 1.0)(mu=pt.exp(0.3 * e), sigma=s),
        lambda e, s: rsens.Gamma(np.exp(0.3 * e), np.exp(0.6 * e) / s**2),
    ),
    "Exponential": (
        lambda e, s: observed("Exponential", 1.0)(lam=pt.exp(0.3 * e)),
        lambda e, s: rsens.Exponential(np.exp(-0.3 * e)),
    ),
    "Beta": (
        lambda e, s: observed("Beta", 0.5)(alpha=pt.exp(0.3 * e), beta=1.0 + s),
        lambda e, s: rsens.Beta(np.exp(0.3 * e), 1.0 + s + 0.0 * e),
    ),
    "Weibull": (
        lambda e, s: observed("Weibull", 1.0)(alpha=1.0 + s, beta=pt.exp(0.3 * e)),
        lambda e, s: rsens.Weibull(1.0 + s, np.exp(0.3 * e)),
    ),
    "Bernoulli": (lambda e, s: observed("Bernoulli", 1)(logit_p=e), lambda e, s: rsens.Bernoulli(logit=e)),
    "Binomial": (lambda e, s: observed("Binomial", 1)(n=5, logit_p=e), lambda e, s: rsens.Binomial(5, logit=e)),
    "Categorical": (
        lambda e, s: observed("Categorical", 1)(logit_p=pt.stack([e, 0.0 * e, -s * e], axis=1)),
        lambda e, s: rsens.Categorical(softmax(np.stack([e, 0.0 * e, -s * e], axis=1), axis=1)),
    ),
    "Poisson": (lambda e, s: observed("Poisson", 1)(mu=pt.exp(0.3 * e)), lambda e, s: rsens.Poisson(np.exp(0.3 * e))),
    "NegativeBinomial": (
        lambda e, s: observed("NegativeBinomial", 1)(mu=pt.exp(0.3 * e), alpha=1.0 + s),
        lambda e, s: rsens.NegativeBinomial(np.exp(0.3 * e), 1.0 + s),
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_likelihoods_are_converted_to_our_parameters(name, rows):
    in_pymc, by_hand = OTHERS[name]
    draws = {key: DRAWS[key][:10] for key in ("slope", "sigma")}
    if name in ("Exponential", "Bernoulli", "Binomial", "Poisson"):
        draws.pop("sigma")  # the model has it, the likelihood does not
    ours = from_pymc(likelihood(rows, in_pymc), draws)
    oracle = from_draws(lambda p, X: by_hand(X @ p["slope"], p.get("sigma", 1.0)), draws)
    few = rows[:6]
    np.testing.assert_allclose(rsens.rsens(ours, few), rsens.rsens(oracle, few), rtol=1e-6)  # differences there
    second = rsens.rsens2(oracle, few)
    # Second differences in both; where the link is linear and the family has no variance, nothing bends.
    np.testing.assert_allclose(rsens.rsens2(ours, few), second, atol=1e-4 * max(second.max(), 1e-2))


def test_a_column_may_have_its_own_data_and_an_index_has_levels():
    height, group = rng.normal(size=20), np.arange(20) % 3
    with pm.Model() as model:
        x, g = pm.Data("x_data", height), pm.Data("g_data", group)
        shift, slope = pm.Normal("shift", shape=3), pm.Normal("slope")
        pm.Normal("y", shift[g] + slope * x, 1.0, observed=np.zeros(20))
    ours = from_pymc(
        model,
        {"shift": np.tile([0.0, 3.0, 6.0], (2, 1)), "slope": np.ones(2)},
        data={"height": "x_data", "group": "g_data"},
    )
    X = pd.DataFrame({"height": height, "group": group})
    local = rsens.rsens(ours, X)
    np.testing.assert_allclose(local[:, 0], 1.0, rtol=1e-10)
    np.testing.assert_allclose(local[group == 1, 1], 3.0, rtol=1e-6)  # Normals 3 apart: √(2·3²/2), either way
    for wrong, text in (
        (X[["group", "height"]], "'height', 'group'; got"),
        (X.assign(group=np.array(["a", "b", "c"])[group]), "'group' holds labels such as 'a'"),
    ):
        with pytest.raises(InputError, match=text):
            rsens.rsens(ours, wrong)


def test_an_index_left_out_of_the_rows_is_found_out():
    with pm.Model() as model:
        X, g = pm.Data("X", rng.normal(size=(20, 2))), pm.Data("group", np.arange(20) % 3)
        shift = pm.Normal("shift", shape=3)
        pm.Normal("y", shift[g] + X[:, 0], 1.0, observed=np.zeros(20))
    with pytest.raises(InputError, match=r"(?s)cannot be evaluated at other rows.*pm\.Data 'group'"):
        from_pymc(model, {"shift": np.zeros((2, 3))})


def test_whole_numbers_in_the_data_are_differentiated():
    with pm.Model() as model:
        X = pm.Data("X", np.arange(12).reshape(6, 2))
        slope = pm.Normal("slope")
        pm.Normal("y", slope * X[:, 0] ** 2, 1.0, observed=np.zeros(6))
    local = rsens.rsens(from_pymc(model, {"slope": np.ones(2)}), [[1.5, 0.0]])
    np.testing.assert_allclose(local, [[3.0, 0.0]], rtol=1e-7, atol=1e-12)


def test_the_model_and_the_draws_are_left_as_they_are(sampled, rows):
    model, posterior = sampled
    before = posterior.copy(deep=True), model["X"].get_value().copy()
    rsens.rsens2(from_pymc(model, posterior), rows[:4])
    xr.testing.assert_identical(posterior, before[0])
    np.testing.assert_array_equal(model["X"].get_value(), before[1])


def test_it_can_be_sent_to_another_process(rows):
    ours = from_pymc(linear(rows), DRAWS)
    local = rsens.rsens(ours, rows[:3])  # compiled
    np.testing.assert_array_equal(rsens.rsens(pickle.loads(pickle.dumps(ours)), rows[:3]), local)


def normal(mean, name="y", shape=30):
    pm.Normal(name, mean, 1.0, observed=np.zeros(shape))


def slope(shape=3, **parameters):
    return pm.Normal("slope", shape=shape, **parameters)


def X_of(rows, name="X"):
    return pm.Data(name, rows)


def centred(X):
    return X - X.mean(axis=0)


def two_likelihoods(rows):
    mean = X_of(rows) @ slope()
    normal(mean)
    normal(mean, "z")


WRONG = {
    "constants": (lambda rows: normal(rows @ slope()), r'X = pm\.Data\("X", X\)'),
    "latent per row": (
        lambda rows: normal(pm.Normal("slope", X_of(rows)[:, 0], 1.0)),
        "draws 'slope' from a distribution that depends on the rows",
    ),
    "fixed number of rows": (
        lambda rows: normal(slope(30) + X_of(rows)[:, 0]),
        "(?s)cannot be evaluated at other rows",
    ),
    "centred inside": (
        lambda rows: normal(centred(X_of(rows)) @ slope()),
        "mixes rows",
    ),
    "other name": (lambda rows: normal(X_of(rows, "design") @ slope()), "data='design'"),
    "two outputs": (
        lambda rows: normal((X_of(rows) @ slope())[:, None], shape=(30, 2)),
        r"one number per row.*\(30, 2\)",
    ),
    "several": (two_likelihoods, "one of 'y', 'z'; got None"),
    "inflated": (
        lambda rows: observed("ZeroInflatedPoisson", 0)(psi=0.5, mu=pt.exp(X_of(rows) @ slope())),
        "Mixture of PyMC, which does not correspond",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_models_that_cannot_be_explained_say_why(name, rows):
    build, text = WRONG[name]
    with pm.Model() as model:
        build(rows)
    with pytest.raises(InputError, match=text):
        rsens.rsens(from_pymc(model, {"slope": np.ones((4, 30 if "row" in name else 3))}), rows)


@pytest.mark.parametrize(
    ("posterior", "text"),
    [
        ({"slope": DRAWS["slope"]}, "no draws of 'intercept', 'sigma'"),
        (xr.DataTree.from_dict({"prior": xr.Dataset({"slope": ("draw", [1.0])})}), "no group 'posterior'"),
        (3.0, "got float"),
    ],
)
def test_draws_that_do_not_fit_the_model(posterior, text, rows):
    with pytest.raises(InputError, match=text) as error:
        from_pymc(linear(rows), posterior)
    assert error.value.argument == "posterior"


def test_description_and_findings(sampled, rows):
    model = from_pymc(linear(rows), DRAWS)
    assert str(model.coded(rows).description).startswith("PyMC model with 50 draws: mixture of Normal prediction")
    with pytest.raises(InputError, match=r"the 3 columns of the model's pm\.Data; got 2"):
        rsens.rsens(model, rows[:, :2])
    program, posterior = sampled
    with pytest.raises(InputError, match=r"posterior draws, .*from_pymc\(model, posterior"):
        rsens.explain(program, rows)
    with pytest.raises(InputError, match="got DataTree"):
        from_pymc(posterior, program)
    assert [finding.name for finding in model.coded(rows).checks(rows)] == ["draws"]
