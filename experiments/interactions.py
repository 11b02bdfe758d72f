"""Section 3.2, Figure 3: what six methods say about pairs of inputs, with 50 to 300 observations.

    python -m experiments.interactions
    python -m experiments.interactions --main-effects 0.3      beyond the paper: weak main effects
    python -m experiments.interactions --inputs correlated     beyond the paper: correlated inputs

A repetition draws n rows of twelve inputs and fits a Gaussian process. Every method gives each of the 66 pairs a value,
scaled so that the largest is 1. Ideally, the three true pairs get 1 and all others 0. The published figure has no
numbers, so we test what the paper says about it instead: see `claims`.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from experiments._claims import POSITIVE, ZERO, mark, verdicts
from experiments._command import parallel, parser, whole_number
from experiments._interacting import INPUTS, PAIRS, PANELS, SIZES, TRUE, fit_process, label, simulate
from experiments._journal import Journal, run
from experiments._style import METHODS, grid, legend_below, new_figure, save, styled
from experiments._tables import mean_and_half, write_csv, write_text
from rsens._table import read_table
from rsens._typing import Array
from rsens.adapters import as_model
from rsens.black_box import BLACK_BOX, BUDGETS, Predictor
from rsens.measures import METHODS as DERIVATIVES
from rsens.measures import importance

#: Less than this share of a method's largest value is hard to see in a figure that goes from 0 to 1.
MARGIN = 0.1
#: The pair that a method prefers according to the paper. The other methods prefer neither.
EMPHASIS = {("h", "neither"): POSITIVE, ("pd", "both"): POSITIVE}
MAIN_EFFECTS = {2: "both have a main effect", 1: "one has a main effect", 0: "neither has a main effect"}


def repetition(n: int, number: int, *, strength: float, inputs: str, seed: int) -> dict[str, list[float]]:
    """The values of all 66 pairs by every method, scaled to a largest value of 1."""
    X, y = simulate(n, np.random.default_rng([seed, n, number]), strength=strength, inputs=inputs)
    model = fit_process(X, y)
    predictor, paper = Predictor.of(as_model(model), read_table(X)), BUDGETS["paper"]
    values = {}
    for k, name in enumerate(METHODS):
        if name in DERIVATIVES:
            matrix = importance(name, model, X)
        else:
            matrix = BLACK_BOX[name, 2].value(predictor, paper, np.random.default_rng([seed, n, number, k]))
        pairs = np.array([matrix[pair] for pair in PAIRS])
        values[name] = [float(f"{value:.6g}") for value in pairs / pairs.max()]
    return values


def by_size(results: dict[tuple[Any, ...], Any]) -> dict[int, dict[str, Array]]:
    """For every number of observations and method, the values (repetitions, 66)."""
    sizes = sorted({key[0] for key in results})
    return {
        n: {name: np.array([result[name] for key, result in results.items() if key[0] == n]) for name in METHODS}
        for n in sizes
    }


def summarize(values: dict[int, dict[str, Array]]) -> pd.DataFrame:
    """Content of Figure 3: means over repetitions for six pairs, with the half-widths of their 95 % intervals."""
    rows = [
        (n, label(pair), kind, effects, name, *mean_and_half(of_method[:, PAIRS.index(pair)]))
        for n, of_methods in values.items()
        for effects, true, null in PANELS
        for kind, pair in (("true pair", true), ("null pair", null))
        for name, of_method in of_methods.items()
    ]
    return pd.DataFrame(rows, columns=["n", "pair", "kind", "main_effects", "method", "ours", "ours_half"])


def count_found(values: dict[int, dict[str, Array]]) -> pd.DataFrame:
    """How many of the three true pairs a method ranks among the first three of all 66, on average."""
    true = [PAIRS.index(pair) for pair in TRUE]
    rows = []
    for n, of_methods in values.items():
        for name, of_method in of_methods.items():
            first = np.argsort(-of_method, axis=1)[:, : len(true)]
            rows.append((n, name, *mean_and_half(np.isin(first, true).sum(axis=1))))
    return pd.DataFrame(rows, columns=["n", "method", "ours", "ours_half"])


def claims(values: dict[int, dict[str, Array]]) -> pd.DataFrame:
    """The paper's statements about Figure 3, as differences of scaled values within repetitions.

    "H over-emphasises the pair where neither variable has a main effect, PD the pair where both have; the other methods
    identify the interactions as equally relevant with more observations. For true pairs EAH and R-sens₂ are almost
    indistinguishable, but R-sens₂ gives more to nonexistent ones when the observations are few." `holds` is the
    verdict based on the 95 % interval, with a margin of 0.1 around zero.
    """
    few, many = min(values), max(values)
    two, one, none = (PAIRS.index(pair) for pair in TRUE)
    rows: list[tuple[Any, ...]] = []
    for name in METHODS:
        v = values[many][name]
        for pair, others, effects in ((two, (one, none), "both"), (none, (two, one), "neither")):
            expected = EMPHASIS.get((name, effects), ZERO if name not in ("h", "pd") else None)
            if expected is not None:
                claim = f"{METHODS[name][0]}: {label(PAIRS[pair])} ({effects} with main effect) less other true pairs"
                difference = v[:, pair] - v[:, list(others)].mean(axis=1)
                rows.append((claim, many, len(v), expected, *mean_and_half(difference)))
    for n in dict.fromkeys((few, many)):
        difference = values[n]["rsens2"] - values[n]["eah"]
        of_true = difference[:, [PAIRS.index(pair) for pair in TRUE]].mean(axis=1)
        of_null = difference[:, [k for k, pair in enumerate(PAIRS) if pair not in TRUE]].mean(axis=1)
        rows.append(("R-sens₂ less EAH, true pairs", n, len(of_true), ZERO, *mean_and_half(of_true)))
        of_few = POSITIVE if n == few else ZERO
        rows.append(("R-sens₂ less EAH, null pairs", n, len(of_null), of_few, *mean_and_half(of_null)))
    table = pd.DataFrame(rows, columns=["claim", "n", "repetitions", "published", "ours", "ours_half"])
    return table.assign(holds=verdicts(table, MARGIN))


def markdown(table: pd.DataFrame, counts: pd.DataFrame, tested: pd.DataFrame) -> str:
    """The three tables, methods side by side."""
    blocks = []
    for keys, of in ((["n", "main_effects", "kind", "pair"], table), (["n"], counts)):
        lines = [f"| {' | '.join([*keys, *(METHODS[name][0] for name in METHODS)])} |"]
        lines.append("|---" * (len(keys) + len(METHODS)) + "|")
        for key, group in of.groupby(keys, sort=False):
            cells = [f"{row.ours:.2f} ± {row.ours_half:.2f}" for row in group.itertuples()]
            lines.append(f"| {' | '.join([*map(str, key), *cells])} |")
        blocks.append(lines)
    lines = ["| claim | n | published | ours | holds |", "|---|---|---|---|---|"]
    for row in tested.itertuples():
        ours = f"{row.ours:.2f} ± {row.ours_half:.2f}"
        lines.append(f"| {row.claim} | {row.n} | {row.published} | {ours} | {mark(row.holds)} |")
    blocks.append(lines)
    titles = (
        "Scaled importance of six pairs",
        "How many of the three true pairs are ranked first to third",
        "What the paper says, as differences of scaled importance",
    )
    return "\n".join(
        line for title, lines in zip(titles, blocks, strict=True) for line in (f"### {title}", "", *lines, "")
    )


@styled
def draw(table: pd.DataFrame, folder: Path, name: str) -> None:
    """Figure 3: one panel per number of main effects; solid lines for true pairs, dotted lines for null pairs."""
    figure = new_figure(9.0, 3.5)
    axes = grid(figure, 1, 3, sharey=True)[0]
    sizes = table["n"].unique()
    step = 0.012 * (np.ptp(sizes) or 100.0)  # set methods side by side, or their intervals would overlap
    for ax, (effects, true, null) in zip(axes, PANELS, strict=True):
        for k, (method, (_, colour, marker)) in enumerate(METHODS.items()):
            shift = step * (k - 0.5 * (len(METHODS) - 1))
            for kind, line in (("true pair", "-"), ("null pair", ":")):
                chosen = (table["main_effects"] == effects) & (table["kind"] == kind) & (table["method"] == method)
                part = table[chosen]
                ax.errorbar(
                    part["n"] + shift,
                    part["ours"],
                    yerr=part["ours_half"],
                    color=colour,
                    linestyle=line,
                    linewidth=1.6 if method == "rsens2" else 1.1,
                    marker=marker,
                    markersize=3.6,
                    markerfacecolor=colour if kind == "true pair" else "white",
                    elinewidth=0.8,
                    zorder=3.0 if method == "rsens2" else 2.0,
                )
        ax.set_title(f"{MAIN_EFFECTS[effects]}\n{label(true)} (true), {label(null)} (null)".replace(":", "·"))
        ax.set_xticks(sizes)
        ax.set_xlabel("observations")
        ax.set_ylim(-0.02, 1.05)
    axes[0].set_ylabel("importance, largest of 66 pairs = 1")
    kinds = [("true interaction", "-"), ("no interaction", ":")]
    legend_below(figure, METHODS, [Line2D([], [], color="0.35", linestyle=line, label=text) for text, line in kinds])
    save(figure, folder, name)


def main(arguments: list[str] | None = None) -> None:
    """Run the script."""
    options = parser(__doc__.splitlines()[0], repetitions=50)
    options.add_argument("--sizes", type=whole_number(2), nargs="+", default=SIZES, help="numbers of observations")
    options.add_argument(
        "--main-effects", type=float, default=1.0, help="multiply the main effects by this; default: 1"
    )
    options.add_argument("--inputs", choices=list(INPUTS), default="independent")
    given = options.parse_args(arguments)
    name = "interactions"
    name += "" if given.inputs == "independent" else f"-{given.inputs}"
    name += "" if given.main_effects == 1.0 else f"-main-effects-{given.main_effects:g}"
    settings = {
        "experiment": "interactions",
        "main_effects": given.main_effects,
        "inputs": given.inputs,
        "seed": given.seed,
    }
    journal = Journal(given.out / f"{name}.jsonl", settings)
    work = partial(repetition, strength=given.main_effects, inputs=given.inputs, seed=given.seed)
    # The largest first, or the progress bar would be too optimistic.
    keys = [(n, number) for n in sorted(given.sizes, reverse=True) for number in range(given.repetitions)]
    with parallel(given):
        results = run(journal, keys, work, n_jobs=given.n_jobs, label=name)
    values = by_size(results)
    table, counts, tested = summarize(values), count_found(values), claims(values)
    for frame, ending in ((table, ""), (counts, "-found"), (tested, "-claims")):
        write_csv(frame, given.out / f"{name}{ending}.csv")
    write_text(given.out / f"{name}.md", markdown(table, counts, tested))
    draw(table, given.out, name)


if __name__ == "__main__":
    main()
