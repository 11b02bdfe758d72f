"""Models of other libraries, and posterior draws: the cost of explaining them directly.

Models whose kernel we know go through our own closed forms, and should cost what our own GP costs; others go through
their library's autograd, and should cost little more than the bare autograd. Writes results/foreign.csv and
results/foreign.md next to this file.

    python -m benchmarks.foreign [--repeats 5]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import tracemalloc
import warnings
from typing import Any

import numpy as np

from benchmarks._ratios import Row, best_times, paired_times, write
from benchmarks.gp import LENGTHSCALE, NOISE, VARIANCE, D, N, by_autograd, data, gpytorch_model, n, ours
from rsens.derivatives import from_draws
from rsens.distributions import Normal
from rsens.measures import rsens, rsens2

DRAWS, ROWS, COLUMNS = 4000, 1000, 10
HEADING = (
    f"GPs: N = n = {N} rows, D = {D} columns, double precision, {os.cpu_count()} cores. Draws: {DRAWS} of a linear "
    f"regression, {ROWS} rows, {COLUMNS} columns. Both sides of a ratio alternate. Against our own GP: the median of "
    "ratios of neighbours; against autograd: the best of several repetitions."
)


def sklearn_model(X: Any, y: Any) -> Any:
    """The same GP in scikit-learn."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process import kernels as sk

    kernel = sk.ConstantKernel(VARIANCE) * sk.RBF([LENGTHSCALE] * D)
    return GaussianProcessRegressor(kernel, alpha=NOISE, optimizer=None).fit(X, y)


def closed_rows(repeats: int) -> list[Row]:
    """Adapters with closed forms against our own GP."""
    X, y = data()
    mine = ours(X, y, optimize=False)
    at = np.random.default_rng(3).standard_normal((n, D))
    rows = []
    peers = {"scikit-learn": sklearn_model(X, y), "GPyTorch": gpytorch_model(X, y)[0]}
    for library, peer in peers.items():
        for call, name in ((rsens, "R-sens"), (rsens2, "R-sens₂")):
            np.testing.assert_allclose(call(peer, at), call(mine, at), rtol=1e-6, atol=1e-9)
            theirs, own, ratio = paired_times(20 * repeats, lambda c=call, m=peer: c(m, at), lambda c=call: c(mine, at))
            rows.append(Row(f"{name} of a GP of {library}, times our own", theirs, own, ratio, 1.1, False))
    return rows


def autograd_rows(repeats: int) -> list[Row]:
    """A GPyTorch model whose kernel is the user's own, so that it goes through autograd, against the bare autograd.

    At training rows the bare second derivatives are wrong: GPyTorch cuts squared distances off at 0. Who wants them
    right asks on either side of the row, as we do. Both comparisons are shown.
    """
    import gpytorch

    class Own(gpytorch.kernels.RBFKernel):  # type: ignore[misc]
        def forward(self, *args: Any, **kwargs: Any) -> Any:
            return super().forward(*args, **kwargs)

    X, y = data()
    model, likelihood = gpytorch_model(X, y)
    model.covar_module.base_kernel.__class__ = Own
    model.eval()
    likelihood.eval()
    elsewhere = np.random.default_rng(3).standard_normal((n, D))

    def bare(at: Any, order: int) -> None:
        by_autograd(model, likelihood, at, order, exact=True)

    def either_side(at: Any, order: int) -> None:
        for aside in (-1e-5, 1e-5):
            bare(at + aside, order)

    rows = []
    for order, name, at, peer, what in (
        (1, "R-sens", elsewhere, bare, "the bare autograd"),
        (2, "R-sens₂", elsewhere, bare, "the bare autograd"),
        (2, "R-sens₂", X, either_side, "the bare autograd on either side, at training rows"),
        (2, "R-sens₂", X, bare, "the bare autograd at training rows, where it is wrong"),
    ):
        call = rsens if order == 1 else rsens2
        through, by_hand = best_times(
            repeats, lambda c=call, at=at: c(model, at), lambda p=peer, o=order, at=at: p(at, o)
        )
        quantity = f"{name} of GPyTorch through autograd, times {what}"
        rows.append(Row(quantity, through, by_hand, through / by_hand, 1.3, False))
    return rows


def draw_rows() -> list[Row]:
    """R-sens of many posterior draws: processor time and memory."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, COLUMNS))
    draws = {"slope": 0.5 + 0.1 * rng.standard_normal((DRAWS, COLUMNS)), "sd": rng.uniform(0.4, 0.6, DRAWS)}
    model = from_draws(lambda draw, x: Normal(x @ draw["slope"], np.full(len(x), draw["sd"] ** 2)), draws)
    start = time.process_time()
    rsens(model, X)
    seconds = time.process_time() - start
    few = X[: ROWS // 10]
    tracemalloc.start()
    rsens(model, few)
    megabytes = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return [
        Row("R-sens of 4,000 draws, processor seconds", seconds, 15.0, seconds, 15.0, False),
        Row("the same for a tenth of the rows, working memory in MB", megabytes, 512.0, megabytes, 512.0, False),
    ]


def draw_pair_rows() -> list[Row]:
    """R-sens₂ of many posterior draws by differences, against the bare calls of the function at as many rows."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS // 10, COLUMNS))
    draws = {"slope": 0.5 + 0.1 * rng.standard_normal((DRAWS, COLUMNS)), "bend": 0.1 * rng.standard_normal(DRAWS)}
    sizes: list[int] = []

    def fn(draw: Any, x: Any) -> Normal:
        sizes.append(len(x))
        return Normal(x @ draw["slope"] + draw["bend"] * np.sin(x[:, 0]) * x[:, 1], 0.25)

    model = from_draws(fn, draws)
    start = time.process_time()
    rsens2(model, X)
    seconds = time.process_time() - start
    asked, draw = {size: np.zeros((size, COLUMNS)) for size in set(sizes)}, {"slope": np.ones(COLUMNS), "bend": 1.0}
    start = time.process_time()
    for size in tuple(sizes):
        fn(draw, asked[size])
    bare = time.process_time() - start
    copies = sum(sizes) / (2 * DRAWS * len(X))  # half of them are the bare calls
    return [
        Row(
            "R-sens₂ of 4,000 draws for a tenth of the rows, times the function itself",
            seconds,
            bare,
            seconds / bare,
            3.0,
            False,
        ),
        Row("the same, rows asked about per row and draw, of at least 201", copies, 201.0, copies, 300.0, False),
    ]


def main() -> int:
    """0 if every bound holds, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore")  # from the peers: deprecations
    rows = closed_rows(repeats) + autograd_rows(repeats) + draw_rows() + draw_pair_rows()
    sys.stdout.write(write("foreign", HEADING, rows))
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
