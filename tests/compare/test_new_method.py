"""A new method is one entry in one list: `compare`, `stability` and the legend learn of it from there."""

import numpy as np
import pytest

from rsens._compare import compare, legend_of
from rsens._stability import stability
from rsens.black_box import BLACK_BOX, Method
from rsens.measures import METHODS, Measure
from tests.compare.models import resolved
from tests.stability.models import LeastSquares, linear_data

X, Y = linear_data()  # slopes 0, 4, 1, 2
MODEL = LeastSquares().fit(X, Y)


def half_slopes(model, table, alpha):
    """Half of |∂mean/∂x_d|, for all rows at once."""
    yield slice(0, len(table.values)), 0.5 * np.abs(model.derivatives(table.source, 1).first[:, 0])


def change_at_the_mean(predictor, budget, rng):
    """The mean change of the prediction when a column is set to its mean."""
    rows = predictor.values
    here = predictor.predict(rows)
    changes = (predictor.with_column(d, rows[None, :, d].mean(axis=1)[:, None], rows)[0] for d in range(rows.shape[1]))
    return np.array([np.abs(there - here).mean() for there in changes])


HALF = Measure("half", 1, "half of the slope", half_slopes, place=11)
AT_MEAN = Method("at_mean", 1, "change when the column is set to its mean", change_at_the_mean, place=12)


@pytest.fixture(params=["half", "at_mean"])
def added(request, monkeypatch):
    """One of the two, in its list while a test runs."""
    if request.param == "half":
        monkeypatch.setitem(METHODS, "half", HALF)
    else:
        monkeypatch.setitem(BLACK_BOX, ("at_mean", 1), AT_MEAN)
    return request.param


def expected(name):
    slopes = np.abs(MODEL.coef_[:-1])
    return {"half": 0.5 * slopes * X.std(axis=0), "at_mean": slopes * np.abs(X - X.mean(axis=0)).mean(axis=0)}[name]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_compare_and_stability_know_it(added, n_jobs):
    """In other processes too, whose lists do not have it."""
    table = compare(MODEL, X, methods=["rsens", added], budget="paper", n_jobs=n_jobs)
    assert (table["status"] == "ok").all()
    own = table[table["method"] == added].set_index("term")
    np.testing.assert_allclose(own["value"][[f"x{d}" for d in range(4)]], expected(added), rtol=1e-12)
    assert own["evaluations"].iloc[0] == {"half": 60, "at_mean": 5 * 60 + 1}[added]  # one row says what kind it is
    result = stability(LeastSquares(), X, Y, n_boot=2, methods=[added, "rsens"], n_jobs=n_jobs, random_state=0)
    assert result.failures.empty
    assert result.methods == (added, "rsens")
    assert result.mean_rank[added].tolist() == [4.0, 1.0, 3.0, 2.0]
    assert resolved("all", 1)[-2:] == ["ard", added]
    assert stability(LeastSquares(), X, Y, n_boot=1, random_state=0).methods[-1] == added
    assert legend_of(["kl", added], 1).startswith(f"kl: as rsens, by a finite step; {added}: ")
