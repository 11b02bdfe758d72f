"""Links in a folder of results, and lists of files that somebody has edited: nothing outside is touched."""

import json

import pytest

from rsens._errors import InputError
from rsens._files import SUMMARY, check_folder
from tests.files.folders import contents, contents_but_summary, write


@pytest.fixture
def outside(tmp_path):
    folder = tmp_path / "outside"
    folder.mkdir()
    for name in ("y", "gone", "sample-1.json"):
        (folder / name).write_text("precious")
    yield folder
    assert contents(folder) == {"y": "precious", "gone": "precious", "sample-1.json": "precious"}


def test_a_link_in_the_place_of_a_folder_is_replaced_not_followed(tmp_path, outside):
    out = tmp_path / "out"
    write(out, {"figures/y": "1", "figures/gone": "1"})
    (out / "figures").rename(tmp_path / "away")
    (out / "figures").symlink_to(outside)
    write(out, {"figures/y": "2"})
    assert contents_but_summary(out) == {"figures": None, "figures/y": "2"}


def test_a_link_in_the_place_of_a_file_is_replaced_not_followed(tmp_path, outside):
    out = tmp_path / "out"
    write(out, {"y": "1", "gone": "1"})
    for name in ("y", "gone"):
        (out / name).unlink()
        (out / name).symlink_to(outside / name)
    write(out, {"y": "2"})
    assert contents_but_summary(out) == {"y": "2"}


def test_a_summary_that_is_a_link_is_not_ours(tmp_path, outside):
    out = tmp_path / "out"
    out.mkdir()
    listed = {"format": "rsens results", "files": ["mine"]}
    (tmp_path / "elsewhere").write_text(json.dumps(listed))
    (out / SUMMARY).symlink_to(tmp_path / "elsewhere")
    (out / "mine").write_text("m")
    with pytest.raises(InputError, match="rsens did not write"):
        check_folder(out, False)
    write(out, {"x": "1"})
    assert contents_but_summary(out) == {"x": "1", "mine": "m"}
    assert json.loads((tmp_path / "elsewhere").read_text()) == listed


def test_edited_lists_of_files_delete_nothing_outside(tmp_path, outside):
    out = tmp_path / "out"
    write(out, {"x": "1", "gone": "1"})
    (out / "link").symlink_to(outside)
    (out / "folder").mkdir()
    (out / "folder" / "mine").write_text("m")
    wrong = ["../outside/y", str(outside / "y"), "link/y", "folder/../../outside/y", "..", ".", "", "/", "folder",
             "none/none", "x/none", "a\0b", "~/y", 3, None, ["y"], {"y": "y"}]  # fmt: skip
    summary = json.loads((out / SUMMARY).read_text())
    (out / SUMMARY).write_text(json.dumps(summary | {"files": [*wrong, "gone"], "work": "../outside"}))
    write(out, {"x": "2"})
    assert contents_but_summary(out) == {"x": "2", "link": str(outside), "folder": None, "folder/mine": "m"}


def test_work_behind_a_link_is_refused_and_not_deleted(tmp_path, outside):
    out = tmp_path / "out"
    write(out, {"x": "1"}, "stability", work="samples")
    (out / "samples").symlink_to(outside)
    for overwrite in (False, True):
        with pytest.raises(InputError, match=r"samples is a link, .*Remove the link, or give another folder"):
            check_folder(out, overwrite, "samples")
    write(out, {"x": "2"})
    assert contents_but_summary(out) == {"x": "2", "samples": str(outside)}
