"""The page in a real browser: Debian's chromium, driven by playwright. `make browser` installs both.

Everybody can use it: axe-core finds no violation, figures have texts, the keyboard gets everywhere.
"""

from __future__ import annotations

import pytest

from tests.app.report import studies
from tests.app.report.browser import DESKTOP, FOCUSED, PHONE, needs_browser, seen, violations
from tests.app.report.test_page import SECTIONS

needs_browser()
SMALL_PHONE = {"width": 360, "height": 740}
#: All that differs between two looks of a page is its style sheet.
LOOKS = [("light", DESKTOP), ("dark", DESKTOP), ("dark", PHONE), ("light", PHONE)]
PAGES = pytest.mark.parametrize("name", ["numbers", "counts", "classes", "hostile"])


@PAGES
def test_opens_in_silence(kept, name):
    """No errors or warnings, no request but for the file itself, no foreign script; every figure is there."""
    report = kept(name)
    assert all(url.startswith(("file:", "data:", "blob:")) for url in report.requests)
    assert report.page.evaluate("window.broken") is None
    assert report.page.title().startswith("What moves the prediction of ")
    for figure in report.page.locator(".figure").all():
        assert seen(figure, ".static") == 1
    report.page.set_viewport_size(SMALL_PHONE)  # where only what scrolls within its own box is wider than the screen
    assert report.page.evaluate("document.documentElement.scrollWidth") <= SMALL_PHONE["width"]
    report.page.set_viewport_size(DESKTOP)
    assert report.complaints == []


@pytest.mark.parametrize(("name", "looks"), [("numbers", LOOKS), ("counts", LOOKS[::2]), ("classes", LOOKS[::2])])
def test_axe_finds_nothing(kept, name, looks):
    page = kept(name).page
    assert violations(page) == []
    for scheme, size in looks[1:]:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        assert violations(page, style_only=True) == [], (scheme, size)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(DESKTOP)


@pytest.mark.parametrize("name", ["numbers", "counts", "classes"])
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


def test_the_keyboard_gets_everywhere(kept):
    """Tab visits the skip link, the theme, the contents, the tables and the row, in this order."""
    page = kept("numbers").page
    page.evaluate("getSelection().setPosition(document.body, 0)")
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


def test_row_selector(kept):
    """By list, keyboard and buttons."""
    page = kept("numbers").page

    def expect(position: int) -> None:
        assert page.locator("#row-card h3").text_content().startswith(f"Row {position}: prediction ")
        assert page.locator("#row-card table tr").count() == 5
        assert page.locator("#row-select").input_value() == str(position)

    expect(0)
    page.select_option("#row-select", "7")
    expect(7)
    page.focus("#row-select")
    page.keyboard.press("ArrowDown")
    expect(8)
    page.focus("#row-next")
    page.keyboard.press("Enter")
    expect(9)
    page.focus("#row-previous")
    page.keyboard.press("Space")
    expect(8)
    page.select_option("#row-select", "59")
    page.click("#row-next")
    expect(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_theme(kept, opened, scheme):
    """The page follows the system until the button is pressed; figures follow the page; nothing is stored."""
    report = kept("numbers") if scheme == "light" else opened("numbers", color_scheme=scheme)
    page = report.page

    def dark() -> bool:
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, paper.removeprefix("rgb(").removesuffix(")").split(","))) < 200

    def figures() -> str:
        return page.evaluate("getComputedStyle(document.querySelector('.static svg')).filter")

    before = figures()
    assert dark() == (scheme == "dark")
    page.focus("#theme")
    page.keyboard.press("Enter")
    assert dark() == (scheme == "light")
    assert page.get_attribute("#theme", "aria-pressed") == str(scheme == "light").lower()
    assert figures() != before
    assert page.evaluate("(() => { try { return localStorage.length } catch { return 0 } })()") == 0
    page.click("#theme")
    assert dark() == (scheme == "dark")
    assert report.complaints == []
    page.evaluate("delete document.documentElement.dataset.theme")


def test_paper(kept):
    """Print has all sections, all figures, dark ink on white, and no controls."""
    page = kept("numbers").page
    page.emulate_media(media="print", color_scheme="dark")
    assert seen(page, ", ".join(f"#{name}" for name in SECTIONS)) == len(SECTIONS)
    assert seen(page, ".static svg") == page.locator(".static svg").count() > 0
    assert seen(page, ".controls, .contents, button") == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('.static svg')).filter") == "none"
    assert len(page.pdf(format="A4")) > 20_000
    page.emulate_media(media="screen", color_scheme="light")


def test_without_javascript(opened):
    report = opened("numbers", java_script_enabled=False)
    page = report.page
    assert seen(page, ".static") == page.locator(".static").count() > 0
    assert seen(page, "button, select") == 0
    assert page.locator("#row-card h3").text_content().startswith("Row 0: ")


def test_more_rows_on_demand(browser, tmp_path):
    """The button shows the rest of a table, and takes it back; paper has all of it."""
    file = tmp_path / "many.html"
    file.write_text(studies.undrawn_page(studies.linear()), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    button, rest = page.locator("[data-more=rest-variables]"), page.locator("#rest-variables")
    assert not rest.is_visible()
    button.press("Enter")
    assert rest.is_visible()
    assert button.get_attribute("aria-expanded") == "true"
    button.press("Enter")
    assert not rest.is_visible()
    page.emulate_media(media="print")
    assert rest.is_visible()
    page.close()


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
