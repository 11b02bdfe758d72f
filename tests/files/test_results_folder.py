"""Folders of results: what may be replaced, what is replaced, and that all else stays."""

import os
import stat
from pathlib import Path

import pytest

from rsens._errors import InputError
from rsens._files import SUMMARY, Checkpoint, check_folder, new_files, read_summary
from rsens._files._folder import HIDDEN
from tests.files.folders import contents, contents_but_summary, write


def write_half(folder, error):
    with new_files(folder) as temporary:
        (temporary / "x").write_text("2")
        raise error


def test_unfinished_work_may_be_there(tmp_path):
    (tmp_path / "samples").mkdir()
    check_folder(tmp_path, False, "samples")
    with pytest.raises(InputError):
        check_folder(tmp_path, False)
    with pytest.raises(InputError, match="is a file"):
        check_folder(Path(__file__), False)


@pytest.mark.parametrize("content", ["", "[]", '{"format": "rsens results"}', '{"format": "other", "files": []}'])
def test_a_list_of_files_that_is_not_ours(tmp_path, content):
    (tmp_path / SUMMARY).write_text(content)
    with pytest.raises(InputError, match="rsens did not write"):
        check_folder(tmp_path, False)
    with pytest.raises(InputError, match=r"no summary\.json of rsens"):
        read_summary(tmp_path)


QUESTION = {"command": "stability", "data": "table", "target": "y"}


@pytest.mark.parametrize(
    ("change", "other"),
    [
        ({"order": 1, "samples": 9}, None),
        ({"order": 1, "samples": 10}, None),
        ({"target": None}, None),
        ({"command": "explain"}, "command was stability"),
        ({"data": "chair"}, "data was table"),
        ({"target": "z"}, "target was y"),
        ({"order": 2}, "order was 1"),
        ({"samples": 8}, "samples was 9"),
    ],
)
def test_the_same_question_and_others(tmp_path, change, other):
    settings = {"data": "table", "target": "y", "arguments": {"order": 1, "samples": 9}}
    write(tmp_path / "out", {}, "stability", settings=settings)
    check_folder(tmp_path / "out", True, question=QUESTION | change)
    if other is None:
        check_folder(tmp_path / "out", False, question=QUESTION | change)
    else:
        with pytest.raises(InputError, match=rf"results of another question \({other}\)"):
            check_folder(tmp_path / "out", False, question=QUESTION | change)


def test_summaries_with_wrong_types(tmp_path):
    for settings in (3, {"arguments": "x"}, {"data": ["table"]}, {}):
        write(tmp_path / "out", {}, settings=settings)
        with pytest.raises(InputError, match=r"is damaged|results of another question \(data was"):
            check_folder(tmp_path / "out", False, question={"command": "explain", "data": "table", "samples": 3})


def test_a_new_folder_with_its_parents(tmp_path):
    write(tmp_path / "a" / "b", {"x": "1", "figures/y": "2"}, more=3)
    assert contents_but_summary(tmp_path) == {
        "a": None, "a/b": None, "a/b/x": "1", "a/b/figures": None, "a/b/figures/y": "2",
        f"a/b/{SUMMARY}": (tmp_path / "a" / "b" / SUMMARY).read_text(),
    }  # fmt: skip
    assert read_summary(tmp_path / "a" / "b") == {
        "format": "rsens results", "version": 1, "command": "explain", "more": 3, "files": ["figures/y", "x", SUMMARY],
    }  # fmt: skip


def test_results_are_replaced_and_all_else_stays(tmp_path):
    out = tmp_path / "out"
    write(out, {"x": "1", "gone": "1", "figures/gone": "1", "figures/y": "1", "old/gone": "1", "model": "1"})
    (out / "mine").write_text("m")
    (out / "figures" / "mine").write_text("m")
    (out / "empty").mkdir()
    (out / "deep" / "er").mkdir(parents=True)
    (out / "deep" / "er" / ".hidden").write_text("m")
    (out / "deep" / "er" / "script").write_text("m")
    (out / "deep" / "er" / "script").chmod(0o751)
    (out / "link").symlink_to("nowhere")
    (out / "loop").symlink_to(".")
    os.utime(out / "mine", (1, 1))
    out.chmod(0o750)
    write(out, {"x": "2", "figures/y": "2", "new/z": "2"}, keep=["model"])
    assert contents_but_summary(out) == {
        "x": "2", "figures": None, "figures/y": "2", "new": None, "new/z": "2", "model": "1",
        "mine": "m", "figures/mine": "m", "empty": None, "link": "nowhere", "loop": ".",
        "deep": None, "deep/er": None, "deep/er/.hidden": "m", "deep/er/script": "m",
    }  # fmt: skip
    assert stat.S_IMODE(out.stat().st_mode) == 0o750
    assert stat.S_IMODE((out / "deep" / "er" / "script").stat().st_mode) == 0o751
    assert (out / "mine").stat().st_mtime == 1
    assert os.listdir(tmp_path) == ["out"]


def test_kept_work_goes_with_its_results(tmp_path):
    out = tmp_path / "out"
    Checkpoint.open(out / "samples", {}).put("sample-1", 1)
    write(out, {"x": "1"}, "stability", work="samples")
    write(out, {"x": "2"}, "stability", work="samples")
    assert contents_but_summary(out).keys() == {"x", "samples", "samples/manifest.json", "samples/sample-1.json"}
    write(out, {"x": "3"})
    assert contents_but_summary(out) == {"x": "3"}


def test_a_failure_changes_nothing(tmp_path):
    out = tmp_path / "out"
    write(out, {"x": "1"})
    before = contents(out)
    for error in (ZeroDivisionError, KeyboardInterrupt):
        with pytest.raises(error):
            write_half(out, error)
    assert contents(out) == before


def test_the_folder_may_be_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "there")
    (tmp_path / "there").mkdir()
    write(tmp_path / "link", {"x": "1"})
    write(tmp_path / "link", {"x": "2"})
    assert os.readlink(tmp_path / "link") == str(tmp_path / "there")
    assert contents_but_summary(tmp_path / "there") == {"x": "2"}


def test_leftovers_of_killed_runs_are_removed(tmp_path):
    out = tmp_path / "out"
    write(out, {"x": "1"})
    (out / f"{HIDDEN}abc" / "figures").mkdir(parents=True)
    (out / f"{HIDDEN}abc" / "figures" / "x").write_text("half")
    (out / ".rsens-notes").mkdir()
    (out / f"{HIDDEN}link").symlink_to(tmp_path)
    (out / f"{HIDDEN}file").write_text("a file")
    check_folder(out, False)
    write(out, {"x": "2"})
    assert contents_but_summary(out) == {
        "x": "2", ".rsens-notes": None, f"{HIDDEN}link": str(tmp_path), f"{HIDDEN}file": "a file",
    }  # fmt: skip
