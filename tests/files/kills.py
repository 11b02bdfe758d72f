"""Kills a process that writes results, and checks each time the files in the folder. Run by `test_killed`.

    python -m tests.files.kills FOLDER steps 1        at every single call of the system, one after the other
    python -m tests.files.kills FOLDER steps 9        at every ninth
    python -m tests.files.kills FOLDER first 1        in a folder that is new each time

After every kill each file must be whole, old or new, and files of others untouched; the next run must be allowed, and
leave its own results and nothing else. It runs as a separate process, without threads, so that it may fork. It prints
how often old results, new results or a mixture of both were found.
"""

import json
import os
import shutil
import signal
import sys
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


def forked(folder: Path, number: int, kill_at: int) -> int:
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


def main(folder: Path, how: str, every: int) -> None:
    mine = {} if how == "first" else MINE
    if how != "first":
        write(folder, 0)
    for name, text in mine.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text)
    step, number, status = 0, 0, -1
    counts = {"old": 0, "new": 0, "mixed": 0}
    while status != 0:
        step += every
        status = os.waitstatus_to_exitcode(os.waitpid(forked(folder, number + 1, step), 0)[1])
        assert status in (0, -signal.SIGKILL), status
        counts[check_whole(folder, number, number + 1, mine)] += 1
        check_folder(folder, False)
        write(folder, number + 2)  # the next run repairs the rest
        there = visible(folder)
        assert json.loads(there.pop("summary.json"))["number"] == number + 2
        assert there == files_of(number + 2) | mine, sorted(there)
        assert not list(folder.glob(".*"))
        number += 2
        if how == "first":
            shutil.rmtree(folder)
    print(json.dumps(counts | {"steps": step}))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
