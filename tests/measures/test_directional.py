"""The directional form G and its leading directions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rsens import distributions as ds
from rsens._errors import InputError
from rsens.derivatives import from_function
from rsens.measures import active_subspace, directional, fourth_derivative, rsens
from tests.measures.models import MODELS, D, Surface, Written, constant, identity, rows, surface
from tests.measures.test_laws import Extreme

X = rows(20)
ROTATION, _ = np.linalg.qr(np.random.default_rng(5).normal(size=(D, D)))


@pytest.mark.parametrize("family", MODELS)
def test_g_is_rsens_along_every_direction(family: str) -> None:
    """In rotated inputs z, x = Qz, R-sens of z_k is that of x along q_k."""
    g = directional(MODELS[family], X, alpha=2.0)
    along = np.sqrt(np.einsum("dk,nde,ek->nk", ROTATION, g, ROTATION))
    rotated = rsens(MODELS[family].through(ROTATION), X @ ROTATION, alpha=2.0)
    np.testing.assert_allclose(rotated, along, rtol=1e-9)
    np.testing.assert_allclose(np.einsum("ndd->nd", g), rsens(MODELS[family], X, alpha=2.0) ** 2, rtol=1e-12)
    np.testing.assert_allclose(g, g.swapaxes(1, 2), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("family", MODELS)
def test_active_subspace_is_the_spectrum_of_the_mean(family: str) -> None:
    rng = np.random.default_rng(6)
    weights, scale = rng.uniform(size=len(X)), np.array([0.5, 2.0, 3.0])
    g = directional(MODELS[family], X, alpha=0.5) * np.outer(scale, scale)
    mean = np.einsum("n,nde->de", weights / weights.sum(), g)
    for model in (MODELS[family], replace(MODELS[family], rows=6)):
        found = active_subspace(model, X, weights=weights, scale=scale, alpha=0.5)
        np.testing.assert_allclose(found.mean, mean, rtol=1e-12, atol=1e-13 * mean.max())
        assert (np.diff(found.eigenvalues) <= 0).all()
        np.testing.assert_allclose(found.eigenvectors.T @ found.eigenvectors, np.eye(D), atol=1e-14)
        rebuilt = (found.eigenvectors * found.eigenvalues) @ found.eigenvectors.T
        np.testing.assert_allclose(rebuilt, mean, rtol=1e-12, atol=1e-13 * mean.max())
        largest = np.abs(found.eigenvectors).argmax(axis=0)
        assert (found.eigenvectors[largest, range(D)] > 0).all()


def test_a_ridge_has_one_direction_and_small_eigenvalues_stay_small() -> None:
    """f = aᵀx + ½ (aᵀx)², constant variance: G = (1 + aᵀx)² aaᵀ/v. Squaring first would leave eigenvalues of 1e-16."""
    a = np.array([1.0, -3.0, 0.5])
    model = Written([Surface(0.0, a, np.outer(a, a), identity), surface(1, constant)], ds.Normal)
    found = active_subspace(model, pd.DataFrame(X, columns=["u", "v", "w"]))
    assert found.names == ("u", "v", "w")
    np.testing.assert_allclose(found.eigenvectors[:, 0], -a / np.linalg.norm(a), rtol=1e-12)
    np.testing.assert_allclose(found.eigenvalues[0], ((1 + X @ a) ** 2).mean() * (a @ a) / 1.3, rtol=1e-12)
    assert (found.eigenvalues[1:] < 1e-28 * found.eigenvalues[0]).all()


def test_what_does_not_fit_is_an_error() -> None:
    levels = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": ["u", "v", "u"]})
    for measure in (directional, active_subspace, fourth_derivative):
        with pytest.raises(InputError, match="these columns are categorical: 'b'"):
            measure(from_function(lambda z: ds.Normal(z[:, 0] + z[:, 1], 1.0)), levels)
    x = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [3.0, 4.0, 6.0]})
    with pytest.raises(InputError, match="squared R-sens, is not a finite number at row 1, column 'a' and 'b'"):
        directional(Extreme([], ds.Normal), x)
    with pytest.raises(InputError, match="whitened derivative is not a finite number at row 1, column 'b'"):
        active_subspace(Extreme([], ds.Normal), x)
    with pytest.raises(InputError, match="mean of G, squared sensitivities, does not fit in float64"):
        active_subspace(MODELS["Normal"], X, scale=[1e200, 1.0, 1.0])


def test_fewer_rows_than_columns() -> None:
    model = Written([surface(1), surface(2, constant)], ds.Normal)
    found = active_subspace(model, X[:1])
    np.testing.assert_allclose(found.eigenvalues[0], (rsens(model, X[:1]) ** 2).sum(), rtol=1e-13)
    np.testing.assert_allclose(found.eigenvalues[1:], 0.0, atol=1e-30)
    np.testing.assert_allclose(found.eigenvectors.T @ found.eigenvectors, np.eye(D), atol=1e-14)
