"""Settings as a command line again: what to ask next about the same table, with everything that was said about it."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

import click

from rsens._app.cli._command import Command
from rsens._app.cli._options import Flag, command_line, words_of

if TYPE_CHECKING:
    from rsens._app.study import Settings

#: Options that belong to one command and its result, not to the table and the model.
OF_ONE_COMMAND = (
    "pairs",
    "by",
    "methods",
    "order",
    "null",
    "report",
    "model_file",
    "out",
    "overwrite",
    "as_json",
    "quiet",
)


def follow_up(command: Command, settings: Settings) -> str:
    """The command on the same table: it keeps every option that it has too, and that is not the default."""
    words: list[Any] = ["rsens", command.name, settings.data]
    defaults = _defaults(settings)
    for option in command.options:
        name = str(option.name)
        if not isinstance(option, click.Option) or name not in defaults or name in OF_ONE_COMMAND:
            continue
        value = getattr(settings, name)
        if isinstance(option, Flag):
            words += [option.opts[0]] if value == option.sets != defaults[name] else []
        elif value not in (None, (), {}, defaults[name]) and command.takes(name, value):
            words += words_of(option.opts[0], value)
    return command_line(*words)


def _defaults(settings: Settings) -> dict[str, Any]:
    return {each.name: None if each.default is MISSING else each.default for each in fields(settings)}
