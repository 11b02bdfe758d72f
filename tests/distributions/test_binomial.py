import numpy as np
import pytest

from rsens.distributions import Bernoulli, Binomial, Categorical, Poisson
from tests.distributions.check import ALPHAS, check_fisher_norm, check_log_prob, check_renyi


def at(n: float, probability: float) -> dict[str, float]:
    return {"n": n, "probability": probability}


def logit(n: float, z: float) -> dict[str, float]:
    return {"n": n, "logit": z}


POINTS = [
    (at(7.0, 0.3), 2.0),
    (at(7.0, 0.3), 0.0),
    (at(7.0, 0.3), 7.0),
    (at(1e6, 0.3), 300123.0),
    (at(1e9, 0.3), 300010000.0),
    (at(1e9, 0.5), 5e8),
    (at(1e9, 1e-9), 1.0),
    (at(1e9, 1e-300), 1.0),
    (at(1e9, 1.0 - 1e-9), 999999998.0),
    (at(40.0, 1e-300), 0.0),
    (logit(7.0, 0.4), 3.0),
    (logit(40.0, 700.0), 40.0),
    (logit(40.0, -700.0), 1.0),
    (logit(1e6, -30.0), 0.0),
]
DIRECTIONS = [
    (at(7.0, 0.3), [1.0]),
    (at(1e9, 0.3), [-0.1]),
    (at(1e9, 1e-300), [1e-300]),
    (logit(12.0, 700.0), [1e-304]),
    (logit(1e9, -700.0), [1e-300]),
]
PAIRS = [
    (at(7.0, 0.3), at(7.0, 0.6)),
    (at(7.0, 0.3), at(7.0, 0.3 * (1 + 1e-6))),
    (at(1e9, 0.3), at(1e9, 0.3 * (1 + 1e-6))),
    (at(1e9, 1e-300), at(1e9, 1e-200)),
    (at(1e6, 0.5), at(1e6, 0.5 + 1e-5)),
    (at(3.0, 0.0), at(3.0, 0.3)),
    (at(3.0, 0.2), at(3.0, 0.2)),
    (logit(9.0, 0.4), logit(9.0, -1.0)),
    (logit(9.0, 700.0), logit(9.0, 690.0)),
    (logit(9.0, -30.0), logit(9.0, -30.0 - 1e-4)),
]


def test_log_prob() -> None:
    check_log_prob("Binomial", POINTS)


def test_log_prob_outside_the_support() -> None:
    np.testing.assert_array_equal(Binomial(5.0, np.full(3, 0.5)).log_prob(np.array([-1.0, 2.5, 6.0])), -np.inf)


def test_fisher_norm() -> None:
    check_fisher_norm("Binomial", DIRECTIONS)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_renyi(alpha: float) -> None:
    check_renyi("Binomial", PAIRS, alpha)


def test_moments() -> None:
    family = Binomial(10, np.array([0.2]))
    np.testing.assert_allclose(family.mean, 2.0, rtol=1e-15)
    np.testing.assert_allclose(family.variance, 1.6, rtol=1e-14)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_one_trial_is_bernoulli_is_two_classes(alpha: float) -> None:
    p, other = np.array([0.25, 0.625, 1e-10]), np.array([0.5, 0.375, 1e-9])
    one, bernoulli = Binomial(1, p), Bernoulli(p)
    classes, others = (Categorical(np.stack([1 - x, x], -1)) for x in (p, other))
    want = bernoulli.renyi(Bernoulli(other), alpha)
    np.testing.assert_allclose(one.renyi(Binomial(1, other), alpha), want, rtol=1e-13)
    # 1 − 1e-10 is rounded, so that two classes know 1e-10 only to 1e-16 absolutely.
    np.testing.assert_allclose(classes.renyi(others, alpha), want, rtol=1e-13, atol=1e-15)


def test_one_trial_is_bernoulli_is_two_classes_locally() -> None:
    p, u, y = np.array([0.25, 0.625]), np.array([[0.3], [-2.0]]), np.array([1.0, 0.0])
    one, bernoulli, classes = Binomial(1, p), Bernoulli(p), Categorical(np.stack([1 - p, p], -1))
    np.testing.assert_allclose(one.log_prob(y), bernoulli.log_prob(y), rtol=1e-14)
    np.testing.assert_allclose(classes.log_prob(y), bernoulli.log_prob(y), rtol=1e-14)
    np.testing.assert_allclose(one.fisher_norm(u), bernoulli.fisher_norm(u), rtol=1e-14)
    np.testing.assert_allclose(classes.fisher_norm(np.hstack([-u, u])), bernoulli.fisher_norm(u), rtol=1e-14)
    assert one.parameter_names == bernoulli.parameter_names
    np.testing.assert_array_equal(one.prediction_gradient(), bernoulli.prediction_gradient())


def test_rare_successes_are_poisson() -> None:
    """n = 1e9 with p = 3e-9: the log density differs from Poisson(3) by O(1/n)."""
    y = np.array([0.0, 2.0, 9.0])
    binomial, poisson = Binomial(1e9, np.full(3, 3e-9)), Poisson(np.full(3, 3.0))
    np.testing.assert_allclose(binomial.log_prob(y), poisson.log_prob(y), rtol=1e-7)
    np.testing.assert_allclose(
        binomial.renyi(Binomial(1e9, np.full(3, 4e-9)), 2.0), poisson.renyi(Poisson(np.full(3, 4.0)), 2.0), rtol=1e-7
    )
