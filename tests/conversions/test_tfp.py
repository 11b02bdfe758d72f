"""TensorFlow Probability and its like. Where it is not installed, classes of the same names stand in for it."""

import numpy as np
import pytest

import rsens
from rsens import InputError, as_family
from tests.conversions import values as v


class Distribution:
    """The part that is used: arguments as attributes, None where one was left out, and all of them in `parameters`."""

    optional = ("logits", "probs", "rate", "log_rate")

    def __init__(self, **arguments):
        self.parameters = dict.fromkeys(self.optional) | arguments
        for name, value in self.parameters.items():
            setattr(self, name, value)

    def log_prob(self, value):
        raise NotImplementedError("a stand-in")


class MultivariateNormalLinearOperator(Distribution):
    def mean(self):
        return self.loc

    def covariance(self):
        return self.scale_tril @ np.swapaxes(self.scale_tril, -1, -2)


class StandIns:
    """Makes a class of any name."""

    def __getattr__(self, name):
        ancestor = MultivariateNormalLinearOperator if name.startswith("MultivariateNormal") else Distribution
        return type(name, (ancestor,), {})


def libraries():
    """Stand-ins, and TensorFlow Probability where it is installed."""
    stand_ins = {"stand-in": (StandIns(), StandIns())}
    try:
        import tensorflow_probability as tfp
    except ImportError:
        return stand_ins
    return {**stand_ins, "tfp": (tfp.distributions, tfp.bijectors)}


LIBRARIES = libraries()
SOURCES = pytest.mark.parametrize("library", LIBRARIES)


def given(D, B):
    """A distribution from these modules of distributions and bijectors, the family, and y."""
    components = [D.Normal(loc=v.MEANS[:, s], scale=v.SDS[:, s]) for s in range(2)]
    return {
        "Normal": (D.Normal(loc=v.MEAN, scale=v.SD), v.NORMAL, v.REAL),
        "StudentT": (D.StudentT(df=v.DF, loc=v.MEAN, scale=v.SD), v.STUDENT, v.REAL),
        "Cauchy": (D.Cauchy(loc=v.MEAN, scale=v.SD), v.CAUCHY, v.REAL),
        "LogNormal": (D.LogNormal(loc=v.MEAN, scale=v.SD), v.LOGNORMAL, v.ABOVE),
        "Gamma": (D.Gamma(concentration=v.SHAPE, rate=v.SHAPE / v.POSITIVE), v.GAMMA, v.ABOVE),
        "Gamma-log": (D.Gamma(concentration=v.SHAPE, log_rate=np.log(v.SHAPE / v.POSITIVE)), v.GAMMA, v.ABOVE),
        "Exponential": (D.Exponential(rate=1.0 / v.POSITIVE), v.EXPONENTIAL, v.ABOVE),
        "Beta": (D.Beta(concentration1=v.POSITIVE, concentration0=v.SHAPE), v.BETA, v.INSIDE),
        "Weibull": (D.Weibull(concentration=v.SHAPE, scale=v.POSITIVE), v.WEIBULL, v.ABOVE),
        "Bernoulli": (D.Bernoulli(probs=v.P), v.BERNOULLI, v.EVENTS),
        "Bernoulli-logits": (D.Bernoulli(logits=v.LOGIT), v.BERNOULLI_LOGIT, v.EVENTS),
        "Binomial": (D.Binomial(total_count=9.0, probs=v.P), v.BINOMIAL, v.COUNTS),
        "Binomial-logits": (D.Binomial(total_count=9.0, logits=v.LOGIT), v.BINOMIAL_LOGIT, v.COUNTS),
        "Poisson": (D.Poisson(rate=v.POSITIVE), v.POISSON, v.COUNTS),
        "Poisson-log": (D.Poisson(log_rate=np.log(v.POSITIVE)), v.POISSON, v.COUNTS),
        "NegativeBinomial": (
            D.NegativeBinomial(total_count=v.SHAPE, probs=v.POSITIVE / (v.POSITIVE + v.SHAPE)),
            v.NEGATIVE_BINOMIAL, v.COUNTS,
        ),
        "NegativeBinomial-logits": (
            D.NegativeBinomial(total_count=v.SHAPE, logits=np.log(v.POSITIVE / v.SHAPE)), v.NEGATIVE_BINOMIAL, v.COUNTS
        ),
        "Geometric": (D.Geometric(probs=v.P), rsens.NegativeBinomial((1 - v.P) / v.P, 1.0), v.COUNTS),
        "Categorical": (D.Categorical(probs=v.CLASSES), v.CATEGORICAL, v.CODES),
        "Categorical-logits": (D.Categorical(logits=3.0 + np.log(v.CLASSES)), v.CATEGORICAL, v.CODES),
        "MultivariateNormalTriL": (
            D.MultivariateNormalTriL(loc=v.VECTOR, scale_tril=np.linalg.cholesky(v.COVARIANCE)),
            v.MULTIVARIATE, v.PLANE,
        ),
        "Independent": (
            D.Independent(distribution=D.Normal(loc=v.VECTOR, scale=v.SDS), reinterpreted_batch_ndims=1),
            v.INDEPENDENT, v.PLANE,
        ),
        "MixtureSameFamily": (
            D.MixtureSameFamily(
                mixture_distribution=D.Categorical(logits=np.log(v.WEIGHTS)),
                components_distribution=D.Normal(loc=v.MEANS, scale=v.SDS)
            ),
            v.MIXTURE, v.REAL,
        ),
        "Mixture": (
            D.Mixture(cat=D.Categorical(probs=np.tile(v.WEIGHTS, (3, 1))), components=components), v.MIXTURE, v.REAL
        ),
        "transformed": (
            D.TransformedDistribution(
                distribution=D.Normal(loc=np.zeros(3), scale=np.ones(3)),
                bijector=B.Chain(bijectors=[B.Exp(), B.Shift(shift=v.MEAN), B.Scale(scale=v.SD)]),
            ),
            v.LOGNORMAL, v.ABOVE,
        ),
    }  # fmt: skip


