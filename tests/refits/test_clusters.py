"""Rows that belong together: labels, and folds of whole clusters."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, ShuffleSplit, TimeSeriesSplit

from rsens._errors import InputError
from rsens._refits import folds, given_splits, read_clusters

PERSON = np.repeat(np.arange(40), 4)


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


@pytest.mark.parametrize(
    ("cv", "clusters", "text"),
    [
        (KFold(5, shuffle=True, random_state=0), PERSON, "trains on other rows of its cluster"),
        ([(range(10), range(10, 20))], PERSON, "trains on other rows of its cluster"),
        (GroupKFold(5), None, r"cannot split these rows.*GroupKFold"),
    ],
)
def test_splits_that_divide_a_cluster_are_refused(cv, clusters, text):
    with pytest.raises(InputError, match=text) as raised:
        given_splits(cv, np.zeros((160, 1)), np.zeros(160), clusters)
    assert raised.value.argument == "cv"


@pytest.mark.parametrize(
    ("cv", "clusters"),
    [
        (GroupKFold(5), PERSON),
        (LeaveOneGroupOut(), PERSON),
        (KFold(4), None),
        (TimeSeriesSplit(3), None),
        (ShuffleSplit(1, random_state=0), None),
    ],
)
def test_splitters_of_scikit_learn_get_the_clusters_as_groups(cv, clusters):
    for (train, test), (a, b) in zip(
        given_splits(cv, np.zeros((160, 1)), np.zeros(160), clusters), cv.split(PERSON, groups=clusters), strict=True
    ):
        np.testing.assert_array_equal(train, a)
        np.testing.assert_array_equal(test, b)


def test_folds_of_clusters_hold_out_every_cluster_once_and_have_about_as_many_rows():
    sizes = np.random.default_rng(0).integers(1, 9, size=30)
    clusters = np.repeat(np.arange(30), sizes)
    found = folds(5, np.zeros(len(clusters)), False, np.random.default_rng(1), clusters)
    held_out = [set(clusters[test].tolist()) for _, test in found]
    assert sum(map(len, held_out)) == len(set.union(*held_out)) == 30
    rows = [len(test) for _, test in found]
    assert max(rows) - min(rows) <= sizes.max()


Y = np.arange(20.0)


def splits(cv, y=Y, stratify=False):
    given = given_splits(cv, np.zeros((len(y), 1)), y)
    return folds(cv, y, stratify, np.random.default_rng(0)) if given is None else given


def test_folds_have_the_same_share_of_every_class():
    y = np.repeat(["a", "b", "c"], [50, 17, 3])
    for _, test in splits(5, y, True):
        assert (y[test] == "a").sum() == 10
        assert (y[test] == "b").sum() in (3, 4)
        assert (y[test] == "c").sum() in (0, 1)


def test_lists_of_positions_or_masks():
    mask = np.arange(20) < 5
    ((train, test),) = splits([(~mask, mask)])
    np.testing.assert_array_equal(test, np.arange(5))
    np.testing.assert_array_equal(train, np.arange(5, 20))
    assert len(splits([([1, 2], [3]), ([3], [1])])) == 2


@pytest.mark.parametrize(
    ("cv", "text"),
    [
        (1, "from 2 to the 20 rows"),
        (21, "from 2 to the 20 rows"),
        (True, "cannot split"),
        ("five", "cannot split"),
        (2.5, "cannot split"),
        ([], "no folds"),
        ([(1,)], "cannot split"),
        ([3], "cannot split"),
        ([([1, 2], [2])], "both trains on row 2"),
        ([([1], [99])], "positions from 0 to 19"),
        ([([1], [-1])], "positions from 0 to 19"),
        ([([1], [0.5])], "cannot split"),
        ([([1], [])], "cannot split"),
        ([([], [1])], "cannot split"),
    ],
)
def test_wrong_folds(cv, text):
    with pytest.raises(InputError, match=text) as raised:
        splits(cv)
    assert raised.value.argument == "cv"
