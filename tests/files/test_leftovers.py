"""Hidden folders of killed runs are removed; those of a run that is alive are not."""

from __future__ import annotations

import os

from rsens._files import check_folder
from tests.files.folders import contents_but_summary, write

DEAD = f"{2**22 + 1}-abc"  # larger than any number of a process


def test_leftovers_are_removed(tmp_path):
    out = tmp_path / "out"
    write(out, {"x": "1"})
    (out / f".rsens-{DEAD}" / "figures").mkdir(parents=True)
    (out / f".rsens-{DEAD}" / "figures" / "x").write_text("half")
    check_folder(out, False)
    write(out, {"x": "2"})
    assert contents_but_summary(out) == {"x": "2"}
    assert os.listdir(tmp_path) == ["out"]


def test_a_leftover_of_the_same_number_is_removed(tmp_path):
    """In a container each run may have the same number."""
    out = tmp_path / "out"
    (out / f".rsens-{os.getpid()}-abc").mkdir(parents=True)
    write(out, {"x": "1"})
    assert contents_but_summary(out) == {"x": "1"}


def test_the_folder_of_a_run_that_is_alive_stays(tmp_path):
    out = tmp_path / "out"
    write(out, {"x": "1"})
    other = out / f".rsens-{os.getppid()}-abc"
    other.mkdir()
    (other / "x").write_text("half")
    write(out, {"x": "2"})
    assert (other / "x").read_text() == "half"


def test_names_that_only_look_like_ours_stay(tmp_path):
    out = tmp_path / "out"
    write(out, {"x": "1"})
    (out / ".rsens-notes").mkdir()
    (out / ".rsens-").mkdir()
    (out / f".rsens-{DEAD}").symlink_to(tmp_path)
    (out / f".rsens-{DEAD}d").write_text("a file")
    names = sorted(os.listdir(out))
    write(out, {"x": "2"})
    assert sorted(os.listdir(out)) == names
