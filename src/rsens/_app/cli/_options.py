"""The options of the commands. Each is written once: its name, its help, and the setting that it becomes."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from rsens._errors import Argument, InputError, Spelling


class Option(click.Option):
    """An option whose value is the setting of the same name; left out, the default of `Settings` holds.

    argument: The name of the argument of the library, where it differs from the name of the setting.
    sets: The value of an option that takes none: what the setting is if the option is given; `otherwise` if not.
    """

    def __init__(
        self, names: Any, *, argument: str = "", sets: Any = ..., otherwise: Any = False, **given: Any
    ) -> None:
        self.argument, self.sets, self.takes_value = argument, sets, sets is ...
        if not self.takes_value:
            given |= {"is_flag": True, "callback": lambda _, __, is_set: sets if is_set else otherwise}
        super().__init__(names, **given)

    def words(self, value: Any) -> list[str]:
        """The words of a command line that give the option this value; repeated for several values."""
        if not self.takes_value:
            return [self.opts[0]] if value == self.sets else []
        values = group_texts(value) if isinstance(value, Mapping) else value
        several = values if isinstance(values, list | tuple) else [values]
        return [word for each in several for word in (self.opts[0], str(each))]


class LikelihoodOption(Option):
    """Lists the likelihoods in its help; they are loaded only then."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The names, with the help."""
        from rsens.likelihoods import likelihood_names

        names = ", ".join(likelihood_names())
        self.help = f"{names}, classification, or auto, which picks one and gives the reason.  [default: auto]"
        return super().get_help_record(ctx)


#: For the options of a single command.
option = partial(click.option, cls=Option)
DATA = click.Argument(["data"], metavar="DATA")
COLUMNS: dict[str, Any] = {"multiple": True, "metavar": "COLUMN"}
DATE_FORMAT, GROUP = "COLUMN=FORMAT", "NAME=A,B"
#: The options that the commands share, by section of the help. Those of all but the last describe the table and the
#: model: a command that is proposed as the next one keeps them.
SECTIONS: dict[str, list[Option]] = {
    "Table": [
        Option(["--target"], metavar="COLUMN", help="The column to predict."),
        Option(["--columns"], **COLUMNS, help="Use only these columns; may be repeated."),
        Option(["--drop"], **COLUMNS, help="Leave out a column; may be repeated."),
        Option(
            ["--where"],
            multiple=True,
            metavar="CONDITION",
            help="Use the rows where COLUMN=VALUE (in quotes; also != < <= > >=); may be repeated.",
        ),
        Option(["--rows"], type=int, metavar="N", help="Use N rows, drawn at random.  [default: all]"),
        Option(
            ["--missing"],
            metavar="[drop|error]",
            help="Leave out rows with missing values, or refuse them.  [default: drop]",
        ),
        Option(
            ["--no-header", "header"],
            sets=False,
            otherwise=True,
            help="The first line of DATA is a row: call the columns x0, x1, ….",
        ),
        Option(["--categorical"], **COLUMNS, help="A column whose numbers are codes; may be repeated."),
        Option(["--numeric"], **COLUMNS, help="A column with two numbers that is to have a slope; may be repeated."),
        Option(
            ["--group", "groups"],
            multiple=True,
            metavar=GROUP,
            help="Columns that belong together and are ranked as one; may be repeated.",
        ),
        Option(
            ["--date"],
            multiple=True,
            metavar=DATE_FORMAT,
            help="How the dates of a column are written: day-first, month-first, year-first, or a format such as "
            "%d/%m/%Y; or the columns to make of them, some of days,year,weekday,hour; or both, with a comma between. "
            "May be repeated.",
        ),
        Option(
            ["--cluster"],
            metavar="COLUMN",
            argument="clusters",
            help="Rows with the same value in this column belong together, such as all rows of one person.",
        ),
    ],
    "Model": [
        LikelihoodOption(["--likelihood"], metavar="NAME"),
        Option(
            ["--model"],
            metavar="[gp|linear]",
            help="A Gaussian process, or a Bayesian (generalised) linear model.  [default: gp]",
        ),
        Option(["--inducing"], type=int, metavar="M", help="Use a sparse Gaussian process with M inducing inputs."),
        Option(["--cv"], type=int, metavar="K", help="Folds of the check of the model, 0 for no check.  [default: 5]"),
    ],
    "Computation": [
        Option(
            ["--seed"],
            type=int,
            metavar="N",
            argument="random_state",
            help="Seed of the random numbers.  [default: 0]",
        ),
        Option(["--n-jobs"], type=int, metavar="N", help="How many fits at once.  [default: one per core]"),
        Option(["--dask"], metavar="ADDRESS", help="Use the Dask cluster at ADDRESS; 'local' starts one here."),
    ],
    "Output": [
        Option(
            ["--out"],
            type=click.Path(path_type=Path),
            metavar="DIR",
            argument="folder",
            help="The folder for all files.  [default: named after DATA and the command]",
        ),
        Option(["--overwrite"], sets=True, help="Replace other results in DIR, and forget unfinished work."),
        Option(["--json", "as_json"], sets=True, help="Print one JSON document instead of tables."),
        Option(["--quiet"], sets=True, help="Print only errors."),
        Option(["--traceback"], sets=True, expose_value=False, help="Show where a failure happened."),
    ],
}
ALL: dict[str, Option] = {str(each.name): each for options in SECTIONS.values() for each in options}
#: The settings that a proposed next command keeps.
KEPT = frozenset(ALL) - {each.name for each in SECTIONS["Output"]}


