"""The door to the command line: `rsens`, or `python -m rsens`."""

from rsens._app.cli import main as main
