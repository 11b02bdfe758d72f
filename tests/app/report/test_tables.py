"""The tables of the page agree with the explanation and the assessment."""

import numpy as np

from rsens._app.report._cite import bibtex, call_of, other_settings
from rsens._app.report._facts import Facts
from rsens._app.report._tables import about, flatten, pairs, quality, variables
from tests.app.report import studies


def test_variables():
    study = studies.numbers()
    table = variables(Facts.of(study))
    frame = study.explanation.to_frame()
    assert [line.name.full for line in table.lines] == list(frame["term"])
    assert [line.above for line in table.lines] == frame["above_null"].tolist()
    assert np.allclose([float(line.value) for line in table.lines], frame["value"], atol=0.006)  # two decimals or more
    assert table.outputs == ["Direction"]
    assert table.lines[list(frame["term"]).index("city")].directions == [("", "")]  # levels have no order


def test_directions_by_class():
    table = variables(Facts.of(studies.classes()))
    assert table.outputs == ["high", "low", "mid"]
    first = {line.name.full: line for line in table.lines}["u"]
    assert [word for _, word in first.directions] == ["up", "down", "both ways"]


def test_pairs():
    study = studies.numbers()
    lines = pairs(Facts.of(study))
    assert (lines[0].first.full, lines[0].second.full) == ("a", "b")
    assert [line.rank for line in lines] == [1, 2, 3, 4, 5, 6]
    assert pairs(Facts.of(studies.function(20, columns=1))) == []


def test_quality():
    a = studies.numbers().assessment
    found = {item.name: item.value for item in quality(Facts.of(studies.numbers()))}
    assert found["R²"] == f"{a.r2:.3f}"
    assert found["In 90 % intervals"] == f"{100 * a.coverage.loc[0.9, 'share']:.0f} %"
    assert "Accuracy" in {item.name for item in quality(Facts.of(studies.classes()))}
    assert quality(Facts.of(studies.function(20))) == []


def test_about():
    entries = dict(about(Facts.of(studies.numbers())))
    assert entries["Variables"] == "4 (1 categorical)"
    assert (entries["Model"], entries["Likelihood"]) == ("Gaussian process", "Gaussian noise")
    assert dict(about(Facts.of(studies.classes())))["Likelihood"] == "classes"


def test_a_foreign_model_is_called_by_its_class():
    """What `from_function` returns has no description; without a study there is no likelihood, but a family."""
    study = studies.function(20)
    entries = dict(about(Facts.of(study)))
    assert entries["Model"] == type(study.model).__name__
    assert entries["Likelihood"] == "Normal"


def test_settings_are_flat():
    given = {"a": {"b": [1, "x"], "c": None}, "d": True, "e": [], "f": {"y", "x"}}
    assert flatten(given) == [("a · b", "1, x"), ("d", "yes"), ("e", "none"), ("f", "x, y")]


def test_call():
    settings = studies.SETTINGS | {"target": "it's"}
    call = call_of(settings)
    names = {"data": 5, "rsens": type("", (), {"study": staticmethod(lambda *args, **options: (args, options))})}
    assert eval(call, names) == ((5,), {"target": "it's", "likelihood": "auto", "random_state": 3})
    assert "# houses\n" in call
    assert call_of({}) == ""


def test_settings_beside_the_call():
    assert other_settings(studies.SETTINGS | {"rows_used": 5}) == {
        "data": "houses",
        "target": "price",
        "fingerprint": "abc123",
        "rows used": 5,
        "seed": 3,
    }
    assert other_settings({"command": "x", "arguments": {"seed": 1}}) == {"arguments": {"seed": 1}}


def test_bibtex():
    text = bibtex("1.2.3")
    assert text.count("{") == text.count("}")
    assert "version = {1.2.3}" in text
