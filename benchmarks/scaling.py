"""Sparse GPs at 10⁴ to 10⁶ rows: how fits, predictions and sensitivities grow, and against GPyTorch's SVGP and trees.

Every task runs in a separate process, on one thread, and is measured in processor time. Ratios are within one run.
Results go to results/scaling.csv as they come, and results/scaling.md is made from them: a run of some parts replaces
these parts only.

    python -m benchmarks.scaling [--rows 10000 100000 1000000] [--parts growth inducing jobs svgp accuracy rare trees]
                                 [--kinds gaussian probit poisson]
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
from typing import Any

import numpy as np

from benchmarks._ratios import RESULTS
from benchmarks._scaling_tasks import HELD_OUT, NEAR, RARE_SEEDS, SAME, D, M

KINDS = ("gaussian", "probit", "poisson")
PARTS = ("growth", "inducing", "jobs", "svgp", "accuracy", "rare", "trees")
#: Rows for the comparisons with others, and for the search on all rows.
COMPARED, SEARCHED = 100_000, 10_000
#: Rows that are worth several processes.
SHARED = 400_000
#: Inducing inputs, where they are more than M.
MORE = 500
COLUMNS = ("part", "kind", "rows", "quantity", "value")
#: A key of the results, and its value.
Key = tuple[str, str, int, str]
Results = dict[Key, float]


def run(**task: Any) -> dict[str, Any]:
    """The result of one task, from a separate process."""
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    command = [sys.executable, "-m", "benchmarks._scaling_tasks", json.dumps(task)]
    done = subprocess.run(command, env=os.environ | threads, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


class Table:
    """results/scaling.csv, written after every task."""

    def __init__(self) -> None:
        self.path = RESULTS / "scaling.csv"
        self.values: Results = {}
        self._read()

    def _read(self) -> None:
        """Results of earlier runs."""
        if self.path.exists():
            with self.path.open(newline="") as file:
                for row in csv.DictReader(file):
                    key = (row["part"], row["kind"], int(row["rows"]), row["quantity"])
                    self.values[key] = float(row["value"])

    def keep(self, part: str, kind: str, rows: int, found: dict[str, float]) -> None:
        """Replace the results of this part, and write the files."""
        self._read()
        self.values = {key: value for key, value in self.values.items() if key[:3] != (part, kind, rows)}
        self.values |= {(part, kind, rows, quantity): value for quantity, value in found.items()}
        with self.path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            writer.writerows([*key, f"{value:.6g}"] for key, value in sorted(self.values.items()))
        (RESULTS / "scaling.md").write_text(page(self.values))


def growth(table: Table, rows: list[int], kinds: list[str]) -> None:
    """Fit, prediction, R-sens and R-sens₂ at every number of rows."""
    for n in rows:
        for kind in kinds:
            table.keep("growth", kind, n, run(task="fit", kind=kind, rows=n))


def inducing(table: Table) -> None:
    """The same with more inducing inputs."""
    table.keep("inducing", "gaussian", COMPARED, run(task="fit", kind="gaussian", rows=COMPARED, inducing=MORE))


def jobs(table: Table) -> None:
    """Rows in one process and in two: the one task that is measured by the clock, and needs two idle cores."""
    table.keep("jobs", "gaussian", SHARED, run(task="jobs", rows=SHARED))


def svgp(table: Table, kinds: list[str]) -> None:
    """GPyTorch's SVGP, until it is as good as ours or has had ten times as long."""
    for kind in [kind for kind in kinds if kind != "poisson"]:  # whose predictive density SVGP has to sample
        ours = run(task="quick", kind=kind, rows=COMPARED)
        peer = run(task="svgp", kind=kind, rows=COMPARED, score=ours["score"], most_seconds=10.0 * ours["fit"])
        found = {f"ours: {name}": ours[name] for name in ("fit", "score")}
        table.keep("svgp", kind, COMPARED, found | {f"SVGP: {name}": value for name, value in peer.items()})


def accuracy(table: Table, kinds: list[str]) -> None:
    """The search on some rows against the search on all."""
    for kind in kinds:
        found = run(task="accuracy", kind=kind, rows=SEARCHED)
        values = {name: value for name, value in found.items() if not isinstance(value, list)}
        for name in ("some", "all"):
            values |= {f"{name}: R-sens of x{d}": value for d, value in enumerate(found[f"{name}: R-sens"])}
        table.keep("accuracy", kind, SEARCHED, values)


