"""The leaf that all texts are made with: names, numbers, shares, counts and lists."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rsens._text import (
    Pair,
    aligned,
    as_label,
    counted,
    distinct,
    duration,
    listed,
    number,
    on_one_line,
    percent,
    plus_minus,
    printable,
    quoted,
    safe,
    short,
    side_by_side,
    signed,
    value_text,
    width_of,
)


def test_unprintable_characters_are_escaped():
    assert safe("a\x1b[31m\tb\n\u202e") == "a\\x1b[31m\\tb\n\\u202e"
    assert on_one_line("a\nb\ud800") == "a\\nb\\ud800"
    assert on_one_line(5) == "5"
    assert printable("a\tb\r", keep="\t") == "a\tb\\r"


def test_labels_of_pages_and_figures_collapse_white_space():
    assert as_label(" a\n b\t") == "a b"
    assert as_label("\x1b[31m\ud800") == "\\x1b[31m\\ud800"
    assert as_label(" ") == as_label("") == "(blank)"
    assert as_label("👩‍🔬") == "👩‍🔬"  # a joiner is not printable alone


def test_short_keeps_both_ends_and_counts_wide_letters_twice():
    assert short("abcdefghij", 5) == "ab…ij"
    assert short("abc", 5) == "abc"
    assert short("日本語日本語", 7) == "日…語"
    assert (width_of("日本語"), width_of("e\u0301")) == (6, 1)
    assert short("a\nb") == "a\\nb"


def test_a_pair_gives_way_on_both_sides():
    assert short(Pair("abcdefghij", "klmnopqrst"), 13) == "ab…ij × kl…st"
    assert short(Pair("ab", "klmnopqrst"), 12) == "ab × klm…rst"
    assert short(Pair("a", "b"), 12) == "a × b"


def test_short_names_stay_apart():
    names = ["x" * 100 + end for end in ("", "a", "b")] + ["short", "y" * 30 + "1" * 40, "y" * 30 + "2" * 9 + "1" * 31]
    found = distinct(names, 20)
    assert all(len(name) <= 20 for name in found)
    assert len(set(found)) == len(names)
    assert found[3] == "short"
    assert distinct(["a", "a", "a (1)"], 20) == ["a (2)", "a (3)", "a (1)"]


def test_number():
    values = {
        0.0: "0.00", 0.4731: "0.473", -12.345: "−12.3", 123456.7: "123,457", 0.00001234: "1.23·10⁻⁵", np.nan: "–",
        np.inf: "∞", -np.inf: "−∞", None: "–",
    }  # fmt: skip
    assert [number(value, unknown="–") for value in values] == list(values.values())


def test_aligned_numbers_have_the_same_decimals():
    assert [aligned(0.474)(x) for x in (0.474, 0.0526)] == ["0.474", "0.053"]
    assert [aligned(12.5)(x) for x in (12.5, -0.126)] == ["12.50", "−0.13"]
    assert [aligned(1234.5)(x) for x in (1234.5, 0.5)] == ["1,234", "0"]
    assert [aligned(1e-9)(x) for x in (1e-9, 1e-10)] == ["1.00·10⁻⁹", "1.00·10⁻¹⁰"]
    assert aligned(np.nan)(0.5) == "0.500"


def test_two_digits_of_the_difference():
    """Unless six digits do not show it."""
    for line, largest, texts in [
        ((0.1223, 0.0841, 0.1388), 123.0, ["0.122", "0.084", "0.139"]),
        ((1234.4, 1234.1, 1234.8), 1234.4, ["1,234.40", "1,234.10", "1,234.80"]),
        ((705.0, 405.0, 1005.0), 705.0, ["705.0", "405.0", "1,005.0"]),
        ((0.12, 0.12, 0.12), 123.0, ["0.1", "0.1", "0.1"]),
        ((0.5, 0.49999999, 0.50000001), 0.5, ["0.500000", "0.500000", "0.500000"]),
        ((0.2, np.nan, None), 0.5, ["0.200", "", ""]),
        ((1e-9, 2e-9, 3e-9), 1e-9, ["1.00·10⁻⁹", "2.00·10⁻⁹", "3.00·10⁻⁹"]),
        ((1e-300, 0.0, 1e-299), 0.5, ["0.000", "0.000", "0.000"]),
    ]:
        assert side_by_side(line, largest) == texts


@given(st.floats(1e-3, 1e6), st.floats(-1.0, 1.0), st.floats(1e-4, 1.0))
def test_ends_of_an_interval_never_look_the_same(largest, share, width):
    """An interval of at least 1e-4 of its own size shows its width to 10 %: two digits, up to rounding.

    Unless both ends are below 1e-6 in a column that goes up to 0.001 or more: these are written as 0.
    """
    low = share * largest
    high = low + width * max(abs(low), 0.01)
    assume(max(abs(low), abs(high)) >= 1e-6)
    texts = [float(text.replace(",", "").replace("−", "-")) for text in side_by_side([low, high], largest)]
    assert texts[1] - texts[0] == pytest.approx(high - low, rel=0.1)


def test_signed_numbers_and_values_of_columns():
    assert signed([0.123, -0.4, np.nan]) == ["+0.12", "−0.40", ""]
    assert signed([1234.4, 1234.1]) == ["+1,234", "+1,234"]  # of numbers that are nearly equal, four digits
    assert signed([-0.001, 5.0]) == ["0.0", "+5.0"]
    assert signed([-1e-9])[0].startswith("−1.00·10")
    assert [value_text(v) for v in (0.05068011873981862, 12.0, -0.0446)] == ["0.05068", "12", "−0.0446"]


def test_errors_shares_and_levels():
    assert (plus_minus(-5.4, 0.0771), plus_minus(1.0, np.nan)) == ("−5.40 ± 0.077", "1.00")
    assert [percent(share) for share in (0.0, 0.001, 0.126, 0.999, 1.0)] == ["0 %", "<1 %", "13 %", ">99 %", "100 %"]
    levels = [percent(level, level=True) for level in (0.6827, 0.9545, 0.9973, 0.5)]
    assert levels == ["68 %", "95 %", "99.7 %", "50 %"]


def test_counts_and_lists():
    assert (counted(1, "row"), counted(2000, "row")) == ("1 row", "2,000 rows")
    assert [listed(list("abc")[:k]) for k in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert [listed(list("abcd")[:k], most=3) for k in (3, 4)] == ["a, b and c", "a, b, c and 1 more"]
    assert quoted(["a", 2, "c"], most=2) == "'a', 2 and 1 more"


def test_durations():
    words = ["a few seconds", "about 10 seconds", "about 1 minute", "about 90 minutes", "about 2 hours"]
    assert [duration(seconds) for seconds in (0.0, 10.0, 55.0, 5_399.0, 5_401.0)] == words
