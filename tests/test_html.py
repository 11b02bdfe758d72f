"""Sentences and tables for notebooks: escaped, whole, and in the colours of the notebook."""

from __future__ import annotations

import re

import pytest

from rsens import _html as html
from tests.pages import NASTY, harmless

#: Every function that takes a text, on that text.
BLOCKS = {
    "heading": html.heading,
    "paragraph": html.paragraph,
    "warning": html.warning,
    "notes": lambda text: html.notes(text, [text]),
    "table": lambda text: html.table(text, [text], {text: [text]}, left=[text], below=[text]),
}


@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_any_text_is_shown_and_none_is_run(block, name):
    page = harmless(html.view(block(name)))
    shown = name.replace("\t", "\\t").replace("\n", "\\n").replace("\x1b", "\\x1b").strip()
    assert shown in "".join(page.texts)


def test_a_table_has_a_title_names_cells_and_a_legend():
    texts = harmless(html.table("Title", ["a", "b"], {"x": ["1", "2"], "y": ["3", ""]}, below=["what x is"])).texts
    assert texts == ["Title", "x", "y", "a", "1", "3", "b", "2", "what x is"]


def test_empty_columns_are_left_out():
    assert "missing" not in html.table("Title", ["a"], {"missing": [" "], "some": ["1"]})


def test_words_stand_on_the_left_and_numbers_on_the_right():
    page = html.table("Title", ["a"], {"n": ["1"], "word": ["up"]}, left=["word"])
    assert {text: side for side, text in re.findall(r"text-align:(\w+)[^>]*>(\w+)</t[hd]>", page)} == {
        "n": "right", "word": "left", "a": "left", "1": "right", "up": "left"
    }  # fmt: skip


def test_columns_and_names_have_to_fit():
    with pytest.raises(ValueError, match="zip"):
        html.table("Title", ["a", "b"], {"x": ["1"]})


def test_no_notes_are_nothing():
    assert html.notes("Notes", []) == ""


def test_the_colours_of_text_and_page_are_those_of_the_notebook():
    page = harmless(html.view(*(block("text") for block in BLOCKS.values())))
    styles = [part for name, value in page.attributes if name == "style" for part in value.split(";")]
    kinds = {part.partition(":")[0]: part.partition(":")[2] for part in styles}
    assert kinds["color"] == "inherit"
    assert not {"background", "background-color"} & set(kinds)
