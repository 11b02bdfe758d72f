"""One case for the command line: a random file, random options, and how `rsens` ends."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fuzz import SEED
from fuzz._judge import Outcome, Wrong, judged
from fuzz._tables import NUMERIC, ODD_NAMES, TYPED, Rng

#: Allowed exit codes of a command: done, refused (our error), a wrong option.
CODES = {0: "answered", 1: "refused", 2: "refused"}
#: The longest line that a terminal is sent, and the most characters in all.
MOST_LINE, MOST_OUT = 3_000, 60_000
TARGETS = ["normal", "scaled", "two values", "few values", "text", "bool", "constant", "dates", "integers"]
OPTIONS = ["--pairs 0", "--no-null", "--cv 0", "--json", "--quiet", "--rows 10", "--seed 1"]
CELLS = ["", "NA", "?", "-", "1,5", "1.234,5", "1e400", "-inf", "nan", "0x10", "\x1b[2J", '"', "ü", "12/31/2020"]


@dataclass(frozen=True)
class FileCase:
    """A file in words, the command, and how it ended."""

    number: int
    kind: str
    arguments: tuple[str, ...]
    outcome: Outcome


def run_file(number: int) -> FileCase:
    """Make the file of this number, and run the command on it."""
    rng = np.random.default_rng([SEED, 1, number])
    with tempfile.TemporaryDirectory() as folder:
        path, kind, target = _random_file(rng, Path(folder))
        arguments = _random_command(rng, path.name, target)
        ended: list[str] = []
        outcome = judged(lambda: ended.append(_run(arguments, Path(folder))))
    if ended and not outcome.defect:
        outcome = Outcome(ended[0], outcome.text)
    return FileCase(number, kind, tuple(arguments), outcome)


def _run(arguments: list[str], folder: Path) -> str:
    """Run the command in this process; how it ended, unless that is wrong."""
    from rsens._app.cli._main import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    printed, told = (stream.buffer.getvalue().decode("utf-8") for stream in (out, err))  # type: ignore[attr-defined]
    said = printed + told
    if code not in CODES:
        raise Wrong(f"exit code {code}: {said[-300:]!r}")
    if code and not said.strip():
        raise Wrong(f"exit code {code} without a word")
    if "Traceback" in said:
        raise Wrong(f"a traceback: {said[-300:]!r}")
    if any(ord(c) < 32 and c != "\n" for c in said):
        raise Wrong(f"steers the terminal: {_steering(said)!r}")
    if "--json" in arguments and not code:  # for programs: names are whole, however long
        json.loads(printed, parse_constant=_no_number)
        said = told
    if len(said) > MOST_OUT or max(map(len, said.split("\n"))) > MOST_LINE:
        raise Wrong(f"{len(said)} characters: {said[:200]!r}")
    _check_written(folder)
    return CODES[code]


def _no_number(name: str) -> None:
    raise Wrong(f"{name} in JSON")


def _steering(said: str) -> str:
    """The first line that holds a control character."""
    return next(line for line in said.split("\n") if any(ord(c) < 32 for c in line))[:300]


def _check_written(folder: Path) -> None:
    """No NaN among the written values."""
    for path in folder.glob("**/variables.csv"):
        values = pd.read_csv(path)["value"].to_numpy(dtype=float)
        if not np.isfinite(values).all() or (values < 0.0).any():
            raise Wrong(f"{path.name}: {values}")


def _random_file(rng: Rng, folder: Path) -> tuple[Path, str, str]:
    kind = str(rng.choice(["table", "messy cells", "bytes", "parquet", "empty"], p=[0.55, 0.25, 0.08, 0.1, 0.02]))
    if kind in ("bytes", "empty"):
        path = folder / "data.csv"
        path.write_bytes(b"" if kind == "empty" else _bytes(rng))
        return path, kind, "y"
    frame = _frame(rng)
    if kind == "messy cells":
        frame = frame.astype(object)
        for _ in range(int(rng.integers(1, 8))):
            frame.iat[rng.integers(len(frame)), rng.integers(frame.shape[1])] = CELLS[rng.integers(len(CELLS))]
    target = str(frame.columns[-1]) if rng.random() < 0.95 else "not there"
    if kind == "parquet":
        with contextlib.suppress(Exception):
            frame.columns = [str(name) for name in frame.columns]
            frame.to_parquet(folder / "data.parquet")
            return folder / "data.parquet", kind, target
    separator = str(rng.choice([",", ";", "\t", "|"], p=[0.7, 0.15, 0.1, 0.05]))
    path = folder / ("data.tsv" if separator == "\t" else "data.csv")
    options: dict[str, Any] = {"decimal": "," if separator == ";" and rng.random() < 0.5 else "."}
    text = frame.to_csv(index=bool(rng.random() < 0.1), sep=separator, **options)
    encoding = str(rng.choice(["utf-8", "utf-8-sig", "latin-1", "utf-16"], p=[0.8, 0.1, 0.08, 0.02]))
    path.write_bytes(text.encode(encoding, "replace"))
    return path, "messy cells" if kind == "messy cells" else "table", target


def _frame(rng: Rng) -> pd.DataFrame:
    """A table of few rows, the target last."""
    n = int(rng.integers(0, 4)) if rng.random() < 0.05 else int(rng.integers(8, 26))
    kinds = [str(rng.choice(list(NUMERIC if rng.random() < 0.7 else TYPED))) for _ in range(int(rng.integers(1, 4)))]
    columns = [pd.Series((NUMERIC | TYPED)[kind](rng, n)).reset_index(drop=True) for kind in kinds]
    columns.append(pd.Series((NUMERIC | TYPED)[str(rng.choice(TARGETS))](rng, n)).reset_index(drop=True))
    odd = rng.random() < 0.3
    names = [str(ODD_NAMES[rng.integers(len(ODD_NAMES))]) if odd else f"column {k}" for k in range(len(kinds))]
    frame = pd.concat(columns, axis=1)
    return frame.set_axis([name.encode("utf-8", "replace").decode() for name in (*names, "y")], axis=1)


def _bytes(rng: Rng) -> bytes:
    """Something other than a table: noise, or a table with bytes changed."""
    if rng.random() < 0.5:
        return bytes(rng.integers(0, 256, size=int(rng.integers(1, 400)), dtype=np.uint8))
    text = bytearray(_frame(rng).to_csv(index=False).encode("utf-8", "replace"))
    for _ in range(5):
        text[rng.integers(len(text))] = rng.integers(256)
    return bytes(text)


def _random_command(rng: Rng, file: str, target: str) -> list[str]:
    """A command that is over soon."""
    quick = ["--model", "linear"] if rng.random() < 0.6 else []
    chosen = [part for option in OPTIONS if rng.random() < 0.4 for part in option.split()]
    report = [] if rng.random() < 0.05 else ["--no-report"]
    return ["explain", file, "--target", target, "--n-jobs", "1", *quick, *chosen, *report]
