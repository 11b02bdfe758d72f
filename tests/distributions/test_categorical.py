import numpy as np
import pytest

from rsens.distributions import Categorical
from tests.distributions.check import ALPHAS, check_fisher_norm, check_log_prob, check_renyi


def row(*probabilities: float) -> dict[str, list[float]]:
    return {"probabilities": list(probabilities)}


ROWS = [row(0.25, 0.25, 0.5), row(1e-300, 0.5, 0.5), row(0.125, 0.625, 0.25), row(2.0**-53, 2.0**-40, 1 - 2.0**-40)]
POINTS = [(r, float(y)) for r in ROWS for y in range(3)]
DIRECTIONS = [
    (ROWS[0], [1.0, -0.5, -0.5]),
    (ROWS[1], [1e-300, -0.5, 0.5]),
    (ROWS[1], [1e-155, -1e-155, 0.0]),
    (ROWS[2], [0.0, -1e-9, 1e-9]),
    (ROWS[3], [2.0**-54, -(2.0**-54), 0.0]),
]
TINY = 2.0**-20
PAIRS = [  # all sums are exactly one, so that the exact value does not depend on how they are normalised
    (row(0.25, 0.25, 0.5), row(0.125, 0.375, 0.5)),
    (row(0.25, 0.25, 0.5), row(0.25 + TINY, 0.25 - TINY, 0.5)),
    (row(0.25, 0.25, 0.5), row(0.25 + 2.0**-30, 0.25, 0.5 - 2.0**-30)),
    (row(2.0**-53, 0.5, 0.5 - 2.0**-53), row(0.25, 0.25, 0.5)),
    (row(1e-300, 0.5, 0.5), row(0.25, 0.25, 0.5)),
    (row(0.0, 0.5, 0.5), row(0.25, 0.25, 0.5)),
    (row(0.0, 0.5, 0.5), row(0.5, 0.0, 0.5)),
    (row(0.0, 0.0, 1.0), row(0.5, 0.5, 0.0)),
    (row(0.0, 0.5, 0.5), row(0.0, 0.25, 0.75)),
    (row(0.25, 0.25, 0.5), row(0.25, 0.25, 0.5)),
]


def test_log_prob() -> None:
    check_log_prob("Categorical", POINTS)


def test_log_prob_outside_the_support() -> None:
    family = Categorical(np.full((3, 2), 0.5))
    np.testing.assert_array_equal(family.log_prob(np.array([-1.0, 0.5, 2.0])), -np.inf)
    assert Categorical(np.array([[0.0, 1.0]])).log_prob(np.array([0.0]))[0] == -np.inf


def test_fisher_norm() -> None:
    check_fisher_norm("Categorical", DIRECTIONS)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_renyi(alpha: float) -> None:
    check_renyi("Categorical", PAIRS, alpha)


def test_many_classes_add_up() -> None:
    """A divergence over 1000 classes, against its definition."""
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(1000), size=2)
    for alpha in (0.5, 2.0):
        want = np.log(np.sum(p**alpha * q ** (1 - alpha))) / (alpha - 1)
        np.testing.assert_allclose(Categorical(p[None]).renyi(Categorical(q[None]), alpha), [want], rtol=1e-12)


def test_the_point_prediction_has_one_output_per_class() -> None:
    family = Categorical(np.array([[0.2, 0.3, 0.5]]))
    np.testing.assert_array_equal(family.prediction_gradient(), np.eye(3)[None])
    assert family.output_weight == 0.5
    assert family.parameters.shape == (1, 3)


def test_with_other_probabilities() -> None:
    other = Categorical([[0.2, 0.3, 0.5]]).with_parameters(np.array([[0.6, 0.3, 0.1]]))
    assert type(other) is Categorical
    assert other.probabilities.tolist() == [[0.6, 0.3, 0.1]]
