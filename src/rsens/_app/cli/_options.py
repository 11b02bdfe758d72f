"""The options of the commands. Each is written once: its name, its help, and the setting that it becomes."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rsens._errors import Argument, InputError, Spelling

if TYPE_CHECKING:
    from rsens._app.study import Settings


def option(*names: str, **given: Any) -> click.Option:
    """An option whose value is the setting of the same name; left out, the default of `Settings` holds."""
    return click.Option(names, **given)


def switch(*names: str, sets: Any = True, **given: Any) -> click.Option:
    """An option without a value: the setting has the value `sets` if it is given."""
    return click.Option(names, is_flag=True, flag_value=sets, default=None, **given)


DATA = click.Argument(["data"], metavar="DATA")
COLUMNS: dict[str, Any] = {"multiple": True, "metavar": "COLUMN"}
#: Options whose texts are a name and more, and how they look.
BY_NAME = {"groups": "NAME=A,B", "date": "COLUMN=FORMAT"}
#: The options that the commands share, by section of the help. Those of all but the last describe the table and the
#: model: a command that is proposed as the next one keeps them.
SECTIONS: dict[str, list[click.Option]] = {
    "Table": [
        option("--target", metavar="COLUMN", help="The column to predict."),
        option("--columns", **COLUMNS, help="Use only these columns; may be repeated."),
        option("--drop", **COLUMNS, help="Leave out a column; may be repeated."),
        option(
            "--where",
            multiple=True,
            metavar="CONDITION",
            help="Use the rows where COLUMN=VALUE (in quotes; also != < <= > >=); may be repeated.",
        ),
        option("--rows", type=int, metavar="N", help="Use N rows, drawn at random.  [default: all]"),
        option(
            "--missing",
            metavar="[drop|error]",
            help="Leave out rows with missing values, or refuse them.  [default: drop]",
        ),
        switch(
            "--no-header", "header", sets=False, help="The first line of DATA is a row: call the columns x0, x1, …."
        ),
        option("--categorical", **COLUMNS, help="A column whose numbers are codes; may be repeated."),
        option("--numeric", **COLUMNS, help="A column with two numbers that is to have a slope; may be repeated."),
        option(
            "--group",
            "groups",
            multiple=True,
            metavar=BY_NAME["groups"],
            help="Columns that belong together and are ranked as one; may be repeated.",
        ),
        option(
            "--date",
            multiple=True,
            metavar=BY_NAME["date"],
            help="How the dates of a column are written: day-first, month-first, year-first, or a format such as "
            "%d/%m/%Y; or the columns to make of them, some of days,year,weekday,hour; or both, with a comma between. "
            "May be repeated.",
        ),
        option(
            "--cluster",
            metavar="COLUMN",
            help="Rows with the same value in this column belong together, such as all rows of one person.",
        ),
    ],
    "Model": [
        option(
            "--likelihood",
            metavar="NAME",
            help="gaussian, student_t, poisson, negative_binomial, classification, or auto, which picks one and gives "
            "the reason.  [default: auto]",
        ),
        option(
            "--model",
            metavar="[gp|linear]",
            help="A Gaussian process, or a Bayesian (generalised) linear model.  [default: gp]",
        ),
        option("--inducing", type=int, metavar="M", help="Use a sparse Gaussian process with M inducing inputs."),
        option("--cv", type=int, metavar="K", help="Folds of the check of the model, 0 for no check.  [default: 5]"),
    ],
    "Computation": [
        option("--seed", type=int, metavar="N", help="Seed of the random numbers.  [default: 0]"),
        option("--n-jobs", type=int, metavar="N", help="How many fits at once.  [default: one per core]"),
        option("--dask", metavar="ADDRESS", help="Use the Dask cluster at ADDRESS; 'local' starts one here."),
    ],
    "Output": [
        option(
            "--out",
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="The folder for all files.  [default: named after DATA and the command]",
        ),
        switch("--overwrite", help="Replace other results in DIR, and forget unfinished work."),
        switch("--json", "as_json", help="Print one JSON document instead of tables."),
        switch("--quiet", help="Print only errors."),
        switch("--traceback", expose_value=False, help="Show where a failure happened."),
    ],
}
ALL = {str(each.name): each for options in SECTIONS.values() for each in options}
#: The settings that a proposed next command keeps.
KEPT = ALL.keys() - {each.name for each in SECTIONS["Output"]}
#: Options of a command that are no settings.
NO_SETTINGS = ("dask", "out", "overwrite", "as_json", "quiet", "report")
#: The settings that library calls know by another name.
IN_CALLS = {"random_state": "seed", "clusters": "cluster", "folder": "out", "n_boot": "samples", "k": "pairs"}


def table_options(*more: click.Option, without: Iterable[str] = ()) -> list[click.Parameter]:
    """The parameters of a command on a table: the shared options, except for some, and more."""
    return [DATA, *(each for name, each in ALL.items() if name not in without), *more]


def settings_of(given: Mapping[str, Any], fits: int = 25, **more: Any) -> Settings:
    """The options that were given as settings, checked. All cores share about this number of fits where it helps."""
    from rsens._app.study import Settings

    chosen = {name: value for name, value in given.items() if value not in (None, ()) and name not in NO_SETTINGS}
    chosen |= {name: by_name(chosen[name], name) for name in BY_NAME if name in chosen}
    return Settings(**chosen, **more, fits=fits)


def by_name(texts: Sequence[str], argument: str) -> dict[str, list[str]]:
    """The texts NAME=VALUE of an option as one dict {NAME: [VALUE]}. A name that is repeated gets more values."""
    found: dict[str, list[str]] = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        if not (name and value):
            raise InputError(Argument(argument), f" must look like {BY_NAME[argument]}; got {text!r}.")
        found.setdefault(name, []).append(value)
    return found


def words(option: click.Parameter, value: Any) -> list[str]:
    """The words of a command line that give the option this value; repeated for several values."""
    if isinstance(option, click.Option) and option.is_flag:
        return [option.opts[0]] if value == option.flag_value else []
    if isinstance(value, Mapping):
        value = [f"{name}={each}" for name, values in value.items() for each in _texts(values)]
    several = value if isinstance(value, list | tuple) else [value]
    return [word for each in several for word in (option.opts[0], str(each))]


def _texts(values: str | Sequence[str]) -> Sequence[str]:
    """One text for several columns, unless a name has a comma."""
    if isinstance(values, str):
        return [values]
    return values if any("," in value for value in values) else [",".join(values)]


def spelling_of(command: click.Command) -> Spelling:
    """Spells an argument as an option of this command; as in Python, if the command has no such option."""

    def spell(argument: Argument) -> str:
        names = (argument.name, IN_CALLS.get(argument.name))
        found = [each for each in command.params if each.name in names or f"--{argument.name}" in each.opts]
        switches = [each for each in found if isinstance(each, click.Option) and each.is_flag]
        exact = [each for each in switches if each.flag_value == argument.value]
        chosen = next(iter([*exact, *(each for each in found if each not in switches), *switches]), None)
        if not isinstance(chosen, click.Option):
            return argument.in_python() if chosen is None else str(chosen.metavar)
        if argument.has_value and not chosen.is_flag:
            return shlex.join(words(chosen, argument.value))
        return f"{chosen.opts[0]} {chosen.metavar}" if chosen.name == "out" else chosen.opts[0]

    return spell


def next_command(command: click.Command, given: Mapping[str, Any]) -> str:
    """This command on the table of another one, with the options `given` that describe table and model."""
    line = ["rsens", str(command.name), str(given["data"])]
    for each in command.params:
        value = given.get(str(each.name))
        if each.name in KEPT and value not in (None, ()):
            line += words(each, value)
    return shlex.join(line)
