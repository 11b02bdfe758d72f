"""Tables that are shown as text and in notebooks."""

from __future__ import annotations

from rsens import _html as html
from rsens._text import Pair
from rsens._views import WIDTH, ShownTable, folded, html_of, text_of
from tests.pages import harmless

TABLE = ShownTable(
    "Variables",
    ["x", "<b>\x1b[31m"],
    {"value ": ["1.00*", "12.50 "], "lower": ["", " "], "direction": ["▲", "▼ most"]},
    ["* more than noise"],
)


def test_numbers_stand_on_the_right_words_on_the_left_and_empty_columns_nowhere():
    assert TABLE.text().splitlines() == [
        "Variables    value   direction",
        "x             1.00*  ▲",
        r"<b>\x1b[31m  12.50   ▼ most",
        "* more than noise",
    ]


def test_a_notebook_shows_the_same_cells():
    texts = harmless(html.view(*html_of([TABLE]))).texts
    assert texts == [
        "Variables", "value", "direction", "x", "1.00*", "▲", r"<b>\x1b[31m", "12.50", "▼ most", "* more than noise",
    ]  # fmt: skip


def test_long_names_give_way_to_numbers():
    long = ShownTable("Pairs", [Pair("a" * 90, "b" * 90)], {"value": ["1.0"]}, [])
    line = long.text().splitlines()[1]
    assert line.endswith("1.0")
    assert len(line) <= WIDTH
    assert "a…a" in line
    assert "b…b" in line


def test_sentences_are_folded():
    lines = folded("word " * 50).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert all(line.startswith("  ") for line in lines[1:])


def test_tables_follow_the_heading():
    assert text_of("Heading", [TABLE, TABLE]).split("\n\n") == ["Heading", TABLE.text(), TABLE.text()]
