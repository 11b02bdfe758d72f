"""compare, stability and select: what they print, write, and take up again."""

import json
import shutil

import pandas as pd
import pytest

from rsens._app.cli._main import main
from tests.app.study.tables import ODD_NAMES, numbers, odd


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numbers(40).to_csv("table.csv", index=False)
    return tmp_path


def files_in(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def run(capsys, *arguments):
    """What goes to standard output. Beside it, only what was read is told, at once; nothing at all if quiet."""
    assert main([*arguments]) == 0
    said = capsys.readouterr()
    if "--quiet" in arguments:
        assert said.err == ""
    else:
        assert said.err.startswith(f"{arguments[1].removesuffix('.csv')}: 40 rows, ")
        assert "Warning" not in said.err
    return said.out


def first_block(said):
    return " ".join(said.split("\n\n")[0].split())


COMPARE = ["compare", "table.csv", "--target", "y", "--methods", "rsens,ead,pfi", "--budget", "paper", "--cv", "2"]


def test_compare(table, capsys):
    said = run(capsys, *COMPARE)
    assert first_block(said) == "All 3 methods put a first."
    first = next(line for line in said.splitlines() if line.startswith("  a "))
    assert first.split() == ["a", "1", "1", "1"]
    figures = {"figures/comparison.png", "figures/comparison.svg"}
    assert files_in(table / "rsens-table-compare") == {"compare.csv", "summary.json", *figures}
    assert set(pd.read_csv(table / "rsens-table-compare" / "compare.csv")["method"]) == {"rsens", "ead", "pfi"}
    answer = json.loads(run(capsys, *COMPARE, "--order", "1", "--json"))
    assert [method["method"] for method in answer["methods"]] == ["rsens", "ead", "pfi"]
    assert answer["methods"][0]["terms"][0]["term"] == "a"
    assert (answer["command"], answer["quality"]["n_folds"]) == ("compare", 2)


def test_stability_goes_on_where_it_was_stopped(table, capsys, monkeypatch):
    command = ["stability", "table.csv", "--target", "y", "--methods", "rsens,ead", "--cv", "0", "--samples"]
    said = run(capsys, *command, "3")
    assert first_block(said).startswith("By rsens, a is first in 3 of 3 samples, and the first 3 are a, ")
    samples = table / "rsens-table-stability" / "samples"
    before = {path.name: path.stat().st_mtime_ns for path in samples.glob("sample-*")}
    for path in samples.parent.iterdir():  # as if it had been stopped
        if path.name == "figures":
            shutil.rmtree(path)
        elif path != samples:
            path.unlink()
    assert main([*command, "4", "--json"]) == 0
    said = capsys.readouterr()
    assert "Resumed with 3 finished samples." in said.err
    answer = json.loads(said.out)
    after = {path.name: path.stat().st_mtime_ns for path in samples.glob("sample-*")}
    assert len(after) == 4
    assert before.items() <= after.items()
    assert answer["terms"][0]["term"] == "a"
    assert set(answer["entropy"]) == {"rsens", "ead"}
    assert "figures/ranks-ead.svg" in files_in(table / "rsens-table-stability")


def test_work_on_another_question_is_refused_or_forgotten(table, capsys):
    options = ["--methods", "rsens", "--samples", "2", "--cv", "0", "--quiet"]
    command = ["stability", "table.csv", "--target", "y", *options]
    run(capsys, *command)
    assert main([*command, "--seed", "1"]) == 2
    said = capsys.readouterr().err
    assert "work on another question (--seed was 0). Give another --out DIR, or use --overwrite." in said
    assert run(capsys, *command, "--seed", "1", "--overwrite") == ""
    numbers(40, seed=1).to_csv("table.csv", index=False)
    assert main([*command, "--seed", "1"]) == 2
    assert "(the rows were different)" in capsys.readouterr().err


def test_select(table, capsys):
    said = run(
        capsys, "select", "table.csv", "--target", "y", "--pairs", "2", "--cv", "2", "--repeats", "1", "--no-check"
    )
    assert first_block(said).startswith("1 interaction is enough: b:c. Per row, that is ")
    assert "b × c" in said
    assert {"scores.csv", "pairs.csv", "summary.json", "figures/selection.png"} <= files_in(
        table / "rsens-table-select"
    )


def test_odd_names(table, capsys):
    odd().to_csv("odd.csv", index=False)
    visible = {name.replace("\x1b", "\\x1b") for name in ODD_NAMES}  # control characters are escapes in CSV
    options = ["--target", 't,"<b>\x1b[2J', "--methods", "rsens,ead", "--cv", "0"]
    said = run(capsys, "compare", "odd.csv", *options)
    assert "\x1b" not in said
    assert set(pd.read_csv(table / "rsens-odd-compare" / "compare.csv")["term"]) == visible
    said = run(capsys, "stability", "odd.csv", *options, "--samples", "2")
    assert "\x1b" not in said
    assert set(pd.read_csv(table / "rsens-odd-stability" / "stability.csv")["term"]) == visible
