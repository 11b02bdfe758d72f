"""What several test files share."""

import os
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the paper's data sets, named by RSENS_DATA."""
    folder = os.environ.get("RSENS_DATA", "")
    if not folder:
        pytest.skip("RSENS_DATA does not name the folder with bike_hour.csv and slump_test.csv")
    return Path(folder)


@pytest.fixture(autouse=True)
def _wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Printed tables fit the terminal, and pytest-xdist passes on the width of its own."""
    monkeypatch.setenv("COLUMNS", "96")
