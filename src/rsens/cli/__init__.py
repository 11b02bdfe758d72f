"""The command line: `rsens explain`, `compare`, `stability`, `select` and `demo`."""

from rsens.cli._main import main as main
