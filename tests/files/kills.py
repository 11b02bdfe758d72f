"""Kills a process that writes results again and again, and looks each time at what is there. Run by `test_killed`.

    python -m tests.files.kills FOLDER random 40      at moments that chance picks
    python -m tests.files.kills FOLDER steps 1        at every single call of the system, one after the other

This is a process of its own so that it may fork: it has no threads. It prints how often the old results were found, how
often the new ones, and how often a killed process had left something behind.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from rsens._files import new_files, write_summary

#: What of the files of others is in the folder from the beginning.
MINE = {"mine": "mine", "figures/mine": "mine", "deep/er/mine": "mine"}
FOREVER = 10**6


def files_of(number: int) -> dict[str, str]:
    """Of every run some files have the same names and some have not."""
    names = ["a", "b", "figures/c", f"figures/{number % 3}", f"only/{number % 2}", *(f"many/{i}" for i in range(8))]
    return dict.fromkeys(names, f"{number} " * 300)


def write(folder: Path, number: int) -> None:
    with new_files(folder) as temporary:
        for name, text in files_of(number).items():
            (temporary / name).parent.mkdir(exist_ok=True)
            (temporary / name).write_text(text)
        write_summary(temporary, "stability", {"number": number, "work": "samples"})


def found(folder: Path) -> int:
    """The number of the results in the folder, all of whose files must be there and nothing else."""
    number: int = json.loads((folder / "summary.json").read_text())["number"]
    there = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert there.pop("samples/sample-1.json") == "piece"
    listed = json.loads(there.pop("summary.json"))["files"]
    assert there == files_of(number) | MINE, f"{number}: {sorted(there)}"
    assert sorted(listed) == sorted([*files_of(number), "summary.json"])
    return number


def child(folder: Path, number: int, kill_at: int | None, rounds: int) -> None:
    """Write; on the way, kill this process at the call of the system that has this number."""
    seen = 0

    def count(event: str, _: object) -> None:
        nonlocal seen
        if event.startswith(("os.", "open", "shutil.", "fcntl.", "ctypes.")):
            seen += 1
            if seen == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    for each in range(number, number + rounds):
        write(folder, each)


def forked(folder: Path, number: int, kill_at: int | None, rounds: int) -> int:
    process = os.fork()
    if process == 0:
        try:
            child(folder, number, kill_at, rounds)
            os._exit(0)
        finally:  # an error must not go on as a second parent
            os._exit(1)
    return process


def main(folder: Path, how: str, times: int) -> None:
    write(folder, 0)
    for name, text in (MINE | {"samples/sample-1.json": "piece"}).items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text)
    chance, longest = random.Random(0), 0.05
    counts = {"old": 0, "new": 0, "left": 0}
    last = found(folder)
    step = 0
    while True:
        step += 1
        rounds = FOREVER if how == "random" else 1
        process = forked(folder, last + 1, None if how == "random" else step, rounds)
        if how == "random":
            time.sleep(chance.uniform(0.0, longest))
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL), status
        now = found(folder)
        assert last <= now < last + 1 + rounds
        counts["old" if now == last else "new"] += 1
        counts["left"] += len(os.listdir(folder.parent)) > 1
        longest *= 1.3 if now == last else 0.8  # so that kills come before the exchange and after it, on any machine
        last = now
        if step == times if how == "random" else os.waitstatus_to_exitcode(status) == 0:
            break
    write(folder, last + 1)  # the next run clears what is left
    assert found(folder) == last + 1
    assert os.listdir(folder.parent) == [folder.name]
    print(json.dumps(counts | {"steps": step}))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
