"""The table that `compare` returns: what is in it, and what changes nothing."""

import numpy as np
import pandas as pd
import pytest

from rsens._compare import answer, compare, ranks_table, term_labels
from rsens._errors import InputError, RsensWarning
from rsens._explain import explain
from rsens.derivatives import from_function
from rsens.distributions import Normal
from rsens.measures import importance
from rsens.models import BayesianLinearRegression, GPClassifier, GPRegressor
from tests.compare.models import noisy

#: Cheap, and none of them needs an optional package.
QUICK = {1: ["rsens", "ead", "aed", "apc", "pd", "pfi", "var", "kl"], 2: ["rsens2", "eah", "aeh", "pd", "h"]}

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.standard_normal((30, 3)), columns=["a", "b, c", "🚲 " + "long " * 40])
y = X["a"] + X["a"] * X["b, c"] + 0.1 * rng.standard_normal(30)
MODEL = GPRegressor(random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def table():
    return compare(MODEL, X, y, methods=QUICK[1], budget="paper", random_state=0)


def test_columns_and_order(table):
    assert list(table.columns) == ["method", "term", "value", "rank", "seconds", "evaluations", "status"]
    assert list(table["method"].unique()) == QUICK[1]
    assert list(table.index) == list(range(24))
    for _, rows in table.groupby("method"):
        assert set(rows["term"]) == set(X.columns)
        assert list(rows["rank"]) == [1, 2, 3]
        assert rows["value"].is_monotonic_decreasing
        assert rows["seconds"].nunique() == rows["evaluations"].nunique() == 1
    assert (table["seconds"] > 0.0).all()
    assert (table["status"] == "ok").all()
    assert table["rank"].dtype == "Int64"
    assert table.attrs == {"order": 1, "scale": "sd", "budget": "paper"}
    two = compare(MODEL, X, y, methods=QUICK[1], budget="paper", random_state=0, n_jobs=2)
    pd.testing.assert_frame_equal(two.drop(columns="seconds"), table.drop(columns="seconds"), check_exact=True)
    assert term_labels(("a:b", "c"), 2) == ["a:b:c"]
    with pytest.raises(InputError, match="more than one pair"):
        term_labels(("a", "b:c", "a:b", "c"), 2)


FLAGGED = X.iloc[:, :2].assign(flag=np.where(np.arange(30) % 5 == 0, 3, 1))


@pytest.mark.parametrize("rows", [FLAGGED, FLAGGED.to_numpy()], ids=["frame", "array"])
def test_two_values_are_compared_as_explain_does(rows):
    model = GPRegressor(random_state=0, n_restarts=0).fit(rows, y + FLAGGED["flag"])
    found = explain(model, rows, intervals=False)
    first = compare(model, rows, y, methods=[*QUICK[1], "ard"], budget="paper", random_state=0)
    assert (first["status"] == "ok").all()
    values = first.pivot(index="term", columns="method", values="value").loc[list(found.names)]
    np.testing.assert_allclose(values["rsens"], found.main, rtol=1e-10)
    np.testing.assert_allclose(values["kl"].iloc[2], found.main.iloc[2], rtol=1e-10)
    np.testing.assert_allclose(values["aed"].iloc[2], found.direction.iloc[2], rtol=1e-10)  # always upwards
    second = compare(model, rows, y, methods=QUICK[2], order=2, budget="paper", random_state=0)
    assert (second["status"] == "ok").all()
    pairs = second[second["method"] == "rsens2"].set_index("term")["value"]
    np.testing.assert_allclose(sorted(pairs), sorted(found.pairs), rtol=1e-10)


def test_numeric_gives_slopes():
    model = BayesianLinearRegression(prior_precision=1.0).fit(FLAGGED, y + FLAGGED["flag"])
    slopes = compare(model, FLAGGED, y, methods=["rsens", "ead"], numeric=["flag"]).set_index(["method", "term"])[
        "value"
    ]
    expected = importance("rsens", model, FLAGGED, scale=FLAGGED.std(ddof=0))
    np.testing.assert_allclose(slopes["rsens"][list(FLAGGED.columns)], expected, rtol=1e-12)
    with pytest.raises(InputError, match="numeric names the column 'flog'"):
        compare(model, FLAGGED, y, numeric=["flog"])


def test_classes():
    labels = np.array(["low", "mid", "high"])[np.digitize(y, np.quantile(y, [0.3, 0.7]))]
    model = GPClassifier(random_state=0).fit(X, labels)
    table = compare(model, X, labels, methods=[*QUICK[1], "ard"], budget="paper", random_state=0)
    assert (table["status"] == "ok").all()
    assert table[table["method"] == "rsens"]["term"].iloc[0] in ("a", "b, c")


def test_scale():
    """Derivatives and quotients are per unit; the others have no unit in x."""
    raw, double = (
        compare(MODEL, X, y, methods=QUICK[1], budget="paper", random_state=0, scale=scale)
        for scale in ("raw", dict.fromkeys(X.columns, 2.0))
    )
    assert (raw.attrs["scale"], double.attrs["scale"]) == ("raw", "given")
    ratio = (double.groupby("method")["value"].max() / raw.groupby("method")["value"].max()).to_dict()
    per_unit = {"rsens", "ead", "aed", "apc", "kl"}
    assert ratio == pytest.approx({name: 2.0 if name in per_unit else 1.0 for name in QUICK[1]})
    pairs = [
        compare(MODEL, X, methods=QUICK[2], order=2, budget="paper", random_state=0, scale=scale)
        for scale in ("raw", [2.0, 2.0, 2.0])
    ]
    ratio = (pairs[1].groupby("method")["value"].max() / pairs[0].groupby("method")["value"].max()).to_dict()
    assert ratio == pytest.approx({"rsens2": 4.0, "eah": 4.0, "aeh": 4.0, "pd": 1.0, "h": 1.0})


@pytest.mark.parametrize("order", [1, 2])
def test_a_constant_column_gets_zero_and_one_warning(order):
    constant = X.assign(same=3.0)
    model = from_function(lambda X: Normal(X[:, 0] * X[:, 3] + X[:, 0] * X[:, 1], 1.0))
    with pytest.warns(RsensWarning, match="'same'") as caught:
        table = compare(model, constant, y, methods=QUICK[order], order=order, budget="paper", random_state=0)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert (table["status"] == "ok").all()
    assert (table["value"][table["term"].str.contains("same")] == 0.0).all()
    assert (table.groupby("method")["value"].max() > 0.0).all()


def test_the_table_and_answer_of_the_command():
    model = from_function(lambda X: Normal(X[:, 0] + 2.0 * X[:, 1], 1.0 + X[:, 2] ** 2))
    found = compare(model, X.set_axis(["a", "b", "c"], axis=1), methods=["ead", "ard", "rsens"], random_state=0)
    assert answer(found) == "All 2 methods put b first."
    text = " ".join(ranks_table(found).text(96).split())
    assert "agreement with ead 1.00" in text
    assert "mean size of the slope" in text
    assert "ard could not answer: ard reads the length-scales" in text
    equal = compare(noisy(lambda X: X[:, 0] + X[:, 1]), np.eye(40), methods="ead", scale="raw")
    assert answer(equal) == "ead puts no variable first."
    assert list(equal["rank"][:3]) == [1, 1, 3]  # equal values share the smallest rank
    assert list(equal["term"][:4]) == ["x0", "x1", "x2", "x3"]
    assert "… and 10 more in compare.csv" in ranks_table(equal).text(96)
