"""Rows that belong together: labels, and folds of whole clusters."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut

from rsens._errors import InputError
from rsens._refits import folds, given_splits, read_clusters

PERSON = np.repeat(np.arange(40), 4)
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
    with pytest.raises(InputError, match=r"cannot split these rows.*GroupKFold"):
        given_splits(GroupKFold(5), np.zeros((160, 1)), np.zeros(160))


def test_folds_of_clusters_hold_out_every_cluster_once_and_have_about_as_many_rows():
    sizes = np.random.default_rng(0).integers(1, 9, size=30)
    clusters = np.repeat(np.arange(30), sizes)
    found = folds(5, np.zeros(len(clusters)), False, np.random.default_rng(1), clusters)
    held_out = [set(clusters[test].tolist()) for _, test in found]
    assert sum(map(len, held_out)) == len(set.union(*held_out)) == 30
    rows = [len(test) for _, test in found]
    assert max(rows) - min(rows) <= sizes.max()
