"""The printed text."""

import re

import numpy as np

from rsens import study
from rsens._document import WIDTH
from rsens._text import width_of
from tests.app.study.tables import classes, numbers, odd, with_text

QUICK = {"cv": 0, "null": False}


def test_everything_is_there_in_order():
    text = study(numbers(), "y").text()
    parts = [
        "The prediction of y depends most on a (",
        "Based on 60 rows, the model explains",
        "data: 60 rows, 4 columns; target 'y'",
        "Gaussian process with Gaussian noise",
        "How good is the model (GPRegressor, 5-fold",
        "Variables by R-sens",
        "  1  a ",
        "* above the null level, ",
        "Does the ranking hold in other samples of the data?",
        "rsens.stability(study.model, study.X, study.y)",
        "Largest pairs",
        "1  b × c",
        "Which pairs does a model need? rsens.select_interactions(study.model, study.X, study.y)",
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    answer = " ".join(text.split("\n\n")[0].split())
    assert re.search(r"of 4 variables have a star(, also \w)?: they are above the null level", answer)
    assert re.search(r"of 6 pairs ha(s|ve) a star, b × c", answer)


def test_a_bad_model_is_told_first():
    """Noise: no model is better than a constant."""
    rng = np.random.default_rng(0)
    frame = numbers(40).assign(y=rng.normal(size=40))
    text = study(frame, "y", null=False).text()
    assert text.startswith("WARNING  The model is")
    assert "constant" in text.split("\n\n")[0]


def test_where_nothing_is_found_intervals_have_no_level():
    frame = numbers(60).assign(y=np.random.default_rng(3).normal(size=60))
    result = study(frame, "y", model="linear")
    assert not result.explanation.intervals_hold  # else another seed is needed here
    text = result.text()
    assert "No variable moves the prediction of y more than an irrelevant one would." in text
    assert "95 % interval" not in text
    assert "so the intervals do not hold" in text
    assert result.to_dict()["intervals_hold"] is False


def test_without_null_levels_there_are_no_stars():
    text = study(numbers(30), "y", **QUICK).text()
    assert "no stars: " in text
    assert "*" not in text
    assert "interactions were not tested" in " ".join(text.split())
    assert "intervals: 95 %, rows only" in text


def test_lines_are_not_too_long_and_have_no_control_characters():
    long = classes(3, 30).replace({"y": {"class 1": "z" * 80}})
    for data, target in ((odd(), 't,"<b>\x1b[2J'), (with_text(), "y"), (long, "y")):
        lines = study(data, target, **QUICK).text().split("\n")
        assert max(map(width_of, lines)) <= WIDTH
        assert all(line.isprintable() for line in lines)


def test_several_classes_have_those_that_become_more_and_less_probable():
    text = study(classes(3, 40), "y", **QUICK).text()
    assert "▲ class 2 ▼ class" in next(line for line in text.split("\n") if "  a  " in line)


def test_the_split_is_left_out_where_the_uncertainty_has_no_parameter_that_moves():
    frame = numbers(40).assign(y=lambda f: np.round(np.exp(f["y"] / 2)))
    assert "unc." not in study(frame, "y", likelihood="negative_binomial", **QUICK).text()
    assert "unc." in study(numbers(30), "y", **QUICK).text()


def test_a_narrow_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    text = study(numbers(40).rename(columns={"a": "a" * 30}), "y", **QUICK).text()
    assert max(map(width_of, text.split("\n"))) <= 60
    assert "█" not in text
    assert "unc." not in text
    assert "a" * 30 in text.split("\n\n")[0]  # the answer has whole names
