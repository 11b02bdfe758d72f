"""Pairs on the link scale: 0 where a model adds up, and otherwise |∂²η| in units of the information about η."""

import numpy as np
import pandas as pd
import pytest

import rsens
from rsens import distributions as ds
from rsens import explain, from_function
from rsens._errors import InputError
from rsens.adapters import read_for
from rsens.derivatives import iterate
from rsens.kernels import EQ, additive
from rsens.measures import on_link, rsens2_of
from rsens.measures._link import family_link
from tests.measures.models import MODELS, rows

N = 70
RNG = np.random.default_rng(7)
X = pd.DataFrame(RNG.normal(size=(N, 3)), columns=list("abc"))
X["k"] = RNG.choice(["u", "v", "w"], N)
X["t"] = RNG.random(N) < 0.4
F = X["a"] + np.sin(X["b"]) + 0.5 * X["c"] + X["t"] * (X["k"] == "u")
COUNTS = RNG.poisson(np.exp(0.4 * F))
LABELS = (F + RNG.logistic(size=N) > 0.0).astype(int)
NUMBERS = F + 0.1 * RNG.normal(size=N)
ADDITIVE = additive(5, categorical=[3, 4])
QUICK = {"n_restarts": 0, "random_state": 0, "tolerance": 1e-3}


def link_pairs(model, X, **options):
    """R-sens₂ of every row on the link scale."""
    source, table = read_for(model, X)
    return np.concatenate([rsens2_of(record, 1.0) for _, record in iterate(on_link(model, source), table, 2)])


ADDING_UP = {
    "linear": lambda: rsens.BayesianLinearRegression().fit(X, NUMBERS),
    "logistic": lambda: rsens.BayesianLogisticRegression().fit(X, LABELS),
    "probit, three classes": lambda: rsens.BayesianProbitRegression().fit(X, COUNTS % 3),
    "Poisson": lambda: rsens.BayesianPoissonRegression().fit(X, COUNTS),
    "GP": lambda: rsens.GPRegressor(ADDITIVE, **QUICK).fit(X, NUMBERS),
    "GP probit": lambda: rsens.GPClassifier(ADDITIVE, **QUICK).fit(X, LABELS),
    "GP logit, three classes": lambda: rsens.GPClassifier(ADDITIVE, link="logit", **QUICK).fit(X, COUNTS % 3),
    "Poisson GP": lambda: rsens.GPRegressor(ADDITIVE, likelihood="poisson", **QUICK).fit(X, COUNTS),
    "sparse Poisson GP": lambda: rsens.GPRegressor(ADDITIVE, likelihood="poisson", inducing=20, **QUICK).fit(X, COUNTS),
}


@pytest.mark.parametrize("name", ADDING_UP)
def test_a_model_that_adds_up_has_no_pairs(name):
    model = ADDING_UP[name]()
    result = explain(model, X, pairs="link", intervals=False)
    assert result.pairs.max() <= 1e-10 * result.main.max()
    if "linear" not in name and name != "GP":  # a probability and a rate bend
        assert explain(model, X, intervals=False).pairs.max() > 1e-3 * result.main.max()


def test_a_product_on_the_logit_scale():
    """η = x₀x₁: ∂²η = 1, and the information about η is π(1 − π)."""
    Z = np.random.default_rng(0).normal(size=(20, 2))
    model = from_function(lambda Z: ds.Bernoulli(logit=Z[:, 0] * Z[:, 1]))
    π = 1.0 / (1.0 + np.exp(-Z.prod(axis=1)))
    np.testing.assert_allclose(link_pairs(model, Z)[:, 0, 1], np.sqrt(π * (1.0 - π)), rtol=1e-6)
    result = explain(model, Z, pairs="link", scale=[2.0, 3.0], intervals=False)
    np.testing.assert_allclose(result.pairs, 2.0 * 3.0 * np.sqrt(π * (1.0 - π)).mean(), rtol=1e-6)


def test_levels_on_the_log_scale():
    """η = x·slope(level): the contrast of ∂η is the difference of slopes, times the root of the rate at the row."""
    slopes = np.array([0.0, 0.5, -1.0])
    frame = X[["a", "k"]]
    code, a = frame["k"].astype("category").cat.codes.to_numpy(), frame["a"].to_numpy()
    model = from_function(lambda Z: ds.Poisson(np.exp(slopes[Z[:, 1].astype(int)] * Z[:, 0])))
    share = np.bincount(code) / N
    away = np.array([[share[j] * (j != c) for j in range(3)] for c in code])
    gaps = np.abs(slopes[None, :] - slopes[code][:, None])
    expected = np.exp(0.5 * slopes[code] * a) * (away * gaps).sum(axis=1) / away.sum(axis=1)
    np.testing.assert_allclose(link_pairs(model, frame)[:, 0, 1], expected, rtol=1e-6)


