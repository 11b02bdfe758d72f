"""The commands, in the order of `rsens --help`."""

from __future__ import annotations

from rsens._app.cli._command import Command
from rsens._app.cli._compare import CompareCommand
from rsens._app.cli._demo import DemoCommand
from rsens._app.cli._explain import ExplainCommand
from rsens._app.cli._select import SelectCommand
from rsens._app.cli._stability import StabilityCommand

#: Every command. A new one is a file in this folder and a line here.
COMMANDS: list[Command] = [ExplainCommand(), CompareCommand(), StabilityCommand(), SelectCommand(), DemoCommand()]
