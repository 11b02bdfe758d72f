"""A fit does not depend on the order in which the rows came, even if it begins on a subset or has inducing inputs."""

import numpy as np
import pytest

from rsens import rsens
from rsens.kernels import EQ
from tests.models.test_subset_search import model


def data(kind, n, repeated=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    if repeated:  # every row twice, on a grid, so that rows tie in every choice
        X[n // 2 :] = X[: n - n // 2]
        X = np.round(X, 1)
    f = np.sin(X[:, 0]) + 0.5 * X[:, 1] * X[:, 2]
    if kind == "poisson":
        return X, rng.poisson(np.exp(f)).astype(float)
    if kind == "probit":
        return X, np.where(f + 0.5 * rng.normal(size=n) > 0.0, "yes", "no")
    return X, f + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize(
    ("kind", "n", "inducing", "repeated"),
    [
        ("gaussian", 700, None, False),
        ("gaussian", 700, 25, True),
        ("gaussian", 3500, 25, False),
        ("probit", 700, 15, False),
        ("probit", 1500, 20, True),
        ("poisson", 700, 15, False),
        ("poisson", 2000, 20, True),
    ],
)
def test_rows_in_another_order(kind, n, inducing, repeated):
    X, y = data(kind, n, repeated)
    order = np.random.default_rng(1).permutation(n)
    one, other = (model(kind, inducing=inducing).fit(X[rows], y[rows]) for rows in (slice(None), order))
    np.testing.assert_allclose(one.kernel_.theta, other.kernel_.theta, rtol=1e-7, atol=1e-7)
    if inducing is not None:
        np.testing.assert_allclose(one.inducing_inputs_, other.inducing_inputs_, rtol=1e-9, atol=1e-12)
    expected = rsens(one, X[:100])
    np.testing.assert_allclose(rsens(other, X[:100]), expected, rtol=0, atol=1e-6 * expected.max())


def test_inducing_inputs_of_a_fixed_kernel_on_a_grid():
    """Distances on a grid agree up to rounding: the order of the rows must not decide which of them is taken."""
    axis = np.arange(30) / 10.0
    X = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)
    y, order = X[:, 0] * X[:, 1], np.random.default_rng(2).permutation(len(X))
    settings = {"kernel": EQ(1.0, (0.7, 0.7)), "optimize": False}
    one, other = (model("gaussian", inducing=40, **settings).fit(X[rows], y[rows]) for rows in (slice(None), order))
    np.testing.assert_allclose(one.inducing_inputs_, other.inducing_inputs_, rtol=1e-12, atol=1e-14)
