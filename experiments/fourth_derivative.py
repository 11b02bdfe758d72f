"""Supplement, "R-sens₂ approximation benefits": R-sens₂ against the full fourth derivative of the divergence.

    python -m experiments.fourth_derivative

We compute both for all 66 pairs of the simulation of Section 3.2. R-sens₂ is what remains of √(½ ∂⁴D/∂x_d²∂x_e²) if you
keep only the terms made of ∂²λ/∂x_d∂x_e alone. The paper shows one simulation. It says that both are almost equal for
the true pairs, and R-sens₂ is much lower for all others, so it separates them better. The figure shows the first
repetition; the table tests the statement over all of them. Needs JAX: pip install 'rsens[jax]'.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments._claims import mark, verdict
from experiments._command import parallel, parser, whole_number
from experiments._fourth_derivative import fourth_importance
from experiments._interacting import PAIRS, TRUE, fit_process, label, simulate
from experiments._journal import Journal, run
from experiments._style import BLUE, VERMILLION, grid, new_figure, save, styled
from experiments._tables import mean_and_half, write_csv, write_text
from rsens import GPRegressor
from rsens._typing import Array
from rsens.derivatives import from_jax
from rsens.distributions import Normal
from rsens.measures import importance

#: We call a ratio almost equal if it is nearer to 1 than this: as for Figure 3, less is hard to see in a figure.
MARGIN = 0.1
SIMPLE, FULL = "R-sens₂", "fourth derivative"
FORMULAS = {"rsens2": (SIMPLE, VERMILLION), "fourth_derivative": (FULL, BLUE)}
TRUE_RATIO, NULL_RATIO = (f"{kind} pairs: {FULL} / {SIMPLE}" for kind in ("true", "null"))


def in_jax(gp: GPRegressor, y: Array) -> Any:
    """The predictive distribution of an EQ process with mean 0, fitted to y, as a function JAX can differentiate.

    With k = k(x, Z) and LLᵀ = K + σ²I, the mean is kᵀ(K + σ²I)⁻¹y and the variance σ_f² + σ² − |L⁻¹k|².
    """
    import jax.numpy as jnp

    Z, kernel, noise = gp.training_inputs_, gp.kernel_, gp.noise_variance_
    inverse_root = np.linalg.inv(np.linalg.cholesky(kernel(Z, Z) + noise * np.eye(len(Z))))
    weights = inverse_root.T @ (inverse_root @ y)
    scaled = Z / np.array(kernel.lengthscale)

    def predictive(X: Any) -> Normal:
        x = X / np.array(kernel.lengthscale)
        squared = jnp.sum(x**2, axis=1)[:, None] - 2.0 * x @ scaled.T + np.sum(scaled**2, axis=1)
        k = kernel.variance * jnp.exp(-0.5 * squared)
        variance = kernel.variance + noise - jnp.sum((k @ inverse_root.T) ** 2, axis=1)
        return Normal(k @ weights, variance)

    return from_jax(predictive)


def repetition(number: int, *, n: int, seed: int) -> dict[str, list[float]]:
    """The importance of all 66 pairs by both formulas, on the data of `experiments.interactions`."""
    X, y = simulate(n, np.random.default_rng([seed, n, number]))
    model = in_jax(fit_process(X, y), y)
    matrices = {"rsens2": importance("rsens2", model, X), "fourth_derivative": fourth_importance(model, X)}
    return {name: [float(f"{matrix[pair]:.6g}") for pair in PAIRS] for name, matrix in matrices.items()}


def of_pairs(results: dict[tuple[Any, ...], Any]) -> pd.DataFrame:
    """The first repetition, which the figure shows: one row per pair, sorted by R-sens₂."""
    first = next(iter(results.values()))
    kinds = ["true pair" if pair in TRUE else "null pair" for pair in PAIRS]
    table = pd.DataFrame({"pair": [label(pair) for pair in PAIRS], "kind": kinds, **first})
    return table.sort_values("rsens2", ascending=False, kind="stable", ignore_index=True)


def claims(results: dict[tuple[Any, ...], Any]) -> pd.DataFrame:
    """The paper's comparison: means over repetitions, with the half-widths of their 95 % intervals.

    `published` is what the paper says about a row and `holds` the verdict; both are empty where it says nothing.
    """
    true = np.isin(np.arange(len(PAIRS)), [PAIRS.index(pair) for pair in TRUE])
    values = {text: np.array([result[name] for result in results.values()]) for name, (text, _) in FORMULAS.items()}
    simple, full = values.values()
    worst = {text: of[:, ~true].max(axis=1) / of[:, true].min(axis=1) for text, of in values.items()}
    rows = [
        (TRUE_RATIO, "≈ 1", full[:, true].mean(axis=1) / simple[:, true].mean(axis=1)),
        (NULL_RATIO, "> 1", full[:, ~true].mean(axis=1) / simple[:, ~true].mean(axis=1)),
        (f"largest null / smallest true, {FULL} less {SIMPLE}", "> 0", worst[FULL] - worst[SIMPLE]),
        *((f"{text}: largest null / smallest true", "", of) for text, of in worst.items()),
        *(
            (f"{text}: mean null / mean true", "", of[:, ~true].mean(axis=1) / of[:, true].mean(axis=1))
            for text, of in values.items()
        ),
    ]
    table = []
    for claim, expected, of_repetitions in rows:
        interval = mean_and_half(of_repetitions)
        holds = verdict(expected, *interval, MARGIN) if expected else ""
        table.append((claim, len(of_repetitions), expected, *interval, holds))
    return pd.DataFrame(table, columns=["claim", "repetitions", "published", "ours", "ours_half", "holds"])


def markdown(ratios: pd.DataFrame) -> str:
    """The ratios as a table."""
    lines = ["| claim | published | ours | holds |", "|---|---|---|---|"]
    for row in ratios.itertuples():
        ours = f"{row.ours:.2f} ± {row.ours_half:.2f}"
        lines.append(f"| {row.claim} | {row.published} | {ours} | {mark(row.holds)} |")
    return "\n".join(lines) + "\n"


@styled
def draw(table: pd.DataFrame, n: int, folder: Path, name: str) -> None:
    """All pairs in the order of R-sens₂, with both formulas above each other and the true pairs named."""
    figure = new_figure(7.5, 3.6)
    ax = grid(figure, 1, 1)[0, 0]
    rank = np.arange(1, len(table) + 1)
    ax.vlines(rank, table["rsens2"], table["fourth_derivative"], color="0.8", linewidth=1.0)
    for (method, (text, colour)), marker in zip(FORMULAS.items(), "os", strict=True):
        ax.plot(rank, table[method], marker, color=colour, markersize=4.5, label=text)
    for k in np.flatnonzero(table["kind"] == "true pair"):
        row = table.loc[k]
        height = max(row["rsens2"], row["fourth_derivative"])
        ax.annotate(row["pair"].replace(":", "·"), (rank[k], height), (4, 5), textcoords="offset points", rotation=40.0)
    ax.set_xlabel(f"pairs of inputs, by R-sens₂ ({n} observations)")
    ax.set_ylabel("importance")
    ax.set_ylim(0.0, 1.18 * table[list(FORMULAS)].max(axis=None))
    ax.legend(frameon=False, loc="upper right")
    save(figure, folder, name)


def main(arguments: list[str] | None = None) -> None:
    """Run the script."""
    options = parser(__doc__.splitlines()[0], repetitions=10, published=False)
    options.add_argument("--size", type=whole_number(2), default=300, help="observations; default: %(default)s")
    given = options.parse_args(arguments)
    name = "fourth_derivative"
    settings = {"experiment": name, "size": given.size, "seed": given.seed}
    journal = Journal(given.out / f"{name}.jsonl", settings)
    keys = [(number,) for number in range(given.repetitions)]
    with parallel(given):
        work = partial(repetition, n=given.size, seed=given.seed)
        results = run(journal, keys, work, n_jobs=given.n_jobs, label="fourth derivative")
    table, ratios = of_pairs(results), claims(results)
    for frame, ending in ((table, ""), (ratios, "-claims")):
        write_csv(frame, given.out / f"{name}{ending}.csv")
    write_text(given.out / f"{name}.md", markdown(ratios))
    draw(table, given.size, given.out, name)


if __name__ == "__main__":
    main()
