"""Stops long calls in every way that a computer knows, and checks the files they leave. `make interruptions` runs it.

    python -m tests.interruptions --kills 100 --out docs/results/interruptions.json
    python -m tests.interruptions --kills 50 --calls "rsens explain"

Each long call that keeps finished work in a folder is killed at random moments (SIGKILL), again and again until it ends
by itself. After every kill all pieces of work that were there are there still, each of them whole, and so is every file
of results. At the end the result is the one of a call that nobody stopped, to the byte, and no piece was done twice
that had been kept. Then the disk is full, and two runs share a folder.

It runs as a separate process so that it may fork: children need not import everything again. It prints counts as JSON.
"""

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
    options = ["--model", "linear", "--pairs", "0", "--cv", "3", "--no-report", "--out", str(folder)]
    code = command(["explain", os.environ["RSENS_INTERRUPTED_TABLE"], "--target", "y", *options])
    if code:
        raise InputError(f"exit code {code}")
    names = json.loads((folder / "summary.json").read_text())["files"]
    return json.dumps({name: hashlib.sha256(read(folder / name)).hexdigest() for name in sorted(names)}, indent=1)


def read(path: Path) -> bytes:
    """A file of results; of a summary all but the seconds that the work took."""

    def timeless(content: Any) -> Any:
        if isinstance(content, dict):
            return {name: timeless(each) for name, each in content.items() if "second" not in name}
        return [timeless(each) for each in content] if isinstance(content, list) else content

    content = path.read_bytes()
    return json.dumps(timeless(json.loads(content))).encode() if path.name == "summary.json" else content


def ranked(folder: Path) -> str:
    options: dict[str, Any] = {"n_boot": 40, "methods": ["rsens", "pfi"], "random_state": 1}
    return str(stability(BayesianLinearRegression(), X, Y, folder=folder, **options).ranks.to_csv())


def journalled(folder: Path) -> str:
    folder.mkdir(exist_ok=True, parents=True)
    journal = Journal(folder / "journal.jsonl", {"size": 3})
    found = run(journal, [("square", k) for k in range(60)], square, n_jobs=1, label="", timed=False)
    return json.dumps(sorted(found.items()))


def square(_: str, number: int) -> int:
    time.sleep(0.002)
    return number**2


#: The calls, and how kills are shared out among those that are asked for: those that take longer get fewer.
CALLS: dict[str, tuple[Call, float]] = {
    "rsens explain": (explained, 0.2),
    "stability": (ranked, 0.4),
    "experiments": (journalled, 0.4),
}


