"""The tables of the page agree with the explanation and the assessment."""

import html
import warnings

import numpy as np
import pandas as pd

from rsens import BayesianLinearRegression, RsensWarning
from rsens import _meaning as meaning
from rsens._app.report._facts import Facts
from rsens._app.report._page import bibtex, call_of, other_settings
from rsens._app.report._tables import about, flatten, pairs, quality, variables
from rsens._text import p_text, percent
from tests.app.report import studies
from tests.few_probes import explain_with_probes


def test_variables():
    study = studies.numbers()
    table = variables(Facts.of(study))
    frame = study.explanation.to_frame()
    assert [line["name"].full for line in table["lines"]] == list(frame["term"])
    assert [line["above"] for line in table["lines"]] == frame["above_null"].tolist()
    assert [line["p"] for line in table["lines"]] == [p_text(p) for p in frame["p_value"]]
    for line, discovery, familywise in zip(table["lines"], frame["discovery"], frame["familywise"], strict=True):
        assert line["together"] == ("family-wise" if familywise else "discovery" if discovery else "")
    assert np.allclose(
        [float(line["value"]) for line in table["lines"]], frame["value"], atol=0.006
    )  # two decimals or more
    assert table["outputs"] == ["Direction"]
    assert table["lines"][list(frame["term"]).index("city")]["directions"] == [("", "")]  # levels have no order


def test_directions_by_class():
    table = variables(Facts.of(studies.classes()))
    assert table["outputs"] == ["high", "low", "mid"]
    first = {line["name"].full: line for line in table["lines"]}["u"]
    assert [word for _, word in first["directions"]] == ["up", "down", "both ways"]


def test_pairs():
    study = studies.numbers()
    e, table = study.explanation, pairs(Facts.of(study))
    lines = table["lines"]
    assert (lines[0]["first"].full, lines[0]["second"].full) == ("a", "b")
    assert [line["rank"] for line in lines] == [1, 2, 3, 4, 5, 6]
    for line in lines:
        pair = line["first"].full, line["second"].full
        assert line["above"] == e.pair_above[pair]
        assert line["p"] == p_text(e.pair_p_values[pair])
        assert line["uncertainty"] == percent(e.pair_parts.loc[pair, "variance"] / e.pairs[pair])
        assert line["together"] == ("discovery" if e.pair_discovery[pair] else "")
    assert lines[0]["above"]
    assert pairs(Facts.of(studies.function(20, columns=1)))["lines"] == []


def test_what_marks_and_intervals_mean_stands_below_the_tables():
    facts = Facts.of(studies.numbers())
    of_variables, of_pairs = variables(facts)["notes"], pairs(facts)["notes"]
    assert of_variables[0] == f"* {meaning.VARIABLE}; {meaning.BY_CHANCE}."
    assert of_pairs[0] == f"* {meaning.pair_mark('identity')}; {meaning.PAIR_BY_CHANCE}."
    assert of_variables[-2].startswith("P-values tell")
    assert of_pairs[-2].startswith("P-values tell")
    assert of_variables[-1] == of_pairs[-1] == "Intervals: 95 %, for new data of this size (10 refits)."
    page = html.unescape(studies.page("numbers")).replace("\u00a0", " ")
    assert [note for note in of_variables + of_pairs if f"<li>{note}</li>" not in page] == []


def test_without_marks_there_is_nothing_to_explain():
    table = variables(Facts.of(studies.classes()))
    assert not table["has_null"]
    assert table["notes"] == []
    assert not pairs(Facts.of(studies.classes()))["has_test"]


def test_intervals_over_rows_are_called_so():
    (note,) = variables(Facts.of(studies.hostile()))["notes"]
    assert (
        note
        == "Intervals: 95 %, rows only: the model is taken as it is; for new data they are several times too narrow."
    )


def test_a_model_that_adds_up_has_no_stars_and_says_why():
    """The two columns are nearly the same, so that the uncertainty bends; the prediction does not."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    X = pd.DataFrame({"a": x, "b": x + 0.3 * rng.normal(size=60), "flag": np.arange(60) % 2.0})
    y = X["a"] * X["b"] + rng.normal(size=60)
    model = BayesianLinearRegression().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RsensWarning)  # of what the data show and the model cannot hold
        e = explain_with_probes(model, X, y, n_probes=6, random_state=0)
    facts = Facts.of(studies.study(explanation=e, X=X, y=y, model=model))
    table = pairs(facts)
    assert not any(line["above"] for line in table["lines"])
    assert all(line["only"] and line["uncertainty"] == "100 %" for line in table["lines"] if e.pairs.max() > 0.0)
    assert table["notes"][0] == (
        "The model adds up on the scale of y by construction, so no pair has a star; p tests whether the data add up."
    )
    assert any(note.startswith("Uncertainty only (") and ": less than 5 %" in note for note in table["notes"])
    assert dict(about(facts))["Variables"] == "3 (1 with two values)"
    page = studies.undrawn_page(studies.study(explanation=e, X=X, y=y, model=model))
    assert "has only two values and is compared in this way too" in page
    assert page.count('<span class="only">uncertainty only</span>') == len(table["lines"])


def test_quality():
    a = studies.numbers().assessment
    found = {name: value for name, value, _ in quality(Facts.of(studies.numbers()))}
    assert found["R²"] == f"{a.r2:.3f}"
    assert found["In 90 % intervals"] == f"{100 * a.coverage.loc[0.9, 'share']:.0f} %"
    assert "Accuracy" in {name for name, _, _ in quality(Facts.of(studies.classes()))}
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
