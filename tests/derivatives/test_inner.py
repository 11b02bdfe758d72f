"""Derivatives of what happens before a model: against the chain rule, and put one behind the other."""

import numpy as np
import pytest

from rsens.derivatives import Inner, chain_rule

rng = np.random.default_rng(0)
N, L, D, M = 5, 4, 3, 2


def symmetric(*shape):
    values = rng.normal(size=shape)
    return values + np.swapaxes(values, -1, -2)


J, H = rng.normal(size=(N, L, D)), symmetric(N, L, D, D)
FIRST, SECOND = rng.normal(size=(N, M, L)), symmetric(N, M, L, L)


@pytest.mark.parametrize("bent", [True, False], ids=["bent", "straight"])
def test_the_chain_rule(bent):
    first, second = Inner(J, H if bent else None).chain(FIRST, SECOND)
    expected = chain_rule(J, H if bent else 0.0 * H, FIRST, SECOND)
    np.testing.assert_allclose(first, expected[0])
    np.testing.assert_allclose(second, expected[1], atol=1e-12)


def test_what_is_none_is_zero():
    """Of a linear outer function only the inner one bends; two straight ones do not."""
    np.testing.assert_allclose(Inner(J, H).chain(FIRST, None)[1], chain_rule(J, H, FIRST, 0.0 * SECOND)[1])
    assert Inner(J).chain(FIRST, None)[1] is None


def test_the_same_at_all_rows():
    """One row stands for all."""
    first, second = Inner(J[:1], H[:1]).chain(FIRST, SECOND)
    expected = Inner(np.repeat(J[:1], N, 0), np.repeat(H[:1], N, 0)).chain(FIRST, SECOND)
    np.testing.assert_allclose(first, expected[0])
    np.testing.assert_allclose(second, expected[1])
    part = Inner(J[:1], H).rows(slice(2, 4))
    assert part.first.shape == (1, L, D)
    np.testing.assert_array_equal(part.second, H[2:4])


def test_one_behind_the_other():
    """x² and then sin: sin(x²) has the derivatives 2x cos(x²) and 2cos(x²) − 4x² sin(x²)."""
    x = rng.normal(size=(N, 1, 1))
    square = Inner(2.0 * x, np.full((N, 1, 1, 1), 2.0))
    sine = Inner(np.cos(x**2), -np.sin(x**2)[..., None])
    both = square.into(sine)
    np.testing.assert_allclose(both.first, 2.0 * x * np.cos(x**2))
    np.testing.assert_allclose(both.second, (2.0 * np.cos(x**2) - 4.0 * x**2 * np.sin(x**2))[..., None])
    assert both.n_columns == 1
