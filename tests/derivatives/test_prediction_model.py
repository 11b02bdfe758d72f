"""Models known by their predictions only: which rows they get, and what is said about jumps."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeRegressor

import rsens
from rsens import Normal, RsensWarning, from_function
from rsens.derivatives import Description, NoSecondDerivativesError, PredictionModel

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 3))
Y = 2.0 * X[:, 0] + np.sin(X[:, 1]) + 0.1 * RNG.normal(size=150)
ABOUT = Description("Tree of nowhere", "Normal", "none", "differences")
TREE = DecisionTreeRegressor(min_samples_leaf=3, random_state=0).fit(X, Y)


def smooth(Z):
    values = np.asarray(Z, dtype=np.float64)
    return Normal(np.sin(values[:, 0]) * values[:, 1], np.exp(values[:, 2]))


def of_tree(Z):
    return Normal(TREE.predict(np.asarray(Z)), np.full(len(Z), 0.25))


def test_a_smooth_one_is_the_function():
    model = PredictionModel(smooth, "Foreign")
    np.testing.assert_array_equal(rsens.rsens(model, X), rsens.rsens(from_function(smooth), X))
    np.testing.assert_array_equal(rsens.rsens2(model, X), rsens.rsens2(from_function(smooth), X))
    np.testing.assert_array_equal(model.predict_distribution(X).mean, smooth(X).mean)
    assert [finding.verdict for finding in model.checks(X)] == ["ok"]
    assert model.name == "Foreign"
    assert model.description is None


def test_trees_have_slopes_and_it_is_said():
    model = PredictionModel(of_tree, "Tree", ABOUT)
    with pytest.warns(RsensWarning, match=r"predictions of Tree are piecewise constant.*over ±0\.\d+ of the spread"):
        found = rsens.rsens(model, X).mean(axis=0)
    assert found[0] == pytest.approx(2.0 / 0.5, rel=0.25)  # slope over standard deviation; trees are rough
    assert found[0] > 2.0 * found[1] > 6.0 * found[2]
    (finding,) = model.checks(X)
    assert finding.name == "steps"
    assert "twice the step" in finding.text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert "differences over ±0." in model.prepared(X).description.derivatives
    assert model.description is ABOUT


@pytest.mark.filterwarnings("ignore:predictions of Tree are piecewise:rsens._errors.RsensWarning")
def test_pairs_of_trees_are_refused():
    model = PredictionModel(of_tree, "Tree")
    with pytest.raises(NoSecondDerivativesError, match="piecewise constant"):
        rsens.rsens2(model, X)
    with pytest.warns(RsensWarning, match="no pairs: predictions of Tree"):
        explained = rsens.explain(model, X, intervals=False)
    np.testing.assert_allclose(explained.main, rsens.rsens(model, X).mean(axis=0) * X.std(axis=0), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:predictions of Tree are piecewise:rsens._errors.RsensWarning")
def test_chunks_share_one_step(monkeypatch):
    whole = rsens.rsens(PredictionModel(of_tree, "Tree"), X)
    monkeypatch.setattr("rsens.derivatives._function.ROWS_PER_CALL", 40)
    np.testing.assert_array_equal(rsens.rsens(PredictionModel(of_tree, "Tree"), X), whole)


FRAME = pd.DataFrame(
    {
        "size": X[:, 0],
        "city": np.array(["Oslo", "Bergen", "Tromsø"])[np.arange(150) % 3],
        "grade": pd.Categorical(np.array([3, 1, 2])[np.arange(150) % 3 - 1], categories=[3, 1, 2]),
        "flag": np.arange(150) % 2,
        "old": np.arange(150) % 5 == 0,
    }
)
EFFECT = {"Oslo": 0.0, "Bergen": 1.0, "Tromsø": -1.0}


class Picky:
    """Predicts from a data frame whose columns have the types they were fitted with."""

    def __init__(self):
        self.seen = []

    def __call__(self, rows):
        self.seen.append(len(rows))
        assert list(rows.columns) == list(FRAME.columns)
        assert rows["grade"].dtype == FRAME["grade"].dtype
        assert set(rows["city"]) <= set(EFFECT)
        assert set(rows["flag"]) <= {0.0, 1.0}
        assert rows["old"].dtype == bool
        city = rows["city"].map(EFFECT).to_numpy(dtype=np.float64)
        grade = rows["grade"].astype(float).to_numpy()
        return Normal(rows["size"].to_numpy(dtype=float) * grade + city + rows["flag"] * 2.0 + rows["old"], 1.0)


def test_rows_come_as_they_were_given():
    """Levels and flags are switched, numbers are moved, and the frame keeps its types."""
    explained = rsens.explain(PredictionModel(Picky(), "Picky"), FRAME, scale="raw", intervals=False)
    assert explained.main["size"] == pytest.approx(2.0, rel=1e-8)  # the mean grade
    assert explained.main["flag"] == pytest.approx(2.0, rel=1e-12)
    assert explained.main["old"] == pytest.approx(1.0, rel=1e-12)
    # √(2 KL) is the gap of the means: from Oslo 1 and 1, from the others 1 and 2, thirds of the rows each.
    assert explained.main["city"] == pytest.approx((1.0 + 1.5 + 1.5) / 3.0, rel=1e-12)
    assert explained.pairs["size", "grade"] > 0.5
    assert explained.pairs["size", "flag"] == pytest.approx(0.0, abs=1e-6)


def test_moved_copies_are_counted():
    table = rsens.compare(PredictionModel(smooth, "Foreign"), X, methods=["rsens", "ead"], random_state=0)
    assert (table["evaluations"] >= 6 * len(X)).all()
