"""The cells of Table 1 and its siblings that disagree: more repetitions, and other readings of what is left open.

    python -m experiments.disagreements

Takes the cells of per-call/main_effects.csv that disagree. It computes each one again from new repetitions, four times
as many as published, first with the settings of the tables and then with one setting changed at a time. A change that
helps one cell can spoil others. PFI and VAR have settings of their own, so every reading is tried on all their cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from experiments._command import parallel, parser
from experiments._journal import Journal, run
from experiments._simulated import FUNCTIONS, INPUTS, NOISE, SPREAD, D, N, Simulated, biases
from experiments._tables import ROUNDING, agreement, mean_and_half, write_csv, write_text
from experiments.main_effects import ranking_error
from rsens._typing import Array
from rsens.black_box import BLACK_BOX, BUDGETS, Predictor
from rsens.measures import METHODS, importance

#: How many repetitions run, and are written, together.
BATCH = 50
#: New repetitions are numbered from here, beyond the numbers in the tables.
FIRST = 1_000_000
CELL = ["inputs", "model", "function", "method"]


@dataclass(frozen=True)
class Reading:
    """The open choices: growth of V(x), noise and mean of y, PFI's loss, VAR's nodes and calls, the mixture's modes."""

    spread: float = SPREAD
    noise: float = NOISE
    target: str = "the model"
    loss: str = "log density"
    nodes: int = 9
    call: str = "row"
    mode_sd: float = 0.5


TABLES = "as in the tables"
#: For each reading, the methods (or inputs) it can matter for, and its changes. All errors are relative to R-sens,
#: which looks at V(x), so V(x) matters for every method.
READINGS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    TABLES: ((), {}),
    "V(x) grows by 0.17": ((), {"spread": 0.17}),
    "V(x) grows by 0.25": ((), {"spread": 0.25}),
    "noise of y: 0.1 sd": (("pfi",), {"noise": 0.1}),
    "noise of y: 0.25 sd": (("pfi",), {"noise": 0.25}),
    "noise of y: 0.3 sd": (("pfi",), {"noise": 0.3}),
    "y has the true mean": (("pfi",), {"target": "the truth"}),
    "V(x) of the row as it was": (("pfi",), {"loss": "log density, V kept"}),
    "loss: squared error": (("pfi",), {"loss": "squared error"}),
    "7 nodes": (("var",), {"nodes": 7}),
    "11 nodes": (("var",), {"nodes": 11}),
    "a call per node": (("var",), {"call": "node"}),
    "a call per variable": (("var",), {"call": "variable"}),
    "modes with sd 0.4": (("mixture",), {"mode_sd": 0.4}),
    "modes with sd 0.6": (("mixture",), {"mode_sd": 0.6}),
}


def batch(
    inputs: str, model: str, function: str, method: str, name: str, start: int, *, stop: int, seed: int
) -> list[float]:
    """A method's ranking errors minus the errors of R-sens, in up to 50 repetitions."""
    reading = Reading(**READINGS[name][1])
    numbers = range(start, min(start + BATCH, stop))
    return [_relative_error(inputs, model, function, method, reading, [seed, FIRST + number]) for number in numbers]


def _relative_error(inputs: str, model: str, function: str, method: str, reading: Reading, entropy: list[int]) -> float:
    rng = np.random.default_rng([*entropy, list(INPUTS).index(inputs), list(FUNCTIONS).index(function)])
    X = _mixture(rng, reading.mode_sd) if inputs == "mixture" else INPUTS[inputs](rng)
    bias = biases("per-call", rng) if model == "imperfect" else None
    simulated = Simulated(function, X.mean(axis=0), np.linalg.inv(np.cov(X.T)), bias, reading.spread)
    of_rsens = ranking_error(importance("rsens", simulated, X))
    if method in METHODS:
        return ranking_error(importance(method, simulated, X)) - of_rsens
    budget = replace(BUDGETS["paper"], nodes=reading.nodes)
    predictor = _predictor(simulated, X, reading, rng)
    return ranking_error(BLACK_BOX[method, 1].value(predictor, budget, rng)) - of_rsens


def _mixture(rng: np.random.Generator, sd: float) -> Array:
    return rng.choice([-1.0, 1.0], (N, D)) + sd * rng.standard_normal((N, D))


def _predictor(model: Simulated, X: Array, reading: Reading, rng: np.random.Generator) -> Predictor:
    f = (model if reading.target == "the model" else replace(model, bias=None)).f(X)
    y = f + reading.noise * f.std(ddof=1) * rng.standard_normal(len(f))
    predictor = model.predictor(X, y)
    if reading.call == "node":  # VAR asks about blocks (rows, nodes, D); the first axis counts calls
        predictor.predictions = lambda blocks: model.f(blocks.swapaxes(0, 1)).swapaxes(0, 1)[..., None]
    elif reading.call == "variable":
        predictor.predictions = lambda blocks: model.f(blocks.reshape(-1, D)).reshape(*blocks.shape[:-1], 1)
    if reading.loss == "squared error":
        predictor.log_densities = lambda blocks: -((y - model.f(blocks)) ** 2)
    elif reading.loss == "log density, V kept":
        V = model.variance(X)
        predictor.log_densities = lambda blocks: -0.5 * (np.log(2.0 * np.pi * V) + (y - model.f(blocks)) ** 2 / V)
    return predictor