def rare(table: Table) -> None:
    """A class of 0.3 %: an even draw of rows for the search against a draw that keeps the rare class."""
    found = run(task="rare", rows=COMPARED)
    table.keep("rare", "probit", COMPARED, found)


def trees(table: Table) -> None:
    """Gradient boosting with TreeSHAP."""
    for kind, task in (("boosting", "trees"), ("ours", "quick")):
        table.keep("trees", kind, COMPARED, run(task=task, kind="gaussian", rows=COMPARED))


# ---- the page --------------------------------------------------------------------------------------------------------


def page(values: Results) -> str:
    """results/scaling.md."""
    makers = (_growth_page, _inducing_page, _jobs_page, _svgp_page, _accuracy_page, _rare_page, _trees_page)
    parts = [HEADING, *(make(values) for make in makers)]
    return "\n\n".join(part for part in parts if part) + "\n"


HEADING = (
    f"Sparse GPs with an EQ kernel, M = {M} inducing inputs, D = {D} columns. Processor time on one thread; every task "
    f"in a process of its own. Scores are mean log predictive densities of {HELD_OUT:,} held-out rows. "
    "Made by `python -m benchmarks.scaling`."
)


#: Timed quantities, and the header of tables with them.
TIMED = ("fit", "predict", "R-sens", "R-sens₂")
IN_PASSES = [*TIMED, "MB, fit", "MB, with R-sens", "score"]


def _of(values: Results, part: str, kind: str, rows: int) -> dict[str, float]:
    return {key[3]: value for key, value in values.items() if key[:3] == (part, kind, rows)}


def _table(header: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [header, ["---"] * len(header), *rows])


def _growth_page(values: Results) -> str:
    rows = sorted({key[2] for key in values if key[0] == "growth"})
    lines, exponents = [], []
    for kind in KINDS:
        found = {n: _of(values, "growth", kind, n) for n in rows}
        found = {n: each for n, each in found.items() if each}
        for n, each in found.items():
            lines.append([kind, f"{n:,}", *_in_passes(each)])
        for (few, one), (many, other) in zip(list(found.items())[:-1], list(found.items())[1:], strict=True):
            powers = (np.log(other[name] / one[name]) / np.log(many / few) for name in TIMED)
            exponents.append([kind, f"{few:,} to {many:,}", *(f"{power:.2f}" for power in powers)])
    if not lines:
        return ""
    return "\n\n".join(
        [
            "## Growth",
            "In units of one `dsyrk` of an (M, N) matrix, the least that a pass over the rows costs. Predictions and "
            "sensitivities are at all N rows. Memory is the peak of the whole process in MB, with Python, the "
            "libraries and the data.",
            _table(["kind", "N", *IN_PASSES], lines),
            "Exponents of N:",
            _table(["kind", "N", *TIMED], exponents),
        ]
    )


def _in_passes(found: dict[str, float]) -> list[str]:
    """The cells under `IN_PASSES`."""
    times = (f"{found[name] / found['dsyrk']:.3g}" for name in TIMED)
    memory = (f"{found[name]:.0f}" for name in ("memory of the fit", "memory with R-sens"))
    return [*times, *memory, f"{found['score']:.4f}"]


def _inducing_page(values: Results) -> str:
    found = _of(values, "inducing", "gaussian", COMPARED)
    if not found:
        return ""
    text = f"{MORE} inducing inputs, {COMPARED:,} rows, in units of one `dsyrk` of a ({MORE}, N) matrix:"
    return "\n\n".join(["## More inducing inputs", text, _table(IN_PASSES, [_in_passes(found)])])


def _jobs_page(values: Results) -> str:
    found = _of(values, "jobs", "gaussian", SHARED)
    if not found:
        return ""
    text = (
        f"`explain` with pairs at {SHARED:,} rows, by the clock: `n_jobs=1` takes {found['one'] / found['two']:.2f} "
        "times as long as `n_jobs=2`, start of the processes included, and gives the same numbers. Work of less than "
        "ten seconds stays in one process."
    )
    return "\n\n".join(["## Rows in parallel", text])