GIVEN = {library: given(*modules) for library, modules in LIBRARIES.items()}


@SOURCES
@pytest.mark.parametrize("name", GIVEN["stand-in"])
def test_family_and_density(library, name):
    obj, family, y = GIVEN[library][name]
    got = as_family(obj)
    assert type(got) is type(family)
    assert ("logit" in got.fields()) == ("logit" in family.fields())
    # TensorFlow Probability keeps the parameters of a Bernoulli in single precision.
    rtol = 1e-7 if library == "tfp" and type(family) is rsens.Bernoulli else 1e-13
    np.testing.assert_allclose(got.checked(3).parameters, family.checked(3).parameters, rtol=rtol, atol=1e-16)
    if library != "stand-in":
        grid = np.repeat(y[:, None], 3, axis=1)
        # Some of its densities are right to seven digits only.
        np.testing.assert_allclose(got.checked(3).log_prob(grid), obj.log_prob(grid), rtol=1e-6, atol=1e-9)


@SOURCES
def test_others(library):
    D, B = LIBRARIES[library]
    with pytest.raises(InputError, match=r"Laplace of .* does not correspond"):
        as_family(D.Laplace(loc=v.MEAN, scale=v.SD))
    with pytest.raises(InputError, match="a Normal transformed by Softplus does not correspond"):
        as_family(D.TransformedDistribution(distribution=D.Normal(loc=v.MEAN, scale=v.SD), bijector=B.Softplus()))


def test_gradients_flow():
    """With its classes on JAX, which has them under the same names."""
    jax = pytest.importorskip("jax")
    D, _ = LIBRARIES["stand-in"]
    rows = np.random.default_rng(0).uniform(0.2, 0.9, size=(4, 2))
    foreign = rsens.from_jax(lambda X: D.Gamma(concentration=X[:, 0], log_rate=X[:, 1]))
    own = rsens.from_jax(lambda X: rsens.Gamma(X[:, 0] * jax.numpy.exp(-X[:, 1]), X[:, 0]))
    np.testing.assert_allclose(rsens.rsens2(foreign, rows), rsens.rsens2(own, rows), rtol=1e-12)
