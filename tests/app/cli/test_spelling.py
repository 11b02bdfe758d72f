"""Arguments of the library are options on the command line: in errors, in notes, in legends and in advice."""

import inspect
import json

import click
import pytest

from rsens import InputError, study
from rsens._app.cli._main import COMMANDS, main
from rsens._app.cli._options import IN_CALLS, by_name, spelling_of
from rsens._app.study import Settings
from rsens._errors import Argument, Sentence, spelled_by
from tests.app.study.tables import numbers, with_text

BY_NAME = {command.name: command for command in COMMANDS}
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
ANY_TEXT = {"target", "drop", "columns", "categorical", "numeric", "cluster", "by", "out", "model_file", "dask"}


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numbers(40).to_csv("table.csv", index=False)
    return tmp_path


def with_a_value():
    """Every option that takes a value, and the first command that has it."""
    found = {
        option.name: (command.name, option.opts[0])
        for command in reversed(COMMANDS)
        for option in command.params
        if isinstance(option, click.Option) and not option.is_flag and option.name not in ANY_TEXT
    }
    return [pytest.param(name, *each, id=name) for name, each in found.items()]


@pytest.mark.parametrize(("name", "command", "flag"), with_a_value())
def test_a_wrong_value_is_an_error_that_names_the_option(table, capsys, name, command, flag):
    assert main([command, "table.csv", "--target", "y", flag, str(WRONG[name])]) == 2
    said = capsys.readouterr().err
    # An unknown method is named itself.
    assert said.startswith("rsens: Unknown method 'sharp'" if name == "methods" else f"rsens: {flag} must ")
    assert [path.name for path in table.iterdir()] == ["table.csv"]


def test_the_same_error_names_the_argument_in_python():
    for name in WRONG.keys() - {"methods"}:
        called = "random_state" if name == "seed" else name
        with pytest.raises(InputError, match=f"^{called} must ") as error:
            Settings(data=numbers(5), target="y", **{name: WRONG[name]})
        assert error.value.argument == called
        if called in inspect.signature(study).parameters:
            with pytest.raises(InputError, match=f"^{called} must "):
                study(numbers(5), "y", **{called: WRONG[name]})


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_option_is_spelled_as_itself(command):
    """Also those without a value, and those that hold a setting of another name."""
    spell, in_calls = spelling_of(command), {setting: name for name, setting in IN_CALLS.items()}
    for option in command.params[1:]:
        name = in_calls.get(option.name, option.name)
        if option.is_flag:
            assert spell(Argument(option.name, option.flag_value)) == option.opts[0]
        else:
            assert spell(Argument(name)).split()[0] == option.opts[0]
            assert spell(Argument(name, "a value")) == f"{option.opts[0]} 'a value'"


@pytest.mark.parametrize(
    ("command", "argument", "said"),
    [
        ("explain", Argument("random_state"), "--seed"),
        ("stability", Argument("clusters"), "--cluster"),
        ("stability", Argument("n_boot"), "--samples"),
        ("select", Argument("k"), "--pairs"),
        ("explain", Argument("folder"), "--out DIR"),
        ("explain", Argument("null", False), "--no-null"),
        ("explain", Argument("order", 2), "order=2"),
        ("compare", Argument("order", 2), "--order 2"),
        ("explain", Argument("categorical", ["batch no", "b"]), "--categorical 'batch no' --categorical b"),
        ("explain", Argument("data"), "DATA"),
        ("select", Argument("where", "open!=no"), "--where 'open!=no'"),
        ("compare", Argument("groups", {"g": ["a", "b, c", "d"]}), "--group g=a --group 'g=b, c' --group g=d"),
        ("explain", Argument("date", {"the day": "%d, %m, %Y"}), "--date 'the day=%d, %m, %Y'"),
        ("explain", Argument("cv", 0), "--cv 0"),
        ("select", Argument("cv", 0), "--no-check"),
        ("select", Argument("cv", 3), "--cv 3"),
        ("select", Argument("cv"), "--cv"),
        ("demo", Argument("rows"), "rows"),
    ],
)
def test_arguments(command, argument, said):
    assert spelling_of(BY_NAME[command])(argument) == said
    with spelled_by(spelling_of(BY_NAME[command])):
        assert Sentence("see ", argument, ".") == f"see {said}."


def test_notes_and_legends_name_options(table, capsys):
    """Codes, columns that are the same, two values: each note says what to type, also in the files."""
    frame = with_text().assign(**{"batch no": [1, 2, 3] * 20, "a2": lambda f: 3.0 * f["a"], "two": [0, 1] * 30})
    frame.drop(columns="code").to_csv("table.csv", index=False)
    assert main(["explain", "table.csv", "--target", "y", "--no-report", "--no-null", "--cv", "0"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "If they are codes, use --categorical 'batch no'." in said
    assert "such as --drop a2." in said
    assert "--numeric two" in said
    assert "numeric=[" not in said
    summary = json.loads((table / "rsens-table" / "summary.json").read_text(encoding="utf-8"))
    assert any("--drop a2" in note["text"] for note in summary["notes"])


def test_names_with_values():
    assert by_name(["g=a,b", "h=c", "g=d, e"], "groups") == {"g": ["a,b", "d, e"], "h": ["c"]}
    assert by_name(["when=%d=%m"], "date") == {"when": ["%d=%m"]}
