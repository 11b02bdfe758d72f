"""The search for hyperparameters, on functions whose top is known."""

import numpy as np
import pytest

from rsens._errors import InputError
from rsens.models._optimize import Optimizer, curvature, remembered

TOP, SCALES = np.array([1.0, -2.0, 0.5]), np.array([1.0, 30.0, 1000.0])


def optimizer(reach=10.0, max_iter=200):
    return Optimizer(np.tile([-reach, reach], (3, 1)), max_iter, 1e-12)


def hill(theta):
    gap = theta - TOP
    return 5.0 - 0.5 * float(np.sum(SCALES * gap**2)), -SCALES * gap


def test_the_best_of_several_starts():
    def two_hills(theta):
        """Tops at ±3 in the first entry; the one at +3 is 1 higher."""
        x = theta[0]
        value = -((x**2 - 9.0) ** 2) / 20.0 + x / 6.0
        gradient = np.array([-x * (x**2 - 9.0) / 5.0 + 1.0 / 6.0, -theta[1], -theta[2]])
        return value - 0.5 * np.sum(theta[1:] ** 2), gradient

    low, high = np.array([-3.1, 0.1, 0.1]), np.array([3.5, 0.1, 0.1])
    assert optimizer().best_of(two_hills, [low]).theta[0] < -2.5
    best = optimizer().best_of(two_hills, [low, high])
    assert best.theta[0] > 2.5
    assert best.converged
    assert best.steps > optimizer().best_of(two_hills, [high]).steps


def test_limits_are_kept():
    found = optimizer(reach=0.8).best_of(hill, [np.zeros(3)])
    np.testing.assert_allclose(found.theta, [0.8, -0.8, 0.5], atol=1e-6)
    assert found.converged
    refined = optimizer(reach=0.8).refined(hill, np.zeros(3), np.diag(SCALES))
    np.testing.assert_allclose(refined.theta, [0.8, -0.8, 0.5], atol=1e-5)


def test_with_known_curvature_a_few_steps_are_enough():
    np.testing.assert_allclose(curvature(hill, np.zeros(3)), np.diag(SCALES), atol=1e-8)
    asked = []
    known = remembered(lambda theta: asked.append(theta) or hill(theta))
    found = optimizer().refined(known, np.zeros(3), np.diag(SCALES))
    np.testing.assert_allclose(found.theta, TOP, atol=1e-5)
    assert found.converged
    assert found.steps <= 4 < optimizer().best_of(hill, [np.zeros(3)]).steps
    # LEAST_CURVATURE makes Newton's step one percent short in the flattest direction
    np.testing.assert_allclose(asked[1], TOP, rtol=0.011)


@pytest.mark.parametrize("comes_back", [False, True])
def test_an_entry_that_rises_for_ever_goes_to_its_limit(comes_back):
    """Entry 0 rises like −exp(−2θ); with `comes_back` it falls again, with a summit beyond `far`."""

    def slope(theta):
        x, (y, z) = theta[0], theta[1:]
        w, pull = np.exp(-2.0 * x), 1e-3 if comes_back else 0.0  # −w − pull²/w has its summit at w = pull
        value = -w - pull**2 / w - 0.5 * (y - 1.0) ** 2 - 50.0 * (z - 0.1 * y) ** 2
        gap = 100.0 * (z - 0.1 * y)
        return value, np.array([2.0 * w - 2.0 * pull**2 / w, 1.0 - y + 0.1 * gap, -gap])

    known, far = np.diag([4.0, 2.0, 100.0]), np.array([2.0, np.inf, np.inf])
    found = optimizer().refined(remembered(slope), np.zeros(3), known, far)
    np.testing.assert_allclose(found.theta[1:], [1.0, 0.1], atol=1e-4)
    np.testing.assert_allclose(found.theta[0], -0.5 * np.log(1e-3) if comes_back else 10.0, atol=1e-3)


def test_places_where_nothing_can_be_computed_are_left():
    def cliff(theta):
        if theta[0] > 1.5:
            raise InputError("beyond the cliff")
        return hill(theta) if theta[2] > -5.0 else (np.nan, theta)

    found = optimizer().best_of(cliff, [np.array([-9.0, 9.0, 9.0])])
    np.testing.assert_allclose(found.theta, TOP, atol=1e-4)
    with pytest.raises(InputError, match="beyond the cliff"):
        optimizer().best_of(cliff, [np.array([2.0, 0.0, 0.0])])
    with pytest.raises(InputError, match="where the search starts"):
        optimizer().best_of(cliff, [np.array([0.0, 0.0, -9.0])])
    # A random start that fails does not spoil the others.
    found = optimizer().best_of(cliff, [np.zeros(3), np.array([2.0, 0.0, 0.0])])
    np.testing.assert_allclose(found.theta, TOP, atol=1e-4)


def test_the_first_step_has_length_1_however_steep_it_is():
    seen = []

    def steep(theta):
        seen.append(theta.copy())
        return -500.0 * float(np.sum((theta - 3.0) ** 2)), -1000.0 * (theta - 3.0)

    optimizer(100).best_of(steep, [np.zeros(3)])
    assert np.linalg.norm(seen[1] - seen[0]) <= 1.0 + 1e-12
    np.testing.assert_allclose(seen[-1], 3.0, rtol=1e-6)
