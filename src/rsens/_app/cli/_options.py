"""The options that the commands share. What is not given is left to the defaults of `Settings`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from rsens._errors import Argument, InputError, Spelling

#: Arguments of the library whose option has another name.
OTHER_NAMES = {"random_state": "seed", "n_boot": "samples", "k": "pairs", "folder": "out", "clusters": "cluster"}
#: The option that is never mentioned without what it takes: "another --out DIR".
FOLDER = "out"


class Flag(click.Option):
    """An option without a value: given, it sets one value; left out, another."""

    def __init__(self, names: list[str], *, sets: Any = True, otherwise: Any = False, **options: Any) -> None:
        self.sets = sets
        super().__init__(names, is_flag=True, callback=lambda _, __, given: sets if given else otherwise, **options)


def read_groups(texts: Sequence[str]) -> dict[str, list[str]]:
    """The texts NAME=A,B of an option as one dict {NAME: ["A,B"]}. A name that is repeated gets more columns."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        name, equals, columns = text.partition("=")
        if not (name.strip() and equals and columns.strip()):
            raise InputError(Argument("groups"), f" must look like NAME=A,B with names of columns; got {text!r}.")
        groups.setdefault(name.strip(), []).append(columns.strip())
    return groups


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


def group_texts(groups: Mapping[str, Sequence[str]]) -> list[str]:
    """The texts that give these groups: a column with a comma in its name has a text of its own, and so has a value."""
    texts = []
    for name, columns in groups.items():
        if isinstance(columns, str):
            texts.append(f"{name}={columns}")
            continue
        plain = [column for column in columns if "," not in column]
        lists = [",".join(plain)] * bool(plain) + [column for column in columns if "," in column]
        texts += [f"{name}={each}" for each in lists]
    return texts


def options_of(command: click.Command) -> Spelling:
    """Spells an argument as an option of this command; as in Python, if the command has no such option."""

    def spell(argument: Argument) -> str:
        option = _option_for(command, argument)
        if option is None:
            return str(argument)
        if isinstance(option, click.Argument):
            return str(option.metavar)
        name = option.opts[-1]
        if isinstance(option, Flag):
            return name
        if not argument.has_value:
            return f"{name} {option.metavar}" if option.name == FOLDER else name
        return command_line(*words_of(name, argument.value))

    return spell


def _option_for(command: click.Command, argument: Argument) -> click.Parameter | None:
    """The flag that sets this value; or the option that is called like the argument, or holds it."""
    name = OTHER_NAMES.get(argument.name, argument.name)
    holders = [option for option in command.params if option.name == name]
    flags = [option for option in holders if isinstance(option, Flag) and option.sets == argument.value]
    option = f"--{name.replace('_', '-')}"
    return next(iter([*flags, *(each for each in command.params if option in each.opts), *holders]), None)


def words_of(option: str, value: Any) -> list[Any]:
    """The words that give an option this value: it is repeated for several."""
    if isinstance(value, Mapping):
        value = group_texts(value)
    several = value if isinstance(value, list | tuple) else [value]
    return [word for each in several for word in (option, each)]


def command_line(*words: Any) -> str:
    """A command, quoted so that a shell reads it as it is."""
    return " ".join(shlex.quote(str(word)) for word in words)


def option(*names: str, **settings: Any) -> click.Option:
    """An option with a value."""
    return click.Option(list(names), **settings)


def flag(*names: str, **settings: Any) -> Flag:
    """An option without a value; `sets` and `otherwise` are what it stands for if given and if not."""
    return Flag(list(names), **settings)


class LikelihoodOption(click.Option):
    """Lists the likelihoods when its help is asked for: they are not loaded before."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The names, with the help."""
        from rsens.likelihoods import likelihood_names

        names = ", ".join(likelihood_names())
        self.help = f"{names}, classification, or auto, which picks one and says why.  [default: auto]"
        return super().get_help_record(ctx)


