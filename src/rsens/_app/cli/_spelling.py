"""How the command line spells the arguments of the library: as the options of the command at work."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
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
