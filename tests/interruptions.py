"""Stops long calls in every way that a computer knows, and checks the files they leave. `make interruptions` runs it.

    python -m tests.interruptions --kills 100 --out docs/results/interruptions.json
    python -m tests.interruptions --kills 50 --calls "rsens explain"

Each long call that keeps finished work in a folder is killed at random moments (SIGKILL), again and again until it ends
by itself. After every kill all pieces of work that were there are there still, each of them whole, and so is every file
of results. At the end the result is the one of a call that nobody stopped, to the byte, and no piece was done twice
that had been kept. Then the disk is full, and two runs share a folder.

It runs as a separate process so that it may fork: children need not import everything again. It prints counts as JSON.
"""

from __future__ import annotations

import argparse
import errno
import hashlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments._journal import Journal, run
from rsens import BayesianLinearRegression, InputError, stability
from rsens._app.cli import main as command
from rsens._files import Checkpoint

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(30, 3)), columns=["a", "b", "c"])
Y = X["a"] * X["b"] + 0.3 * RNG.normal(size=30)

#: The result of a call as text: equal results are equal texts.
Call = Callable[[Path], str]


def explained(folder: Path) -> str:
    """`rsens explain`, whose results take the place of results from before."""
    table = Path(os.environ["RSENS_INTERRUPTED_TABLE"])
    options = ["--model", "linear", "--pairs", "0", "--cv", "3", "--no-report", "--out", str(folder)]
    code = command(["explain", str(table), "--target", "y", *options])
    if code:
        raise InputError(f"exit code {code}")
    return files_of(folder)


def files_of(folder: Path) -> str:
    """The digests of all files that the summary of a folder of results lists."""
    summary = json.loads((folder / "summary.json").read_text())
    found = {name: (folder / name).read_bytes() for name in sorted(summary["files"])}
    found["summary.json"] = json.dumps(without_times(summary)).encode()
    return json.dumps({name: hashlib.sha256(content).hexdigest() for name, content in found.items()}, indent=1)


def without_times(content: Any) -> Any:
    """A summary without the seconds that the work took."""
    if isinstance(content, dict):
        return {name: without_times(each) for name, each in content.items() if "second" not in name}
    return [without_times(each) for each in content] if isinstance(content, list) else content


def ranked(folder: Path) -> str:
    options: dict[str, Any] = {"n_boot": 40, "methods": ["rsens", "pfi"], "random_state": 1}
    return str(stability(BayesianLinearRegression(), X, Y, folder=folder, **options).ranks.to_csv())


def journalled(folder: Path) -> str:
    """The journal of the experiments of the paper."""
    folder.mkdir(exist_ok=True, parents=True)
    journal = Journal(folder / "journal.jsonl", {"size": 3})
    found = run(journal, [("square", k) for k in range(60)], square, n_jobs=1, label="", timed=False)
    return json.dumps(sorted(found.items()))


def square(_: str, number: int) -> int:
    time.sleep(0.002)
    return number**2


CALLS: dict[str, Call] = {
    "rsens explain": explained,
    "stability": ranked,
    "experiments": journalled,
}

#: How kills are shared out among the calls that are asked for: those that take longer get fewer.
SHARES = {"rsens explain": 0.2, "stability": 0.4, "experiments": 0.4}


# ---- processes -------------------------------------------------------------------------------------------------------


