"""Fixtures and settings of all tests."""

import gc
import os
from pathlib import Path

import matplotlib
import pytest
from hypothesis import settings
from joblib import Parallel
from joblib.externals.loky import reusable_executor

matplotlib.use("Agg")
# The same examples in every run, so that a failure is one of the code. `--hypothesis-profile=default` tries others.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")
# Functions of JAX are compiled once and run on few rows: a compiler that tries less hard is quicker in sum.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
# For the same reason the loops of shap are not compiled at all.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

#: The longest files. They are the first to run, so that no process waits for another one at the end.
LONGEST = [
    "tests/app/report/test_browser.py",
    "tests/test_docs.py",
    "tests/app/cli/test_unfinished.py",
    "tests/fuzz/test_fuzz.py",
    "tests/test_site.py",
    "tests/app/report/test_page.py",
    "tests/plots/test_pictures.py",
    "tests/select_interactions/test_select.py",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    last = len(LONGEST)
    place = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.nodeid.partition("::")[0], last))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Imported modules and collected tests stay until the end: the garbage collector need not visit them again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], 50)  # a full collection takes a third of a second


@pytest.fixture(scope="session")
def data_folder() -> Path:
    folder = os.environ.get("RSENS_DATA", "")
    if not folder:
        pytest.skip("RSENS_DATA does not name the folder with bike_hour.csv and slump_test.csv")
    return Path(folder)


@pytest.fixture(autouse=True)
def _wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Printed tables fit the terminal, and pytest-xdist passes on another width."""
    monkeypatch.setenv("COLUMNS", "96")


@pytest.fixture(autouse=True)
def _standing_workers() -> None:
    """Tests share joblib's processes, which rsens leaves running if they exist already: each takes seconds to start.

    None is started here, only by the first test that uses them.
    """
    if reusable_executor._executor is None:
        with Parallel(n_jobs=2):
            pass
