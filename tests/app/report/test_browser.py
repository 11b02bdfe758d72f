"""The page in a real browser: Debian's chromium, driven by playwright. `make browser` installs both."""

from __future__ import annotations

import pytest

from tests.app.report import studies
from tests.app.report.browser import needs_browser
from tests.app.report.test_page import SECTIONS

needs_browser()
PHONE = {"width": 360, "height": 740}
BOTH = pytest.mark.parametrize("interactive", [True, False], ids=["plotly", "static"])
PAGES = pytest.mark.parametrize(
    ("name", "interactive"),
    [("numbers", True), ("counts", True), ("classes", True), ("hostile", True), ("numbers", False)],
)
TEXTS = """() => Object.fromEntries(['name', 'prediction', 'sentence'].map(
    (key) => [key, document.getElementById('row-' + key).textContent]))"""


@PAGES
def test_opens_in_silence(opened, name, interactive):
    """No errors or warnings, no request but for the file itself, no foreign script; every figure is there."""
    report = opened(name, interactive)
    report.scroll_through()
    assert report.complaints == []
    assert all(url.startswith(("file:", "data:", "blob:")) for url in report.requests)
    assert report.page.evaluate("window.broken") is None
    assert report.page.title().startswith("What moves the prediction of ")
    live = report.page.locator(".live")
    assert live.count() == (report.page.locator(".has-live").count())
    for k in range(live.count()):
        assert live.nth(k).locator("svg.main-svg").count() >= 1
    for figure in report.page.locator(".figure").all():
        shown = [box.is_visible() for box in figure.locator(".live, .static").all()]
        assert sum(shown) == 1
    report.page.set_viewport_size(PHONE)  # where nothing is wider than the screen, but what scrolls within its own box
    assert report.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_figures_are_drawn_without_scrolling(opened):
    report = opened("numbers", True)
    for place in report.page.locator(".live").all():
        place.locator("svg.main-svg").first.wait_for(state="attached", timeout=20_000)
    assert report.page.evaluate("window.scrollY") == 0


def test_names_stand_in_figures_as_they_are(kept):
    report = kept("hostile")
    labels = report.page.locator("#live-beeswarm .ytick text").all_text_contents()
    assert any(label.startswith("<script>") for label in labels)
    assert any("{{ 7 * 7 }}" in label or "%{x}" in label for label in labels)


@BOTH
def test_row_selector(opened, interactive):
    """By list, keyboard, buttons and picks; what the page shows is what the data say."""
    report = opened("numbers", interactive)
    page = report.page
    rows = page.evaluate("JSON.parse(document.getElementById('report-data').textContent).rows")

    def expect(position: int) -> None:
        row = rows["rows"][position]
        shown = page.evaluate(TEXTS)
        assert shown["name"] == f"Row {row['label']}"
        assert shown["prediction"] == row["prediction"]
        assert shown["sentence"] == row["sentence"]
        assert page.locator("#row-terms td.right").all_text_contents() == [
            t for x in row["terms"] for t in (x[1], x[4], x[2])
        ]
        assert page.locator("#row-select").input_value() == str(position)

    expect(rows["start"])
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
    highest = dict(map(tuple, rows["picks"]))["highest"]
    page.get_by_role("button", name="highest").click()
    expect(highest)
    page.select_option("#row-select", "59")
    page.click("#row-next")
    expect(0)


def test_click_on_a_point_shows_its_row(kept):
    report = kept("numbers")
    point = report.page.evaluate("document.getElementById('live-beeswarm').data[0].customdata[3]")
    report.page.evaluate(
        "d => document.getElementById('live-beeswarm').emit('plotly_click', {points: [{customdata: d}]})", point
    )
    assert report.page.locator("#row-select").input_value() == str(point[0])


@pytest.mark.parametrize(("scheme", "interactive"), [("light", True), ("dark", False)])
def test_theme(opened, scheme, interactive):
    """The page follows the system until the button is pressed; figures follow the page; nothing is stored."""
    report = opened("numbers", interactive, color_scheme=scheme)
    report.scroll_through()
    page = report.page

    def dark() -> bool:
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, paper.removeprefix("rgb(").removesuffix(")").split(","))) < 200

    def ink() -> str:
        return page.evaluate("document.getElementById('live-beeswarm')._fullLayout.font.color") if interactive else ""

    before = ink()
    assert dark() == (scheme == "dark")
    page.focus("#theme")
    page.keyboard.press("Enter")
    assert dark() == (scheme == "light")
    assert page.get_attribute("#theme", "aria-pressed") == str(scheme == "light").lower()
    assert ink() != before or not interactive
    assert page.evaluate("(() => { try { return localStorage.length } catch { return 0 } })()") == 0
    page.click("#theme")
    assert dark() == (scheme == "dark")
    assert report.complaints == []


@BOTH
def test_paper(opened, interactive):
    """Print has all sections, drawn figures in place of interactive ones, dark ink on white, and no controls."""
    report = opened("numbers", interactive, color_scheme="dark")
    page = report.page
    page.emulate_media(media="print", color_scheme="dark")
    assert all(page.locator(f"#{name}").is_visible() for name in SECTIONS)
    assert all(box.is_visible() for box in page.locator(".static svg").all())
    assert not any(box.is_visible() for box in page.locator(".live, .controls, .contents, button").all())
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('.static svg')).filter") == "none"
    assert len(page.pdf(format="A4")) > 20_000


def test_without_javascript(opened):
    report = opened("numbers", True, java_script_enabled=False)
    page = report.page
    assert all(box.is_visible() for box in page.locator(".static").all())
    assert not any(box.is_visible() for box in page.locator(".live, button, select").all())
    assert page.locator("#row-terms tr").count() == 4


def test_more_rows_on_demand(opened, browser, tmp_path):
    """The button shows the rest of a table, and takes it back; paper has all of it."""
    from rsens._app.report import render

    file = tmp_path / "many.html"
    file.write_text(render(studies.function(30, columns=25), interactive=False), encoding="utf-8")
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
