"""The section on processor time, from the tables of experiments/cost.py."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from experiments.page._markdown import number, table

STEPS = {
    "fit": "fit",
    "check": "check (`assess`)",
    "explain": "`explain` with null level and pairs",
    "study": "`study`: fit, check and explain",
}
#: At most this share of the earlier processor time of `study`.
TARGET = 60.0


def path(folder: Path, code: str) -> Path:
    """Where the times of a code are."""
    return folder / f"cost-{code}.csv"


def lines(folder: Path) -> list[str]:
    """The table of steps, and whether the target is met."""
    kept = {code: path(folder, code) for code in ("before", "after")}
    if not kept["before"].exists():
        return ["Not run: `python -m experiments.cost`.", ""]
    before = pd.read_csv(kept["before"])
    after = pd.read_csv(kept["after"]) if kept["after"].exists() else None
    seconds = [None if frame is None else frame.groupby("step")["seconds"].mean() for frame in (before, after)]
    shares = None if after is None else 100.0 * _relative(after) / _relative(before)
    rows = [
        (
            words,
            *("" if of is None else f"{of[step]:.1f}" for of in seconds),
            "" if shares is None else f"{number(shares[step], 0)} %",
        )
        for step, words in STEPS.items()
    ]
    n, d = (int(before[column].iloc[0]) for column in ("rows", "columns"))
    found = [
        f"One core, {n:,} rows and {d} columns, mean over {before['seed'].nunique()} data sets, in processor seconds. "
        "The share is of processor time relative to a fixed piece of linear algebra timed alongside, because the two "
        "were not measured on the same day. `study` uses the refits of its check again, so its parts need not add up.",
        "",
        *table(["step", "before", "now", "now, in % of before"], rows),
    ]
    if shares is not None:
        met = "met" if shares["study"] <= TARGET else "**not met**"
        found += [f"The target, at most {number(TARGET, 0)} % of before for `study`, is {met}.", ""]
    return found


def _relative(frame: pd.DataFrame) -> pd.Series[float]:
    """Mean seconds of each step, in units of the reference: its mean over the file, since it varies by some percent."""
    return frame.groupby("step")["seconds"].mean() / frame["reference"].mean()
