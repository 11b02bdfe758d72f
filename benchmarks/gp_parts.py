"""Where the time of R-sens and R-sens₂ and of one step of a fit goes: processor time of the parts, on one thread.

Parts are given as multiples of one `dtrsm` with n(D + 1) right-hand sides, and for the fit of `dpotrf` plus `dpotri`.
Writes results/gp_parts.md next to this file.

    python -m benchmarks.gp_parts [--repeats 10]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import blas, lapack
from threadpoolctl import threadpool_limits

from benchmarks._ratios import RESULTS
from benchmarks.gp import D, N, data, n, ours, sensitivities
from rsens.models._exact import ExactInference
from rsens.models._rows import Data
from rsens.posteriors import jittered_cholesky

Parts = dict[str, Callable[[], Any]]
DERIVATIVES_NEED = (
    "What bounds it: the `dtrsm` gives Rk and R∂k. Second derivatives of the variance also need RᵀRk, which is one "
    "more solve, and the products of all R∂k of a row. The other parts fill and sum arrays of N·n·D numbers. With "
    "nothing in between, the `dtrsm` and these parts take {least:.2f}."
)
FITS_NEED = (
    "What bounds it: the two factorisations are needed in each evaluation. The rest is the kernel matrix with its "
    "exponentials and one pass over it per column for the gradient. Most steps of the search are on some of the rows; "
    "what is left are the few evaluations on all of them that the last digits take."
)


def derivative_parts(X: Any, y: Any) -> Parts:
    """The parts of one call. Solves overwrite what they get, so they get a copy."""
    model = ours(X, y, optimize=False)
    posterior = model._gps[0].posterior
    rows = np.random.default_rng(3).standard_normal((n, D))
    right_hand_sides = np.asfortranarray(np.random.default_rng(1).standard_normal((N, n * (D + 1))))
    at = posterior.kernel.at(rows, posterior.inputs)
    k = np.asfortranarray(at.value.T)
    Qk = posterior.root.transposed_times(posterior.root.times(k.copy(order="F"))).T
    fifth = posterior.kernel.at(rows[: n // 5], posterior.inputs)  # all rows at once would mostly ask for new memory
    V = posterior.root.times(at.first_by_column().reshape(n * D, N).T).T.reshape(n, D, N)
    return {
        "one dtrsm": lambda: blas.dtrsm(1.0, posterior.root.L, right_hand_sides, lower=1, overwrite_b=1),
        "all": lambda: sensitivities(model, rows, 2),
        "solve for Rk": lambda: posterior.root.times(k.copy(order="F")),
        "solve for RᵀRk": lambda: posterior.root.transposed_times(k.copy(order="F")),
        "k and g'": lambda: posterior.kernel.at(rows, posterior.inputs),
        "∂k": lambda: [len(fifth.first_by_column()) for _ in range(5)],  # one at a time
        "Σ w ∂k": lambda: (at.weighted_first(posterior.weights), at.weighted_first(Qk)),
        "Σ w ∂²k": lambda: (at.second(posterior.weights), at.second(Qk)),
        "(R∂k)ᵀ(R∂k)": lambda: [blas.dgemm(1.0, v.T, v.T, trans_a=1) for v in V],
    }


def fit_parts(X: Any, y: Any) -> Parts:
    """The parts of one evaluation of the likelihood and its gradient."""
    model = ours(X, y, optimize=False)
    kernel, likelihood = model.kernel_, model.likelihood_
    data_of_fit = Data(X, y, np.zeros(len(y)))
    on = kernel.on(X)
    L, _ = jittered_cholesky(on.value, likelihood.noise_variance)
    M = lapack.dpotri(L, lower=1)[0]
    return {
        "dpotrf and dpotri": lambda: lapack.dpotri(lapack.dpotrf(on.value, lower=1)[0], lower=1, overwrite_c=1),
        "all": lambda: ExactInference(kernel, likelihood, data_of_fit).gradient(),
        "kernel": lambda: kernel.on(X),
        "gradient of the kernel": lambda: on.hyper_gradient(M),
    }


def measured(parts: Parts, repeats: int) -> dict[str, float]:
    """Each part as a multiple of the first."""
    seconds = dict.fromkeys(parts, np.inf)
    for _ in range(repeats):
        for name, part in parts.items():
            start = time.process_time()
            part()
            seconds[name] = min(seconds[name], time.process_time() - start)
    floor, *_ = seconds.values()
    return {name: spent / floor for name, spent in seconds.items()}


def table(ratios: dict[str, float]) -> str:
    """The parts as a table."""
    lines = [f"| {name} | {ratio:.3f} |" for name, ratio in ratios.items()]
    return "\n".join(["| part | processor time |", "|---|---|", *lines]) + "\n"


def main() -> int:
    """Measure, write and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10)
    repeats = parser.parse_args().repeats
    X, y = data()
    with threadpool_limits(1):
        derivatives, fits = measured(derivative_parts(X, y), repeats), measured(fit_parts(X, y), repeats)
    least = sum(ratio for name, ratio in derivatives.items() if name not in ("all", "solve for Rk"))
    text = (
        f"Exact GP, N = n = {N}, D = {D}, one thread, best of {repeats} repetitions. R-sens and R-sens₂:\n\n"
        f"{table(derivatives)}\n{DERIVATIVES_NEED.format(least=least)}\n\n"
        f"One evaluation in a fit:\n\n{table(fits)}\n{FITS_NEED}\n"
    )
    (RESULTS / "gp_parts.md").write_text(text)
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
