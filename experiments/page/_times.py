"""How long the experiments took, and how many repetitions they had."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from experiments._journal import TIMES, TIMINGS
from experiments.page._markdown import Results, number, table

#: The page gives processor time in minutes of this many cores.
CORES = 2


def times(folder: Path) -> pd.DataFrame:
    """For each experiment: pieces of work, seconds by the clock, processor seconds, number of processes."""
    frames = [pd.read_csv(path) for path in sorted(folder.glob(f"**/{TIMINGS}"))]
    empty = pd.DataFrame(columns=list(TIMES))
    rows = pd.concat(frames, ignore_index=True) if frames else empty
    # An experiment in two folders was run twice; the page reads its table from the deeper folder.
    return rows.drop_duplicates("experiment", keep="first").set_index("experiment")


def repetitions(results: Results, experiment: str, parts: int) -> int | None:
    """How many repetitions each part of an experiment had; None without times, or if the parts differ."""
    took = times(results.folder)
    if experiment not in took.index:
        return None
    pieces = int(took.loc[experiment, "repetitions"])
    return pieces // parts if pieces % parts == 0 else None


def summary(results: Results) -> list[str]:
    """A line for the top of the page."""
    took = times(results.folder)
    if not len(took):
        return []
    minutes = took["processor_seconds"].sum() / 60.0 / CORES
    return [
        f"- **Time:** {number(minutes, 0)} minutes of {CORES} cores (processor time divided by {CORES}) for everything "
        "timed [below](#times)."
    ]


def section(results: Results) -> list[str]:
    """The times of all experiments."""
    took = times(results.folder)
    if not len(took):
        return []
    rows = []
    for name, row in took.iterrows():
        minutes = (number(seconds / 60.0) for seconds in (row.processor_seconds / CORES, row.seconds))
        rows.append((f"`{name}`", int(row.repetitions), *minutes, int(row.n_jobs)))
    head = ["experiment", "pieces of work", f"minutes of {CORES} cores", "minutes by the clock", "processes"]
    return [
        "## Times",
        "",
        "A piece of work is one repetition of one part, such as one distribution of inputs. Minutes of cores are the "
        f"processor time of all pieces, divided by {CORES}. The last column counts processes that ran at once; the "
        "time by the clock also depends on other work of the machine.",
        "",
        *table(head, rows),
    ]
