"""Past the paper: Table 1 with other predictive families and the KL method, and Gaussian processes with ARD.

    python -m experiments.beyond

First part: the models of Section 3.1, which are hypothetical, predict a Student-t or a Bernoulli distribution instead
of a normal one. The bias of imperfect models is drawn once per repetition, so that a model is one function. The KL
method moves a variable a little and takes the divergence of the two predictions; the paper leaves it out as equal to
R-sens up to numerical accuracy.

Second part: Gaussian processes are fitted to 50, 100 and 200 rows of the same simulation with standard normal inputs.
Inverse length-scales (ARD) are what many people read as relevance.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from experiments._beyond_figures import draw_ard, draw_families
from experiments._command import parallel, parser, whole_number
from experiments._families import FAMILIES, in_family
from experiments._journal import Journal, run
from experiments._simulated import FUNCTIONS, INPUTS, NOISE, STRENGTH, D, Simulated, biases
from experiments._tables import mean_and_half, write_csv, write_text
from experiments.main_effects import MODELS, ranking_error
from rsens import GPRegressor
from rsens._compare import ComparisonSettings, method_values
from rsens._typing import Array

OF_FAMILIES = ("rsens", "ead", "aed", "apc", "shap", "pd", "pfi", "var", "kl")
OF_PROCESSES = (*OF_FAMILIES, "ard")
OF_INPUTS = ("t3", "gaussian")
SIZES = (50, 100, 200)
#: Of both tables: the error of a method and that less the error of R-sens, with the half-widths of their intervals.
COLUMNS = ("repetitions", "error", "error_half", "ours", "ours_half")

#: By model and function: the ranking error of every method, and how far the KL method is from R-sens.
Result = dict[str, dict[str, dict[str, list[float]]]]


def of_families(family: str, inputs: str, number: int, *, seed: int) -> Result:
    """One repetition of Table 1 with models of this family."""
    entropy = [seed, FAMILIES.index(family), OF_INPUTS.index(inputs), number]
    X = INPUTS[inputs](np.random.default_rng([seed, list(INPUTS).index(inputs), number]))  # the rows of Table 1
    mean, precision = X.mean(axis=0), np.linalg.inv(np.cov(X.T))
    results: Result = {}
    for m, model in enumerate(MODELS):
        results[model] = {}
        for k, function in enumerate(FUNCTIONS):
            rng = np.random.default_rng([*entropy, m, k])
            bias = biases("per-repetition", rng) if model == "imperfect" else None
            simulated = Simulated(function, mean, precision, bias)
            values = _values(*in_family(family, simulated, X, rng), X, OF_FAMILIES, [*entropy, m, k])
            results[model][function] = {
                "errors": [ranking_error(of_method) for of_method in values.values()],
                "apart": [float(np.abs(values["kl"] / values["rsens"] - 1.0).max())],
            }
    return results


def of_processes(n: int, number: int, *, seed: int) -> dict[str, list[float]]:
    """By function: the ranking error of every method for a Gaussian process fitted to n rows."""
    errors = {}
    for k, function in enumerate(FUNCTIONS):
        entropy = [seed, n, number, k]
        rng = np.random.default_rng(entropy)
        X = rng.standard_normal((n, D))
        f = FUNCTIONS[function][0](X) @ STRENGTH
        y = f + NOISE * f.std(ddof=1) * rng.standard_normal(n)
        process = GPRegressor(random_state=0).fit(X, y)
        values = _values(process, y, X, OF_PROCESSES, entropy)
        errors[function] = [ranking_error(of_method) for of_method in values.values()]
    return errors


def _values(model: Any, y: Array, X: Array, methods: tuple[str, ...], entropy: list[int]) -> dict[str, Array]:
    """One value per input by every method, in its own unit of x: all inputs have the same distribution."""
    settings = ComparisonSettings.read(methods, 1, "paper", scale="raw")
    results = method_values(model, X, y, settings, np.random.SeedSequence(entropy))
    for result in results:
        if result.values is None:
            raise RuntimeError(f"{result.method}: {result.status}")
    return {result.method: result.values for result in results if result.values is not None}


def summarize_families(results: dict[tuple[Any, ...], Any]) -> pd.DataFrame:
    """One row per cell: the mean error, and that less the error of R-sens with the half-width of its 95 % interval."""
    rows = []
    for family, inputs in _parts(results):
        of_inputs = [result for key, result in results.items() if key[:2] == (family, inputs)]
        for model in MODELS:
            for function in FUNCTIONS:
                errors = np.array([result[model][function]["errors"] for result in of_inputs])
                for k, method in enumerate(OF_FAMILIES):
                    rows.append((family, inputs, model, function, method, *_compared(errors[:, [k, 0]])))
    keys = ["family", "inputs", "model", "function", "method"]
    return pd.DataFrame(rows, columns=[*keys, *COLUMNS])


def _parts(results: dict[tuple[Any, ...], Any]) -> list[tuple[str, str]]:
    """The families and inputs that there are results of."""
    there = {key[:2] for key in results}
    return [(family, inputs) for family in FAMILIES for inputs in OF_INPUTS if (family, inputs) in there]


def summarize_processes(results: dict[tuple[Any, ...], Any]) -> pd.DataFrame:
    """The same for Gaussian processes of n rows."""
    rows = []
    for n in sorted({key[0] for key in results}):
        for function in FUNCTIONS:
            errors = np.array([result[function] for key, result in results.items() if key[0] == n])
            for k, method in enumerate(OF_PROCESSES):
                rows.append((n, function, method, *_compared(errors[:, [k, 0]])))
    return pd.DataFrame(rows, columns=["n", "function", "method", *COLUMNS])


def _compared(both: Array) -> tuple[Any, ...]:
    """Of errors (repetitions, 2) of a method and of R-sens: their number, the mean of the first, the difference."""
    return len(both), *mean_and_half(both[:, 0]), *mean_and_half(both[:, 0] - both[:, 1])


def kl_and_rsens(results: dict[tuple[Any, ...], Any]) -> pd.DataFrame:
    """How far the importance of a variable by the KL method is from R-sens, as a share of it, by function."""
    rows = []
    for family, inputs in _parts(results):
        of_inputs = [result for key, result in results.items() if key[:2] == (family, inputs)]
        for function in FUNCTIONS:
            apart = [result[model][function]["apart"] for result in of_inputs for model in MODELS]
            rows.append((family, inputs, function, len(apart), float(np.median(apart)), float(np.max(apart))))
    return pd.DataFrame(rows, columns=["family", "inputs", "function", "models", "median", "largest"])


def markdown(table: pd.DataFrame, keys: list[str], methods: tuple[str, ...]) -> str:
    """Methods side by side: the error of R-sens itself, and the others relative to it."""
    lines = [f"| {' | '.join([*keys, *methods])} |", "|---" * (len(keys) + len(methods)) + "|"]
    for key, group in table.groupby(keys, sort=False):
        of = group.set_index("method")
        cells = [f"({of.loc['rsens', 'error']:.1f})"]
        others = of.reindex(methods[1:]).itertuples()
        cells += [f"{cell.ours:.1f} ± {cell.ours_half:.1f}" for cell in others]
        lines.append(f"| {' | '.join([*map(str, key), *cells])} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Run the script."""
    options = parser(__doc__.splitlines()[0], repetitions=100, published=False)
    options.add_argument("--families", choices=FAMILIES, nargs="+", default=FAMILIES)
    options.add_argument(
        "--sizes", type=whole_number(2), nargs="+", default=SIZES, help="rows for the Gaussian processes"
    )
    given = options.parse_args(arguments)
    numbers = range(given.repetitions)
    with parallel(given):
        families = run(
            Journal(given.out / "beyond_families.jsonl", {"experiment": "beyond_families", "seed": given.seed}),
            [(family, inputs, number) for family in given.families for inputs in OF_INPUTS for number in numbers],
            partial(of_families, seed=given.seed),
            n_jobs=given.n_jobs,
            label="other families",
        )
        processes = run(
            Journal(given.out / "beyond_ard.jsonl", {"experiment": "beyond_ard", "seed": given.seed}),
            [(n, number) for n in sorted(given.sizes, reverse=True) for number in numbers],
            partial(of_processes, seed=given.seed),
            n_jobs=given.n_jobs,
            label="Gaussian processes with ARD",
        )
    of_family, of_process = summarize_families(families), summarize_processes(processes)
    tables = {"beyond_families": of_family, "beyond_kl": kl_and_rsens(families), "beyond_ard": of_process}
    for name, table in tables.items():
        write_csv(table, given.out / f"{name}.csv")
    keys = ["family", "inputs", "model", "function"]
    write_text(given.out / "beyond_families.md", markdown(of_family, keys, OF_FAMILIES))
    write_text(given.out / "beyond_ard.md", markdown(of_process, ["n", "function"], OF_PROCESSES))
    draw_families(of_family, given.out, "beyond_families")
    draw_ard(of_process, given.out, "beyond_ard")


if __name__ == "__main__":
    main()
