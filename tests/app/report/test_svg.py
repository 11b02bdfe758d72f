"""SVG inside a page: ids do not meet, text is text, marks say their numbers, and the same figure is the same bytes."""

import re
from xml.etree import ElementTree

import matplotlib
import pytest

from rsens._app.report import _figures
from rsens._app.report._figures import inline, pictures
from rsens._text import number, p_text
from tests.app.report import studies
from tests.app.report.studies import figures


def titles(svg: str) -> list[str]:
    return [element.text for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}title")]


@pytest.mark.parametrize("figure", ["bars", "heatmap", "beeswarm", "profile-0", "surface-1"])
def test_ids_are_those_that_are_used(figure):
    svg = figures("hostile")[figure].svg
    ids = re.findall(r'\bid="([^"]*)"', svg)
    used = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg))
    assert set(ids) == {a or b for a, b in used}
    assert all(name.startswith(f"{figure}-") for name in ids)


def test_names_that_look_like_ids_of_the_page():
    """A column called report-data must not become an element of that id."""
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><g id="report-data"><text>x</text></g></svg>'
    root = ElementTree.fromstring(inline(svg.encode(), "f"))
    assert "id" not in root[0].attrib
    assert root[0][0].tag.endswith("title")
    assert root[0][0].text == "report-data"


def test_groups_of_matplotlib_have_no_title():
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><g id="matplotlib.axis_1"><text>x</text></g></svg>'
    assert titles(inline(svg.encode(), "f")) == []


def test_cut_names_are_whole_in_titles():
    assert set(studies.HOSTILE) <= set(titles(figures("hostile")["bars"].svg))


def test_marks_have_their_numbers_as_titles():
    """`tests/plots` checks the texts; here, that they arrive, line by line."""
    e = studies.numbers().explanation
    found = [text for text in titles(figures("numbers")["bars"].svg) if "R-sens" in text]
    assert len(found) == len(e.names) * e.parts.shape[1]  # one for each piece of a bar
    top = next(text for text in found if text.startswith("a\n")).split("\n")
    assert top[1] == f"R-sens {number(e.main['a'])}"
    assert top[-1] == f"p {p_text(e.inference.p_value['a'])}"
    tips = [text.split("\n")[0] for text in titles(figures("numbers")["heatmap"].svg) if "\n" in text]
    assert {frozenset(names.split(" × ")) for names in tips} == {frozenset(pair) for pair in e.pairs.index}


def test_same_bytes_whatever_the_users_style():
    with matplotlib.rc_context({"font.size": 20.0, "svg.hashsalt": None, "axes.facecolor": "black"}):
        sections = pictures(studies.classes())
    assert {picture.id: picture for section in sections.values() for picture in section} == figures("classes")


def test_notes_of_the_figure_are_its_caption():
    bars = figures("numbers")["bars"]
    assert bars.caption.startswith("R-sens of each variable. Whiskers: 95 %, for new data of this size")
    assert "whiskers" not in bars.svg


def test_many_points_are_pixels(monkeypatch):
    """Two swarms, of 100 and of 600 points each."""
    monkeypatch.setattr(_figures, "PLOTS", [plot for plot in _figures.PLOTS if plot.section == "spread"])
    few, many = (pictures(studies.linear(n, 2))["spread"][0].svg for n in (100, 600))
    assert few.count("<use") >= 200
    assert many.count("<use") < 100


def test_no_file_header():
    svg = figures("classes")["bars"].svg
    assert svg.startswith("<svg ")
    assert "metadata" not in svg
    assert not re.search(r'<svg[^>]* (width|height)="', svg)
