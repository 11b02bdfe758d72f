"""How the command ends: exit codes, sentences, nothing half-written."""

import errno
import os
import shlex
import signal
import subprocess
import sys

import pytest

import rsens._app.study
from rsens._app.cli._main import main
from tests.app.study.tables import numbers
from tests.interrupts import hearing

QUICK = ["--no-report", "--no-null", "--cv", "0"]


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A file, in an otherwise empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    numbers(40).to_csv("table.csv", index=False)
    return tmp_path


def only_the_table(folder):
    return [path.name for path in folder.iterdir()] == ["table.csv"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "table.csv", "--target", "\x1b[2J"], "no target column '\\x1b[2J'"),
        (["explain", "table.csv"], "--target is missing: the name of the column to predict. table.csv has 'a', 'b'"),
        (["explain", "tabel.csv", "--target", "y"], "The file tabel.csv does not exist. Did you mean table.csv?"),
        (["explain", "table.csv", "--target", "y", "--out", "table.csv"], "table.csv is a file"),
        (["explain", "table.csv", "--target", "y", "--out", "."], "holds files that rsens did not write"),
        (["explain", "table.csv", "--model-file", "none.rsens"], "none.rsens does not exist"),
        (["explain", "table.csv", "--target", "y", "--rows", "2"], "there are only 2 rows, too few to check a model"),
        (
            ["explain", "table.csv", "--target", "y", "--model", "linear", "--inducing", "3"],
            "a linear model has no inducing inputs",
        ),
        (["compare", "table.csv", "--target", "y", "--methods", "rsens,sharp"], "Unknown method 'sharp'"),
        (["compare", "table.csv", "--target", "y", "--methods", "rsens2"], "rsens2 scores pairs: use --order 2."),
        (["explain", "table.csv", "--target", "y", "--likelihood", "poisson"], "Use --likelihood gaussian."),
        (["explain", "table.csv", "--target", "y", "--out", "/proc/x"], "/proc/x cannot be written"),
        (["compare", "table.csv", "--target", "y", "--out", "x" * 300], ""),
        (["explain", "x" * 300 + ".csv", "--target", "y"], ""),
        (["explain", "table.csv", "--model-file", "table.csv"], "Give a model.rsens that `rsens explain` wrote"),
        (["explain", "table.csv", "--model-file", "m.rsens", "--cv", "4"], "--cv is fixed by the saved model"),
    ],
)
def test_bad_input_is_one_sentence_and_2(table, capsys, arguments, message):
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert message in said.err
    assert said.err.startswith("rsens: ")
    assert said.err.count("\n") == 1
    assert "failure" not in said.err
    assert only_the_table(table)


@pytest.mark.parametrize(
    "arguments",
    [
        ["explian"],
        ["explain"],
        ["explain", "table.csv", "--rows", "none"],
        ["explain", "table.csv", "--forest"],
        ["select", "table.csv", "--target", "y", "--model", "linear"],
    ],
)
def test_bad_usage_is_2(table, capsys, arguments):
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "Usage: rsens" in said.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("a,y\n1,2\n", "only one row"),
        ("a,y\n,1\n,2\n", "no columns are left"),
        ("a,y\n" + "".join(f"{i},text {i}\n" for i in range(300)), "300 different values"),
    ],
)
def test_bad_tables(table, capsys, content, message):
    (table / "table.csv").write_text(content)
    assert main(["explain", "table.csv", "--target", "y"]) == 2
    assert message in capsys.readouterr().err
    assert only_the_table(table)


def test_a_package_that_is_missing_is_2(table, capsys, monkeypatch):
    numbers(10).to_parquet("table.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["explain", "table.parquet", "--target", "y"]) == 2
    assert "pip install 'rsens[parquet]'" in capsys.readouterr().err


def test_a_failure_is_one_sentence_and_1(table, capsys, monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.ECHILD, "nothing\x1b[31m left")

    monkeypatch.setattr(rsens._app.study, "explain_task", fail)
    assert main(["explain", "table.csv", "--target", "y"]) == 1
    said = capsys.readouterr().err
    assert "nothing\\x1b[31m left" in said
    assert "run with --traceback" in said
    assert said.count("\n") == 1
    assert main(["explain", "table.csv", "--target", "y", "--traceback"]) == 1
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopping_leaves_no_file(table, sent, code):
    """A work of minutes, stopped as soon as the data are read: its first fit is then under way."""
    numbers(1500).to_csv("table.csv", index=False)
    command = hearing("rsens", "explain", "table.csv", "--target", "y")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stderr.readline().startswith("table: ")
        process.send_signal(sent)
        out, err = process.communicate(timeout=60)
    assert process.returncode in (code, -sent)  # a shell says the same of both
    assert out == ""
    assert "Traceback" not in err
    assert [path.name for path in table.rglob("*") if path.is_file()] == ["table.csv"]  # an empty folder may be there


@pytest.mark.parametrize(
    ("where", "code", "said"),
    [("explain_task", errno.ENOSPC, "no space left"), ("write_study", errno.EROFS, "read-only")],
)
def test_what_the_system_refuses_is_2(table, capsys, monkeypatch, where, code, said):
    """Wherever it surfaces: while the work is done, or while files are written."""

    def refuse(*_, **__):
        raise OSError(code, os.strerror(code), "results/x.csv")

    monkeypatch.setattr(rsens._app.study, where, refuse)
    assert main(["explain", "table.csv", "--target", "y", *QUICK]) == 2
    err = capsys.readouterr().err
    assert said in err.splitlines()[-1]
    assert "failure of rsens" not in err


@pytest.mark.parametrize(
    "output",
    ["| true", ">&- 2>&- <&-", *(pytest.param(each, marks=pytest.mark.slow) for each in (">&-", "2>&-", "<&-"))],
)
def test_closed_streams(table, output):
    """`rsens … | head -1`: no complaint, and the files are there all the same."""
    command = [sys.executable, "-m", "rsens", "explain", "table.csv", "--target", "y", "--model", "linear", *QUICK]
    script = f"{shlex.join(command)} {output}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "rror" not in done.stderr
    assert ("depends most on" in done.stdout) is (output in ("2>&-", "<&-"))
    assert (table / "rsens-table" / "importance.csv").is_file()
