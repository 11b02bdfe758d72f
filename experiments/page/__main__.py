"""Write docs/reproduction.md from the CSV files in experiments/results.

    python -m experiments.page

No number on the page is typed by hand. A result that is not there is named, with the command that makes it.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import pandas as pd

from experiments._command import RESULTS
from experiments._journal import TIMINGS
from experiments._tables import write_text
from experiments.page import _beyond, _main_effects, _pairs
from experiments.page._markdown import Results, number, table

DOCS = Path(__file__).parents[2] / "docs"
CORES = 2

RUN = """\
## How to run

`make paper` does everything, in the order of this page; `make paper-quick` does the same with few repetitions into
`build/paper-quick`, in a few minutes. One script alone:

```sh
python -m experiments.main_effects --inputs t3 --repetitions 500 --bias per-call --out experiments/results/per-call
python -m experiments.interactions --n-jobs 4
python -m experiments.real_data --data concrete --splits 50
python -m experiments.page
```

Every repetition is written to a file (`*.jsonl` beside the tables) as it finishes. A script that was interrupted goes
on where it was when it is started again, and ends with the same tables; `--n-jobs` changes no number either. On a Dask
cluster add `--dask tcp://scheduler:8786`, or `--dask local` to start one here (`pip install 'rsens[distributed]'`).
"""


def page(results: Results) -> str:
    """The whole page."""
    lines = [
        "# The paper, reproduced",
        "",
        "Paananen, Andersen and Vehtari (2021), *Uncertainty-aware Sensitivity Analysis Using Rényi Divergences*: its "
        "tables and figures, published and ours. Every number on this page is made from the CSV files in "
        "`experiments/results` by `python -m experiments.page`. ± is the half-width of a 95 % interval throughout.",
        "",
        "## In short",
        "",
        *_main_effects.summary(results),
        *_pairs.summary(results),
        *_time_in_short(results),
        "",
        *_illustrations(results),
        *_main_effects.section(results),
        *_pairs.section_32(results),
        *_pairs.section_33(results),
        *_pairs.supplement(results),
        *_beyond.section(results),
        *_times(results),
    ]
    return "\n".join(lines) + "\n" + RUN


def _illustrations(results: Results) -> list[str]:
    figures = {
        "illustration_gp": ("Figure 1", "a Gaussian process: R-sens falls where the uncertainty grows."),
        "illustration_linear": ("Figure 2", "linear regression: the two summands of equation 5."),
        "illustration_probit": ("Supplement", "probit regression on 1000 observations."),
    }
    lines = ["## Figures 1 and 2, and the supplement's figure of a binary model", ""]
    lines += ["The paper does not give the data of its illustrations; these are made up in its manner.", ""]
    for name, (where, words) in figures.items():
        shown = results.figure(name, f"{where}: {words}")
        lines += [f"**{where}**, {words}", "", *shown] if shown else []
    return lines


def times(folder: Path) -> pd.DataFrame:
    """By experiment: repetitions, seconds and processor seconds since it was last started from nothing."""
    frames = [pd.read_csv(path) for path in sorted(folder.glob(f"**/{TIMINGS}"))]
    if not frames:
        return pd.DataFrame(columns=["repetitions", "seconds", "processor_seconds"])
    lines = pd.concat(frames, ignore_index=True)
    # Lines are in the order of time; the sum from the last fresh start on is all there is in the journal.
    start = lines.groupby("experiment", sort=False)["finished_before"].transform(lambda before: (before == 0).cumsum())
    last = start.groupby(lines["experiment"]).transform("max")
    columns = ["repetitions", "seconds", "processor_seconds"]
    return lines[start == last].groupby("experiment", sort=False)[columns].sum()


def _time_in_short(results: Results) -> list[str]:
    took = times(results.folder)
    if not len(took):
        return []
    minutes = took["processor_seconds"].sum() / 60.0 / CORES
    return [f"- **Time:** {number(minutes, 0)} minutes of {CORES} cores for all that is timed below."]


def _times(results: Results) -> list[str]:
    took = times(results.folder)
    if not len(took):
        return []
    rows = [
        (
            f"`{name}`",
            int(row.repetitions),
            *(number(seconds / 60.0) for seconds in (row.processor_seconds / CORES, row.seconds)),
        )
        for name, row in took.iterrows()
    ]
    return [
        "## Times",
        "",
        f"Processor time of the repetitions, divided by {CORES} cores; and the time by the clock, which depends on "
        "what else the machine did.",
        "",
        *table(["experiment", "units of work", f"minutes of {CORES} cores", "minutes by the clock"], rows),
    ]


def main(arguments: list[str] | None = None) -> None:
    """Write the page and copy its figures beside it."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--out", type=Path, default=RESULTS, help="folder with results; default: %(default)s")
    options.add_argument("--docs", type=Path, default=DOCS, help="folder for the page; default: %(default)s")
    given = options.parse_args(arguments)
    results = Results(given.out)
    text = page(results)
    folder = given.docs / "figures" / "reproduction"
    folder.mkdir(parents=True, exist_ok=True)
    for path in results.figures:
        shutil.copyfile(path, folder / path.name)
    write_text(given.docs / "reproduction.md", text)


if __name__ == "__main__":
    main()
