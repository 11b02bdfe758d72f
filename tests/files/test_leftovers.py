"""What killed runs have left behind is cleared; what belongs to a run that is alive is not."""

from __future__ import annotations

import os

from rsens._files import check_folder
from rsens._files._temporary import INSIDE, prefix_beside, temporary_folder
from tests.files.folders import contents_but_summary, write


def test_leftovers_are_cleared(tmp_path, way):
    out = tmp_path / "out"
    write(out, {"x": "1"})
    inside, beside = out / f"{INSIDE}0123456789ab", tmp_path / f"{prefix_beside(out)}0123456789ab"
    for leftover in (inside, beside):
        (leftover / "closed").mkdir(parents=True)
        (leftover / "closed" / "x").write_text("half")
        (leftover / "closed").chmod(0o500)
    check_folder(out, False)
    write(out, {"x": "2"})
    assert contents_but_summary(out) == {"x": "2"}
    assert os.listdir(tmp_path) == ["out"]


def test_the_folder_of_a_run_that_is_alive_is_no_leftover(tmp_path, way):
    out = tmp_path / "out"
    write(out, {"x": "1"})
    with temporary_folder(tmp_path, prefix_beside(out)) as beside, temporary_folder(out, INSIDE) as inside:
        (beside / "x").write_text("half")
        (inside / "x").write_text("half")
        write(out, {"x": "2"})
        assert (beside / "x").read_text() == (inside / "x").read_text() == "half"
    assert contents_but_summary(out) == {"x": "2"}
    assert os.listdir(tmp_path) == ["out"]


def test_where_nothing_can_be_locked_nothing_is_cleared(tmp_path, monkeypatch):
    monkeypatch.setattr("rsens._files._temporary.fcntl", None)
    (tmp_path / f"{prefix_beside(tmp_path / 'out')}0123456789ab").mkdir()
    write(tmp_path / "out", {"x": "1"})
    write(tmp_path / "out", {"x": "2"})
    assert sorted(os.listdir(tmp_path)) == [".out.rsens-0123456789ab", "out"]
    assert contents_but_summary(tmp_path / "out") == {"x": "2"}


def test_names_that_only_look_like_ours_stay(tmp_path, way):
    out = tmp_path / "out"
    write(out, {"x": "1"})
    (tmp_path / ".out.rsens-notes").mkdir()
    (tmp_path / ".outer.rsens-0123456789ab").mkdir()
    (tmp_path / ".out.rsens-0123456789ab").write_text("a file")
    (tmp_path / ".out.rsens-0123456789ac").symlink_to(tmp_path)
    names = sorted(os.listdir(tmp_path))
    write(out, {"x": "2"})
    assert sorted(os.listdir(tmp_path)) == names