def _svgp_page(values: Results) -> str:
    lines = []
    for kind in KINDS:
        found = _of(values, "svgp", kind, COMPARED)
        if found:
            near, end = (found[name] / found["ours: fit"] for name in ("SVGP: near", "SVGP: fit"))
            at_end = f"{end:.1f}" if found["SVGP: reached"] else f"not within {end:.1f}"
            at_near = f"not within {end:.1f}" if np.isnan(near) else f"{near:.1f}"
            lines.append([kind, f"{found['ours: score']:.4f}", f"{found['SVGP: score']:.4f}", at_near, at_end])
    if not lines:
        return ""
    text = (
        f"GPyTorch's SVGP on the same {COMPARED:,} rows: {M} inducing points that move, minibatches of 1,000, Adam "
        "with a rate of 0.01, single precision, until its held-out score is within "
        f"{SAME} of ours or it has had ten times as long. Times are in units of our fit."
    )
    header = ["kind", "score, ours", "score, SVGP", f"SVGP within {NEAR}", f"SVGP within {SAME}"]
    return "\n\n".join(["## Against SVGP", text, _table(header, lines)])


def _accuracy_page(values: Results) -> str:
    blocks = []
    for kind in KINDS:
        found = _of(values, "accuracy", kind, SEARCHED)
        if found:
            pairs = [(found[f"some: R-sens of x{d}"], found[f"all: R-sens of x{d}"]) for d in range(D)]
            largest = max(of_all for _, of_all in pairs)
            lines = [
                [f"x{d}", f"{some:.4f}", f"{of_all:.4f}", f"{abs(some - of_all) / largest:.2%}"]
                for d, (some, of_all) in enumerate(pairs)
            ]
            scores = f"score {found['some: score']:.4f} and {found['all: score']:.4f}"
            blocks.append(f"{kind}: {scores}; the search on all rows takes {_times(found)} as long.")
            blocks.append(_table(["column", "some rows", "all rows", "difference, of the largest"], lines))
    if not blocks:
        return ""
    text = f"R-sens at {SEARCHED:,} rows, after a search of hyperparameters on 5,000 of them and on all."
    return "\n\n".join(["## The search on some of the rows", text, *blocks])


def _times(found: dict[str, float]) -> str:
    return f"{found['all: fit'] / found['some: fit']:.1f} times"


def _rare_page(values: Results) -> str:
    found = _of(values, "rare", "probit", COMPARED)
    if not found:
        return ""
    lines = []
    for draw in ("even", "rare kept"):
        for seed in RARE_SEEDS:
            columns = (f"{found[f'{draw} {seed}: R-sens of x{d}']:.4f}" for d in range(5))
            lines.append([draw, str(seed), *columns, f"{found[f'{draw} {seed}: score']:.5f}"])
    text = (
        f"{COMPARED:,} rows with five columns and {found['share']:.2%} of the second class; x0 matters most, x4 not at "
        "all. R-sens and held-out score after a search on 5,000 rows, drawn evenly or with 500 rows (or all) of the "
        f"rare class. The score of the truth is {found['score of the truth']:.5f}."
    )
    header = ["draw", "seed", *(f"x{d}" for d in range(5)), "score"]
    return "\n\n".join(["## A rare class", text, _table(header, lines)])


def _trees_page(values: Results) -> str:
    boosted, ours = (_of(values, "trees", kind, COMPARED) for kind in ("boosting", "ours"))
    if not (boosted and ours):
        return ""
    lines = [["score", f"{ours['score']:.4f}", f"{boosted['score']:.4f}", ""]]
    for name in ("fit", "main effects of 1,000 rows", "interactions of 100 rows"):
        lines.append([name, "1", f"{boosted[name] / ours[name]:.3g}", "processor time, times ours"])
    text = (
        f"scikit-learn's HistGradientBoostingRegressor (500 rounds, early stopping) on the same {COMPARED:,} rows, "
        "with TreeSHAP of the package shap. Boosting predicts a number: its score is that of a Normal with the "
        "variance of its errors on other rows. SHAP explains that number; R-sens explains the predictive distribution."
    )
    return "\n\n".join(
        ["## Against boosted trees", text, _table(["quantity", "sparse GP", "boosted trees", "unit"], lines)]
    )


def main() -> int:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    table = Table()
    steps = {
        "growth": lambda: growth(table, options.rows, options.kinds),
        "inducing": lambda: inducing(table),
        "jobs": lambda: jobs(table),
        "svgp": lambda: svgp(table, options.kinds),
        "accuracy": lambda: accuracy(table, options.kinds),
        "rare": lambda: rare(table),
        "trees": lambda: trees(table),
    }
    for part in options.parts:
        steps[part]()
    sys.stdout.write(page(table.values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
