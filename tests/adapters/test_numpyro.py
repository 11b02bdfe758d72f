"""NumPyro models: the mixture of the draws' likelihoods, with exact derivatives, and what people get wrong by hand."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
import pytest
from numpyro.infer import MCMC, NUTS, Predictive

import rsens
from rsens import InputError, from_draws, from_numpyro
from tests.adapters.oracles import rsens_of_normals

rng = np.random.default_rng(0)
X = rng.normal(size=(12, 3))
SAMPLES = {
    "slope": rng.normal([1.0, -2.0, 0.5], 0.3, size=(50, 3)),
    "intercept": rng.normal(size=50),
    "sigma": np.exp(rng.normal(-1.0, 0.2, size=50)),
}


def linear(X, y=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0).expand([X.shape[1]]).to_event(1))
    intercept = numpyro.sample("intercept", dist.ImproperUniform(dist.constraints.real, (), ()))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))
    mean = numpyro.deterministic("mean", intercept + X @ slope)
    with numpyro.plate("rows", X.shape[0]):
        numpyro.sample("y", dist.Normal(mean, sigma), obs=y)


@pytest.fixture(scope="module")
def of_samples():
    return from_numpyro(linear, SAMPLES)


def test_rsens2_is_that_of_the_mean_and_variance(of_samples):
    """λ = (E m, E σ² + Var m) with m linear: only the variance bends, by 2 Cov(slopes)."""
    covariance = np.cov(SAMPLES["slope"].T, bias=True)
    means = X @ SAMPLES["slope"].T + SAMPLES["intercept"]
    variance = np.mean(SAMPLES["sigma"] ** 2) + means.var(axis=1)
    expected = np.abs(2.0 * covariance) / (np.sqrt(2.0) * variance[:, None, None])
    np.testing.assert_allclose(rsens.rsens2(of_samples, X), expected, rtol=1e-10)


def logistic(X, y=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0).expand([X.shape[1]]))
    numpyro.sample("y", dist.Bernoulli(logits=X @ slope), obs=y)


def counts(X, y=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0).expand([X.shape[1]]))
    size = numpyro.sample("sigma", dist.HalfNormal(1.0))
    numpyro.sample("y", dist.NegativeBinomial2(jnp.exp(0.3 * X @ slope), size), obs=y)


OTHERS = {
    logistic: lambda p, X: rsens.Bernoulli(logit=X @ p["slope"]),
    counts: lambda p, X: rsens.NegativeBinomial(np.exp(0.3 * X @ p["slope"]), p["sigma"]),
}


@pytest.mark.parametrize("program", OTHERS, ids=lambda program: program.__name__)
def test_likelihoods_are_converted_to_our_parameters(program):
    by_hand = from_draws(OTHERS[program], {name: SAMPLES[name] for name in ("slope", "sigma")})
    ours = from_numpyro(program, SAMPLES)
    np.testing.assert_allclose(rsens.rsens(ours, X), rsens.rsens(by_hand, X), rtol=1e-7)  # differences: 1e-10
    second = rsens.rsens2(by_hand, X)
    np.testing.assert_allclose(rsens.rsens2(ours, X), second, atol=1e-5 * second.max())  # second differences: 1e-7


@pytest.fixture(scope="module")
def mcmc():
    y = X @ [1.0, -2.0, 0.5] + 0.3 * rng.normal(size=len(X))
    sampler = MCMC(NUTS(linear), num_warmup=100, num_samples=200, progress_bar=False)
    sampler.run(jax.random.key(0), X, y)
    return sampler


@pytest.fixture(scope="module")
def of_mcmc(mcmc):
    return from_numpyro(linear, mcmc)


def test_nuts_end_to_end(mcmc, of_mcmc):
    before = jax.config.jax_enable_x64
    explanation = rsens.explain(of_mcmc, X, null=False, random_state=0)
    samples = mcmc.get_samples()
    draws = {name: np.asarray(samples[name], dtype=np.float64) for name in ("slope", "intercept", "sigma")}
    expected = rsens_of_normals(X, **draws) * X.std(axis=0)
    np.testing.assert_allclose(explanation.local_main, expected, rtol=1e-6)
    np.testing.assert_allclose(explanation.main, expected.mean(axis=0), rtol=1e-6)
    assert list(explanation.parts.columns) == ["prediction", "noise", "knowledge"]
    assert jax.config.jax_enable_x64 == before
    with pytest.raises(InputError, match=r"posterior draws, .*from_numpyro\(model, mcmc\)"):
        rsens.explain(mcmc, X)


def test_chains_are_stacked(mcmc, of_mcmc):
    by_chain = mcmc.get_samples(group_by_chain=True)
    assert by_chain["mean"].shape == (1, 200, len(X))  # a deterministic site, of the training rows
    expected = rsens.rsens(of_mcmc, X)
    np.testing.assert_array_equal(rsens.rsens(from_numpyro(linear, by_chain), X), expected)
    two = {name: values.reshape(2, 100, *values.shape[2:]) for name, values in by_chain.items()}
    np.testing.assert_array_equal(rsens.rsens(from_numpyro(linear, two), X), expected)


def test_the_result_of_cmdstanpy(of_samples):
    """Draws of the variables in the Stan program, chains stacked; a point estimate has no draws."""
    module = {"__module__": "cmdstanpy.stanfit", "stan_variables": lambda self: SAMPLES}
    fit, point = (type(name, (), module)() for name in ("CmdStanMCMC", "CmdStanMLE"))
    np.testing.assert_array_equal(rsens.rsens(from_numpyro(linear, fit), X), rsens.rsens(of_samples, X))
    with pytest.raises(InputError, match=r"must be posterior draws.* got CmdStanMLE"):
        from_numpyro(linear, point)


def test_whole_numbers_stay_whole_numbers():
    def model(X, y=None):
        shift = numpyro.sample("shift", dist.Normal(0.0, 1.0).expand([2]))
        group = numpyro.sample("group", dist.Bernoulli(0.5))
        numpyro.sample("y", dist.Normal(shift[group] * X[:, 0], 1.0), obs=y)

    samples = {"shift": np.tile([1.0, 3.0], (2, 1)), "group": np.array([1, 1])}
    np.testing.assert_allclose(rsens.rsens(from_numpyro(model, samples), X[:2, :1]), 3.0, rtol=1e-10)


def test_two_likelihoods_need_a_name_and_arguments_are_passed_on():
    def model(X, y, power, z=None):
        slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
        numpyro.sample("y", dist.Normal(slope * X[:, 0] ** power, 1.0), obs=jnp.zeros(X.shape[0]))
        numpyro.sample("z", dist.Poisson(jnp.exp(slope * X[:, 0])), obs=jnp.zeros(X.shape[0]))

    samples, x = {"slope": np.ones(2)}, X[0, 0]
    assert rsens.rsens(from_numpyro(model, samples, power=2), X[:1, :1]) == pytest.approx(2.0 * abs(x))
    assert rsens.rsens(from_numpyro(model, samples, site="z", power=2), X[:1, :1]) == pytest.approx(np.exp(x / 2))
    with pytest.raises(InputError, match=r"got 'w', and the model has 'y', 'z'"):
        rsens.rsens(from_numpyro(model, samples, site="w", power=2), X)


def test_categorical_columns_are_contrasts():
    def model(X, y=None):
        shift = numpyro.sample("shift", dist.Normal(0.0, 1.0).expand([2]))
        numpyro.sample("y", dist.Normal(shift[X[:, 1].astype(int)] + X[:, 0], 1.0), obs=y)

    rows = np.column_stack([X[:, 0], np.arange(12) % 2])
    model = from_numpyro(model, {"shift": np.tile([0.0, 3.0], (2, 1))}, categorical=[1])
    # Two equal draws: the divergence of Normals 3 apart, √(2·3²/2).
    np.testing.assert_allclose(rsens.rsens(model, rows), [[1.0, 3.0]] * 12, rtol=1e-6)


def latent_per_row(X, y=None):
    with numpyro.plate("rows", X.shape[0]):
        effect = numpyro.sample("effect", dist.Normal(0.0, 1.0))
        numpyro.sample("y", dist.Normal(effect + X[:, 0], 1.0), obs=y)


def fixed_plate(X, y=None):
    with numpyro.plate("rows", 60):
        numpyro.sample("y", dist.Normal(X[:, 0], 1.0), obs=y)


def free_param(X, y=None):
    weight = numpyro.param("weight", 1.0)
    numpyro.sample("y", dist.Normal(weight * X[:, 0], 1.0), obs=y)


def part_of_the_rows(X, y=None):
    with numpyro.plate("rows", X.shape[0], subsample_size=1) as rows:
        numpyro.sample("y", dist.Normal(X[rows, 0], 1.0), obs=y)


def branching(X, y=None):
    numpyro.sample("y", dist.Normal(X[:, 0] if X[0, 0] > 0 else X[:, 1], 1.0), obs=y)


WRONG = {
    latent_per_row: "draws 'effect' from",
    fixed_plate: "does not run for 2 rows and 3 columns",
    free_param: r"'weight' without a value.*handlers\.substitute",
    part_of_the_rows: "plate 'rows' takes a random part",
    branching: "cannot be traced by JAX",
}


@pytest.mark.parametrize("program", WRONG, ids=lambda program: program.__name__)
def test_models_that_cannot_be_explained_say_why(program):
    samples = {"effect": np.zeros((5, 12)), **SAMPLES}
    with pytest.raises(InputError, match=WRONG[program]):
        rsens.rsens(from_numpyro(program, samples), X)
    assert not numpyro.primitives._PYRO_STACK


@pytest.mark.parametrize(
    ("samples", "text"),
    [
        ({"slope": SAMPLES["slope"]}, "'intercept', 'sigma'"),
        ({**SAMPLES, "slope": SAMPLES["slope"][:, :2]}, r"'slope' has shape \(3,\).*got \(50, 2\)"),
        ({**SAMPLES, "sigma": SAMPLES["sigma"][:9]}, "'sigma': 9"),
        ({**SAMPLES, "sigma": SAMPLES["sigma"] * np.nan}, "'sigma' are not all finite"),
    ],
)
def test_draws_that_do_not_fit_the_model(samples, text):
    with pytest.raises(InputError, match=text) as error:
        rsens.rsens(from_numpyro(linear, samples), X)
    assert error.value.argument == "samples"


def test_a_predictive_is_neither_model_nor_samples(mcmc):
    predictive = Predictive(linear, mcmc.get_samples())
    with pytest.raises(InputError, match=r"must be the model function.*got Predictive"):
        from_numpyro(predictive, mcmc)
    for samples, text in (
        (predictive, "got Predictive"),
        (MCMC(NUTS(linear), num_warmup=1, num_samples=1), "has not run"),
    ):
        with pytest.raises(InputError, match=text):
            from_numpyro(linear, samples)


def test_the_description(of_samples):
    assert str(of_samples.built_for(X).description).startswith("NumPyro model with 50 draws: mixture of likelihoods")
    assert [finding.verdict for finding in of_samples.built_for(X).checks(X)] == ["warning"]  # few draws
