"""The committed tables of each code: read, and written design by design."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from experiments._calibration.counts import Tables
from experiments._calibration.designs import DESIGNS
from experiments._tables import write_csv

TABLES = ("designs", "terms", "analyses")


def read(folder: Path, code: str) -> Tables | None:
    """The tables of a code; None if it was not run. Designs that no longer exist are left out."""
    paths = {table: folder / f"{code}-{table}.csv" for table in TABLES}
    if not all(path.exists() for path in paths.values()):
        return None
    as_text = dict.fromkeys(("source", "data", "warning", "found", "pairs_found", "p"), str)
    tables = {table: pd.read_csv(path, dtype=as_text) for table, path in paths.items()}
    tables["designs"] = tables["designs"].fillna({"warning": ""})
    return {table: frame[frame["design"].isin(list(DESIGNS))] for table, frame in tables.items()}


def update(folder: Path, code: str, new: list[Tables]) -> None:
    """Replace the lines of these designs, in the order of the designs."""
    old = read(folder, code)
    order = {name: place for place, name in enumerate(DESIGNS)}
    for table in TABLES:
        frames = [of[table] for of in new]
        done = {name for frame in frames for name in frame["design"]}
        if old is not None:
            frames.insert(0, old[table][~old[table]["design"].isin(list(done))])
        frames = [frame.astype(object) for frame in frames if len(frame)]
        if frames:
            rows = pd.concat(frames, ignore_index=True)
            rows = rows.sort_values("design", key=lambda names: names.map(order), kind="stable")
            write_csv(rows.convert_dtypes(), folder / f"{code}-{table}.csv")


def restamp(folder: Path, code: str, stamps: dict[str, dict[str, str]]) -> None:
    """Note that other sources give the same results for these designs."""
    kept = read(folder, code)
    if kept is None or not stamps:
        return
    lines = kept["designs"].copy()
    for name, stamp in stamps.items():
        lines.loc[lines["design"] == name, list(stamp)] = list(stamp.values())
    write_csv(lines, folder / f"{code}-designs.csv")
