"""How results show themselves in notebooks: whole, harmless, and the same as in print."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import rsens
from rsens._document import Notes, ShownTable
from rsens._text import on_one_line
from tests.pages import NASTY, harmless
from tests.select_interactions.made import asked

NAMES = [NASTY[0], NASTY[1], NASTY[2]]


def data(names=NAMES):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, len(names))), columns=names)
    return X, X.iloc[:, 0] * X.iloc[:, 1] + 0.3 * rng.normal(size=40)


def explanation():
    X, y = data()
    return rsens.explain(rsens.BayesianLinearRegression().fit(X, y), X, null=False, random_state=0)


def assessment():
    return rsens.assess(rsens.BayesianLinearRegression(), *data(), random_state=0)


def assessment_of_classes():
    X, y = data()
    return rsens.assess(rsens.BayesianLogisticRegression(), X, np.where(y > 0.0, "<b>yes", "no"), random_state=0)


def stability():
    return rsens.stability(rsens.BayesianLinearRegression(), *data(), methods=["rsens", "pd"], n_boot=3, random_state=0)


def selection():
    model = rsens.GPRegressor(n_restarts=0, random_state=0)
    return asked(model, *data(), k=1, methods=["rsens2", "aeh"], cv=2, repeats=1, random_state=0)


def comparison():
    X, y = data()
    model = rsens.BayesianLinearRegression().fit(X, y)
    return rsens.compare(model, X, y, methods=["rsens", "pfi"], random_state=0)


def study(y=None):
    X, numbers = data()
    table = X.assign(target=numbers if y is None else y, constant=1.0)
    return rsens.study(table, "target", model="linear", null=False, pairs=3)


def study_of_classes():
    return study(np.where(data()[1] > 0.0, "<b>yes", "no"))


RESULTS = {
    "explanation": explanation,
    "assessment": assessment,
    "assessment of classes": assessment_of_classes,
    "stability": stability,
    "selection": selection,
    "comparison": comparison,
    "study": study,
    "study of classes": study_of_classes,
}
#: Whose tables have the names of all columns.
NAMED = ["explanation", "stability", "comparison", "study"]


@pytest.fixture(scope="module")
def pages():
    kept: dict[str, object] = {}

    def page(name):
        if name not in kept:
            kept[name] = RESULTS[name]()
        return kept[name], harmless(kept[name]._repr_html_())

    return page


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.filterwarnings("ignore::rsens.RsensWarning")
def test_every_result_has_a_harmless_view(name, pages):
    _, page = pages(name)
    assert "table" in page.tags
    assert not any("nan" in text.lower().split() for text in page.texts)


@pytest.mark.parametrize("name", NAMED)
def test_names_are_whole(name, pages):
    _, page = pages(name)
    assert set(NAMES) <= set(page.texts)


@pytest.mark.parametrize("name", RESULTS)
def test_a_notebook_shows_the_printed_document(name, pages):
    """Every sentence, title and legend of the document."""
    result, page = pages(name)
    if name == "comparison":  # printed as a data frame
        return
    shown = " ".join(" ".join(page.texts).split())
    blocks, printed = result._document().blocks, " ".join(result._document().text(400).split())
    for block in blocks:
        texts = [block.title, *block.legend] if isinstance(block, ShownTable) else block.texts
        assert [text for text in map(on_one_line, texts) if " ".join(text.split()) not in shown] == []
        if not isinstance(block, Notes):
            assert [text for text in map(on_one_line, texts) if " ".join(text.split()) not in printed] == []


def test_a_study_has_warnings_answer_quality_and_tables(pages):
    result, page = pages("study")
    titles = [title for title in page.texts if title.startswith(("Variables by", "Largest pairs", "How good is"))]
    assert len(titles) == 3
    severe = [note.text for note in result.notes if note.severe]
    assert page.texts.count("Warning:") == len(severe) + len(result.assessment.warnings)
    assert any(text.startswith(f"Notes ({len(result.notes) - len(severe)})") for text in page.texts)
