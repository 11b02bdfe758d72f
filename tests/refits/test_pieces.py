"""Work in pieces, pieces that are kept, and looks at refits."""

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from joblib import parallel_config

from rsens._errors import InputError
from rsens._files import Checkpoint
from rsens._progress import progress_of
from rsens._refits import Failed, Fit, Kept, refit_folds, rounds_of_folds, run_pieces, stratified, succeeded

SEED = np.random.SeedSequence(0)
X, Y = np.arange(40.0).reshape(20, 2), np.random.default_rng(0).normal(size=20)


def square(number):
    return number**2


def pieces(count, **options):
    return run_pieces(
        square, count, lambda k: (k,), **{"n_jobs": None, "progress": progress_of(False), "noun": "piece", **options}
    )


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_pieces_come_in_order(n_jobs):
    assert pieces(7, n_jobs=n_jobs) == [0, 1, 4, 9, 16, 25, 36]
    assert pieces(0, n_jobs=n_jobs) == []


def test_what_is_there_is_not_done_again_and_what_is_done_is_kept(tmp_path):
    kept, seen = Kept(Checkpoint.open(tmp_path, {}, 0), "piece"), []
    kept.put(1, -1)
    kept.put(3, -3)
    found = pieces(4, kept=kept, done=lambda some: seen.append(list(some)))
    assert found == [0, -1, 4, -3]
    assert [kept.get(number) for number in range(4)] == found
    assert seen == [[None, -1, None, -3], [0, -1, None, -3], [0, -1, 4, -3]]


def test_ctrl_c_while_a_piece_is_kept_says_nothing_of_joblib():
    """In threads; joblib would advise to hand out less work."""

    class Stops(Kept):
        def get(self, number):
            return None

        def put(self, number, piece):
            time.sleep(0.05)  # others are done meanwhile
            raise KeyboardInterrupt

    with parallel_config("threading"), pytest.raises(KeyboardInterrupt):
        pieces(20, n_jobs=2, kept=Stops(Checkpoint(SEED), "piece"))


@dataclass(frozen=True)
class Seen:
    values: np.ndarray


@dataclass
class Means:
    """Sees the mean of the rows held out; it fails where `failing` is among them."""

    sees: ClassVar[type] = Seen
    failing: int = -1
    looked: int = 0

    def __call__(self, model, train, test):
        self.looked += 1
        if self.failing in test:
            raise ValueError("not this one")
        return Seen(np.array([Y[test].mean(), model, np.nan]))


def fit(X, y):
    if np.isnan(y).any():
        raise RuntimeError("no numbers")
    return float(np.mean(y))


ROUNDS = rounds_of_folds(2, 4, Y, False, SEED)


def looks_at(*looks, y=Y, **options):
    options = {"n_jobs": None, "seed": SEED, "progress": progress_of(False), "keep": None} | options
    return refit_folds(Fit(None, fit), X, y, ROUNDS, list(looks), **options)


def folds(look, keep=None, **options):
    [seen] = looks_at(look, keep=keep, **options)
    return seen


def bits(seen):
    return [[fold.values.tobytes() for fold in part] for part in seen]


def test_rounds_hold_out_every_row_once_and_differ():
    first, second = ROUNDS
    for splits in ROUNDS:
        assert sorted(np.concatenate([test for _, test in splits])) == list(range(20))
    assert any(not np.array_equal(a, b) for (_, a), (_, b) in zip(first, second, strict=True))
    [alone] = rounds_of_folds(1, 4, Y, False, SEED)
    for (_, a), (_, b) in zip(first, alone, strict=True):
        np.testing.assert_array_equal(a, b)


def test_every_look_sees_every_fit():
    everything, some = looks_at(Means(), Means(failing=3))
    for splits, seen, others in zip(ROUNDS, everything, some, strict=True):
        for (train, test), one, other in zip(splits, seen, others, strict=True):
            np.testing.assert_array_equal(one.values, [Y[test].mean(), Y[train].mean(), np.nan])
            if 3 in test:
                with pytest.raises(InputError, match=r"Fold \d of 4 \(15 training rows, 5 held out\).*not this one"):
                    succeeded(other)
            else:
                assert succeeded(other) is other
    with parallel_config(backend="threading"):
        assert bits(folds(Means(), n_jobs=2)) == bits(everything)


def test_a_fit_that_fails_has_nothing_to_see():
    look = Means()
    [first, *_] = folds(look, y=np.full(20, np.nan))[0]
    assert isinstance(first, Failed)
    assert look.looked == 0
    with pytest.raises(InputError, match="RuntimeError: no numbers") as caught:
        succeeded(first)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_which_targets_are_classes():
    assert [stratified(None, np.array(y)) for y in (["a", "b", "c"], [0, 1, 1], [1.0, 2.0, 3.0])] == [True, True, False]


def test_refits_that_are_kept_are_not_fitted_again(tmp_path):
    whole = folds(Means())
    first, again = Means(), Means()
    assert bits(folds(first, Checkpoint.open(tmp_path, {"a": 1}, 0))) == bits(whole)
    (tmp_path / "refit-fold-00002.json").write_text("{}")
    (tmp_path / "refit-fold-00005.json").unlink()
    assert bits(folds(again, Checkpoint.open(tmp_path, {"a": 1}, 0))) == bits(whole)
    assert (first.looked, again.looked) == (8, 2)


def test_failures_are_not_kept(tmp_path):
    look, again = Means(failing=0), Means(failing=0)
    seen = folds(look, Checkpoint.open(tmp_path, {}, 0))
    assert sum(isinstance(fold, Failed) for part in seen for fold in part) == 2  # once in each round
    folds(again, Checkpoint.open(tmp_path, {}, 0))
    assert (look.looked, again.looked) == (8, 2)


def test_the_first_round_is_told_as_soon_as_it_is_there(tmp_path):
    told = []
    look = Means()
    seen = folds(look, first_round=lambda first: told.append((look.looked, first)))
    [(looked, [first])] = told
    assert looked == 4
    assert bits([first]) == bits(seen[:1])


def test_a_disk_that_is_full_does_not_end_the_work(tmp_path, monkeypatch):
    keep = Checkpoint.open(tmp_path, {}, 0)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Checkpoint, "put", full)
    assert bits(folds(Means(), keep)) == bits(folds(Means()))
