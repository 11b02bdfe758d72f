"""What the tests in a browser need, and pages opened in it. `make browser` installs it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.app.report import studies

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
AXE = Path(__file__).parents[3] / "build" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
OPTIONS += ["--disable-component-update", "--disable-sync", "--disable-smooth-scrolling"]
#: Serious or critical: keeps some readers out.
BAD = ("serious", "critical")
#: Where only the style sheet differs, what axe-core looks at; it never knows what is behind a text in a drawing.
BY_STYLE = "{exclude: ['svg']}", ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]
FOCUSED = """() => { const e = document.activeElement, get = (name) => e.getAttribute(name);
    return e === document.body ? null : e.id || get('aria-label') || get('href') || e.tagName; }"""
#: Resolves once all that was asked for so far is on the screen.
PAINTED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def missing() -> list[str]:
    """What is not installed."""
    there = {"playwright": find_spec("playwright"), "chromium": CHROMIUM, "axe-core": AXE.exists()}
    return [name for name, found in there.items() if not found]


def needs_browser(lacking: list[str] | None = None, environment: Mapping[str, str] = os.environ) -> None:
    """Skip the tests of a module without a browser; with RSENS_BROWSER=1, as in .ci/run, they fail instead."""
    lacking = missing() if lacking is None else lacking
    if not lacking:
        return
    reason = f"not installed: {', '.join(lacking)}; run make browser"
    if environment.get("RSENS_BROWSER", "0") not in ("", "0"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason, allow_module_level=True)


def violations(page: Any, *, style_only: bool = False) -> list[str]:
    """What axe-core finds, one line for each place."""
    # The page's own policy allows no other script, so the test speaks past it.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    where, rules = BY_STYLE if style_only else ("document", None)
    run = f"(rules) => axe.run({where}, {{resultTypes: ['violations'], ...(rules && {{runOnly: rules}})}})"
    found = page.evaluate(run, rules)["violations"]
    return [f"{v['id']}: {node['html'][:200]}" for v in found if v["impact"] in BAD for node in v["nodes"]]


def seen(page: Any, selector: str) -> int:
    """How many of these elements are visible."""
    return int(page.locator(selector).filter(visible=True).count())


class Opened:
    """A page that was opened from a file, and all that it complained of or asked for."""

    def __init__(self, browser: Any, folder: Path, name: str, **options: Any) -> None:
        file = folder / "report.html"
        file.write_text(studies.page(name), encoding="utf-8")
        self.page = browser.new_page(**{"viewport": DESKTOP} | options)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append("dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def scroll_through(self) -> None:
        """To every figure, until it is on the screen."""
        go = f"for (const each of document.querySelectorAll('.figure')) {{ each.scrollIntoView(); await {PAINTED}; }}"
        self.page.evaluate(f"async () => {{ {go} }}")
