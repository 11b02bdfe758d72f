"""One set of refits, several looks: what is fitted, what is seen, and what a failure leaves."""

from __future__ import annotations

import joblib
import numpy as np
import pytest

from rsens import InputError
from rsens._progress import progress_of
from rsens._refits import Failed, Fit, refit_folds, rounds_of_folds, stratified, succeeded

SEED = np.random.SeedSequence(0)
X, Y = np.arange(20.0)[:, np.newaxis], np.arange(20.0) ** 2


def mean_of(rows, y):
    """A model: what it was fitted to."""
    if 99.0 in y:
        raise RuntimeError("no 99")
    return float(np.mean(y))


def fitted(model, train, test):
    return model


def held_out(model, train, test):
    if 3 in test:
        raise ValueError("not row 3")
    return float(Y[test].mean()) - model


def run(rounds, looks, y=Y, **options):
    options = {"n_jobs": None, "seed": SEED, "progress": progress_of(False), **options}
    return refit_folds(Fit(None, mean_of), X, y, rounds, looks, **options)


def test_rounds_hold_out_every_row_once_and_differ():
    first, second = rounds_of_folds(2, 5, Y, False, SEED)
    for splits in (first, second):
        assert sorted(np.concatenate([test for _, test in splits])) == list(range(20))
    assert any(not np.array_equal(a, b) for (_, a), (_, b) in zip(first, second, strict=True))
    [alone] = rounds_of_folds(1, 5, Y, False, SEED)
    for (_, a), (_, b) in zip(first, alone, strict=True):
        np.testing.assert_array_equal(a, b)


def test_every_look_sees_every_fit():
    rounds = rounds_of_folds(2, 4, Y, False, SEED)
    means, errors = run(rounds, [fitted, held_out])
    for splits, of_round, seen in zip(rounds, means, errors, strict=True):
        assert of_round == [Y[train].mean() for train, _ in splits]
        for (train, test), error in zip(splits, seen, strict=True):
            if 3 in test:
                assert isinstance(error, Failed)
                with pytest.raises(InputError, match=r"Fold \d of 4 \(15 training rows, 5 held out\).*not row 3"):
                    succeeded(error)
            else:
                assert succeeded(error) == Y[test].mean() - Y[train].mean()
    with joblib.parallel_config(backend="threading"):
        again = run(rounds, [fitted], n_jobs=2)
    assert again == [means]


def test_a_fit_that_fails_has_nothing_to_see():
    y = np.where(Y == 16.0, 99.0, Y)
    [[first, *others]] = [seen[0] for seen in run([[(np.arange(10), np.arange(10, 20))], []], [fitted], y)]
    assert isinstance(first, Failed)
    assert not others
    with pytest.raises(InputError, match="RuntimeError: no 99") as caught:
        succeeded(first)
    assert isinstance(caught.value.__cause__, RuntimeError)


@pytest.mark.parametrize(
    ("y", "expected"),
    [(np.array(["a", "b", "c"]), True), (np.array([0, 1, 1]), True), (np.array([1.0, 2.0, 3.0]), False)],
)
def test_which_targets_are_classes(y, expected):
    assert stratified(None, y) is expected
