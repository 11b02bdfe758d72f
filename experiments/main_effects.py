"""Table 1 and its three siblings in the supplement: errors of rankings of ten variables, relative to those of R-sens.

    python -m experiments.main_effects --inputs all --bias per-call

A repetition draws 200 rows of ten inputs; y = Σ A_i f(x_i) + noise with A = 1 … 10. Every method ranks the inputs with
a hypothetical model that knows f (ground truth), or knows it but for a bias that grows outwards (imperfect). The error
of a ranking is Σ |rank − true rank|.

The text says that the bias A_bias is drawn for the model; the published numbers come out only if it is drawn anew at
every call of the model. `--bias` has these readings and a third one, a draw for each method, which would also explain
that EAD and AED differ in print where they are equal for one function.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments._command import parallel, parser
from experiments._journal import Journal, run
from experiments._main_effects_figure import draw
from experiments._simulated import BIASES, FUNCTIONS, INPUTS, NOISE, D, Simulated, imperfect
from experiments._tables import agreement, mean_and_half, write_side_by_side
from rsens.black_box import BLACK_BOX, BUDGETS
from rsens.measures import importance

DERIVATIVES = ("rsens", "ead", "aed")
PREDICTIONS = ("apc", "shap", "pd", "pfi", "var")
MODELS = ("ground-truth", "imperfect")
PUBLISHED = Path(__file__).parent / "published" / "main_effects.csv"
TRUE_RANK = D - np.arange(D)  # the strongest effect comes last


def repetition(inputs: str, number: int, *, bias: str, seed: int) -> dict[str, dict[str, list[float]]]:
    """The ranking error of every method, by model and function."""
    entropy = [seed, list(INPUTS).index(inputs), number]
    X = INPUTS[inputs](np.random.default_rng(entropy))
    mean, precision = X.mean(axis=0), np.linalg.inv(np.cov(X.T))
    errors: dict[str, dict[str, list[float]]] = {}
    for m, model in enumerate(MODELS):
        errors[model] = {}
        for k, function in enumerate(FUNCTIONS):
            rng = np.random.default_rng([*entropy, m, k])
            truth = Simulated(function, mean, precision, None)
            models = imperfect(truth, bias, rng) if model == "imperfect" else repeat(truth)
            errors[model][function] = [ranking_error(values) for values in _importances(models, X, rng)]
    return errors


def _importances(models: Iterator[Simulated], X: Any, rng: np.random.Generator) -> list[Any]:
    f = next(models).f(X)
    y = f + NOISE * f.std(ddof=1) * rng.standard_normal(len(f))
    of_derivatives = [importance(name, next(models), X) for name in DERIVATIVES]
    return of_derivatives + [
        BLACK_BOX[name, 1].value(next(models).predictor(X, y), BUDGETS["paper"], rng) for name in PREDICTIONS
    ]


def ranking_error(values: Any) -> float:
    """Σ |rank − true rank| of the ranking by these values, the largest first."""
    rank = np.empty(D)
    rank[np.argsort(-values)] = np.arange(1.0, D + 1.0)
    return float(np.abs(rank - TRUE_RANK).sum())


def summarize(results: dict[tuple[Any, ...], Any]) -> pd.DataFrame:
    """One row per cell: the mean error less that of R-sens, with the half-width of its 95 % interval, and agreement."""
    methods = DERIVATIVES + PREDICTIONS
    rows = []
    for inputs in (inputs for inputs in INPUTS if any(key[0] == inputs for key in results)):
        of_inputs = [result for key, result in results.items() if key[0] == inputs]
        for model in MODELS:
            for function in FUNCTIONS:
                errors = np.array([result[model][function] for result in of_inputs])
                relative = errors[:, 1:] - errors[:, :1]
                for method, values in zip(methods[1:], relative.T, strict=True):
                    rows.append((inputs, model, function, method, *mean_and_half(values)))
    ours = pd.DataFrame(rows, columns=["inputs", "model", "function", "method", "ours", "ours_half"])
    published = pd.read_csv(PUBLISHED)
    table = ours.merge(published, on=["inputs", "model", "function", "method"], how="left", validate="one_to_one")
    table["agrees"] = agreement(table)
    columns = ["published", "published_half", "ours", "ours_half", "agrees"]
    return table[["inputs", "model", "function", "method", *columns]]


def main(arguments: list[str] | None = None) -> None:
    """Run the script."""
    options = parser(__doc__.splitlines()[0], repetitions=500, folders="bias")
    options.add_argument("--inputs", choices=[*INPUTS, "all"], default="all")
    options.add_argument("--bias", choices=BIASES, default="per-call", help="when A_bias is drawn; default: per-call")
    given = options.parse_args(arguments)
    _warn_of_other_readings(given.out, given.bias)
    inputs = list(INPUTS) if given.inputs == "all" else [given.inputs]
    settings = {"experiment": "main_effects", "bias": given.bias, "seed": given.seed}
    journal = Journal(given.out / f"main_effects-{given.bias}.jsonl", settings)
    keys = [(name, number) for name in inputs for number in range(given.repetitions)]
    with parallel(given):
        results = run(
            journal,
            keys,
            partial(repetition, bias=given.bias, seed=given.seed),
            n_jobs=given.n_jobs,
            label=f"main effects, bias {given.bias}",
        )
    table = summarize(results)
    write_side_by_side(table, given.out, "main_effects", ["inputs", "model", "function", "method"])
    draw(table, given.out, "main_effects")


def _warn_of_other_readings(folder: Path, bias: str) -> None:
    """A folder has the table of one reading: that of the last run."""
    for other in BIASES:
        if other != bias and (folder / f"main_effects-{other}.jsonl").exists():
            sys.stderr.write(
                f"{folder} has results of --bias {other} too: its main_effects tables and figures will be those of "
                f"{bias}. To have both, give each an --out of its own.\n"
            )


if __name__ == "__main__":
    main()
