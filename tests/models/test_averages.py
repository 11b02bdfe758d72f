"""Partial dependence of GPs in closed form: equal to asking the model, for every kernel that separates the columns."""

from typing import Any

import numpy as np
import pytest

from rsens.kernels import EQ, Kernel, Matern12, Matern32, Matern52, RationalQuadratic, additive
from rsens.models._averages import averaged_mean
from rsens.models._gp import GPRegressor
from rsens.posteriors import DenseRoot, LatentPosterior
from tests.kernels.cases import KERNELS, rows

INPUTS, X, HELD = rows(9, seed=3), rows(6, seed=4), rows(5, seed=5)
WEIGHTS = np.random.default_rng(6).normal(size=len(INPUTS))
COLUMNS = [(), (0,), (3,), (2, 1), (3, 0), (0, 1, 2), (0, 1, 2, 3)]


def leaves(kernel: Kernel) -> list[Any]:
    return [leaf for part in kernel.parts for leaf in leaves(part)] if hasattr(kernel, "parts") else [kernel]


def looks_across(kernel: Kernel, columns: tuple[int, ...]) -> bool:
    """Whether a kernel that does not separate its columns has some of them on each side."""
    whole = [leaf for leaf in leaves(kernel) if isinstance(leaf, Matern12 | Matern32 | Matern52 | RationalQuadratic)]
    seen = [set(range(4) if leaf.dims is None else leaf.dims) for leaf in whole]
    return any(dims & set(columns) and dims - set(columns) for dims in seen)


@pytest.mark.parametrize("columns", COLUMNS, ids=str)
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_every_kernel(kernel: Kernel, columns: tuple[int, ...]) -> None:
    posterior = LatentPosterior(kernel, INPUTS, WEIGHTS, DenseRoot(np.eye(len(INPUTS))), mean=0.7)
    got = averaged_mean(posterior, columns, HELD, X)
    if looks_across(kernel, columns):
        assert got is None
        return
    for held, average in zip(HELD, got, strict=True):
        mixed = X.copy()
        mixed[:, columns] = held[list(columns)]
        # kernels of mixed rows round differently: 1e-15 of the terms, which are of size 1 to 10
        assert average == pytest.approx(posterior.means(mixed).mean(), rel=1e-12, abs=1e-12)


NUMBERS = np.random.default_rng(9).normal([5.0, 0.0, -300.0], [2.0, 0.1, 40.0], size=(60, 3))
Y = NUMBERS[:, 0] * NUMBERS[:, 1] + 0.01 * NUMBERS[:, 2] + 0.1 * np.random.default_rng(10).normal(size=60)


@pytest.mark.parametrize(
    "model",
    [
        GPRegressor(n_restarts=0),
        GPRegressor(EQ(4.0, (2.0, 0.1, 40.0)), standardize=False, n_restarts=0),
        GPRegressor(additive(3, [(0, 1)]), inducing=20, n_restarts=0, random_state=0),
    ],
    ids=repr,
)
def test_fitted_models(model: Any) -> None:
    model.fit(NUMBERS, Y)
    for columns in [(0,), (2,), (1, 0)]:
        at = NUMBERS[:7, columns]
        got = model.partial_dependence(columns, at, NUMBERS)
        assert got.shape == (7, 1)
        for values, average in zip(at, got[:, 0], strict=True):
            mixed = NUMBERS.copy()
            mixed[:, columns] = values
            # weights of some 1e3 that cancel: 1e-13 of the predictions, which are of size 1
            assert average == pytest.approx(model.predict(mixed).mean(), rel=1e-10, abs=1e-10)


def test_models_without_a_closed_form() -> None:
    model = GPRegressor(Matern52(), n_restarts=0).fit(NUMBERS, Y)
    assert model.partial_dependence((0,), NUMBERS[:3, :1], NUMBERS) is None
    poisson = GPRegressor(likelihood="poisson", n_restarts=0).fit(NUMBERS, np.round(np.abs(Y)))
    assert poisson.partial_dependence((0,), NUMBERS[:3, :1], NUMBERS) is None
