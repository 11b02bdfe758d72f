"""SVG inside a page: ids do not meet, text is text, and the same figure is the same bytes."""

import re
from xml.etree import ElementTree

import matplotlib

from rsens._app.report import _static
from rsens._app.report._facts import Facts
from rsens._app.report._svg import drawn, inlined
from tests.app.report import studies


def test_ids_are_those_that_are_used():
    facts = Facts.of(studies.hostile())
    svg = _static.bars(facts)
    ids = re.findall(r'\bid="([^"]*)"', svg)
    used = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg))
    assert set(ids) == {a or b for a, b in used}
    assert all(name.startswith("bars-") for name in ids)


def test_names_that_look_like_ids_of_the_page():
    """A column called report-data must not become an element of that id."""
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><g id="report-data"><text>x</text></g></svg>'
    root = ElementTree.fromstring(inlined(svg.encode(), "f"))
    assert "id" not in root[0].attrib
    assert root[0][0].tag.endswith("title")
    assert root[0][0].text == "report-data"


def test_elided_names_are_whole_in_titles():
    svg = _static.bars(Facts.of(studies.hostile()))
    titles = {element.text for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}title")}
    assert set(studies.HOSTILE) <= titles


def test_same_bytes_whatever_the_users_style():
    facts = Facts.of(studies.numbers())
    first = _static.beeswarm(facts)
    with matplotlib.rc_context({"font.size": 20.0, "svg.hashsalt": None, "axes.facecolor": "black"}):
        assert _static.beeswarm(facts) == first


def test_no_file_header():
    svg = drawn("f", 2.0, 1.0, lambda figure: figure.add_subplot())
    assert svg.startswith("<svg ")
    assert "metadata" not in svg
    assert not re.search(r'<svg[^>]* (width|height)="', svg)


def test_a_surface_is_computed_once(monkeypatch):
    facts = Facts.of(studies.numbers())
    pair = facts.surfaced[0]
    values = facts.surface(pair)
    monkeypatch.setattr("rsens._app.report._facts.pair_surface", None)
    assert facts.surface(pair) is values
    assert _static.surface(facts, 0, pair).startswith("<svg ")
