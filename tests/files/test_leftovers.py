"""Hidden folders of killed runs are removed, and nothing else is."""

from __future__ import annotations

import os

from rsens._files import check_folder
from tests.files.folders import contents_but_summary, write

LEFT = ".rsens-new-abcdefg1"


def test_leftovers_are_removed(tmp_path):
    out = tmp_path / "out"
    write(out, {"x": "1"})
    (out / LEFT / "figures").mkdir(parents=True)
    (out / LEFT / "figures" / "x").write_text("half")
    check_folder(out, False)
    write(out, {"x": "2"})
    assert contents_but_summary(out) == {"x": "2"}
    assert os.listdir(tmp_path) == ["out"]


def test_names_that_only_look_like_ours_stay(tmp_path):
    out = tmp_path / "out"
    write(out, {"x": "1"})
    (out / ".rsens-notes").mkdir()
    (out / ".rsens-").mkdir()
    (out / LEFT).symlink_to(tmp_path)
    (out / f"{LEFT}d").write_text("a file")
    names = sorted(os.listdir(out))
    write(out, {"x": "2"})
    assert sorted(os.listdir(out)) == names