def table_options(*without: str) -> list[click.Parameter]:
    """The parameters of a command on a table, except for some options by the names of their settings."""
    return [DATA, *(each for name, each in ALL.items() if name not in without)]


def as_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, as arguments of `Settings`. Without --n-jobs, all cores are used where it helps."""
    chosen = {name: value for name, value in given.items() if value not in (None, ())}
    if "groups" in chosen:
        chosen["groups"] = read_groups(chosen["groups"])
    if "date" in chosen:
        chosen["date"] = read_by_column(chosen["date"], "date", DATE_FORMAT)
    return chosen | {"all_cores": True, "progress": False if given["quiet"] else None}


def read_groups(texts: Sequence[str]) -> dict[str, list[str]]:
    """The texts NAME=A,B of an option as one dict {NAME: ["A,B"]}. A name that is repeated gets more columns."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        name, _, columns = (part.strip() for part in text.partition("="))
        if not (name and columns):
            raise InputError(Argument("groups"), f" must look like {GROUP} with names of columns; got {text!r}.")
        groups.setdefault(name, []).append(columns)
    return groups


def group_texts(groups: Mapping[str, str | Sequence[str]]) -> list[str]:
    """The texts that give these groups: a column with a comma in its name has a separate text, and so has a value."""
    texts = []
    for name, columns in groups.items():
        parts = [columns] if isinstance(columns, str) else [column for column in columns if "," in column]
        plain = [] if isinstance(columns, str) else [column for column in columns if "," not in column]
        texts += [f"{name}={each}" for each in ([",".join(plain)] if plain else []) + parts]
    return texts


def read_by_column(texts: Sequence[str], argument: str, metavar: str) -> dict[str, str]:
    """The texts COLUMN=VALUE of an option as one dict. A name may have = in it, and so may a format behind its %."""
    found: dict[str, str] = {}
    for text in texts:
        place = text.partition("%")[0].rfind("=")
        name, value = text[:place].strip(), text[place + 1 :].strip()
        if place < 0 or not name or not value:
            raise InputError(Argument(argument), f" must look like {metavar}; got {text!r}.")
        if found.setdefault(name, value) != value:
            raise InputError(Argument(argument), f" is given twice for {name!r}: {found[name]!r} and {value!r}.")
    return found


def spelling_of(command: click.Command) -> Spelling:
    """Spells an argument as an option of this command; as in Python, if the command has no such option."""

    def spell(argument: Argument) -> str:
        called = [each for each in command.params if argument.name in (each.name, getattr(each, "argument", None))]
        switches = [each for each in called if isinstance(each, Option) and not each.takes_value]
        exact = [each for each in switches if each.sets == argument.value]
        found = next(iter([*exact, *(each for each in called if each not in switches), *switches]), None)
        if not isinstance(found, Option):
            return argument.in_python() if found is None else str(found.metavar)
        if found in switches:
            return found.opts[0]
        if argument.has_value:
            return shlex.join(found.words(argument.value))
        return f"{found.opts[0]} {found.metavar}" if found.name == "out" else found.opts[0]

    return spell


def next_command(command: click.Command, given: Mapping[str, Any]) -> str:
    """This command on the table of another one, with the options `given` that describe table and model."""
    words = ["rsens", str(command.name), str(given["data"])]
    for each in command.params:
        value = given.get(str(each.name))
        if isinstance(each, Option) and each.name in KEPT and value not in (None, ()):
            words += each.words(value)
    return shlex.join(words)