def readings_of(inputs: str, method: str) -> list[str]:
    """The readings that can matter for a cell."""
    return [name for name, (where, _) in READINGS.items() if not where or {inputs, method} & set(where)]


def readings_of_method(inputs: str, method: str) -> list[str]:
    """The readings of what only this method looks at, and the reading of the tables."""
    return [name for name, (where, _) in READINGS.items() if name == TABLES or method in where]


def summarize(
    cells: pd.DataFrame, results: dict[tuple[Any, ...], list[float]], readings: Callable[[str, str], list[str]]
) -> pd.DataFrame:
    """One row per cell and reading."""
    rows = []
    for cell in cells.itertuples():
        key = (cell.inputs, cell.model, cell.function, cell.method)
        for name in readings(cell.inputs, cell.method):
            errors = [value for of, values in results.items() if of[:5] == (*key, name) for value in values]
            rows.append((*key, name, cell.published, cell.published_half, *mean_and_half(errors), len(errors)))
    columns = ["published", "published_half", "ours", "ours_half", "repetitions"]
    table = pd.DataFrame(rows, columns=[*CELL, "reading", *columns])
    table["agrees"] = agreement(table)
    return table


def over_all_cells(cells: pd.DataFrame, results: dict[tuple[Any, ...], list[float]]) -> pd.DataFrame:
    """For each method and reading: how many cells agree, and the mean squared difference in joint standard errors.

    The mean square is about 1 if the paper used this reading, and larger otherwise.
    """
    table = summarize(cells, results, readings_of_method)
    joint = np.hypot(table["ours_half"], table["published_half"] + ROUNDING) / 1.96
    table["square"] = ((table["ours"] - table["published"]) / joint) ** 2
    groups = table.groupby(["method", "reading"], sort=False)
    return groups.agg(
        cells=("agrees", "size"), agree=("agrees", "sum"), square=("square", "mean"), repetitions=("repetitions", "max")
    ).reset_index()


def markdown(table: pd.DataFrame, counts: pd.DataFrame) -> str:
    """One line per cell and reading; then each reading over all cells of a method."""
    lines = ["| inputs | model | function | method | reading | published | ours | agrees |", "|---" * 8 + "|"]
    for row in table.itertuples():
        numbers = f"{row.published:.1f} ± {row.published_half:.1f} | {row.ours:.2f} ± {row.ours_half:.2f}"
        names = f"{row.inputs} | {row.model} | {row.function} | {row.method} | {row.reading}"
        lines.append(f"| {names} | {numbers} | {'yes' if row.agrees else '**no**'} |")
    lines += ["", "| method | reading | cells | agree | mean square |", "|---|---|---|---|---|"]
    for row in counts.itertuples():
        lines.append(f"| {row.method} | {row.reading} | {row.cells} | {row.agree} | {row.square:.2f} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Run the script."""
    options = parser(__doc__.splitlines()[0], repetitions=2000, published=False)
    given = options.parse_args(arguments)
    tables = given.out / "per-call" / "main_effects.csv"
    if not tables.exists():
        options.error(f"{tables} is missing; run first: python -m experiments.main_effects --out {tables.parent}")
    table = pd.read_csv(tables)
    cells, of_methods = table[~table["agrees"]], table[table["method"].isin(["pfi", "var"])]
    settings = {"experiment": "disagreements", "seed": given.seed, "repetitions": given.repetitions}
    few = max(1, given.repetitions // 20)
    keys = [
        (cell.inputs, cell.model, cell.function, cell.method, name, start)
        for chosen, readings, repetitions in (
            (cells, readings_of, given.repetitions),
            (of_methods, readings_of_method, few),
        )
        for cell in chosen.itertuples()
        for name in readings(cell.inputs, cell.method)
        for start in range(0, repetitions, BATCH)
    ]
    work = partial(batch, stop=given.repetitions, seed=given.seed)
    with parallel(given):
        journal = Journal(given.out / "disagreements.jsonl", settings)
        results = run(journal, dict.fromkeys(keys), work, n_jobs=given.n_jobs, label="cells that do not agree")
    tested = summarize(cells, results, readings_of)
    counts = over_all_cells(of_methods, {key: values for key, values in results.items() if key[-1] < few})
    write_csv(tested, given.out / "disagreements.csv")
    write_csv(counts, given.out / "disagreements-counts.csv")
    write_text(given.out / "disagreements.md", markdown(tested, counts))


if __name__ == "__main__":
    main()
