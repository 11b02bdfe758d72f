"""Gaussian processes: derivatives against one triangular solve and GPyTorch's autograd, fits against scikit-learn.

Everything is measured in one run, alternating between the two sides of each ratio, and the best of several repetitions
counts. So a busy machine slows both sides. Writes results/gp.csv and results/gp.md next to this file.

    python -m benchmarks.gp [--repeats 5]
"""

from __future__ import annotations

import argparse
import os
import sys
import tracemalloc
import warnings
from contextlib import nullcontext
from typing import Any

import numpy as np
from scipy.linalg import blas

from benchmarks._ratios import Row, best_times, write
from rsens.adapters import read_for
from rsens.kernels import EQ
from rsens.models import GPRegressor

N = n = 1000
D = 10
#: The hyperparameters that fits start from and derivatives use.
VARIANCE, LENGTHSCALE, NOISE = 1.0, 3.0, 0.1
#: L-BFGS-B's default, and so scikit-learn's.
TOLERANCE = 2.2e-9


def data(seed: int = 0) -> tuple[Any, Any]:
    """Four columns that matter, alone or in a pair, and six that do not; y is standardised."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, D))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2 + 0.3 * rng.standard_normal(N)
    return X, (y - y.mean()) / y.std()


def ours(X: Any, y: Any, *, optimize: bool) -> GPRegressor:
    """Our GP, with nothing the peers lack: no priors, one start."""
    kernel = EQ(VARIANCE, (LENGTHSCALE,) * D)
    return GPRegressor(
        kernel,
        noise_variance=NOISE,
        standardize=False,
        optimize=optimize,
        n_restarts=0,
        priors=None,
        tolerance=TOLERANCE,
        random_state=0,
    ).fit(X, y)


def sensitivities(model: GPRegressor, X: Any, order: int) -> list[Any]:
    """R-sens, and for order 2 also R-sens₂, from one `Derivatives`."""
    record = model.derivatives(X, order)
    return [record.distribution.fisher_norm(u) for u in (record.first, record.second) if u is not None]


def gpytorch_model(X: Any, y: Any) -> tuple[Any, Any]:
    """The same GP, and its likelihood."""
    import gpytorch
    import torch

    class GP(gpytorch.models.ExactGP):  # type: ignore[misc]
        def __init__(self, X: Any, y: Any, likelihood: Any) -> None:
            super().__init__(X, y, likelihood)
            self.mean_module = gpytorch.means.ZeroMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=D))

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    model = GP(torch.tensor(X), torch.tensor(y), likelihood).double()
    model.covar_module.outputscale = VARIANCE
    model.covar_module.base_kernel.lengthscale = LENGTHSCALE
    likelihood.noise = NOISE
    return model, likelihood


def exact_algebra(gpytorch: Any) -> Any:
    """Use Cholesky factors at any size: by default, GPyTorch solves by conjugate gradients above 800 rows."""
    return gpytorch.settings.max_cholesky_size(10 * N)


def by_autograd(model: Any, likelihood: Any, X: Any, order: int, *, exact: bool) -> list[Any]:
    """The same sensitivities: one backward pass per parameter, and one per parameter and column for order 2.

    By default GPyTorch gets three digits right at this size; with `exact`, all of them.
    """
    import gpytorch
    import torch

    x = torch.tensor(X, requires_grad=True)
    firsts, seconds = [], []
    with exact_algebra(gpytorch) if exact else nullcontext():
        predictive = likelihood(model(x))
        parameters = (predictive.mean, predictive.variance)
        for parameter in parameters:
            (first,) = torch.autograd.grad(parameter.sum(), x, create_graph=order == 2, retain_graph=True)
            firsts.append(first.detach().numpy())
            if order == 2:
                columns = [torch.autograd.grad(first[:, d].sum(), x, retain_graph=True)[0].numpy() for d in range(D)]
                seconds.append(np.stack(columns, 1))
    variance = parameters[1].detach().numpy()

    def norm(of_mean: Any, of_variance: Any) -> Any:
        v = variance.reshape(-1, *[1] * (of_mean.ndim - 1))
        return np.sqrt(of_mean**2 / v + of_variance**2 / (2 * v**2))

    return [norm(*firsts)] + ([norm(*seconds)] if order == 2 else [])


def derivative_rows(repeats: int) -> list[Row]:
    """Speed and memory of the sensitivities at fixed hyperparameters."""
    X, y = data()
    model = ours(X, y, optimize=False)
    L = model._gps[0].posterior.root.L
    right_hand_sides = np.asfortranarray(np.random.default_rng(1).standard_normal((N, n * (D + 1))))
    peers = {exact: gpytorch_model(X, y) for exact in (False, True)}  # each caches its solves
    for peer in peers.values():
        for module in peer:
            module.eval()
    X = np.random.default_rng(3).standard_normal((n, D))  # at training rows autograd's second derivatives are wrong
    for order in (1, 2):  # this is also the first call of each, which is slower
        pairs = zip(sensitivities(model, X, order), by_autograd(*peers[True], X, order, exact=True), strict=True)
        for mine, theirs in pairs:
            np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-7)
    both, solve = best_times(
        4 * repeats,
        lambda: sensitivities(model, X, 2),
        lambda: blas.dtrsm(1.0, L, right_hand_sides, lower=1, overwrite_b=1),
    )
    rows = [Row("R-sens and R-sens₂, times one dtrsm", both, solve, both / solve, 1.3, False)]
    for order, name, bound in ((2, "R-sens and R-sens₂", 15.0), (1, "R-sens alone", 10.0)):
        times = 4 * repeats if order == 1 else repeats
        mine, autograd, exact = best_times(
            times,
            lambda order=order: sensitivities(model, X, order),
            lambda order=order: by_autograd(*peers[False], X, order, exact=False),
            lambda order=order: by_autograd(*peers[True], X, order, exact=True),
        )
        rows.append(
            Row(f"{name}, faster than GPyTorch autograd as it comes", mine, autograd, autograd / mine, bound, True)
        )
        rows.append(Row(f"{name}, faster than GPyTorch autograd with Cholesky", mine, exact, exact / mine, 1.0, True))
    return rows + [memory_row(model, many) for many in (1000, 20_000)]


def memory_row(model: GPRegressor, rows: int) -> Row:
    """Working memory of both sensitivities in MB, without the results, chunk by chunk as in every measure."""
    from rsens.derivatives import iterate

    X = np.random.default_rng(2).standard_normal((rows, D))
    tracemalloc.start()
    for _, record in iterate(*read_for(model, X), 2):
        record.distribution.fisher_norm(record.first)
        record.distribution.fisher_norm(record.second)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    megabytes = peak / 2**20
    return Row(f"working memory for {rows} rows, MB", megabytes, 256.0, megabytes, 256.0, False)


def fit_rows(repeats: int) -> list[Row]:
    """How fast a fit is, and how good."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process import kernels as sk

    X, y = data()
    kernel = sk.ConstantKernel(VARIANCE, (1e-7, 1e7)) * sk.RBF([LENGTHSCALE] * D, (1e-6, 1e7))
    theirs = GaussianProcessRegressor(kernel + sk.WhiteKernel(NOISE, (1e-9, 1e5)), alpha=0.0)
    fitted: dict[str, Any] = {}
    mine, sklearn, adam = best_times(
        max(1, repeats // 2),
        lambda: fitted.update(ours=ours(X, y, optimize=True).log_marginal_likelihood_),
        lambda: fitted.update(sklearn=theirs.fit(X, y).log_marginal_likelihood_value_),
        lambda: fitted.update(adam=adam_fit(X, y)),
    )
    return [
        Row("fit, faster than scikit-learn", mine, sklearn, sklearn / mine, 15.0, True),
        _gain("fit, log marginal likelihood above scikit-learn's", fitted["ours"], fitted["sklearn"]),
        Row("fit, faster than GPyTorch with 100 steps of Adam", mine, adam, adam / mine, 1.0, True),
        _gain("fit, log marginal likelihood above that of Adam", fitted["ours"], fitted["adam"]),
    ]


def _gain(quantity: str, mine: float, other: float) -> Row:
    """A difference, not a ratio; within a thousandth of a nat counts as equal."""
    return Row(quantity, mine, other, mine - other, -1e-3, True)


def adam_fit(X: Any, y: Any) -> float:
    """GPyTorch's usual loop: 100 steps of Adam with a rate of 0.1. The log marginal likelihood at the end."""
    import gpytorch
    import torch

    model, likelihood = gpytorch_model(X, y)
    model.train()
    likelihood.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    value = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    inputs, targets = model.train_inputs[0], model.train_targets
    for _ in range(100):
        optimizer.zero_grad()
        loss = -value(model(inputs), targets)
        loss.backward()
        optimizer.step()
    with torch.no_grad(), exact_algebra(gpytorch):
        return float(value(model(inputs), targets)) * N


HEADING = (
    f"Exact GP with an EQ kernel and one length-scale per column, N = n = {N}, D = {D}, double precision, "
    f"{os.cpu_count()} cores. Best of several repetitions, both sides of a ratio alternating."
)


def main() -> int:
    """0 if every bound holds, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore")  # from the peers: length-scales at their limits, deprecations
    rows = derivative_rows(repeats) + fit_rows(repeats)
    sys.stdout.write(write("gp", HEADING, rows))
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
