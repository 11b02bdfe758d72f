"""Commands that are proposed keep all options that describe the table and the model."""

import shlex

import pytest

from rsens._app.cli._main import COMMANDS, main
from rsens._app.cli._options import KEPT, next_command
from rsens._app.study import study
from rsens._app.study._document import Hints, in_python
from tests.app.study.tables import numbers
from tests.app.study.test_groups import seasons

BY_NAME = {command.name: command for command in COMMANDS}
#: For every option that is kept, what a user may type.
TYPED = {
    "target": ["--target", "it's y"],
    "likelihood": ["--likelihood", "student_t"],
    "model": ["--model", "linear"],
    "missing": ["--missing", "error"],
    "header": ["--no-header"],
    "drop": ["--drop", "id", "--drop", "name, full"],
    "columns": ["--columns", "a,b"],
    "categorical": ["--categorical", "batch no"],
    "numeric": ["--numeric", "flag"],
    "groups": ["--group", "season=sin,cos", "--group", "place=lat, raw"],
    "where": ["--where", "open!=no", "--where", "temp>=-2"],
    "date": ["--date", "when=%d/%m/%Y,days,hour"],
    "cluster": ["--cluster", "person"],
    "rows": ["--rows", "300"],
    "inducing": ["--inducing", "40"],
    "seed": ["--seed", "7"],
    "n_jobs": ["--n-jobs", "2"],
    "dask": ["--dask", "tcp://scheduler:8786"],
    "cv": ["--cv", "3"],
}


def given_by(command, *words):
    """The values of options that a command line stands for."""
    return BY_NAME[command].make_context(command, list(words)).params


@pytest.mark.parametrize("other", ["stability", "select"])
def test_every_option_is_kept(other):
    assert TYPED.keys() == KEPT
    for name in TYPED.keys() - {"target"}:
        line = next_command(BY_NAME[other], given_by("explain", "my data.csv", *TYPED["target"], *TYPED[name]))
        words = shlex.split(line)
        assert words[:5] == ["rsens", other, "my data.csv", "--target", "it's y"]
        lacks = {"groups", "model", "cv"} if other == "select" else set()
        assert words[5:] == ([] if name in lacks else TYPED[name])
        given_by(other, *words[2:])


def test_the_check_that_was_skipped_is_skipped():
    given = given_by("explain", "t.csv", "--target", "y", "--cv", "0", "--pairs", "3", "--no-null", "--out", "x")
    assert next_command(BY_NAME["select"], given) == "rsens select t.csv --target y --no-check"
    assert next_command(BY_NAME["stability"], given) == "rsens stability t.csv --target y --cv 0"


def test_the_commands_that_are_printed_work(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    seasons().rename(columns={"a": "a b"}).to_csv("my table.csv", index=False)
    options = ["--where", "flag=1", "--drop", "kind", "--group", "season=sin,cos", "--model", "linear", "--cv", "0"]
    assert main(["explain", "my table.csv", "--target", "y", *options, "--no-null", "--no-report"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    line = next_command(BY_NAME["stability"], given_by("explain", "my table.csv", "--target", "y", *options))
    assert line in said
    assert main([*shlex.split(line)[1:], "--samples", "2", "--methods", "rsens"]) == 0
    assert "rsens select 'my table.csv' --target y --drop kind --where flag=1 --no-check" in said


def test_in_python():
    quick = {"model": "linear", "null": False, "cv": 0, "pairs": 0}
    found = study(seasons().assign(who=range(80)), "y", groups={"g": ["sin", "cos"]}, cluster="who", **quick)
    rows = "study.X, study.y, clusters=study.clusters"
    assert in_python(found) == (
        f"rsens.select_interactions(rsens.GPRegressor(), {rows})",
        f"rsens.stability(study.model, {rows}, groups=study.groups)",
    )
    found.table = found.table.__class__(found.X, None, (), found.reader)
    assert in_python(found) == Hints()
    plain = in_python(study(numbers(), "y", **quick))
    assert plain.stability == "rsens.stability(study.model, study.X, study.y)"
