"""How results show themselves in notebooks: harmless, and the same as in print."""

import numpy as np
import pandas as pd
import pytest

import rsens
from rsens._document import sentence
from rsens._text import on_one_line
from tests.pages import NASTY, harmless
from tests.select_interactions.made import asked

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(40, 3)), columns=NASTY[:3])
Y = X.iloc[:, 0] * X.iloc[:, 1] + 0.3 * RNG.normal(size=40)
CLASSES = np.where(Y > 0.0, "<b>yes", "no")
LINEAR = rsens.BayesianLinearRegression()


def study(y):
    return rsens.study(X.assign(target=y, constant=1.0), "target", model="linear", null=False, pairs=3)


RESULTS = {
    "explanation": lambda: rsens.explain(LINEAR.fit(X, Y), X, null=False, random_state=0),
    "assessment": lambda: rsens.assess(rsens.BayesianLogisticRegression(), X, CLASSES, random_state=0),
    "stability": lambda: rsens.stability(LINEAR, X, Y, methods=["rsens", "pd"], n_boot=3, random_state=0),
    "selection": lambda: asked(
        rsens.GPRegressor(n_restarts=0, random_state=0), X, Y, k=1, cv=2, repeats=1, random_state=0
    ),
    "study": lambda: study(Y),
    "study of classes": lambda: study(CLASSES),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.filterwarnings("ignore::rsens.RsensWarning")
def test_every_result_has_a_harmless_view(name):
    result = RESULTS[name]()
    page = harmless(result._repr_html_())
    shown = " ".join(" ".join(page.texts).replace("\u00a0", " ").split())
    assert "table" in page.tags
    assert "nan" not in shown.lower().split()
    if name in ("explanation", "stability", "study"):
        assert {on_one_line(column) for column in X} <= {*page.texts}
    for block in result._document().blocks:  # every sentence, title and legend that is printed
        texts = [block.title, *map(sentence, filter(None, block.legend))] if hasattr(block, "legend") else block.texts
        assert not [text for text in map(on_one_line, texts) if " ".join(text.split()) not in shown]
