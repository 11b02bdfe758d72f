"""Kills a process that writes results, and looks each time at what is there. Run by `test_killed`.

    python -m tests.files.kills FOLDER random 40      at moments that chance picks
    python -m tests.files.kills FOLDER steps 1        at every single call of the system, one after the other
    python -m tests.files.kills FOLDER first 1        the same in a folder that is new each time

After every kill each file must be whole, old or new, and files of others untouched; the next run must be allowed, and
leave its own results and nothing else. This is a process of its own so that it may fork: it has no threads. It prints
how often old results, new results or a mixture of both were found.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

from rsens._files import check_folder, new_files, write_summary

#: Files of others, in the folder from the beginning.
MINE = {"mine": "mine", "figures/mine": "mine", "deep/er/mine": "mine"}


def files_of(number: int) -> dict[str, str]:
    """Some files of each run have the same names, others have not."""
    names = ["a", "b", "figures/c", f"figures/{number % 3}", f"only/{number % 2}", *(f"many/{i}" for i in range(8))]
    return dict.fromkeys(names, f"{number} " * 300)


def write(folder: Path, number: int) -> None:
    with new_files(folder) as temporary:
        for name, text in files_of(number).items():
            (temporary / name).parent.mkdir(exist_ok=True)
            (temporary / name).write_text(text)
        write_summary(temporary, "explain", {"number": number})


def visible(folder: Path) -> dict[str, str]:
    """All files but those in hidden folders."""
    paths = [path for path in folder.rglob("*") if path.is_file() and ".rsens-" not in str(path.relative_to(folder))]
    return {str(path.relative_to(folder)): path.read_text() for path in paths}


def check_whole(folder: Path, old: int, new: int, mine: dict[str, str]) -> str:
    """Every file is as one of the two runs wrote it, or as its owner did."""
    there = visible(folder) if folder.is_dir() else {}
    if "summary.json" in there:
        assert json.loads(there.pop("summary.json"))["number"] in (old, new)
    assert mine.items() <= there.items()
    seen = set()
    for name, text in there.items():
        if name not in mine:
            [number] = [each for each in (old, new) if files_of(each).get(name) == text]
            seen.add(number)
    return "mixed" if len(seen) > 1 else "new" if seen == {new} else "old"


def forked(folder: Path, number: int, kill_at: int | None) -> int:
    """Write in another process, which kills itself at the call of the system that has this number."""
    process = os.fork()
    if process:
        return process
    seen = 0

    def count(event: str, _: object) -> None:
        nonlocal seen
        if event.startswith(("os.", "open", "shutil.")):
            seen += 1
            if seen == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    try:
        sys.addaudithook(count)
        write(folder, number)
        os._exit(0)
    finally:  # an error must not go on as a second parent
        os._exit(1)


def main(folder: Path, how: str, times: int) -> None:
    mine = {} if how == "first" else MINE
    if how != "first":
        write(folder, 0)
    for name, text in mine.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text)
    chance, longest, step, number = random.Random(0), 0.02, 0, 0
    counts = {"old": 0, "new": 0, "mixed": 0}
    while True:
        step += 1
        process = forked(folder, number + 1, None if how == "random" else step)
        if how == "random":
            time.sleep(chance.uniform(0.0, longest))
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL), status
        found = check_whole(folder, number, number + 1, mine)
        counts[found] += 1
        longest *= 1.3 if found == "old" else 0.8  # so that kills come before and after the change, on any machine
        check_folder(folder, False)
        write(folder, number + 2)  # the next run repairs the rest
        there = visible(folder)
        assert json.loads(there.pop("summary.json"))["number"] == number + 2
        assert there == files_of(number + 2) | mine, sorted(there)
        assert not list(folder.glob(".*"))
        number += 2
        if how == "first":
            shutil.rmtree(folder)
        if step == times if how == "random" else os.waitstatus_to_exitcode(status) == 0:
            break
    print(json.dumps(counts | {"steps": step}))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
