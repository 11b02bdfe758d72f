"""Rows that belong together: labels, folds of whole clusters, and tables whose rows come in clusters."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut

from rsens._errors import InputError
from rsens._refits import TightClustersWarning, folds, given_splits, read_clusters, tight_clusters
from rsens._refits import warn_of_tight_clusters as warn_of

PERSON = np.repeat(np.arange(40), 4)
#: What stands for a table without clusters, from independent normal columns.
UNCLUSTERED = {
    "independent": lambda z, rng: z,
    "correlated": lambda z, rng: np.sqrt(0.1) * z + np.sqrt(0.9) * rng.normal(size=(len(z), 1)),
    "heavy tails": lambda z, rng: rng.standard_t(3, size=z.shape),
    "lognormal": lambda z, rng: np.exp(z),
    "whole numbers": lambda z, rng: np.round(2 * z),
    "mixed": lambda z, rng: np.where(np.arange(z.shape[1]) % 3 == 0, z > 0, np.where(z < 0, np.round(3 * z), z)),
    "one decimal": lambda z, rng: np.round(z, 1),
    "a product": lambda z, rng: np.column_stack([z, z[:, 0] * z[:, 1]]),
    "a square": lambda z, rng: np.column_stack([z[:, 0], z[:, 0] ** 2]),
    "three kinds": lambda z, rng: z + 8 * rng.normal(size=(3, z.shape[1]))[rng.integers(0, 3, len(z))],
}


def persons(rng, columns, within, free=0):
    """40 persons with 4 rows: columns that vary between persons, noise within them, and columns that vary freely."""
    between = rng.normal(size=(40, columns))[PERSON]
    return np.column_stack([between + within * rng.normal(size=between.shape), rng.normal(size=(160, free))])


# ---- labels and folds ------------------------------------------------------------------------------------------------


def test_labels_of_any_type_become_codes():
    expected = [0, 0, 1, 0, 2]
    for labels in (
        ["a", "a", "b", "a", "c"],
        np.array([7, 7, 1, 7, 3]),
        pd.Series([2.5, 2.5, 1, 2.5, 0], index=range(5, 10)),
    ):
        assert read_clusters(labels, 5).tolist() == expected
    assert read_clusters(None, 5) is None


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (["a", "b"], "each of the 3 rows of X; got 2"),
        ("abc", "each of the 3 rows"),
        (["a", None, "b"], "no label for 1 of 3 rows"),
        ([1, 1, 1], "all 3 rows into one cluster"),
    ],
)
def test_labels_that_are_refused(labels, text):
    with pytest.raises(InputError, match=text) as raised:
        read_clusters(labels, 3)
    assert raised.value.argument == "clusters"


@pytest.mark.parametrize("cv", [GroupKFold(5), LeaveOneGroupOut()])
def test_a_splitter_gets_the_clusters_as_its_groups(cv):
    for (train, test), (a, b) in zip(
        given_splits(cv, np.zeros((160, 1)), np.zeros(160), PERSON), cv.split(PERSON, groups=PERSON), strict=True
    ):
        np.testing.assert_array_equal(train, a)
        np.testing.assert_array_equal(test, b)


@pytest.mark.parametrize("cv", [KFold(5, shuffle=True, random_state=0), [(range(10), range(10, 20))]])
def test_splits_that_divide_a_cluster_are_refused(cv):
    with pytest.raises(InputError, match="trains on other rows of its cluster") as raised:
        given_splits(cv, np.zeros((160, 1)), np.zeros(160), PERSON)
    assert raised.value.argument == "cv"


def test_a_splitter_that_needs_groups_says_so():
    with pytest.raises(InputError, match="GroupKFold cannot split these rows"):
        given_splits(GroupKFold(5), np.zeros((160, 1)), np.zeros(160))


def test_folds_of_clusters_hold_out_every_cluster_once_and_have_about_as_many_rows():
    sizes = np.random.default_rng(0).integers(1, 9, size=30)
    clusters = np.repeat(np.arange(30), sizes)
    found = folds(5, np.zeros(len(clusters)), False, np.random.default_rng(1), clusters)
    held_out = [set(clusters[test].tolist()) for _, test in found]
    assert sum(map(len, held_out)) == len(set.union(*held_out)) == 30
    rows = [len(test) for _, test in found]
    assert max(rows) - min(rows) <= sizes.max()


# ---- tight clusters --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", UNCLUSTERED)
@pytest.mark.parametrize(("n", "columns"), [(40, 2), (40, 20), (150, 5), (600, 3), (600, 12)])
def test_no_clusters_where_rows_are_independent(kind, n, columns):
    rng = np.random.default_rng(n + columns)
    for _ in range(3):
        assert tight_clusters(UNCLUSTERED[kind](rng.normal(size=(n, columns)), rng)) is None


@pytest.mark.parametrize(("columns", "within"), [(3, 0.0), (3, 0.02), (3, 0.05), (6, 0.1), (15, 0.2)])
def test_persons_are_found_by_columns_that_hardly_vary_within_them(columns, within):
    found = tight_clusters(persons(np.random.default_rng(columns), columns, within))
    assert found is not None
    assert found.size == 4
    assert found.columns == tuple(range(columns))


@pytest.mark.parametrize("free", [1, 3])
def test_persons_are_found_by_values_that_repeat_beside_others_that_change(free):
    found = tight_clusters(persons(np.random.default_rng(0), 3, 0.0, free))
    assert found is not None
    assert set(found.columns) <= {0, 1, 2}


def test_persons_are_found_beside_one_column_that_changes():
    assert tight_clusters(persons(np.random.default_rng(0), 4, 0.03, 1)).columns == (0, 1, 2, 3)


def test_units_and_order_of_rows_do_not_matter():
    rng = np.random.default_rng(0)
    X = persons(rng, 4, 0.05)
    order = rng.permutation(160)
    for other in (np.exp(X), X[order], X * [1e6, 1e-6, -1.0, 1.0]):
        assert tight_clusters(other).size == 4


def test_too_little_to_tell():
    X = persons(np.random.default_rng(0), 3, 0.01)
    assert tight_clusters(X[:16]) is None
    assert tight_clusters(X[:, :1]) is None
    assert tight_clusters(X, categorical=(0, 1)) is None
    assert tight_clusters(np.empty((160, 0))) is None


def test_the_warning_says_what_to_do():
    with pytest.warns(
        TightClustersWarning, match=r"tight clusters of about 4.*look better than they are.*clusters"
    ) as raised:
        warn_of(persons(np.random.default_rng(0), 3, 0.01))
    assert raised[0].message.sentence.argument == "clusters"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of(np.random.default_rng(0).normal(size=(160, 3)))