@pytest.mark.parametrize("likelihood", ["gaussian", "student_t", "poisson", "negative_binomial"])
def test_eta_of_a_gp_is_the_latent_mean(likelihood):
    """Derivatives against differences of η itself, the information against ∂λ/∂m from the likelihood."""
    Z = X[["a", "b"]].to_numpy()
    y = COUNTS if likelihood in ("poisson", "negative_binomial") else NUMBERS
    model = rsens.GPRegressor(EQ(1.0, (1.0, 2.0)), likelihood, optimize=False).fit(Z, y)
    eta, first, second = model.link_derivatives(Z, 2)
    plain = from_function(lambda Z: ds.Normal(model.link_derivatives(Z, 0)[0][:, 0], 1.0)).derivatives(Z, 2)
    np.testing.assert_allclose(first[:, 0], plain.first[:, 0], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(second[:, 0], plain.second[:, 0], rtol=1e-4, atol=1e-5)
    distribution, _ = model.link_jacobian(Z)
    if likelihood == "gaussian":
        np.testing.assert_allclose(eta[:, 0], distribution.mean, rtol=1e-12)
        information = 1.0 / distribution.variance
    elif likelihood == "poisson":
        information = distribution.rate
    else:
        return
    expected = np.abs(second[:, 0]) * np.sqrt(information)[:, None, None]
    np.testing.assert_allclose(link_pairs(model, Z), expected, rtol=1e-9, atol=1e-12)


def test_information_of_three_classes():
    """One GP per class: J is the derivative of the normalised probabilities in the latent means, by differences."""
    model = rsens.BayesianLogisticRegression().fit(X[["a", "b"]], COUNTS % 3)
    Z, h = X[["a", "b"]], 1e-6
    _, jacobian = model.link_jacobian(Z)
    np.testing.assert_allclose(jacobian.sum(axis=1), 0.0, atol=1e-14)  # probabilities add up to 1
    for k in range(3):
        ends = []
        for step in (h, -h):
            moved = rsens.BayesianLogisticRegression().fit(X[["a", "b"]], COUNTS % 3)
            moved._posteriors[k].mean[0] += step
            ends.append(moved.predict_distribution(Z).parameters)
        np.testing.assert_allclose(jacobian[:, :, k], (ends[0] - ends[1]) / (2 * h), rtol=1e-5, atol=1e-8)


#: On no scale that we know do the effects on these add up.
WITHOUT_LINK = ("Histogram", "Mixture")


@pytest.mark.parametrize("family", [name for name in MODELS if name not in WITHOUT_LINK])
def test_links_of_families(family):
    """∂η and ∂²η in λ against differences, and J as an inverse: η moves by one if λ moves along its column of J."""
    λ = MODELS[family].derivatives(rows(), 1).distribution
    link = family_link(λ)
    k, m = link.eta.shape[1], λ.parameters.shape[1]
    # Of log probabilities only the differences count: moving all of them by the same moves no probability.
    unit = np.eye(k) - 1.0 / k if family == "Categorical" else np.eye(k)
    np.testing.assert_allclose(
        unit @ link.first @ link.jacobian @ unit, np.tile(unit, (len(λ.parameters), 1, 1)), atol=1e-12
    )
    if family in ("Categorical", "MultivariateNormal", "Binomial"):
        return
    h = 1e-5

    def at(values):
        return family_link(type(λ)(*values.T, *([4.0] if family == "StudentT" else [])).checked())

    for j in range(m):
        step = h * np.eye(m)[j] * λ.parameters
        up, down, width = at(λ.parameters + step), at(λ.parameters - step), 2.0 * step[:, j]
        np.testing.assert_allclose(link.first[:, 0, j], (up.eta - down.eta)[:, 0] / width, rtol=1e-7, atol=1e-8)
        slope = (up.first - down.first)[:, 0] / width[:, None]
        np.testing.assert_allclose(link.second[:, 0, j], slope, rtol=1e-6, atol=1e-7)


def test_only_pairs_change():
    model = rsens.GPClassifier(**QUICK).fit(X, LABELS)
    options = {"random_state": 0, "keep_local": "pairs"}
    plain, linked = explain(model, X, **options), explain(model, X, pairs="link", **options)
    pd.testing.assert_series_equal(linked.main, plain.main)
    pd.testing.assert_frame_equal(linked.intervals, plain.intervals)
    assert (linked.pairs != plain.pairs).all()
    upper = np.triu_indices(5, 1)
    np.testing.assert_allclose(linked.local_pairs.mean(axis=0)[upper], linked.pairs, rtol=1e-12)
    assert (linked.pair_intervals["lower"] <= linked.pairs).all()
    assert linked.pair_parts is None
    assert ["pairs on the link scale" in repr(each) for each in (plain, linked)] == [False, True]


def test_what_is_no_scale_and_what_has_no_link():
    Z = np.random.default_rng(0).normal(size=(5, 2))
    for family in WITHOUT_LINK:
        with pytest.raises(InputError, match=f"scale on which effects may add up, .* for a {family}"):
            link_pairs(MODELS[family], rows())
    mixture = from_function(lambda Z: ds.Mixture([ds.Normal(Z[:, 0], 1.0), ds.Normal(Z[:, 1], 1.0)], [0.5, 0.5]))
    with pytest.raises(InputError, match=r"pairs='link' needs a scale .* a Mixture"):
        explain(mixture, Z, pairs="link")
