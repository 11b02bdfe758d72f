"""The command line: `rsens explain`, `compare`, `stability`, `select` and `demo`."""

from rsens._app.cli._main import COMMANDS as COMMANDS
from rsens._app.cli._main import main as main
