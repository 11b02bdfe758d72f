"""The paper's statements in words: one rule for all."""

import pytest

from experiments._claims import verdict


@pytest.mark.parametrize(
    ("ours", "half", "outcome"),
    [(0.2, 0.1, "yes"), (0.2, 0.2, "undecided"), (0.2, 0.3, "undecided"), (-0.2, 0.1, "no"), (0.0, 0.0, "no")],
)
def test_positive_is_an_interval_above_zero(ours, half, outcome):
    assert verdict("> 0", ours, half, margin=0.1) == outcome
    assert verdict("> 1", ours + 1.0, half, margin=0.1) == outcome


@pytest.mark.parametrize(
    ("ours", "half", "outcome"),
    [
        (0.0, 0.05, "yes"),
        (-0.05, 0.04, "yes"),
        (0.05, 0.1, "undecided"),  # has 0 in it, and 0.15
        (0.0, 1.0, "undecided"),  # noise does not help
        (0.15, 0.06, "undecided"),
        (-0.2, 0.05, "no"),
        (0.2, 0.0, "no"),
    ],
)
def test_zero_is_an_interval_within_the_margin(ours, half, outcome):
    assert verdict("≈ 0", ours, half, margin=0.1) == outcome
    assert verdict("≈ 1", ours + 1.0, half, margin=0.1) == outcome


@pytest.mark.parametrize(
    ("ours", "half", "outcome"), [(-5.0, 1.0, "yes"), (0.05, 0.04, "yes"), (0.05, 0.1, "undecided"), (0.3, 0.1, "no")]
)
def test_a_bound_may_be_surpassed(ours, half, outcome):
    assert verdict("≤ 0", ours, half, margin=0.1) == outcome
