"""Folds: what is accepted, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold, RepeatedKFold

from rsens import InputError
from rsens._assess._folds import read_folds

SEED = np.random.SeedSequence(0)
Y = np.arange(20.0)


def splits(cv):
    return read_folds(cv, np.zeros((20, 1)), Y, False, SEED)


def test_the_seed_decides():
    again, other = splits(4), read_folds(4, np.zeros((20, 1)), Y, False, np.random.SeedSequence(1))
    for (_, a), (_, b) in zip(splits(4), again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert any(not np.array_equal(a, b) for (_, a), (_, b) in zip(again, other, strict=True))


def test_given_folds_hold_out_every_row_at_most_once():
    assert len(splits(KFold(4))) == 4
    with pytest.raises(InputError, match="out 3 times"):
        splits(RepeatedKFold(n_splits=2, n_repeats=3, random_state=0))
