"""The paper's statements in words, and rates and truths that scripts compare with."""

import numpy as np
import pytest

from experiments._claims import verdict
from experiments.differences import summary
from experiments.profile_bands import inputs, mean, true_effect

CLAIMS = [
    # A difference above zero holds if its interval is above zero.
    ("> 0", 0.2, 0.1, "yes"), ("> 0", 0.2, 0.2, "undecided"), ("> 0", -0.2, 0.1, "no"), ("> 0", 0.0, 0.0, "no"),
    ("> 1", 1.2, 0.1, "yes"),
    # A difference of about zero holds if its interval is within the margin; noise does not help.
    ("≈ 0", 0.0, 0.05, "yes"), ("≈ 0", -0.05, 0.04, "yes"), ("≈ 0", 0.05, 0.1, "undecided"),
    ("≈ 0", 0.0, 1.0, "undecided"), ("≈ 0", 0.15, 0.06, "undecided"), ("≈ 0", -0.2, 0.05, "no"),
    ("≈ 0", 0.2, 0.0, "no"), ("≈ 1", 1.0, 0.05, "yes"),
    # A bound may be surpassed.
    ("≤ 0", -5.0, 1.0, "yes"), ("≤ 0", 0.05, 0.04, "yes"), ("≤ 0", 0.05, 0.1, "undecided"), ("≤ 0", 0.3, 0.1, "no"),
]  # fmt: skip


def test_verdicts():
    found = [verdict(claim, ours, half, margin=0.1) for claim, ours, half, _ in CLAIMS]
    assert found == [outcome for *_, outcome in CLAIMS]


def test_rates_of_marked_differences_by_hand():
    """Two data sets: x0 of one is marked; the interval of x3 of the other misses 0."""
    first = [["x0", 0.5, 0.1, 0.9, 0.01], ["x3", 0.0, -1.0, 1.0, 1.0], ["x0:x3", 0.0, -1.0, 1.0, 1.0]]
    second = [["x0", 0.1, -0.1, 0.3, 0.4], ["x3", 1.0, 0.5, 1.5, 0.2], ["x0:x3", 0.0, -1.0, 1.0, 1.0]]
    table = summary("linear", [first, second]).set_index("terms")
    assert table["marked"].to_dict() == {"relevant": 50.0, "irrelevant": 0.0, "pairs": 0.0}
    assert table["held"].to_dict() == {"relevant": 50.0, "irrelevant": 50.0, "pairs": 100.0}
    # Two models may differ in expectation: by 0.3 for x0 and by ½ for x3.
    expected = summary("linear-gp", [first, second]).set_index("terms")["held"]
    assert expected.to_dict() == {"relevant": 100.0, "irrelevant": 100.0, "pairs": 100.0}


@pytest.mark.parametrize("column", range(4))
def test_the_truth_of_a_profile_is_the_integral_of_the_mean_slope(column):
    """E[∂f/∂x_d | x_d = z], from many rows with x_d near z, is the slope of the true effect."""
    r = 0.9
    X = inputs(400_000, r, np.random.default_rng(0))
    step = np.zeros(4)
    step[column] = 1e-4
    slopes = (mean(X + step) - mean(X - step)) / 2e-4
    for z in (-1.0, 0.5):
        near = np.abs(X[:, column] - z) < 0.05
        ends = [true_effect(column, np.array([z + h]), r)[0] for h in (1e-4, -1e-4)]
        assert slopes[near].mean() == pytest.approx((ends[0] - ends[1]) / 2e-4, abs=0.03)
