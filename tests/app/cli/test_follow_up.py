"""Commands that are printed keep all that was said about the table."""

import shlex

import click
import pytest

from rsens._app.cli._command import OF_ONE_COMMAND
from rsens._app.cli._main import COMMANDS, main
from rsens._app.cli._options import Flag
from rsens._app.study import study
from rsens._app.study._document import in_python
from tests.app.study.tables import numbers
from tests.app.study.test_groups import seasons

BY_NAME = {command.name: command for command in COMMANDS}
#: For every option that tells something about the table or the model, what a user may type.
TYPED = {
    "target": ["--target", "it's y"],
    "likelihood": ["--likelihood", "student_t"],
    "model": ["--model", "linear"],
    "missing": ["--missing", "error"],
    "drop": ["--drop", "id", "--drop", "name, full"],
    "columns": ["--columns", "a,b"],
    "categorical": ["--categorical", "batch no"],
    "numeric": ["--numeric", "flag"],
    "groups": ["--group", "season=sin,cos", "--group", "place=lon", "--group", "place=lat, raw"],
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


def settings_of(command, *words):
    """The settings that a command line stands for."""
    context = BY_NAME[command].for_click().make_context(command, list(words))
    return BY_NAME[command].settings(context.params)


def kept(command):
    """The options of a command with a value, except those that belong to it alone."""
    return [
        option
        for option in BY_NAME[command].options
        if isinstance(option, click.Option)
        and option.expose_value
        and not isinstance(option, Flag)
        and option.name not in OF_ONE_COMMAND
    ]


@pytest.mark.parametrize("name", [option.name for option in kept("explain") if option.name != "target"])
@pytest.mark.parametrize("other", ["compare", "stability", "select"])
def test_every_option_is_kept(name, other):
    """A new option of `explain` needs a line in `TYPED`, or in `OF_ONE_COMMAND`."""
    given = settings_of("explain", "my data.csv", *TYPED["target"], *TYPED[name])
    line = BY_NAME[other].follow_up(given)
    words = shlex.split(line)
    assert words[:5] == ["rsens", other, "my data.csv", "--target", "it's y"]
    there = {option.name for option in kept(other)}
    if name not in there or (other == "select" and name == "model"):
        assert words[5:] == []
        return
    again = settings_of(other, *words[2:])
    assert getattr(again, name) == getattr(given, name)
    assert getattr(again, name) != getattr(settings_of(other, "my data.csv", *TYPED["target"]), name)


def test_select_has_all_but_these():
    """What `select` does not take: groups, and folds of a check, which it has as a flag."""
    assert {option.name for option in kept("explain")} - {option.name for option in kept("select")} == {"groups", "cv"}
    given = settings_of("explain", "t.csv", "--target", "y", "--cv", "0")
    assert BY_NAME["select"].follow_up(given).endswith("--target y --no-check")


@pytest.mark.parametrize("other", ["compare", "stability", "select"])
def test_defaults_are_not_repeated(other):
    given = settings_of("explain", "t.csv", "--target", "y", "--seed", "0", "--rows", "50", "--pairs", "3", "--no-null")
    assert BY_NAME[other].follow_up(given) == f"rsens {other} t.csv --target y --rows 50"


def test_the_commands_that_are_printed_work(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    seasons().rename(columns={"a": "a b"}).to_csv("my table.csv", index=False)
    options = ["--group", "season=sin,cos", "--where", "flag=1", "--drop", "kind", "--model", "linear", "--cv", "0"]
    assert main(["explain", "my table.csv", "--target", "y", *options, "--no-null", "--no-report"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    line = "rsens stability 'my table.csv' --target y --model linear --drop kind --group season=sin,cos "
    line += "--where flag=1 --cv 0"
    assert line in said
    assert main([*shlex.split(line)[1:], "--samples", "2", "--methods", "rsens"]) == 0
    assert "rsens select 'my table.csv' --target y --drop kind --where flag=1 --no-check" in said


def test_the_demo_names_a_file_that_is_there(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    given = BY_NAME["demo"].settings({"quiet": False, "out": None})
    hints = BY_NAME["demo"].hints(given)
    assert hints.select == "rsens select rsens-demo/diabetes.csv --target progression"
    assert hints.stability == "rsens stability rsens-demo/diabetes.csv --target progression"


def test_in_python():
    quick = {"model": "linear", "null": False, "cv": 0, "pairs": 0}
    found = in_python(study(seasons(), "y", groups={"g": ["sin", "cos"]}, numeric=["flag"], random_state=3, **quick))
    assert found.stability == (
        "rsens.stability(study.model, study.X, study.y, numeric=['flag'], random_state=3, groups=study.groups)"
    )
    assert found.select == (
        "rsens.select_interactions(rsens.GPRegressor(), study.X, study.y, numeric=['flag'], random_state=3)"
    )
    plain = in_python(study(numbers(), "y", **quick))
    assert plain.stability == "rsens.stability(study.model, study.X, study.y)"