def child(call: Call, folder: Path, log: Path, before: Callable[[], None] = lambda: None) -> int:
    """A process that makes the call, lists finished pieces in `log`, and writes its result or its error next to it."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        before()
        with open(os.devnull, "w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
            warnings.simplefilter("ignore")
            _tell_of_pieces(log)
            code = _outcome(call, folder, log)
    finally:
        os._exit(code)


def _outcome(call: Call, folder: Path, log: Path) -> int:
    try:
        log.with_suffix(".result").write_text(call(folder))
    except InputError as error:
        with suppress(OSError):
            log.with_suffix(".error").write_text(str(error))
        return 3
    return 0


def _tell_of_pieces(log: Path) -> None:
    put = Checkpoint.put

    def telling(self: Checkpoint, key: str, content: Any, *records: type) -> None:
        put(self, key, content, *records)
        with log.open("a") as file:
            file.write(f"{key}\n")

    Checkpoint.put = telling  # type: ignore[method-assign]


def ended(process: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


# ---- what must hold --------------------------------------------------------------------------------------------------


def pieces(folder: Path) -> dict[str, bytes]:
    """The finished pieces of work in a folder and the folders in it, each of them whole."""
    found = {}
    for path in sorted(folder.rglob("*.json")) if folder.exists() else []:
        content = path.read_bytes()
        if path.name.startswith(("sample-", "split-", "refit-")):
            assert json.loads(content).keys() == {"format", "rsens", "sha256", "content"}
            found[path.name] = content
    journal = folder / "journal.jsonl"
    lines = journal.read_bytes().split(b"\n")[1:-1] if journal.exists() else []
    return found | {str(json.loads(line)[0]): line for line in lines}


def killed(name: str, call: Call, place: Path, chance: random.Random, least: int) -> Counter[str]:
    """Kill a call until it ends by itself, and again in another folder until there were enough kills."""
    counts: Counter[str] = Counter()
    log = place / "log"
    start = time.perf_counter()
    assert ended(child(call, place / "whole", log)) == 0, f"{name}: {log.with_suffix('.error').read_text()}"
    longest = time.perf_counter() - start
    expected = log.with_suffix(".result").read_text()
    while counts["kills"] < least:
        folder = place / f"folder-{counts['runs']}"
        counts["runs"] += 1
        if name == "rsens explain" and counts["runs"] % 2 == 0:  # over results of before
            shutil.copytree(place / "whole", folder)
        kept, seen, most = pieces(folder), set[str](), longest
        while True:
            log.write_text("")
            process = child(call, folder, log)
            time.sleep(chance.uniform(0.0, most))
            most *= 1.1  # so that it comes to an end, even if the computer has got other work by now
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
            code = ended(process)
            told = log.read_text().splitlines()
            assert not seen.intersection(told), f"{name}: done twice: {seen.intersection(told)}"
            if code == 0:
                break
            assert code == -signal.SIGKILL, (name, code, log.with_suffix(".error").read_text())
            counts["kills"] += 1
            now = pieces(folder)
            if name == "rsens explain":
                assert_whole(folder, place / "whole")
            if (folder / "summary.json").exists():  # results, of before or of now: then pieces may be gone
                kept, seen = now, set()
                continue
            assert all(now.get(key) == kept[key] for key in kept), f"{name}: lost"
            assert all(f"{key}.json" in now for key in told), f"{name}: kept and lost"
            kept, seen = now, seen.union(told)
        assert log.with_suffix(".result").read_text() == expected, f"{name}: another result"
        if name == "rsens explain":
            assert sorted(os.listdir(folder)) == sorted(os.listdir(place / "whole")), f"{name}: something is left"
    return counts


def assert_whole(folder: Path, whole: Path) -> None:
    """Every file of results in a folder is whole, of before or of now: both are the same but for the clock."""
    listed = json.loads((whole / "summary.json").read_text())["files"]
    for name in listed:
        path = folder / name
        if path.exists() and name == "summary.json":
            found, expected = (json.loads((place / name).read_text()) for place in (folder, whole))
            assert without_times(found) == without_times(expected)
        elif path.exists():
            assert path.read_bytes() == (whole / name).read_bytes(), name


def full_from(number: int) -> Callable[[], None]:
    """From the write of this number on, the disk is full."""

    def prepare() -> None:
        fsync, count = os.fsync, 0

        def full(handle: int) -> None:
            nonlocal count
            count += 1
            if count > number:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            fsync(handle)

        os.fsync = full

    return prepare


def full_disk(name: str, call: Call, place: Path, chance: random.Random) -> Counter[str]:
    """A full disk ends a call with an error of ours, or it has a result that is right; then there is room again."""
    counts: Counter[str] = Counter()
    log, folder = place / "log", place / "out"
    whole = place / "whole"
    assert ended(child(call, whole, log)) == 0
    expected = log.with_suffix(".result").read_text()
    assert ended(child(call, folder, log, full_from(chance.randrange(1, 12)))) in (0, 3), name
    pieces(folder)
    assert ended(child(call, folder, log)) == 0, f"{name}: {log.with_suffix('.error').read_text()}"
    assert log.with_suffix(".result").read_text() == expected
    counts["full disks"] += 1
    return counts


def _right(code: int, name: str, log: Path, expected: str) -> str:
    assert code in (0, 3), (name, code)
    if code == 3:
        return "errors of ours"
    assert log.with_suffix(".result").read_text() == expected, name
    return "results without room"


def two_at_once(name: str, call: Call, place: Path) -> Counter[str]:
    """Two runs into one folder: each has the right result, or an error of ours; and a third finds all in order."""
    logs = [place / "log-1", place / "log-2"]
    assert ended(child(call, place / "whole", logs[0])) == 0
    expected = logs[0].with_suffix(".result").read_text()
    processes = [child(call, place / "both", log) for log in logs]
    codes = [ended(process) for process in processes]
    outcomes = Counter(_right(code, name, log, expected) for code, log in zip(codes, logs, strict=True))
    pieces(place / "both")
    assert ended(child(call, place / "both", logs[0])) == 0
    assert logs[0].with_suffix(".result").read_text() == expected, name
    return Counter({"two at once": 1, "of these refused": outcomes["errors of ours"]})


def main(kills: int, names: list[str], seed: int = 0) -> dict[str, Any]:
    """All checks for the calls of these names; counts by call."""
    chance = random.Random(seed)
    found = {}
    with tempfile.TemporaryDirectory() as base:
        Path(base).chmod(0o755)
        os.environ["RSENS_INTERRUPTED_TABLE"] = f"{base}/table.csv"
        X.assign(y=Y).to_csv(f"{base}/table.csv", index=False)
        for name in names:
            counts: Counter[str] = Counter()
            call = CALLS[name]
            for what in ("killed", "full", "two"):
                place = Path(base) / f"{name.replace(' ', '-')}-{what}"
                place.mkdir()
                if what == "killed":
                    share = SHARES[name] / sum(SHARES[each] for each in names)
                    counts += killed(name, call, place, chance, max(3, round(kills * share)))
                elif what == "full":
                    counts += full_disk(name, call, place, chance)
                elif name != "experiments":  # scripts of ours, which one person runs at a time
                    counts += two_at_once(name, call, place)
            found[name] = dict(sorted(counts.items()))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--calls", nargs="*", default=list(CALLS))
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    counts = main(given.kills, given.calls)
    text = json.dumps(counts, indent=1) + "\n"
    sys.stdout.write(text)
    if given.out is not None:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(text)
