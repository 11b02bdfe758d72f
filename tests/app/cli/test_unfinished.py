"""`rsens explain` that is stopped: what it shows, what it keeps, and how the same command goes on."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from joblib.externals.loky import reusable_executor

from rsens._app.cli._main import main
from rsens._files import Checkpoint
from rsens._text import counted
from tests.app.cli.command import rsens
from tests.app.cli.terminal import in_a_terminal
from tests.app.study.tables import numbers

EXPLAIN = ["explain", "table.csv", "--target", "y", "--no-report"]
#: The same refits of a model that is fitted quickly, where it is not the numbers that matter.
LINEAR = [*EXPLAIN, "--model", "linear"]
#: Its refits without the null level, which come after the first ten, where the work is stopped before.
CHECKED = [*LINEAR, "--no-null"]


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numbers(40).to_csv("table.csv", index=False)
    return tmp_path


def refits(folder, results="rsens-table"):
    return sorted(path.name for path in (folder / results / "refits").glob("refit-*.json"))


def stop_after(monkeypatch, count):
    """Ctrl-C as soon as so many refits are kept."""
    put, done = Checkpoint.put, []

    def stopping(self, key, content, *records):
        put(self, key, content, *records)
        done.append(key)
        if len(done) == count:
            raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoint, "put", stopping)


def as_json(capsys, *options, command=EXPLAIN):
    capsys.readouterr()
    assert main([*command, "--json", *options]) == 0
    said = capsys.readouterr()
    return json.loads(said.out), said.err


@cache
def whole(*command):
    """The answer of a command that nobody stops."""
    with TemporaryDirectory() as folder:
        numbers(40).to_csv(Path(folder) / "table.csv", index=False)
        done = rsens(*command, "--json", cwd=Path(folder))
        assert (Path(folder) / "rsens-table").exists()
        assert not (Path(folder) / "rsens-table" / "refits").exists()
        return json.loads(done.stdout)


def test_the_same_command_goes_on_to_the_same_numbers(table, capsys, monkeypatch):
    for command, count in ((LINEAR, 1), (EXPLAIN, 17), (LINEAR, 30)):
        with monkeypatch.context() as patch:
            stop_after(patch, count)
            assert main(command) == 130
        said = capsys.readouterr()
        assert said.out.startswith("UNFINISHED  Interrupted. Not computed: ")
        assert "Variables by R-sens: " in said.out
        assert ("How good is the model" in said.out) is (count > 5)
        assert f"rsens: stopped. {count if count == 30 else f'{count} of 30'} refits are kept in" in said.err
        assert "rsens-table/refits; run the same command again to resume.\n" in said.err
        assert len(refits(table)) == count
        assert [path.name for path in (table / "rsens-table").iterdir()] == ["refits"]
        resumed, told = as_json(capsys, command=command)
        assert f"Resumed with {counted(count, 'finished refit')}." in told
        assert resumed == whole(*command)
        assert not (table / "rsens-table" / "refits").exists()
        (table / "rsens-table").rename(table / f"done-{count}")


def test_refits_of_another_question_are_not_used(table, capsys, monkeypatch):
    for first, second, why in (([], ["--seed", "1"], "(--seed was 0)"), (["--drop", "d"], [], "(--drop was d)")):
        fresh, _ = as_json(capsys, *second, "--out", "fresh", "--overwrite", command=CHECKED)
        with monkeypatch.context() as patch:
            stop_after(patch, 4)
            assert main([*CHECKED, *first, "--overwrite"]) == 130
        found, told = as_json(capsys, *second, command=CHECKED)
        assert f"Unfinished refits of another question {why} are forgotten." in told
        assert "Resumed" not in told
        assert found | {"folder": "fresh"} == fresh


def test_what_is_shown_is_not_another_question(table, capsys, monkeypatch):
    with monkeypatch.context() as patch:
        stop_after(patch, 4)
        assert main([*LINEAR, "--pairs", "2", "--n-jobs", "1"]) == 130
    _, told = as_json(capsys, "--pairs", "3", "--no-null", command=LINEAR)
    assert "Resumed with 4 finished refits" in told


def test_a_failure_before_the_first_refit_leaves_nothing(table, capsys, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("nothing left")

    monkeypatch.setattr(Checkpoint, "put", fail)
    assert main(LINEAR) == 1
    assert [path.name for path in table.iterdir()] == ["table.csv"]


def end_a_worker():
    """What the system does to a process that asks for too much memory."""
    os.kill(next(iter(reusable_executor._executor._processes)), signal.SIGKILL)


def ask_for_too_much():
    raise MemoryError("no room")


@pytest.mark.parametrize(("n_jobs", "run_out"), [(1, ask_for_too_much), (2, end_a_worker)])
def test_running_out_of_memory_is_one_sentence_and_work_is_kept(table, capsys, monkeypatch, n_jobs, run_out):
    put, done = Checkpoint.put, []

    def greedy(self, key, content, *records):
        put(self, key, content, *records)
        done.append(key)
        if len(done) == 3:
            run_out()

    monkeypatch.setattr(Checkpoint, "put", greedy)
    assert main([*EXPLAIN, "--n-jobs", str(n_jobs)]) == 1
    said = capsys.readouterr()
    last = said.err.strip().splitlines()[-1]
    assert last.startswith("rsens: ")
    assert "memory" in last
    assert "--n-jobs 1" in last
    assert f"{len(refits(table))} of 30 refits are kept in rsens-table/refits; run the same command" in last
    assert len(refits(table)) >= 3


def test_somebody_elses_folder_stays(table, capsys):
    (table / "rsens-table" / "refits").mkdir(parents=True)
    (table / "rsens-table" / "refits" / "mine.txt").write_text("mine")
    assert main(EXPLAIN) == 2
    assert (table / "rsens-table" / "refits" / "mine.txt").read_text() == "mine"


@pytest.mark.slow
def test_killed_work_goes_on_too(table, capsys):
    command = [sys.executable, "-m", "rsens", *EXPLAIN, "--n-jobs", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while len(refits(table)) < 3 and process.poll() is None:
            time.sleep(0.005)
        process.kill()
    assert process.returncode < 0
    resumed, told = as_json(capsys)
    assert "Resumed with " in told
    assert resumed == whole(*EXPLAIN)


# ---- in a terminal ---------------------------------------------------------------------------------------------------


def test_in_a_terminal_each_answer_comes_as_soon_as_it_is_there(table):
    code, shown = in_a_terminal(*EXPLAIN, cwd=table)
    assert code == 0
    order = [
        "table: 40 rows, 4 columns",
        "Variables by R-sens, without null level and intervals yet",
        "checking the model, refit 2 of 30, a few seconds …",
        "How good is the model",
        "checking the model, refit 8 of 30, a few seconds …",
        "null level, refit 20 of 30, a few seconds …",
        "null level, testing pairs …",
        "The prediction of y depends most on",
        "Variables by R-sens: how far",
        "Written to rsens-table",
    ]
    places = [shown.find(each) for each in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_ctrl_c_in_a_terminal(table, n_jobs):
    """It reaches the worker processes too: they end, and nothing is printed but what we say."""
    code, shown = in_a_terminal(*EXPLAIN, "--n-jobs", n_jobs, cwd=table, press_at="null level, refit")
    assert code == 130
    shown = shown[shown.index("^C") :]
    assert "UNFINISHED  Interrupted. Not computed: the null level" in shown
    assert " of 30 refits are kept in rsens-table/refits; run the same command again to resume." in shown
    for foreign in ("Traceback", "Error", "loky", "joblib", "KeyboardInterrupt"):
        assert foreign not in shown
    assert len(refits(table)) >= 7
