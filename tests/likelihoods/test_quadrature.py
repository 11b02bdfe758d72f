"""The rule that the likelihoods integrate with, on integrals that are known."""

import numpy as np

from rsens.likelihoods._quadrature import integral


def gaussian(x: np.ndarray, mean: np.ndarray, sd: np.ndarray) -> np.ndarray:
    return -0.5 * ((x - mean) / sd) ** 2


def test_finds_a_narrow_summit_in_a_wide_interval() -> None:
    mean, sd = np.array([0.0, 1.234, -5e5, 5e5]), np.array([1.0, 1e-6, 10.0, 1e-3])
    log_total, first = integral(
        gaussian, np.full(4, -1e6), np.full(4, 1e6), np.inf, (mean, sd), (lambda x, mean, sd: (x - mean) / sd + 3.0,)
    )
    np.testing.assert_allclose(log_total, np.log(sd * np.sqrt(2 * np.pi)), rtol=0, atol=1e-6)
    np.testing.assert_allclose(first, 3.0, rtol=1e-6)


def test_step_is_the_largest_distance_between_nodes() -> None:
    """A logistic step inside a wide Gaussian window is resolved only if the step is kept."""

    def soft_half_line(x: np.ndarray) -> np.ndarray:
        return -np.exp(np.minimum(x, 700.0)) - x**2 / 2e4

    fine = integral(soft_half_line, np.array([-1200.0]), np.array([1200.0]), 0.3, ())[0]
    finer = integral(soft_half_line, np.array([-1200.0]), np.array([1200.0]), 0.02, ())[0]
    coarse = integral(soft_half_line, np.array([-1200.0]), np.array([1200.0]), np.inf, ())[0]
    np.testing.assert_allclose(fine, finer, rtol=1e-13)
    assert abs(coarse - fine)[0] > 1e-6
