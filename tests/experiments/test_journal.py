"""Finished repetitions survive an interruption, and the rest runs as if nothing had happened."""

from functools import partial
from pathlib import Path

import pytest

from experiments._journal import Journal, run

ROOT = Path(__file__).parents[2]
KEYS = [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("b", 2)]


def work(name, number, calls=None):
    if calls is not None:
        calls.append((name, number))
    return [name, number / 3]


def all_results(path, calls=None, keys=KEYS):
    return run(Journal(path, {"seed": 0}), keys, partial(work, calls=calls), n_jobs=1, label="test")


def test_results_of_other_settings_are_refused(tmp_path):
    Journal(tmp_path / "results.jsonl", {"seed": 0})
    with pytest.raises(SystemExit, match="other settings"):
        Journal(tmp_path / "results.jsonl", {"seed": 1})


def test_a_damaged_line_is_named_and_its_repetition_done_again(tmp_path, capsys):
    path = tmp_path / "results.jsonl"
    whole = all_results(path)
    for damage in (b'[["a", 1], ["a"', b"\x00\xff", b'[["a", 1], ["a", 0.3]]', b"3", b"[[1], 2, null]"):
        lines = path.read_bytes().split(b"\n")
        lines[2] = damage
        path.write_bytes(b"\n".join(lines))
        calls = []
        assert all_results(path, calls) == whole
        assert len(calls) == 1
        assert f"{path}, line 3: damaged" in capsys.readouterr().err
        assert all_results(path, calls) == whole  # and the file is whole again
        assert (len(calls), capsys.readouterr().err) == (1, "")


def test_discarded_repetitions_are_done_again(tmp_path):
    path = tmp_path / "results.jsonl"
    whole = all_results(path)
    journal = Journal(path, {"seed": 0})
    journal.discard([("b", 0), ("a", 1), ("c", 7)])
    assert set(journal.finished) == set(journal.seconds) == set(Journal(path, {"seed": 0}).finished) == {
        ("a", 0), ("b", 1), ("b", 2)
    }  # fmt: skip
    calls = []
    assert all_results(path, calls) == whole
    assert sorted(calls) == [("a", 1), ("b", 0)]
