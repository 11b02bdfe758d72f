"""Samples of rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rsens._errors import InputError
from rsens._stability._stability import column_names, sampling


def draws(plan, count=200):
    return [plan.draw(np.random.SeedSequence(0, spawn_key=(k,))) for k in range(count)]


def test_half_of_the_rows_without_repeats():
    for rows in draws(sampling(11, None, False, np.zeros(11), False)):
        assert len(rows) == len(set(rows.tolist())) == 6


def test_the_bootstrap_repeats_rows():
    """A sample of n rows has 1 − (1 − 1/n)ⁿ of them, 0.634 for n = 100; the mean of 200 is that within 0.01."""
    found = [len(set(rows.tolist())) / 100 for rows in draws(sampling(100, None, True, np.zeros(100), False))]
    np.testing.assert_allclose(np.mean(found), 0.634, atol=0.01)


@pytest.mark.parametrize("replace", [True, False])
def test_every_row_is_as_likely_as_any_other(replace):
    """2000 draws of 5 of 20 rows: 500 each, with a standard deviation of at most 22."""
    counts = np.bincount(np.concatenate(draws(sampling(20, 5, replace, np.zeros(20), False), 2000)), minlength=20)
    assert abs(counts - 500).max() < 5 * 22


@pytest.mark.parametrize("replace", [True, False])
def test_every_class_has_two_rows(replace):
    y = np.array([0] * 40 + [1] * 3 + [2])
    plan = sampling(len(y), None, replace, y, True)
    for rows in draws(plan):
        counts = np.bincount(y[rows], minlength=3)
        assert (counts >= [2, 2, 1]).all()


def test_labels_are_classes_for_any_model():
    for y in ([True, False] * 5, pd.Series(["a", "b"] * 5, dtype="category")):
        assert sampling(10, None, False, y, False).classes is not None
    for y in ([1.0, 2.0] * 5, pd.Series([1, 2] * 5, dtype="Int64")):
        assert sampling(10, None, False, y, False).classes is None


def test_too_few_rows_for_the_classes():
    with pytest.raises(InputError, match="at least two rows"):
        sampling(1, None, False, [1.0], False)
    y = np.repeat(np.arange(5), 4)
    with pytest.raises(InputError, match="too few for 2 rows"):
        sampling(20, 9, True, y, True)
    # Possible but hopeless: 400 classes of two rows each, and all of them in a bootstrap sample.
    y = np.repeat(np.arange(400), 2)
    with pytest.raises(InputError, match="Merge rare classes"):
        sampling(800, 800, True, y, True).draw(np.random.SeedSequence(0))


def test_names_must_differ():
    with pytest.raises(InputError, match="same name"):
        column_names(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    assert column_names(np.zeros((1, 2))) == ("x0", "x1")