OVERWRITE = flag("--overwrite", help="Replace other results in DIR; forget unfinished work.")
QUIET = flag("--quiet", help="Print only errors.")
TRACEBACK = flag("--traceback", expose_value=False, help="Show where a failure happened.")
ORDER = option("--order", type=int, metavar="[1|2]", help="1 for variables, 2 for pairs.  [default: 1]")
CHECK = option("--cv", type=int, metavar="K", help="Folds for checking the model, 0 for no check.  [default: 5]")
GROUP = option(
    "--group",
    "groups",
    multiple=True,
    metavar="NAME=A,B",
    help="Columns that belong together and are ranked as one; may be repeated.",
)
#: What options about dates look like.
DATE_FORMAT = "COLUMN=FORMAT"
DATE = option(
    "--date",
    multiple=True,
    metavar=DATE_FORMAT,
    help="How the dates of a column are written: day-first, month-first, year-first, or a format such as %d/%m/%Y; "
    "or the columns to make of them, some of days,year,weekday,hour; or both, with a comma between. May be repeated.",
)
#: The kinds of models, and what they are.
MODELS = {
    "gp|linear": "A Gaussian process, or a Bayesian (generalised) linear model.  [default: gp]",
    "gp": "A Gaussian process.",
}


def folder_option(default: str) -> click.Option:
    """Where files are written."""
    text = f"Where files are written.  [default: {default}]"
    return option("--out", type=click.Path(path_type=Path), metavar="DIR", help=text)


def table_options(
    folder: str, *own: click.Option, models: str = "gp|linear", groups: bool = True
) -> tuple[click.Parameter, ...]:
    """The options of every command on a table, and its own; `folder` is where its files go by default.

    `groups`: whether what it ranks can be groups of columns.
    """
    return (
        click.Argument(["data"], metavar="DATA"),
        option("--target", metavar="COLUMN", help="The column to predict."),
        LikelihoodOption(["--likelihood"], metavar="NAME"),
        option("--model", metavar=f"[{models}]", help=MODELS[models]),
        option(
            "--missing",
            metavar="[drop|error]",
            help="Leave out rows with missing values, or refuse them.  [default: drop]",
        ),
        flag(
            "--no-header",
            "header",
            sets=False,
            otherwise=True,
            help="The first line of DATA is a row: call columns x0, x1.",
        ),
        option("--drop", multiple=True, metavar="COLUMN", help="Leave out a column; may be repeated."),
        option("--columns", multiple=True, metavar="COLUMN", help="Use only these columns; may be repeated."),
        option(
            "--categorical", multiple=True, metavar="COLUMN", help="A column whose numbers are codes; may be repeated."
        ),
        option(
            "--numeric",
            multiple=True,
            metavar="COLUMN",
            help="A column with two numbers that is to have a slope; may be repeated.",
        ),
        *([GROUP] if groups else []),
        DATE,
        option("--cluster", metavar="COLUMN", help="A column that says which rows belong together, such as person."),
        option(
            "--where",
            multiple=True,
            metavar="CONDITION",
            help="Use the rows where COLUMN=VALUE (in quotes; also != < <= > >=); may be repeated.",
        ),
        option("--rows", type=int, metavar="N", help="Use N rows, drawn at random.  [default: all]"),
        option("--inducing", type=int, metavar="M", help="Use a sparse Gaussian process with M inducing inputs."),
        option("--seed", type=int, metavar="N", help="Seed of everything random.  [default: 0]"),
        option("--n-jobs", type=int, metavar="N", help="How many fits at once.  [default: one per core]"),
        option("--dask", metavar="ADDRESS", help="Work on the Dask cluster at ADDRESS; 'local' starts one here."),
        folder_option(f"{folder}, with the name of DATA"),
        OVERWRITE,
        flag("--json", "as_json", help="Print one JSON document instead of tables."),
        QUIET,
        *own,
        TRACEBACK,
    )
