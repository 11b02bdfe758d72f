"""Everybody can use the page: axe-core finds no violation, figures have texts, the keyboard gets everywhere."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from tests.app.report import studies
from tests.app.report.browser import AXE, DESKTOP, PHONE, needs_browser

needs_browser()

STUDIES = pytest.mark.parametrize("name", ["numbers", "counts", "classes"])
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
#: All that differs between two looks of a page is its style sheet.
LOOKS = [("light", DESKTOP), ("dark", DESKTOP), ("dark", PHONE), ("light", PHONE)]
#: Serious or critical: keeps some readers out.
BAD = ("serious", "critical")
FOCUSED = """() => { const e = document.activeElement, get = (name) => e.getAttribute(name);
    return e === document.body ? null : e.id || get('aria-label') || get('href') || e.tagName; }"""


def violations(page: Any) -> list[str]:
    """What axe-core finds, one line for each place."""
    # The page's own policy allows no other script, so the test speaks past it.
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [f"{v['id']}: {node['html'][:200]}" for v in found if v["impact"] in BAD for node in v["nodes"]]


@pytest.mark.parametrize(("name", "looks"), [("numbers", LOOKS), ("counts", LOOKS[::2]), ("classes", LOOKS[::2])])
def test_axe_finds_nothing(kept, name, looks):
    page = kept(name).page
    for scheme, size in looks:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        assert violations(page) == [], (scheme, size)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(DESKTOP)


def test_axe_would_find_something(opened):
    """A picture without a text, and grey on grey."""
    page = opened("numbers", False).page
    bad = '<img src="data:,"><p style="color:#999;background:#aaa">grey on grey</p>'
    page.evaluate("(html) => { document.querySelector('main').innerHTML = html; }", bad)
    assert {line.partition(":")[0] for line in violations(page)} >= {"image-alt", "color-contrast"}


@STUDIES
def test_every_figure_says_what_it_shows(kept, name):
    """In words of its own, with the leading variable or the pair; drawings inside are silent."""
    page = kept(name).page
    figures = page.locator(".figure")
    texts = [box.get_attribute("aria-label") for box in figures.locator("[role=img]").all()]
    assert figures.count() >= 5
    assert all(text and len(text) > 30 for text in texts)
    per_figure = [figure.locator(".static").get_attribute("aria-label") for figure in figures.all()]
    assert len(set(per_figure)) == len(per_figure)
    assert page.locator(".static > svg:not([aria-hidden=true])").count() == 0
    assert page.locator("img:not([alt])").count() == 0


def test_the_keyboard_gets_everywhere(opened):
    """Tab visits the skip link, the theme, the contents, the tables and the row, in this order."""
    page = opened("numbers", True).page
    visited: list[str] = []
    controls = 0
    for _ in range(200):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused is None:
            break
        visited.append(focused)
        controls += page.evaluate("document.activeElement.matches('button, select, a[href]')")
    else:
        pytest.fail(f"the focus never leaves the page: {visited[-5:]}")
    landmarks = ["#summary", "theme", "#variables", "Table of variables", "Table of pairs", "row-select", "row-next"]
    places = [visited.index(landmark) for landmark in landmarks]
    assert places == sorted(places)
    visible = "[...document.querySelectorAll('button, select, a[href]')].filter((e) => e.checkVisibility()).length"
    assert controls == page.evaluate(visible)


def test_the_focus_is_seen(opened):
    page = opened("numbers", False).page
    for _ in range(2):
        page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "theme"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_the_skip_link_leads_to_the_summary(opened):
    page = opened("numbers", False).page
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#summary"


@SCHEMES
def test_a_table_that_is_wider_than_a_phone_shows_it(opened, scheme):
    """A shadow at the right edge, which goes once the end is reached; the arrow keys scroll."""
    page = opened("numbers", False, color_scheme=scheme, viewport=PHONE).page
    table = page.get_by_role("region", name="Table of variables")
    table.scroll_into_view_if_needed()
    inside, box = table.evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inside > box
    before = edge(table)
    table.focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(20)
    page.wait_for_timeout(300)
    assert table.evaluate("e => e.scrollLeft + e.clientWidth >= e.scrollWidth - 1")
    assert abs(edge(table) - before) > 12.0


def edge(table: Any) -> float:
    """The median brightness of the last pixels at the right."""
    from PIL import Image

    pixels = np.asarray(Image.open(io.BytesIO(table.screenshot())).convert("L"), dtype=np.float64)
    return float(np.median(pixels[:, -6:-2]))


def test_counts_have_rows_of_how_many():
    assert "80 of 17,379" in studies.page("counts", interactive=True)