def child(call: Call, folder: Path, log: Path, before: Callable[[], None] = lambda: None) -> int:
    """A process that makes the call, lists finished pieces in `log`, and writes its result or its error next to it."""
    process = os.fork()
    if process:
        return process
    code, put = 1, Checkpoint.put

    def listed(self: Checkpoint, key: str, content: Any, *records: type) -> None:
        put(self, key, content, *records)
        with log.open("a") as file:
            file.write(f"{key}\n")

    try:
        before()
        Checkpoint.put = listed  # type: ignore[method-assign]
        with open(os.devnull, "w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
            warnings.simplefilter("ignore")
            log.with_suffix(".result").write_text(call(folder))
        code = 0
    except InputError as error:
        code = 3
        with suppress(OSError):
            log.with_suffix(".error").write_text(str(error))
    finally:
        os._exit(code)


def ended(process: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def finished(call: Call, folder: Path, log: Path) -> str:
    assert ended(child(call, folder, log)) == 0, log.with_suffix(".error").read_text()
    return log.with_suffix(".result").read_text()


def pieces(folder: Path) -> dict[str, bytes]:
    """The finished pieces of work in a folder and the folders in it, each of them whole."""
    found = {}
    for path in sorted(folder.rglob("*.json")) if folder.exists() else []:
        if path.name.startswith(("sample-", "split-", "refit-")):
            found[path.name] = path.read_bytes()
            assert json.loads(found[path.name]).keys() == {"format", "rsens", "sha256", "content"}
    journal = folder / "journal.jsonl"
    lines = journal.read_bytes().split(b"\n")[1:-1] if journal.exists() else []
    return found | {str(json.loads(line)[0]): line for line in lines}


def killed(name: str, call: Call, place: Path, chance: random.Random, least: int) -> Counter[str]:
    """Kill a call until it ends by itself, and again in another folder until there were enough kills."""
    counts: Counter[str] = Counter()
    log, whole = place / "log", place / "whole"
    start = time.perf_counter()
    expected = finished(call, whole, log)
    longest = time.perf_counter() - start
    while counts["kills"] < least:
        folder = place / f"folder-{counts['runs']}"
        counts["runs"] += 1
        if name == "rsens explain" and counts["runs"] % 2 == 0:  # over results of before
            shutil.copytree(whole, folder)
        kept, seen, most = pieces(folder), set[str](), longest
        while True:
            log.write_text("")
            process = child(call, folder, log)
            time.sleep(chance.uniform(0.0, most))
            most *= 1.1  # so that it comes to an end, even if the computer has got other work by now
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
            code = ended(process)
            listed = log.read_text().splitlines()
            assert not seen.intersection(listed), f"{name}: done twice: {seen.intersection(listed)}"
            if code == 0:
                break
            assert code == -signal.SIGKILL, (name, code, log.with_suffix(".error").read_text())
            counts["kills"] += 1
            now = pieces(folder)
            if name == "rsens explain":  # every file is whole, of before or of now: both are the same
                for file in json.loads((whole / "summary.json").read_text())["files"]:
                    assert not (folder / file).exists() or read(folder / file) == read(whole / file), file
            if (folder / "summary.json").exists():  # results, of before or of now: then pieces may be gone
                kept, seen = now, set()
                continue
            assert all(now.get(key) == kept[key] for key in kept), f"{name}: lost"
            assert all(f"{key}.json" in now for key in listed), f"{name}: kept and lost"
            kept, seen = now, seen.union(listed)
        assert log.with_suffix(".result").read_text() == expected, f"{name}: another result"
        if name == "rsens explain":
            assert sorted(os.listdir(folder)) == sorted(os.listdir(whole)), f"{name}: something is left"
    return counts


def full_disk(name: str, call: Call, place: Path, chance: random.Random) -> Counter[str]:
    """A full disk ends a call with an error of ours, or it has a result that is right; then there is room again."""
    number, fsync, writes = chance.randrange(1, 12), os.fsync, iter(range(10**6))

    def full(handle: int) -> None:
        if next(writes) >= number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(handle)

    log, folder = place / "log", place / "out"
    expected = finished(call, place / "whole", log)
    assert ended(child(call, folder, log, lambda: setattr(os, "fsync", full))) in (0, 3), name
    pieces(folder)
    assert finished(call, folder, log) == expected
    return Counter({"full disks": 1})


def two_at_once(name: str, call: Call, place: Path) -> Counter[str]:
    """Two runs into one folder: each has the right result, or an error of ours; and a third finds all in order."""
    logs = [place / "log-1", place / "log-2"]
    expected = finished(call, place / "whole", logs[0])
    codes = [ended(process) for process in [child(call, place / "both", log) for log in logs]]
    for code, log in zip(codes, logs, strict=True):
        assert code == 3 or (code == 0 and log.with_suffix(".result").read_text() == expected), (name, code)
    pieces(place / "both")
    assert finished(call, place / "both", logs[0]) == expected, name
    return Counter({"two at once": 1, "of these refused": codes.count(3)})


def main(kills: int, names: list[str], seed: int = 0) -> dict[str, Any]:
    chance = random.Random(seed)
    found = {}
    with tempfile.TemporaryDirectory() as base:
        os.environ["RSENS_INTERRUPTED_TABLE"] = f"{base}/table.csv"
        X.assign(y=Y).to_csv(f"{base}/table.csv", index=False)
        for name in names:
            call, share = CALLS[name]
            least = max(3, round(kills * share / sum(CALLS[each][1] for each in names)))
            places = [Path(base) / f"{name.replace(' ', '-')}-{what}" for what in ("killed", "full", "two")]
            for place in places:
                place.mkdir()
            counts = killed(name, call, places[0], chance, least) + full_disk(name, call, places[1], chance)
            if name != "experiments":  # scripts of ours, which one person runs at a time
                counts.update(two_at_once(name, call, places[2]))
            found[name] = dict(sorted(counts.items()))
    return found


def report(counts: Any, out: Path | None) -> None:
    text = json.dumps(counts, indent=1) + "\n"
    sys.stdout.write(text)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--calls", nargs="*", default=list(CALLS))
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    report(main(given.kills, given.calls), given.out)
