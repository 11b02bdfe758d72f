import numpy as np
import pytest

from rsens.distributions import Bernoulli
from tests.distributions.check import ALPHAS, check_fisher_norm, check_log_prob, check_renyi


def at(probability: float) -> dict[str, float]:
    return {"probability": probability}


def logit(z: float) -> dict[str, float]:
    return {"logit": z}


ROWS = [at(0.3), at(1e-300), at(1e-20), at(1.0 - 2.0**-53), at(0.5), at(1.0 - 1e-9)]
ROWS += [logit(z) for z in (0.4, 30.0, -30.0, 700.0, -700.0, 1e-9, -40.0, 0.0)]
POINTS = [(row, y) for row in ROWS for y in (0.0, 1.0)]
DIRECTIONS = [(row, [u]) for row in ROWS for u in (1.0, -1e-10)] + [(logit(700.0), [1e-304]), (at(1e-300), [1e-300])]
PAIRS = [
    (at(0.3), at(0.6)),
    (at(0.3), at(0.3 * (1 + 1e-6))),
    (at(0.3), at(0.3 + 1e-3)),
    (at(0.5), at(0.5 + 1e-6)),
    (at(1e-300), at(1e-300 * (1 + 1e-3))),
    (at(1e-300), at(1e-200)),
    (at(1e-300), at(0.5)),
    (at(1e-300), at(1.0 - 2.0**-53)),
    (at(1.0 - 2.0**-53), at(1.0 - 2.0**-50)),
    (at(1e-20), at(1e-20 * (1 + 1e-5))),
    (at(0.0), at(0.3)),
    (at(1.0), at(0.3)),
    (at(0.0), at(1.0)),
    (at(0.0), at(0.0)),
    (at(0.25), at(0.25)),
    (logit(0.4), logit(-1.0)),
    (logit(0.4), logit(0.4 + 1e-6)),
    (logit(30.0), logit(30.0 + 1e-4)),
    (logit(-30.0), logit(-30.0 - 1e-4)),
    (logit(30.0), logit(-30.0)),
    (logit(700.0), logit(690.0)),
    (logit(-700.0), logit(-690.0)),
    (logit(700.0), logit(-700.0)),
    (logit(650.0), logit(650.0 + 1e-5)),
    (logit(-650.0), logit(-650.0 - 1e-5)),
    (logit(-27.0), logit(-0.2)),
    (logit(23.0), logit(-1.75)),
    (logit(27.0), logit(6.0)),
    (logit(2.0), logit(2.0)),
]


def test_log_prob() -> None:
    check_log_prob("Bernoulli", POINTS)


def test_log_prob_outside_the_support() -> None:
    np.testing.assert_array_equal(Bernoulli(np.full(3, 0.5)).log_prob(np.array([-1.0, 0.5, 2.0])), -np.inf)


def test_log_prob_of_the_impossible() -> None:
    np.testing.assert_array_equal(Bernoulli(np.array([0.0, 1.0])).log_prob(np.array([1.0, 0.0])), -np.inf)
    np.testing.assert_array_equal(Bernoulli(np.array([0.0, 1.0])).log_prob(np.array([0.0, 1.0])), 0.0)


def test_fisher_norm() -> None:
    check_fisher_norm("Bernoulli", DIRECTIONS)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_renyi(alpha: float) -> None:
    check_renyi("Bernoulli", PAIRS, alpha)


def test_probability_and_logit_agree() -> None:
    z, other = np.array([-3.0, 0.0, 0.7, 5.0]), np.array([-2.9, 1.0, -0.7, 4.0])
    by_logit, by_probability = Bernoulli(logit=z), Bernoulli(1 / (1 + np.exp(-z)))
    others = Bernoulli(logit=other), Bernoulli(1 / (1 + np.exp(-other)))
    y = np.array([0.0, 1.0, 1.0, 0.0])
    assert by_logit.parameter_names == by_probability.parameter_names == ("probability",)
    np.testing.assert_allclose(by_logit.parameters, by_probability.parameters, rtol=1e-15)
    np.testing.assert_allclose(by_logit.mean, by_probability.mean, rtol=1e-15)
    np.testing.assert_allclose(by_logit.variance, by_probability.variance, rtol=1e-13)
    np.testing.assert_allclose(by_logit.log_prob(y), by_probability.log_prob(y), rtol=1e-13)
    np.testing.assert_allclose(by_logit.score(y), by_probability.score(y), rtol=1e-13)
    np.testing.assert_allclose(by_logit.fisher(), by_probability.fisher(), rtol=1e-13)
    np.testing.assert_allclose(by_logit.prediction_gradient(), by_probability.prediction_gradient())
    for alpha in ALPHAS:
        np.testing.assert_allclose(
            by_logit.renyi(others[0], alpha), by_probability.renyi(others[1], alpha), rtol=1e-11, atol=1e-15
        )


def test_probability_against_logit() -> None:
    """The two ways of giving π may be mixed in one divergence."""
    p, q = np.array([0.3, 0.9]), 1 / (1 + np.exp([-0.4, 2.0]))
    want = np.log(p**2 / q + (1 - p) ** 2 / (1 - q))
    np.testing.assert_allclose(Bernoulli(p).renyi(Bernoulli(logit=np.array([0.4, -2.0])), 2.0), want, rtol=1e-13)
    np.testing.assert_allclose(Bernoulli(logit=np.array([0.4, -2.0])).renyi(Bernoulli(q), 2.0), 0.0, atol=1e-30)


def test_moments() -> None:
    family = Bernoulli(np.array([0.2]))
    np.testing.assert_allclose(family.mean, 0.2)
    np.testing.assert_allclose(family.variance, 0.16, rtol=1e-14)
