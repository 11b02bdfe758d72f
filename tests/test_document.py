"""Documents as text and on the page of a report: the same cells, whole, escaped, in the room there is."""

import numpy as np
import pandas as pd
import pytest

from rsens._document import WIDTH, Column, Document, Notes, Sentences, ShownTable, plain
from rsens._text import Pair, width_of
from tests.pages import NASTY, Page, harmless

COLUMNS = [
    Column("variable", ["x", "<b>\x1b[31m"], "name"),
    Column("value", ["1.00", "12.50"], marks=["*", ""]),
    Column("lower", ["", " "]),
    Column("direction", ["▲", "▼ most"], "words"),
]
TABLE = ShownTable("Variables", COLUMNS, ["* more than noise"], ("Which pairs?", "ask(pairs)"), muted=[False, True])


def test_numbers_are_aligned_right_words_left_and_empty_columns_are_left_out():
    assert TABLE.text(80).splitlines() == [
        "Variables",
        "  variable     value   direction",
        "  x             1.00*  ▲",
        r"  <b>\x1b[31m  12.50   ▼ most",
        "  * more than noise",
        "  Which pairs? ask(pairs)",
    ]


def test_a_page_shows_the_same_cells():
    cells = ["variable", "value", "direction", "x", "1.00", "*", "▲", r"<b>\x1b[31m", "12.50", "▼ most"]
    page = TABLE.page("variables", 1)
    assert Page(page).texts == ["Variables", *cells, "Show all 2", "* more than noise."]
    assert page.count("<tbody") == 2
    assert '<tr class="below"><th scope="row"><span class="name">&lt;b&gt;' in page
    assert TABLE.page("variables", 2).count("<tbody") == 1


def test_json_has_the_numbers():
    assert TABLE.json() == []
    frame = pd.DataFrame({"name": ["a"], "value": [float("inf")], "parts": [{"mean": 1.0, "variance": float("nan")}]})
    assert ShownTable("", [], frame=frame).json() == [
        {"name": "a", "value": None, "parts": {"mean": 1.0, "variance": None}}
    ]
    assert [plain(value) for value in (pd.NA, None, np.float64("nan"))] == [None] * 3


@pytest.mark.parametrize(
    "block",
    [
        lambda text: Sentences([text], "warning"),
        lambda text: Notes(text, [text]),
        lambda text: ShownTable(text, [Column(text, [text], "name"), Column(text, [text], "text")], [text]),
    ],
    ids=["warning", "notes", "table"],
)
def test_any_text_is_shown_and_none_is_run(block):
    for name in NASTY:
        document = Document([block(name)])
        shown = name.replace("\t", "\\t").replace("\n", "\\n").replace("\x1b", "\\x1b").strip()
        assert shown[:8] in "".join(harmless(document.html()).texts).replace("\u00a0", " ")
        assert all(character.isprintable() or character == "\n" for character in document.text())


def test_columns_give_way_in_a_narrow_terminal():
    """Bars first, then other columns, then letters of names; and nothing in a wide terminal."""
    columns = [
        Column("name", ["y" * 40], "name"),
        Column("bar", ["█" * 12], "bar", leaves=1),
        Column("n", ["1"], leaves=2),
        Column("m", ["2"]),
    ]
    shown = {width: ShownTable("", columns, file="a.csv").text(width) for width in (80, 60, 50, 44, 40)}
    for width, text in shown.items():
        assert max(map(width_of, text.split("\n"))) <= width
    assert ("█" in shown[80], "y" * 40 in shown[80]) == (True, True)
    assert ("█" in shown[60], "…" in shown[60]) == (True, True)
    assert ("█" in shown[50], "y" * 40 in shown[50]) == (False, True)
    assert ("█" in shown[44], "…" in shown[44], "1" in shown[44]) == (False, True, True)
    assert ("1" in shown[40], "2" in shown[40]) == (False, True)
    assert "no room for bar and n: see a.csv" in shown[40]


def test_names_of_pairs_share_the_room_and_texts_are_wrapped():
    pair = ShownTable("", [Column("", [Pair("a" * 90, "b" * 90)], "name"), Column("v", ["1.0"])]).text(WIDTH)
    line = pair.splitlines()[-1]
    assert (len(line), line.endswith("1.0")) == (WIDTH, True)
    assert "a…a" in line
    assert "b…b" in line
    lines = ShownTable("T", [Column("", ["check"], "name"), Column("", ["word " * 30], "text")]).text(60).splitlines()
    assert max(map(len, lines)) <= 60
    assert all(line.startswith(" " * 9 + "word") for line in lines[2:])
