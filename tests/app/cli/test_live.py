"""What is said while a command is at work, and when it is stopped."""

import io
import json
import sys

import pytest

import rsens._progress
from rsens import _stability
from rsens._app.cli._main import main
from tests.app.study.tables import numbers

EXPLAIN = ["explain", "table.csv", "--target", "y", "--no-report", "--no-null", "--cv", "0"]
STABILITY = ["stability", "table.csv", "--target", "y", "--methods", "rsens", "--cv", "0", "--samples"]


class Screen(io.StringIO):
    """Standard output that is a terminal."""

    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numbers(40).to_csv("table.csv", index=False)
    return tmp_path


def test_on_a_screen_what_was_read_comes_first_and_once(monkeypatch, capsys):
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    assert main(EXPLAIN) == 0
    said = screen.getvalue()
    assert said.startswith("table: 40 rows, 4 columns; target 'y'\n")
    assert said.count("40 rows, 4 columns") == 1
    assert said.index("depends most on") < said.index("The model was not cross-validated") < said.index("Variables by")
    assert capsys.readouterr().err == ""


def test_elsewhere_the_result_is_whole_and_what_was_read_is_told_beside_it(capsys):
    assert main(EXPLAIN) == 0
    said = capsys.readouterr()
    assert said.out.startswith("The prediction of y depends most on ")
    assert "table: 40 rows, 4 columns" in said.out
    assert said.err.startswith("table: 40 rows, 4 columns; target 'y'\n")
    assert main([*EXPLAIN, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["target"] == "y"
    assert main([*EXPLAIN, "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_long_work_is_announced(monkeypatch, capsys):
    monkeypatch.setattr(rsens._progress, "LONG", 1e-6)
    assert main([*EXPLAIN[:-2], "--cv", "5"]) == 0
    said = capsys.readouterr()
    assert "Variables by R-sens, without null level and intervals yet\n" in said.err
    assert "9 of 10 refits left, a few seconds. Ctrl-C saves progress; run the same command again" in said.err
    assert "Ctrl-C" not in said.out


def test_noise_is_told_first_by_every_command(table, capsys):
    numbers(40).assign(y=numbers(40, seed=7)["d"]).to_csv("table.csv", index=False)
    for command, *rest in (["compare"], ["stability", "--samples", "2"]):
        assert main([command, "table.csv", "--target", "y", "--methods", "rsens,ead", *rest]) == 0
        assert capsys.readouterr().out.startswith("WARNING  The model is worse than a constant")


def test_stopped_work_is_counted_and_goes_on(table, capsys, monkeypatch):
    whole = _stability.stability

    def stopped(**asked):
        whole(**(asked | {"n_boot": 2}))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_stability, "stability", stopped)
        assert main([*STABILITY, "3"]) == 130
    said = capsys.readouterr().err
    assert "rsens: stopped. 2 of 3 samples are kept in rsens-table-stability/samples; run the same command" in said
    assert main([*STABILITY, "3"]) == 0
    assert "Resumed with 2 finished samples." in capsys.readouterr().err


def test_results_of_other_questions_stay(table, capsys):
    """A model that is read, another target, fewer samples, another command."""
    assert main(EXPLAIN) == 0
    assert main([*STABILITY, "3"]) == 0
    before = {path: path.read_bytes() for path in table.rglob("*") if path.is_file()}
    for arguments, other in (
        (["explain", "table.csv", "--model-file", "rsens-table/model.rsens"], "--model-file was not given"),
        (["explain", "table.csv", "--target", "a"], "--target was y"),
        ([*STABILITY, "2"], "--samples was 3"),
        ([*EXPLAIN, "--out", "rsens-table-stability"], "command was stability"),
    ):
        capsys.readouterr()
        assert main(arguments) == 2
        said = capsys.readouterr().err
        assert f"results of another question ({other}). Give another --out DIR, or --overwrite." in said
    assert {path: path.read_bytes() for path in table.rglob("*") if path.is_file()} == before
