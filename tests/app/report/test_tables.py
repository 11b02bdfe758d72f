"""The tables and entries of the page agree with the explanation and the assessment."""

import html
import warnings

import numpy as np
import pandas as pd

from rsens import BayesianLinearRegression, RsensWarning
from rsens._app.report._facts import Facts
from rsens._app.report._page import call_of, other_settings
from rsens._app.report._sentences import about, flatten, tables
from rsens._assess import quality_lines
from rsens._document import sentence
from rsens._explain import effects, pairs, variables
from tests.app.report import studies
from tests.few_probes import explain_with_probes
from tests.pages import Page


def test_the_page_has_the_tables_of_the_explanation():
    study = studies.numbers()
    page = html.unescape(studies.page("numbers")).replace("\u00a0", " ")
    for table in (variables(study.explanation), effects(study.explanation), pairs(study.explanation)):
        assert f"<caption>{table.title}</caption>" in page
        assert [line for line in table.legend if f"<li>{sentence(line)}</li>" not in page] == []
        for column in table.columns:
            if column.kind != "bar":
                assert [cell for cell in column.cells if cell.strip() not in page] == []


def test_the_rest_of_a_table_opens_on_demand():
    found = tables(Facts.of(studies.function(40, columns=31)), None)
    assert {name for name, table in found.items() if table} == {"variables", "effects"}  # of 31 columns no pairs
    assert "Show all 31" in found["variables"]
    assert Page(found["variables"]).tags.count("tbody") == 2
    few = tables(Facts.of(studies.numbers()), 2)
    assert Page(few["pairs"]).tags.count("tbody") == 2
    assert Page(few["variables"]).tags.count("tbody") == 1


def test_a_model_that_adds_up_has_no_stars():
    """The two columns are nearly the same, so that the uncertainty bends; the prediction does not."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    X = pd.DataFrame({"a": x, "b": x + 0.3 * rng.normal(size=60), "flag": np.arange(60) % 2.0})
    y = X["a"] * X["b"] + rng.normal(size=60)
    model = BayesianLinearRegression().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RsensWarning)  # of what the data show and the model cannot hold
        e = explain_with_probes(model, X, y, n_probes=6, random_state=0)
    study = studies.study(explanation=e, X=X, y=y, model=model)
    table = tables(Facts.of(study), None)["pairs"]
    assert "*</span>" not in table
    assert table.count("uncertainty only</td>") == (e.pairs > 0.0).sum()
    assert dict(about(Facts.of(study)))["Variables"] == "3 (1 with two values)"
    assert "has only two values and is compared in this way too" in studies.undrawn_page(study)


def test_quality():
    a = studies.numbers().assessment
    found = {name: value for name, value, _ in quality_lines(a)}
    assert found["R²"] == f"{a.r2:.3f}"
    assert found["in 90 % intervals"] == f"{100 * a.coverage.loc[0.9, 'share']:.0f} %"
    assert all(f'<dd class="value">{value}</dd>' in studies.page("numbers") for value in found.values())
    assert "accuracy" in {name for name, _, _ in quality_lines(studies.classes().assessment)}


def test_about():
    entries = dict(about(Facts.of(studies.numbers())))
    assert entries["Variables"] == "4 (1 categorical)"
    assert (entries["Model"], entries["Likelihood"]) == ("Gaussian process", "Gaussian noise")
    assert dict(about(Facts.of(studies.classes())))["Likelihood"] == "classes"
    foreign = studies.function(20)  # without description and likelihood
    entries = dict(about(Facts.of(foreign)))
    assert (entries["Model"], entries["Likelihood"]) == (type(foreign.model).__name__, "Normal")


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
    expected = {"data": "houses", "target": "price", "fingerprint": "abc123", "rows used": 5, "seed": 3}
    assert other_settings(studies.SETTINGS | {"rows_used": 5}) == expected
    assert other_settings({"command": "x", "arguments": {"seed": 1}}) == {"arguments": {"seed": 1}}
