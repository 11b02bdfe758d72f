"""The plot of the posterior of importances."""

import numpy as np
import pandas as pd
import pytest

from rsens import Normal, explain, from_draws, from_function
from rsens._errors import InputError
from tests.plots.looks import below, marks

X = np.random.default_rng(0).normal(size=(6, 3))
DRAWS = {"b": np.random.default_rng(1).normal([2.0, 1.0, 0.0], 0.3, (50, 3))}


@pytest.fixture(scope="module")
def explanation():
    return explain(from_draws(lambda p, X: Normal(X @ p["b"], 1.0), DRAWS), X, pairs=False)


def test_lines_are_the_quantiles(explanation):
    ax = explanation.plot_posterior()
    frame = explanation.posterior.frame()
    thin, thick = ax.collections
    ends = np.array([segment[:, 0] for segment in thin.get_segments()])
    np.testing.assert_allclose(ends, frame[["lower", "upper"]])
    inner = np.array([segment[:, 0] for segment in thick.get_segments()])
    assert ((inner[:, 0] >= ends[:, 0]) & (inner[:, 1] <= ends[:, 1])).all()
    np.testing.assert_allclose(ax.lines[0].get_xdata(), frame["median"])
    assert [label.get_text() for label in ax.get_yticklabels()] == list(frame.index)
    assert "first: " in marks(ax)[0].get_text()
    assert "no interval" in below(ax)


def test_models_without_draws_have_nothing_to_draw():
    plain = explain(from_function(lambda X: Normal(X[:, 0], 1.0)), pd.DataFrame(X), pairs=False)
    with pytest.raises(InputError, match=r"Explanation\.posterior"):
        plain.plot_posterior()
