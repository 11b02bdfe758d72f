"""Samples of rows."""

from __future__ import annotations

import numpy as np
import pytest

from rsens._errors import InputError
from rsens._stability import Sampling
from rsens._stability._stability import sampling


def draws(plan, count=200):
    return [plan.draw(np.random.SeedSequence(0, spawn_key=(k,))) for k in range(count)]


def test_half_of_the_rows_without_repeats():
    for rows in draws(sampling(11, False)):
        assert len(rows) == len(set(rows.tolist())) == 6
    with pytest.raises(InputError, match="at least two rows"):
        sampling(1, False)


def test_the_bootstrap_repeats_rows():
    """A sample of n rows has 1 − (1 − 1/n)ⁿ of them, 0.634 for n = 100; the mean of 200 is that within 0.01."""
    found = [len(set(rows.tolist())) / 100 for rows in draws(sampling(100, True))]
    np.testing.assert_allclose(np.mean(found), 0.634, atol=0.01)


@pytest.mark.parametrize("replace", [True, False])
def test_every_row_is_as_likely_as_any_other(replace):
    """2000 draws of 5 of 20 rows: 500 each, with a standard deviation of at most 22."""
    counts = np.bincount(np.concatenate(draws(Sampling(20, 5, replace), 2000)), minlength=20)
    assert abs(counts - 500).max() < 5 * 22
