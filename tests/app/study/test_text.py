"""The printed text."""

import re

import numpy as np
import pytest

from rsens import study
from rsens._app.study._text import WIDTH, table, with_command
from rsens._text import width_of
from tests.app.study.tables import classes, numbers, odd, with_text

QUICK = {"cv": 0, "null": False}


def test_everything_is_there_in_order():
    text = study(numbers(), "y").text()
    places = [
        text.index(part)
        for part in (
            "The prediction of y depends most on a (",
            "Based on 60 rows, the model explains",
            "data: 60 rows, 4 columns; target 'y'",
            "Gaussian process with Gaussian noise",
            "How good is the model (5-fold",
            "log score",
            "the 90 % interval holds",
            "Variables by R-sens",
            "  1  a ",
            "* above the null level, which 95 % of irrelevant columns like this one stay below",
            "false-discovery rate 10 %: a, ",
            "intervals: 95 %, for new data of this size (10 refits)",
            "Does the ranking hold in other samples of the data?",
            "rsens.stability(study.model, study.X, study.y)",
            "Largest pairs",
            "1  b × c",
            "* the data contradict a model in which these two add up on the scale of y (5 % per pair)",
            "R-sens₂ measures how",
            "Which pairs does a model need? rsens.select_interactions(study.model, study.X, study.y)",
        )
    ]
    assert places == sorted(places)
    answer = " ".join(text.split("\n\n")[0].split())
    means = "they are above the null level, which 95 % of irrelevant columns like them stay below"
    assert re.search(rf"of 4 variables have a star(, also \w)?: {means}", answer)
    assert re.search(r"of 6 pairs ha(s|ve) a star, b × c", answer)


def test_a_bad_model_is_told_first():
    """Noise: no model is better than a constant."""
    rng = np.random.default_rng(0)
    frame = numbers(40).assign(y=rng.normal(size=40))
    text = study(frame, "y", null=False).text()
    assert text.startswith("WARNING  The model is")
    assert "constant" in text.split("\n\n")[0]


@pytest.mark.parametrize(
    ("likelihood", "said"),
    [
        ("auto", "Bayesian generalised linear model with classes (two different whole numbers: 2 classes, 1, 2)."),
        ("classification", "with classes (as asked for: 2 classes, 1, 2)."),
        ("gaussian", "Bayesian linear model with Gaussian noise (as asked for)."),
    ],
)
def test_why_the_likelihood_is_what_it_is(likelihood, said):
    frame = numbers(40).assign(y=[1, 2] * 20)
    text = study(frame, "y", likelihood=likelihood, model="linear", cv=0, null=False, pairs=0).text()
    assert said in " ".join(text.split())


def test_where_nothing_is_found_intervals_have_no_level():
    frame = numbers(60).assign(y=np.random.default_rng(3).normal(size=60))
    result = study(frame, "y", model="linear")
    assert not result.explanation.intervals_hold  # else another seed is needed here
    text = result.text()
    assert "No variable moves the prediction of y more than an irrelevant one would." in text
    assert "95 % interval" not in text
    assert "intervals: no variable is above the null level, so the intervals do not hold" in text
    assert result.to_dict()["intervals_hold"] is False


def test_a_linear_model_has_no_interactions():
    text = " ".join(study(numbers(), "y", model="linear").text().split())
    assert "No pair interacts: the model adds up on the scale of y by construction." in text
    assert "so no pair has a star; p tests whether the data add up" in text
    assert "the data show interactions that it cannot hold: b:c" in text


def test_without_null_levels_there_are_no_stars():
    text = study(numbers(30), "y", **QUICK).text()
    assert "no stars: the null level was not measured" in text
    assert "*" not in text
    assert "interactions were not tested" in " ".join(text.split())
    assert "intervals: 95 %, rows only" in text


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


def test_what_gives_way_where_there_is_no_room(monkeypatch):
    """Bars first, then other columns, then letters of names; and nothing in a wide terminal."""
    cells, align = {"name": ["y" * 40], "bar": ["█" * 12], "n": ["1"], "m": ["2"]}, "~<>>"
    shown = {}
    for columns in (80, 60, 50, 44, 40):
        monkeypatch.setenv("COLUMNS", str(columns))
        shown[columns] = table(cells, align, give_way=[[1], [2]])
        assert max(map(width_of, shown[columns].split("\n"))) <= columns
    assert ("█" in shown[80], "y" * 40 in shown[80]) == (True, True)
    assert ("█" in shown[60], "…" in shown[60]) == (True, True)
    assert ("█" in shown[50], "y" * 40 in shown[50]) == (False, True)
    assert ("█" in shown[44], "…" in shown[44], "1" in shown[44]) == (False, True, True)
    assert ("1" in shown[40], "2" in shown[40]) == (False, True)


def test_a_narrow_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    text = study(numbers(40).rename(columns={"a": "a" * 30}), "y", **QUICK).text()
    assert max(map(width_of, text.split("\n"))) <= 60
    assert "█" not in text
    assert "unc." not in text
    assert "a" * 30 in text.split("\n\n")[0]  # the answer has whole names


def test_a_command_has_no_break_inside(monkeypatch):
    assert with_command("Run", "rsens x", "  ") == "  Run rsens x"
    monkeypatch.setenv("COLUMNS", "40")
    assert with_command("Run", "rsens " + "x" * 40, "  ") == "  Run\n    rsens " + "x" * 40


def test_tables_leave_out_empty_columns_and_shorten_the_flexible_one():
    assert table({"x": ["a", "bb"], "": ["", ""], "n": ["10", "9"]}, "<<>") == "  x    n\n  a   10\n  bb   9"
    lines = table({"name": ["y" * 200], "n": ["1"]}, "~>").split("\n")
    assert max(map(len, lines)) == WIDTH
