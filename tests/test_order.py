"""Rows and columns in another order give the same results in that order, for the same seed."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rsens import BayesianLinearRegression, GPClassifier, GPRegressor, assess, compare, rsens, stability
from rsens._contents import column_order, own_order, row_keys
from rsens.black_box import BLACK_BOX, Budget
from tests.few_probes import explain_with_probes
from tests.select_interactions.made import asked

#: Sums over rows in another order differ in the last digits, and a search may end a little elsewhere.
TOLERANCE = {"rtol": 1e-6, "atol": 1e-9}
RNG = np.random.default_rng(0)
N = 72
X = pd.DataFrame(RNG.normal(size=(N, 3)), columns=["a", "b", "c"]).assign(
    kind=RNG.choice(["u", "v", "w"], N), two=RNG.integers(2, size=N)
)
X.iloc[60:] = X.iloc[:12]  # copies of rows, some of them with other targets
Y = pd.Series(np.sin(X["a"]) + X["a"] * X["b"] + (X["kind"] == "u") + 0.3 * RNG.normal(size=N), name="y")
Y.iloc[60:66] = Y.iloc[:6].to_numpy()
LABELS = pd.Series(np.where(Y > 0.6, "yes", "no"), name="y")
CLUSTERS = RNG.integers(24, size=N)
ROWS, COLUMNS = RNG.permutation(N), ["two", "c", "kind", "a", "b"]


def in_another_order(change, X=X, y=Y, clusters=CLUSTERS):
    if change is None:
        return X, y, clusters
    if change == "rows":
        return X.iloc[ROWS], y.iloc[ROWS], clusters[ROWS]
    return X[COLUMNS], y, clusters


def gp(**options):
    return GPRegressor(**{"n_restarts": 0, "random_state": 0} | options)


def same_table(one, other, labels):
    """Equal tables, but for the order of their lines; pairs "a:b" and "b:a" are one."""

    def named(frame):
        frame = frame.reset_index(drop=True)
        for label in labels:
            frame[label] = [":".join(sorted(str(name).split(":"))) for name in frame[label]]
        return frame.sort_values(labels).reset_index(drop=True)

    pd.testing.assert_frame_equal(named(one), named(other), **TOLERANCE)


changes = pytest.mark.parametrize("change", ["rows", "columns"])


@cache
def explained(change, with_clusters):
    rows, y, clusters = in_another_order(change)
    options = {"n_probes": 6, "groups": {"both": ["b", "c"]}, "random_state": 3, "by": "kind"}
    return explain_with_probes(gp().fit(rows, y), rows, y, clusters=clusters if with_clusters else None, **options)


@pytest.mark.parametrize(("change", "with_clusters"), [("rows", False), ("rows", True), ("columns", False)])
def test_explain(change, with_clusters):
    one, other = (explained(each, with_clusters) for each in (None, change))
    same_table(one.to_frame(), other.to_frame(), ["term"])
    pairs = [each.to_frame(order=2).drop(columns=["first", "second"]) for each in (one, other)]
    same_table(*pairs, ["term"])
    same_table(one.by_frame(), other.by_frame(), ["subgroup", "term"])
    same_table(one.effects, other.effects, ["term", "level"])


def same_rows(one, other):
    """Equal values row by row. Copies of a row may have changed places: they are equal."""
    one, other = (each.to_frame().assign(fold=0).sort_values("log_density") for each in (one, other))
    pd.testing.assert_frame_equal(one.reset_index(drop=True), other.reset_index(drop=True), **TOLERANCE)


@cache
def assessed(change, with_clusters):
    rows, y, clusters = in_another_order(change)
    return assess(gp(), rows, y, clusters=clusters if with_clusters else None, random_state=1)


@changes
@pytest.mark.parametrize("with_clusters", [False, True])
def test_assess(change, with_clusters):
    one, other = (assessed(each, with_clusters) for each in (None, change))
    same_rows(one, other)
    assert one.gain == pytest.approx(other.gain, rel=1e-6)


@cache
def ranks(change, with_clusters):
    rows, y, clusters = in_another_order(change)
    options = {"n_boot": 4, "methods": ["rsens", "pfi", "shap"], "order": 1, "random_state": 2}
    model = BayesianLinearRegression()
    return stability(model, rows, y, clusters=clusters if with_clusters else None, **options).ranks


@changes
def test_stability(change):
    for with_clusters in (False, True):
        one, other = (ranks(each, with_clusters) for each in (None, change))
        same_table(one, other, ["sample", "method", "term"])


@cache
def selection(change):
    """Without the copies, which are warned of."""
    rows = ROWS[ROWS < 60] if change == "rows" else np.arange(60)
    columns = ["c", "a", "b"] if change == "columns" else ["a", "b", "c"]
    options = {"k": 1, "cv": 2, "repeats": 1, "random_state": 5}
    return asked(gp(), X[columns].iloc[rows], Y.iloc[rows], clusters=CLUSTERS[rows], **options)


@changes
def test_select_interactions(change):
    one, other = selection(None), selection(change)
    pd.testing.assert_frame_equal(one.scores, other.scores, **TOLERANCE)
    assert one.suggested == other.suggested
    assert list(map(set, one.pairs)) == list(map(set, other.pairs))


@cache
def fixed(columns):
    """A model of these columns whose pairs all interact."""
    return gp(optimize=False).fit(X[list(columns)], Y)


@cache
def compared(change, order, grouped, small):
    """Every method that draws, at either budget; shap and shapiq, which are slow to load, at the smallest."""
    budget = Budget("small", rows=20, average=30, repeats=2, grid=5, pair_grid=3, nodes=5) if small else "paper"
    drawn = [method.name for method in BLACK_BOX.values() if method.order == order]
    methods = [name for name in drawn if not (small and name == "shap")]
    rows, y, _ = in_another_order(change)
    groups = {"both": ["b", "c"]} if grouped else None
    options = {"methods": methods, "order": order, "groups": groups, "budget": budget, "random_state": 3}
    return compare(fixed(tuple(rows.columns)), rows, y, **options).drop(columns=["seconds"])


@changes
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("grouped", [False, True])
def test_compare(change, order, grouped):
    for small in (False, True):
        one, other = (compared(each, order, grouped, small) for each in (None, change))
        same_table(one, other, ["method", "term"])


@pytest.mark.parametrize("kind", ["gaussian", "probit", "inducing"])
def test_fits_of_columns_in_another_order(kind):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(700 if kind == "inducing" else 90, 4))
    y = np.sin(rows[:, 0]) + rows[:, 1] * rows[:, 2] + 0.3 * rng.normal(size=len(rows))
    columns = [2, 0, 3, 1]
    model = gp(n_restarts=2) if kind == "gaussian" else gp(inducing=20)
    if kind == "probit":
        model, y = GPClassifier(n_restarts=2, random_state=0), y > 0.0
    one, other = (clone(model).fit(some, y) for some in (rows, rows[:, columns]))
    expected = rsens(one, rows[:50])[:, columns]
    np.testing.assert_allclose(rsens(other, rows[:50, columns]), expected, rtol=0, atol=1e-6 * expected.max())


class TestOwnOrder:
    """Rows and columns by their contents."""

    def test_a_number_counts_and_not_its_type(self):
        whole = np.array([[0, 3], [1, 2], [2, 0]])
        np.testing.assert_array_equal(row_keys(whole), row_keys(whole.astype(np.float32)))
        assert row_keys(np.array([0.0, -0.0])).tolist().count(row_keys(np.array([0.0]))[0]) == 2

    def test_columns_with_the_same_values(self):
        """Two columns of a grid hold the same values, and y separates them; otherwise their names do."""
        grid = np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0)), -1).reshape(-1, 2)
        y = grid[:, 0] ** 2 + grid[:, 1]
        one, other = (column_order(each, y) for each in (grid, grid[:, ::-1]))
        assert one.tolist() == [1 - d for d in other]
        frame = pd.DataFrame(grid, columns=["p", "q"])
        one, other = (own_order(each, grid.sum(axis=1)) for each in (frame, frame[["q", "p"]]))
        np.testing.assert_array_equal(one.rows, other.rows)
        assert (one.columns.tolist(), other.columns.tolist()) == ([0, 1], [1, 0])

    def test_labels_dates_and_missing_values(self):
        odd = pd.DataFrame(
            {
                "mixed": [1, "1", 2.5, ("x",)],
                "date": pd.to_datetime(["2020-01-01", "2021-01-01", None, "2020-01-02"]),
                "category": pd.Categorical(["x", "y", "x", "x"], categories=["y", "x"]),
                "nullable": pd.array([1, None, 3, 1], dtype="Int64"),
            }
        )
        one, other = own_order(odd), own_order(odd.iloc[[2, 0, 3, 1], ::-1])
        assert np.array([2, 0, 3, 1])[other.rows].tolist() == one.rows.tolist()

    def test_units_do_not_count(self):
        """Nor do the names of classes, as long as their order is the same."""
        numbers = X[["a", "b", "c"]]
        one, other = own_order(numbers, LABELS), own_order(2.54 * numbers - 7.0, LABELS == "yes")
        np.testing.assert_array_equal(one.rows, other.rows)
        np.testing.assert_array_equal(one.columns, other.columns)
