"""Mixtures of many components: nodes must resolve the narrow ones among the wide ones."""

import numpy as np
import pytest

from rsens.distributions import Mixture, MultivariateNormal, Normal


def exact_norm(means, variances, changes):
    """sqrt E[(∂ log p · u)²], equal weights, changed means, by Gauss–Legendre between points of each component."""
    ends = np.unique(means[:, None] + np.sqrt(variances)[:, None] * np.linspace(-10.0, 10.0, 81))
    x, w = np.polynomial.legendre.leggauss(12)
    total = 0.0
    for low, high in zip(np.array_split(ends[:-1], 40), np.array_split(ends[1:], 40), strict=True):
        y = (low[:, None] + (high - low)[:, None] * (x + 1.0) / 2.0).ravel()
        weights = ((high - low)[:, None] * w / 2.0).ravel()
        densities = np.exp(-0.5 * (y[:, None] - means) ** 2 / variances) / np.sqrt(2.0 * np.pi * variances) / len(means)
        p = densities.sum(axis=1)
        slope = (densities * (y[:, None] - means) / variances * changes).sum(axis=1)
        total += np.sum(weights[p > 0.0] * slope[p > 0.0] ** 2 / p[p > 0.0])
    return np.sqrt(total)


@pytest.mark.parametrize("count", [3, 17, 24, 60])
def test_components_of_very_different_width(count):
    means, variances = np.linspace(-3.0, 3.0, count), 10.0 ** np.linspace(-6.0, 2.0, count)
    changes = np.random.default_rng(count).normal(size=count) * np.sqrt(variances)
    mixture = Mixture(
        [Normal(np.array([m]), np.array([v])) for m, v in zip(means, variances, strict=True)], np.full(count, 1 / count)
    )
    u = np.zeros((1, 2 * count))
    u[0, ::2] = changes
    np.testing.assert_allclose(mixture.fisher_norm(u), exact_norm(means, variances, changes), rtol=1e-10)


def test_more_parameters_than_the_kept_factor_allows():
    """Beyond 64 parameters B is not formed; lengths and the Gram matrix of whitened changes stay the same."""
    rng = np.random.default_rng(0)
    components = [Normal(rng.normal(size=3), rng.uniform(0.5, 2.0, 3)) for _ in range(33)]
    mixture, u = Mixture(components, np.full(33, 1 / 33)), rng.normal(size=(3, 66, 4))
    whitened = mixture.whiten(u)
    gram = np.einsum("nrd,nre->nde", whitened, whitened)
    by_matrix = np.einsum("nmd,nmk,nke->nde", u, mixture.fisher(), u)
    np.testing.assert_allclose(gram, by_matrix, rtol=1e-10)
    np.testing.assert_allclose(mixture.fisher_norm(u) ** 2, np.einsum("ndd->nd", gram), rtol=1e-12)


@pytest.mark.parametrize(("size", "accuracy"), [(2, 1e-8), (3, 1e-5), (4, 1e-5)])
def test_vectors_that_differ_along_one_axis_are_numbers_on_it(size, accuracy):
    """Two unit spheres, three apart: only the axis between them counts. The docstring promises these accuracies."""
    apart = np.eye(1, size) * 3.0
    vectors = Mixture([MultivariateNormal(m, np.eye(size)[None]) for m in (0.0 * apart, apart)], [0.5, 0.5])
    numbers = Mixture([Normal(np.array([m]), np.ones(1)) for m in (0.0, 3.0)], [0.5, 0.5])
    u = np.zeros((1, 2, size + size * (size + 1) // 2))
    u[0, :, 0] = 1.0, -0.5
    exact = numbers.fisher_norm(np.array([[1.0, 0.0, -0.5, 0.0]]))
    np.testing.assert_allclose(vectors.fisher_norm(u.reshape(1, -1)), exact, rtol=accuracy)
