"""Arguments of the library are options on the command line: in errors, in notes and in advice."""

import inspect

import click
import pandas as pd
import pytest

from rsens import InputError, study
from rsens._app.cli._main import COMMANDS, main
from rsens._app.cli._options import Flag, command_line, options_of
from rsens._app.study import Settings
from rsens._errors import Argument, Sentence, spelled
from tests.app.study.tables import numbers, with_text

BY_NAME = {command.name: command.for_click() for command in COMMANDS}
ON_TABLES = [name for name in BY_NAME if name != "demo"]
#: For each setting that can be wrong, a value that is.
WRONG = {
    "likelihood": "weibull",
    "groups": "season",
    "where": "open",
    "date": "when=dd/mm/yyyy",
    "model": "forest",
    "missing": "fill",
    "rows": 0,
    "inducing": 0,
    "seed": -1,
    "n_jobs": 0,
    "pairs": -1,
    "cv": 1,
    "methods": "sharp",
    "order": 3,
    "budget": "none",
    "samples": 1,
    "folds": 1,
    "repeats": 0,
}
#: These take any text; what is wrong with them shows when the table is read, or a cluster is asked (test_dask.py).
ANY_TEXT = {"data", "target", "drop", "columns", "categorical", "numeric", "cluster", "by", "out", "model_file", "dask"}
#: How Python users call a setting that has another name there.
IN_PYTHON = {"seed": "random_state"}


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numbers(40).to_csv("table.csv", index=False)
    return tmp_path


def options():
    """Every option with a value, of every command on a table."""
    for name in ON_TABLES:
        for option in BY_NAME[name].params:
            if not isinstance(option, Flag) and option.name not in ANY_TEXT:
                yield pytest.param(name, option, id=f"{name} {option.opts[0]}")


@pytest.mark.parametrize(("command", "option"), list(options()))
def test_a_wrong_value_is_an_error_that_names_the_option(table, capsys, command, option):
    flag, wrong = option.opts[0], WRONG[option.name]
    assert main([command, "table.csv", "--target", "y", flag, str(wrong)]) == 2
    said = capsys.readouterr().err
    # An unknown method is named itself.
    assert said.startswith("rsens: Unknown method 'sharp'" if option.name == "methods" else f"rsens: {flag} must ")
    assert [path.name for path in table.iterdir()] == ["table.csv"]


@pytest.mark.parametrize("name", [name for name in WRONG if name != "methods"])
def test_the_same_error_names_the_argument_in_python(name):
    called = IN_PYTHON.get(name, name)
    with pytest.raises(InputError) as error:
        Settings(data=numbers(5), target="y", **{name: WRONG[name]})
    assert str(error.value).startswith(f"{called} must ")
    assert error.value.argument == called
    if called in inspect.signature(study).parameters:
        with pytest.raises(InputError, match=f"^{called} must "):
            study(numbers(5), "y", **{called: WRONG[name]})


@pytest.mark.parametrize("command", ON_TABLES)
def test_every_option_is_spelled_as_itself(command):
    """Also flags, and options that hold a setting of another name."""
    spell = options_of(BY_NAME[command])
    for option in BY_NAME[command].params:
        if isinstance(option, Flag):
            assert spell(Argument(option.name, option.sets)) == option.opts[0]
        elif isinstance(option, click.Option):
            assert spell(Argument(option.name)).split()[0] in (option.opts[0], f"--{option.name}")
            assert spell(Argument(option.name, "a value")) == f"{option.opts[0]} 'a value'" or option.name == "cv"


@pytest.mark.parametrize(
    ("command", "argument", "said"),
    [
        ("explain", Argument("rows"), "--rows"),
        ("explain", Argument("n_jobs"), "--n-jobs"),
        ("explain", Argument("random_state"), "--seed"),
        ("stability", Argument("clusters"), "--cluster"),
        ("stability", Argument("n_boot"), "--samples"),
        ("select", Argument("k"), "--pairs"),
        ("explain", Argument("folder"), "--out DIR"),
        ("explain", Argument("overwrite", True), "--overwrite"),
        ("explain", Argument("null", False), "--no-null"),
        ("explain", Argument("likelihood", "gaussian"), "--likelihood gaussian"),
        ("explain", Argument("order", 2), "order=2"),
        ("compare", Argument("order", 2), "--order 2"),
        ("explain", Argument("categorical", ["batch no", "b"]), "--categorical 'batch no' --categorical b"),
        ("explain", Argument("data"), "DATA"),
        ("select", Argument("where", "open!=no"), "--where 'open!=no'"),
        ("compare", Argument("groups", {"g": ["a", "b c"]}), "--group 'g=a,b c'"),
        ("compare", Argument("groups", {"g": ["a", "b, c", "d"]}), "--group g=a,d --group 'g=b, c'"),
        ("explain", Argument("date", {"the day": "%d, %m, %Y"}), "--date 'the day=%d, %m, %Y'"),
        ("explain", Argument("cv", 0), "--cv 0"),
        ("select", Argument("cv", 0), "--no-check"),
        ("select", Argument("cv", 3), "--cv 3"),
        ("select", Argument("cv"), "--cv"),
        ("demo", Argument("overwrite", True), "--overwrite"),
        ("demo", Argument("rows"), "rows"),
    ],
)
def test_arguments(command, argument, said):
    assert options_of(BY_NAME[command])(argument) == said


def test_plain_text_stays():
    spell = options_of(BY_NAME["explain"])
    assert spelled("the rows have no order, and cv=0", spell) == "the rows have no order, and cv=0"
    assert spelled(Sentence("ask for more ", Argument("rows"), "."), spell) == "ask for more --rows."


def test_notes_name_options(table, capsys):
    """Codes, columns that are the same, rows that were drawn: each says what to type."""
    frame = with_text().assign(**{"batch no": [1, 2, 3] * 20, "a2": lambda f: 3.0 * f["a"]}).drop(columns="code")
    frame.to_csv("table.csv", index=False)
    assert main(["explain", "table.csv", "--target", "y", "--no-report", "--no-null", "--cv", "0", "--json"]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "If they are codes, use --categorical 'batch no'." in said
    assert "Keep one of them: --drop a2." in said
    with pytest.raises(InputError, match="cv=0"):
        study(numbers(9), "y")
    numbers(9).to_csv("table.csv", index=False)
    assert main(["select", "table.csv", "--target", "y"]) == 2
    assert "go on without a check: --no-check." in capsys.readouterr().err


def test_errors_of_the_data_name_options(table, capsys):
    assert main(["explain", "table.csv", "--target", "y", "--likelihood", "poisson"]) == 2
    assert capsys.readouterr().err.endswith("Use --likelihood gaussian.\n")
    pd.DataFrame({"x": [1.0, None, 3.0], "y": [1.0, 2.0, 3.0]}).to_csv("table.csv", index=False)
    assert main(["explain", "table.csv", "--target", "y", "--missing", "error"]) == 2
    assert "leave columns out with --drop x, or leave the rows out with --missing drop." in capsys.readouterr().err


def test_commands_can_be_copied():
    assert command_line("rsens", "select", "my data.csv", "--target", "y") == "rsens select 'my data.csv' --target y"
