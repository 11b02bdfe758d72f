"""Everybody can use the page: the focus is seen, keys scroll, and axe-core would find what is wrong."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from tests.app.report.browser import FOCUSED, PAINTED, PHONE, needs_browser, violations

needs_browser()


def test_axe_would_find_something(opened):
    """A picture without a text, and grey on grey."""
    page = opened("classes").page
    bad = '<img src="data:,"><p style="color:#999;background:#aaa">grey on grey</p>'
    page.evaluate("(html) => { document.querySelector('main').innerHTML = html; }", bad)
    assert {line.partition(":")[0] for line in violations(page)} >= {"image-alt", "color-contrast"}
    assert {line.partition(":")[0] for line in violations(page, style_only=True)} == {"color-contrast"}


def test_the_focus_is_seen_and_the_skip_link_leads_to_the_summary(opened):
    page = opened("classes").page
    for _ in range(2):
        page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "theme"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#summary"


def test_a_table_that_is_wider_than_a_phone_shows_it(opened):
    """A shadow at the right edge, which goes once the end is reached; the arrow keys scroll."""
    page = opened("numbers", viewport=PHONE).page
    table = page.get_by_role("region", name="Table of variables")
    table.scroll_into_view_if_needed()
    inside, box = table.evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inside > box
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        before = edge(table)
        table.focus()
        for _ in range(20):
            page.keyboard.press("ArrowRight")
        page.evaluate(PAINTED)
        assert table.evaluate("e => e.scrollLeft + e.clientWidth >= e.scrollWidth - 1")
        assert abs(edge(table) - before) > 12.0, scheme
        table.evaluate("e => e.scrollTo(0, 0)")


def edge(table: Any) -> float:
    """The median brightness of the last pixels at the right."""
    from PIL import Image

    pixels = np.asarray(Image.open(io.BytesIO(table.screenshot())).convert("L"), dtype=np.float64)
    return float(np.median(pixels[:, -6:-2]))
