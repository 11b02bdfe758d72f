"""The Gaussian of the rows, against the formulas for one column at a time."""

import numpy as np
import pytest

from rsens.black_box._gaussian import SampleGaussian

from .functions import correlated


def collinear() -> np.ndarray:
    x = correlated(50, D=4)
    return np.column_stack([x, x[:, 0] + x[:, 1], np.ones(50)])


@pytest.mark.parametrize(
    "x", [correlated(50, D=5), collinear(), correlated(50, D=1)], ids=["regular", "singular", "one"]
)
def test_distances_without_a_column(x):
    gaussian = SampleGaussian.of(x)
    for d in range(x.shape[1]):
        others = np.delete(x, d, axis=1)
        found = gaussian.distances() - gaussian.distances_in(d)
        if not others.shape[1]:
            np.testing.assert_allclose(found, 0.0, atol=1e-12)
            continue
        inverse = np.linalg.pinv(np.atleast_2d(np.cov(others.T)), rcond=1e-8, hermitian=True)
        difference = others[:, None] - others
        expected = np.einsum("ijd,de,ije->ij", difference, inverse, difference)
        # eigenvalues of 1e-10 in the place of 0 leave so much
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(gaussian.distances(7) - gaussian.distances_in(d, 7), found[:, [7]], atol=1e-10)


def test_a_column_that_is_determined_cannot_vary():
    x = collinear()
    gaussian = SampleGaussian.of(x)
    for d in (0, 1, 4, 5):  # x4 = x0 + x1, and x5 is constant
        mean, directions = gaussian.conditional((d,))
        assert not len(directions)
        np.testing.assert_allclose(mean[:, 0], x[:, d], rtol=1e-6)
    assert abs(gaussian.conditional((2,))[1][0, 0]) > 0.1
    x = np.column_stack([x[:, [0, 1, 2, 4]], x[:, 0] - x[:, 1]])
    assert SampleGaussian.of(x).conditional((3, 4))[1].shape == (0, 2)
    assert SampleGaussian.of(x).conditional((1, 3, 4))[1].shape == (1, 3)
