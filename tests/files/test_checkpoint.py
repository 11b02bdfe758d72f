"""Finished pieces of work in a folder."""

import os

import numpy as np
import pytest

from rsens._arguments import child, seed_sequence
from rsens._errors import InputError, spelled_by
from rsens._files import Checkpoint, difference, document

QUESTION = {"data": "0123", "methods": ("rsens", "ead"), "alpha": 0.1, "n_rows": None}
CONTENT = {"values": {"rsens": [0.1, 1e-300, 1 / 3], "ü 🚲": None}, "flag": True}


def test_pieces_come_back_exactly(tmp_path):
    work = Checkpoint.open(tmp_path / "new" / "folder", QUESTION, 0)
    assert work.get("a-1") is None
    work.put("a-1", CONTENT)
    assert work.get("a-1") == CONTENT
    assert Checkpoint.open(tmp_path / "new" / "folder", QUESTION, 0).get("a-1") == CONTENT
    assert sorted(os.listdir(tmp_path / "new" / "folder")) == ["a-1.json", "manifest.json"]


def test_damaged_pieces_are_not_trusted(tmp_path):
    work = Checkpoint.open(tmp_path, QUESTION, 0)
    for damage in (
        lambda text: text[: len(text) // 2],
        lambda text: text.replace("0.1", "0.2"),
        lambda text: text.replace('"key":"a"', '"key":"b"'),
        lambda text: text.replace('"question":"', '"question":"0'),
        lambda text: "[" * 100_000,
        lambda text: "null",
        lambda text: text.replace("0.1", "1e999"),  # infinity, which JSON has no way to write
        lambda text: text.replace("0.1", "9" * 5000),
    ):
        work.put("a", CONTENT)
        text = (tmp_path / "a.json").read_text()
        assert damage(text) != text
        (tmp_path / "a.json").write_text(damage(text))
        assert work.get("a") is None
    work.put("a", CONTENT)
    assert work.get("a") == CONTENT


def test_a_piece_of_another_folder_is_not_trusted(tmp_path):
    one = Checkpoint.open(tmp_path / "one", QUESTION, 0)
    other = Checkpoint.open(tmp_path / "other", QUESTION, 1)
    one.put("a", CONTENT)
    (tmp_path / "one" / "a.json").rename(tmp_path / "other" / "a.json")
    assert other.get("a") is None


def test_another_question_is_refused(tmp_path, monkeypatch):
    Checkpoint.open(tmp_path, QUESTION, 0)
    for change, random_state, text in [
        ({"data": "9"}, 0, r"data was 0123\. "),
        ({"alpha": 0.2, "methods": ["rsens"]}, 0, r"methods was rsens, ead\. "),
        ({"new": 1}, 0, "new was not given"),
        ({}, 1, "random_state was"),
    ]:
        with pytest.raises(InputError, match=text):
            Checkpoint.open(tmp_path, QUESTION | change, random_state)
        Checkpoint.open(tmp_path, QUESTION, 0)  # the folder is unchanged
    monkeypatch.setattr("rsens._files._checkpoint.__version__", "99.0")
    with pytest.raises(InputError, match="rsens was"):
        Checkpoint.open(tmp_path, QUESTION, 0)


def test_the_first_argument_that_differs():
    before = {"a": 1, "b": [1, 2], "c": None, "gone": 3}
    assert difference(before, dict(before)) is None
    assert difference(before, {"a": 1, "b": [1], "c": 0, "new": 4}) == "b was 1, 2"
    assert difference({"a": 1, "old": None}, {"a": 1, "new": None}) is None
    assert difference({"drop": []}, {"drop": ["a"]}) == "drop was not given"
    assert difference({"fingerprint": "0123"}, {"fingerprint": "9"}) == "the rows were different"
    with spelled_by(lambda argument: f"--{argument.name}"):
        assert difference({"rows": 300}, {}) == "--rows was 300"


def test_the_seed_is_kept_and_a_folder_changes_no_random_number(tmp_path):
    work = Checkpoint.open(tmp_path, QUESTION)
    assert numbers(Checkpoint.open(tmp_path, QUESTION).seed) == numbers(work.seed)
    assert numbers(Checkpoint.open(tmp_path / "other", QUESTION).seed) != numbers(work.seed)
    for k, random_state in enumerate([0, 7, 2**32, 2**70 + 5, np.random.default_rng(3)]):
        seed = seed_sequence(random_state)
        given = random_state if isinstance(random_state, int) else np.random.default_rng(3)
        assert numbers(Checkpoint.open(tmp_path / str(k), QUESTION, given).seed) == numbers(seed)
        assert numbers(child(Checkpoint.open(tmp_path / str(k), QUESTION).seed, 4, 2)) == numbers(child(seed, 4, 2))


def numbers(seed):
    return np.random.default_rng(seed).integers(2**60, size=4).tolist()


def test_a_folder_with_a_manifest_that_cannot_be_read(tmp_path):
    wrong = [{"question": value, "seed": [0]} for value in (None, 3, "x")] + [{"question": {}}]
    wrong += [{"question": {}, "seed": value} for value in (1.5, {}, [-1], ["x"])]
    documents = [document("finished work", each).encode() for each in wrong]
    for content in [b"", b"null", b"\xff\xfe", b"[" * 100_000, *documents]:
        (tmp_path / "manifest.json").write_bytes(content)
        with pytest.raises(InputError, match=r"manifest\.json .*remove this one to start again") as error:
            Checkpoint.open(tmp_path, QUESTION)
        assert error.value.argument == "folder"
        assert (tmp_path / "manifest.json").read_bytes() == content


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match=r"thesis\.tex"):
        Checkpoint.open(tmp_path, QUESTION)
    with pytest.raises(InputError, match="file exists"):
        Checkpoint.open(tmp_path / "thesis.tex", QUESTION)
    assert os.listdir(tmp_path) == ["thesis.tex"]


def test_work_is_removed_and_files_of_others_stay(tmp_path):
    folder = tmp_path / "work"
    assert Checkpoint.question_in(folder) is None
    work = Checkpoint.open(folder, QUESTION, 0)
    work.put("a-1", CONTENT)
    (folder / ".0123456789abcdef0123456789abcdef.tmp").write_text("half of a piece")
    assert Checkpoint.question_in(folder) == Checkpoint.full_question(QUESTION)
    (folder / "notes.txt").write_text("mine")
    Checkpoint.remove(folder)
    assert os.listdir(folder) == ["notes.txt"]
    Checkpoint.remove(folder)  # nothing of ours
    assert os.listdir(folder) == ["notes.txt"]
    (folder / "notes.txt").unlink()
    Checkpoint.open(folder, QUESTION, 0)
    (folder / "manifest.json").write_text("{")
    assert Checkpoint.question_in(folder) == {}
    Checkpoint.remove(folder)
    assert not folder.exists()


def test_a_link_is_not_followed_to_remove_work(tmp_path):
    Checkpoint.open(tmp_path / "work", QUESTION, 0).put("a-1", CONTENT)
    (tmp_path / "link").symlink_to(tmp_path / "work")
    Checkpoint.remove(tmp_path / "link")
    assert (tmp_path / "work" / "a-1.json").is_file()
