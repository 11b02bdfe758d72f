"""The printed text."""

import numpy as np
import pytest

from rsens import study
from rsens._study._tables import WIDTH, aligned, number, safe, short, table, width_of
from tests.study.tables import classes, numbers, odd, with_text

QUICK = {"cv": 0, "null": False}


def test_everything_is_there_in_order():
    text = study(numbers(), "y", progress=False).text()
    places = [
        text.index(part)
        for part in (
            "data: 60 rows, 4 columns; target 'y'",
            "Gaussian process with Gaussian noise",
            "How good is the model (5-fold",
            "log score",
            "the 90 % interval holds",
            "Variables by R-sens",
            "  1  a ",
            "above the null level",
            "Strongest pairs",
            "b × c",
        )
    ]
    assert places == sorted(places)


def test_a_bad_model_is_told_first():
    """Noise: no model is better than a constant."""
    rng = np.random.default_rng(0)
    frame = numbers(40).assign(y=rng.normal(size=40))
    text = study(frame, "y", null=False, progress=False).text()
    assert text.startswith("WARNING  The model is")
    assert "constant" in text.split("\n\n")[0]


@pytest.mark.parametrize(
    ("likelihood", "said"),
    [
        ("auto", "with classes. The target has two different whole numbers: 2 classes, 1, 2."),
        ("classification", "with classes, as asked for: 2 classes, 1, 2."),
        ("gaussian", "with Gaussian noise, as asked for."),
    ],
)
def test_why_the_likelihood_is_what_it_is(likelihood, said):
    frame = numbers(40).assign(y=[1, 2] * 20)
    text = study(frame, "y", likelihood=likelihood, model="linear", cv=0, null=False, pairs=0).text()
    assert said in " ".join(text.split())


def test_a_note_is_a_list_entry():
    text = study(numbers(30), "y", **QUICK).text()
    assert "Notes\n  · The model was not cross-validated" in text


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(lambda: study(odd(), 't,"<b>\x1b[2J', **QUICK), id="odd names"),
        pytest.param(lambda: study(with_text(), "y", **QUICK), id="categories"),
        pytest.param(
            lambda: study(classes(3, 30).replace({"y": {"class 1": "z" * 80}}), "y", **QUICK), id="long classes"
        ),
    ],
)
def test_lines_are_not_too_long_and_have_no_control_characters(result):
    lines = result().text().split("\n")
    assert max(map(width_of, lines)) <= WIDTH
    assert all(line.isprintable() for line in lines)


def test_two_classes_have_the_probability_of_the_second():
    text = study(classes(2, 40), "y", **QUICK).text()
    assert "P(class 1)" in text
    assert "▲" in next(line for line in text.split("\n") if "  a  " in line)


def test_several_classes_have_those_that_become_more_and_less_probable():
    text = study(classes(3, 40), "y", **QUICK).text()
    assert "▲ class 2 ▼ class" in next(line for line in text.split("\n") if "  a  " in line)


def test_the_split_is_left_out_where_the_uncertainty_has_no_parameter_that_moves():
    frame = numbers(40).assign(y=lambda f: np.round(np.exp(f["y"] / 2)))
    assert "unc." not in study(frame, "y", likelihood="negative_binomial", **QUICK).text()
    assert "unc." in study(numbers(30), "y", **QUICK).text()


# ---- the parts -------------------------------------------------------------------------------------------------------


def test_safe():
    assert safe("a\x1b[31m\tb\n\u202e") == "a\\x1b[31m\\tb\n\\u202e"


def test_short_keeps_both_ends_and_counts_wide_letters_twice():
    assert short("abcdefghij", 5) == "ab…ij"
    assert short("abc", 5) == "abc"
    assert short("日本語日本語", 7) == "日…語"
    assert width_of("日本語") == 6
    assert width_of("e\u0301") == 1


def test_numbers():
    assert [number(x) for x in (0.12345, -12.3456, 123456.7, 1e9, float("nan"))] == [
        "0.123",
        "−12.3",
        "123,457",
        "1e+09",
        "",
    ]


def test_aligned_numbers_have_the_same_decimals():
    assert [aligned(0.474)(x) for x in (0.474, 0.0526)] == ["0.474", "0.053"]
    assert [aligned(12.5)(x) for x in (12.5, -0.126)] == ["12.50", "−0.13"]
    assert aligned(1e-9)(1e-9) == "1.00e−09"


def test_tables_leave_out_empty_columns_and_shorten_the_flexible_one():
    assert table(["x", "", "n"], [["a", "", "10"], ["bb", "", "9"]], "<<>") == "  x    n\n  a   10\n  bb   9"
    lines = table(["name", "n"], [["y" * 200, "1"]], "~>").split("\n")
    assert max(map(len, lines)) == WIDTH
