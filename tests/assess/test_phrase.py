"""How good a model is, in a phrase."""

from __future__ import annotations

import numpy as np
import pytest

from rsens._assess._assessment import SHARES, in_words
from tests.assess.made import of_classes, of_numbers

EVEN = (np.arange(100) + 0.5) / 100


def with_r2(r2: float, gain: float = 1.0, **changes):
    """Numbers whose predictions have this R² on held-out rows."""
    y = np.tile([1.0, -1.0], 50)
    return of_numbers(EVEN, gain + 0.1 * y, y=y, prediction=y * (1.0 - np.sqrt(1.0 - r2)), **changes)


@pytest.mark.parametrize(
    ("r2", "words"),
    [(0.51, "about half"), (0.34, "about a third"), (0.12, "about a tenth"), (0.97, "nearly all"), (0.996, "all but")],
)
def test_numbers_by_r2(r2, words):
    phrase = with_r2(r2).phrase
    assert phrase.startswith(f"explains {words}")
    assert phrase.endswith(f"of the variation on unseen rows (R² {r2})")


def test_each_share_is_near_its_words():
    """Halves, thirds and so on are nearer to their words than to the words beside."""
    exact = [1 / 10, 1 / 5, 1 / 4, 1 / 3, 2 / 5, 1 / 2, 3 / 5, 2 / 3, 3 / 4, 4 / 5, 9 / 10]
    assert [in_words(share) for share in exact] == [words for _, words in SHARES[:-1]]
    for (limit, _), low, high in zip(SHARES, exact, exact[1:], strict=False):
        assert limit == pytest.approx(0.5 * (low + high), abs=0.01)


@pytest.mark.parametrize(
    ("gain", "words"), [(-0.5, "is worse than a constant on unseen rows"), (0.0, "is no better than a constant")]
)
def test_no_praise_without_a_gain(gain, words):
    assert with_r2(0.6, gain).phrase.startswith(words)


def test_no_praise_where_the_impossible_happened():
    assert of_numbers(EVEN, np.where(np.arange(100) == 3, -np.inf, 1.0)).phrase.startswith("is worse than a constant")


def test_counts_by_the_gain():
    """A gain of log 3 per row."""
    phrase = of_numbers(EVEN, np.log(3.0), kind="counts").phrase
    assert phrase == "gives what happened in unseen rows 3.0 times the probability that a constant would"
    assert "more than 1,000 times" in of_numbers(EVEN, 30.0, kind="counts").phrase


def test_numbers_that_gain_without_r2():
    """The spread is told well, the mean is not."""
    assert with_r2(0.01, np.log(2.0)).phrase.startswith("gives what happened in unseen rows 2.0 times")


def test_classes_by_the_share_of_the_uncertainty():
    """Two even classes have the entropy log 2; at probability 0.9, 1 − log(0.9)/log(0.5) is gone."""
    codes = np.arange(100) % 2
    p = np.where(codes[:, None] == np.arange(2), 0.9, 0.1)
    assert of_classes(p, codes).phrase == (
        "removes about four fifths of the uncertainty about the class of unseen rows, and is right in 100 %"
    )
