"""numpyro.distributions, also inside jit, vmap and jvp."""

import numpy as np
import pytest
from scipy.special import expit

import rsens
from rsens import InputError, as_family
from tests.conversions import values as v
from tests.conversions.values import Given, check

jax = pytest.importorskip("jax")
D = pytest.importorskip("numpyro.distributions")
jnp = jax.numpy


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


SHARED = v.of_torch_and_numpyro(D, np.asarray, D.transforms.AffineTransform, D.transforms.ExpTransform)
#: Made inside the tests, where JAX is in double precision. How to make it, its family, and y.
GIVEN = SHARED | {
    "BetaProportion": (lambda: D.BetaProportion(v.P, 9.0), rsens.Beta(9.0 * v.P, 9.0 * (1.0 - v.P)), v.INSIDE),
    "GammaPoisson": (lambda: D.GammaPoisson(v.SHAPE, v.SHAPE / v.POSITIVE), v.NEGATIVE_BINOMIAL, v.COUNTS),
    "NegativeBinomial2": (lambda: D.NegativeBinomial2(v.POSITIVE, v.SHAPE), v.NEGATIVE_BINOMIAL, v.COUNTS),
    "OrderedLogistic": (
        lambda: D.OrderedLogistic(np.array([0.0, 1.0, -1.0]), np.array([-0.5, 0.7])),
        rsens.Categorical(np.diff(expit([[-np.inf, -0.5, 0.7, np.inf]] - np.array([[0.0], [1.0], [-1.0]])))),
        v.CODES,
    ),
    "Independent-expanded": (
        lambda: D.Normal(0.3, 1.3).expand([3, 2]).to_event(1),
        rsens.MultivariateNormal([0.3, 0.3], 1.69 * np.eye(2)),
        v.PLANE,
    ),
    "Masked": (lambda: D.Normal(v.MEAN, v.SD).mask(True), v.NORMAL, v.REAL),
    "MixtureGeneral": (
        lambda: D.MixtureGeneral(
            D.Categorical(np.tile(v.WEIGHTS, (3, 1))), [D.Normal(v.MEANS[:, s], v.SDS[:, s]) for s in range(2)]
        ),
        v.MIXTURE,
        v.REAL,
    ),
}


@pytest.mark.parametrize("name", GIVEN)
def test_family_and_density(name):
    make, family, y = GIVEN[name]
    obj = make()
    kind = np.int64 if family.support == "classes" else np.float64
    # Seven digits is what JAX's betaln has.
    rtol = 1e-6 if isinstance(obj, D.GammaPoisson) else 1e-9
    log_prob = jax.jit(obj.log_prob)  # or every operation in it would be compiled on its own
    check(Given(name, obj, family, lambda grid: np.asarray(log_prob(grid.astype(kind))), y), rtol)


#: A function of one row x (2,) that makes the distribution, and λ by hand.
TRACED = {
    "Normal": (lambda x: D.Normal(jnp.sin(x[0]), jnp.exp(x[1])), lambda x: [jnp.sin(x[0]), jnp.exp(2.0 * x[1])]),
    "Gamma": (lambda x: D.Gamma(x[0], x[1]), lambda x: [x[0] / x[1], x[0]]),
    "Bernoulli": (lambda x: D.Bernoulli(logits=x[0] * x[1]), lambda x: [1.0 / (1.0 + jnp.exp(-x[0] * x[1]))]),
    "NegativeBinomial": (lambda x: D.NegativeBinomial(x[0], logits=x[1]), lambda x: [x[0] * jnp.exp(x[1]), x[0]]),
    "Categorical": (lambda x: D.Categorical(logits=x), lambda x: list(jax.nn.softmax(x))),
    "Mixture": (
        lambda x: D.MixtureSameFamily(MIXING, D.Normal(x, 1.5)),
        lambda x: [x[0], jnp.array(2.25), x[1], jnp.array(2.25)],
    ),
    "affine": (
        lambda x: D.TransformedDistribution(D.Normal(0.0, 1.0), D.transforms.AffineTransform(x[0], x[1])),
        lambda x: [x[0], x[1] ** 2],
    ),
}
#: Made once, outside of every trace: nothing traced may be left on it.
MIXING = D.Categorical(logits=np.log([0.2, 0.8]))
ROWS = np.random.default_rng(0).uniform(0.2, 0.9, size=(4, 2))


@pytest.fixture(scope="module")
def by_hand():
    """λ and its second derivatives at the rows, for each name; compiled once for all."""
    functions = {name: lambda x, λ=λ: jnp.stack(λ(x)) for name, (_, λ) in TRACED.items()}
    with jax.enable_x64(True):
        return jax.jit(lambda X: {k: (jax.vmap(f)(X), jax.vmap(jax.hessian(f))(X)) for k, f in functions.items()})(ROWS)


def test_gradients_under_jit_and_vmap(by_hand):
    def second(make):
        return jax.vmap(jax.jacfwd(jax.jacrev(lambda x: as_family(make(x)).parameters)))

    got = jax.jit(lambda X: {name: second(make)(X) for name, (make, _) in TRACED.items()})(ROWS)
    for name, (_, want) in by_hand.items():
        np.testing.assert_allclose(got[name], want, rtol=1e-12, atol=1e-14, err_msg=name)
    assert np.isfinite(np.asarray(MIXING.probs)).all()


def test_distributions_that_come_out_of_vmap(by_hand):
    """Their batch_shape is that of one row; their arrays have all rows."""
    objects = jax.jit(lambda X: {name: jax.vmap(make)(X) for name, (make, _) in TRACED.items()})(ROWS)
    for name, (want, _) in by_hand.items():
        np.testing.assert_allclose(as_family(objects[name]).parameters, want, rtol=1e-12, err_msg=name)


class Truncated(D.Normal):
    def log_prob(self, value, intermediates=None):
        return super().log_prob(value)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: D.Laplace(v.MEAN, v.SD), "Laplace of numpyro does not correspond"),
        (lambda: D.TruncatedNormal(v.MEAN, v.SD, low=0.0), "LeftTruncatedDistribution of numpyro does not correspond"),
        (lambda: Truncated(v.MEAN, v.SD), "Truncated of numpyro does not correspond"),
        (lambda: D.Poisson(np.exp(v.MEANS)).to_event(1), "Poisson: y is a vector or an array per row"),
    ],
)
def test_errors(make, text):
    with pytest.raises(InputError, match=text):
        as_family(make()).checked()
