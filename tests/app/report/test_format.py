"""Numbers, names and JSON as they stand in the page."""

import json

import numpy as np
import pytest

from rsens._app.report._format import (
    aligned,
    for_plotly,
    json_in_html,
    listed,
    number,
    percent,
    positions,
    printable,
    rounded,
    shortened,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"),
        (0.4731, "0.473"),
        (-12.345, "−12.3"),
        (999.96, "1,000"),
        (1234567.0, "1,230,000"),
        (0.00001234, "1.23·10⁻⁵"),
        (-6.02e23, "−6.02·10²³"),
        (np.nan, "–"),
        (np.inf, "–"),
        (None, "–"),
    ],
)
def test_number(value, text):
    assert number(value) == text


def test_aligned_numbers_have_the_same_decimals():
    assert aligned([1.234, 0.05, np.nan, None]) == ["1.23", "0.05", "–", "–"]
    assert aligned([123.4, 0.05]) == ["123", "0"]
    assert aligned([]) == []
    assert aligned([1e-9, 1e-10]) == ["1.00·10⁻⁹", "1.00·10⁻¹⁰"]


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0"), (0.001, "under 1"), (0.5, "50"), (0.999, "over 99"), (1, "100")]
)
def test_percent(share, text):
    assert percent(share) == f"{text}\u00a0%"


def test_rounded():
    assert rounded([[1.23456, np.nan], [1e9, 2.0]]) == [[1.235, None], [1000000000, 2]]
    assert isinstance(rounded(2.0), int)


def test_positions_keep_apart_what_is_close_relative_to_its_size():
    """Days since 1970: four digits would make one day of them all."""
    days = 19723.0 + np.arange(5) / 4
    assert positions(days) == days.tolist()
    assert positions([3.0, 3.0]) == [3, 3]


def test_printable():
    assert printable(" a\n b\t") == "a b"
    assert printable("\x1b[31m\ud800") == "\\x1b[31m\\ud800"
    assert printable("") == "(blank)"
    assert printable("👩‍🔬") == "👩‍🔬"


def test_shortened_names_stay_apart():
    names = ["x" * 100 + end for end in ("", "a", "b")] + ["short", "y" * 30 + "1" * 40, "y" * 30 + "2" * 9 + "1" * 31]
    short = shortened(names, 20)
    assert all(len(name) <= 20 for name in short)
    assert len(set(short)) == len(names)
    assert short[3] == "short"


def test_listed():
    assert [listed(list("abcd")[:k], most=3) for k in range(5)] == ["", "a", "a and b", "a, b and c", "a, b and 2 more"]


def test_plotly_shows_names_as_they_are():
    assert for_plotly("<b>&amp; %{x}") == "&lt;b&gt;&amp;amp; %&#123;x}"


def test_json_cannot_end_its_element():
    content = {"</script><!--": ["<script>", "&lt;", "\u2028", "\ud800", "🚲"]}
    text = json_in_html(content)
    assert not set("<>&") & set(text)
    assert text.isascii()
    assert json.loads(text) == content
