"""Every test here draws from matplotlib's own defaults and leaves no figure behind; some have a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.report.browser import CHROMIUM, OPTIONS, Opened


@pytest.fixture(autouse=True)
def no_figures_left() -> Iterator[None]:
    from matplotlib import pyplot as plt

    before = plt.get_fignums()
    yield
    assert plt.get_fignums() == before


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def kept(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Opens the report of a study with all its figures drawn, once for all tests of a file: they leave it as it was."""
    pages: dict[str, Opened] = {}

    def open_page(name: str) -> Opened:
        if name not in pages:
            opened = pages[name] = Opened(browser, tmp_path_factory.mktemp(name), name)
            opened.scroll_through()
        return pages[name]

    yield open_page
    for each in pages.values():
        each.page.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Opens the report of one of the studies."""
    pages: list[Opened] = []

    def open_page(name: str, **options: Any) -> Opened:
        pages.append(Opened(browser, tmp_path, name, **options))
        return pages[-1]

    yield open_page
    for each in pages:
        each.page.close()
