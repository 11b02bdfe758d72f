"""How the command line spells the arguments of the library: as the options of the command at work."""

from __future__ import annotations

import shlex
from typing import Any

import click

from rsens._errors import Argument, Spelling

#: Arguments of the library whose option has another name.
OTHER_NAMES = {"random_state": "seed", "n_boot": "samples", "k": "pairs", "folder": "out", "clusters": "cluster"}
#: The option that is never mentioned without what it takes: "another --out DIR".
FOLDER = "out"


class Flag(click.Option):
    """An option without a value: given, it sets one value; left out, another."""

    def __init__(self, names: list[str], *, sets: Any = True, otherwise: Any = False, **options: Any) -> None:
        self.sets = sets
        super().__init__(names, is_flag=True, callback=lambda _, __, given: sets if given else otherwise, **options)


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
        several = argument.value if isinstance(argument.value, list | tuple) else [argument.value]
        return command_line(*(word for value in several for word in (name, value)))

    return spell


def _option_for(command: click.Command, argument: Argument) -> click.Parameter | None:
    """The flag that sets this value; or the option that is called like the argument, or holds it."""
    name = OTHER_NAMES.get(argument.name, argument.name)
    holders = [option for option in command.params if option.name == name]
    flags = [option for option in holders if isinstance(option, Flag) and option.sets == argument.value]
    option = f"--{name.replace('_', '-')}"
    return next(iter([*flags, *(each for each in command.params if option in each.opts), *holders]), None)


def command_line(*words: Any) -> str:
    """A command, quoted so that a shell reads it as it is."""
    return " ".join(shlex.quote(str(word)) for word in words)
