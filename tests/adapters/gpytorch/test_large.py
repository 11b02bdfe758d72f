"""Above 800 rows GPyTorch turns to conjugate gradients, which are far too coarse for derivatives."""

from __future__ import annotations

from contextlib import contextmanager

import gpytorch
import numpy as np
import pytest
import torch

import rsens
from rsens.adapters import as_model
from rsens.kernels import EQ
from tests.adapters.gpytorch.processes import D, exact, gaussian, own, rbf, relative, scaled
from tests.adapters.gpytorch.test_autograd import users_rbf

N = 900
RNG = np.random.default_rng(3)
X = RNG.normal(size=(N, D))
Y = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.05 * RNG.normal(size=N)
ROWS = np.vstack([X[:3], X[:3] + 0.1])


@contextmanager
def defaults():
    """GPyTorch's own settings; whoever imports BoTorch has others."""
    with gpytorch.settings.fast_computations(True, True, True), gpytorch.settings.max_cholesky_size(800):
        yield


@pytest.fixture(scope="module")
def native():
    return own(EQ(1.7, (0.8, 2.5, 1.1)), noise=1e-3, inputs=X, targets=Y)


@pytest.mark.parametrize("kernel", [lambda: scaled(rbf()), users_rbf], ids=["closed form", "automatic"])
def test_cholesky_is_used_whatever_was_cached_before(kernel, native):
    model = exact(kernel(), likelihood=gaussian(1e-3), inputs=X, targets=Y)
    rows = torch.tensor(ROWS, requires_grad=True)
    with torch.random.fork_rng(), defaults():
        torch.manual_seed(0)  # conjugate gradients start at random
        bare = torch.autograd.grad(model.likelihood(model(rows)).variance.sum(), rows)[0].numpy()
    kept = model.prediction_strategy
    truth = native.derivatives(ROWS, 1).first[:, 1]
    assert relative(bare, truth) > 1e-3  # the trap is real
    assert relative(as_model(model).derivatives(ROWS, 1).first[:, 1], truth) < 1e-6
    assert relative(rsens.rsens2(model, ROWS[2:4]), rsens.rsens2(native, ROWS[2:4])) < 1e-6
    assert model.prediction_strategy is kept
    with defaults():
        (finding,) = (finding for finding in as_model(model).checks(ROWS) if finding.name == "solver")
    assert "Cholesky" in finding.text
    assert "conjugate gradients above 800. It has kept such predictions." in finding.text
