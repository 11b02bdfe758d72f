"""The bands of profiles, on two data sets, and the truth that they are compared with."""

import numpy as np
import pandas as pd
import pytest

from experiments.profile_bands import inputs, main, mean, true_effect


@pytest.mark.parametrize("column", range(4))
def test_the_truth_is_the_integral_of_the_mean_slope(column):
    """E[∂f/∂x_d | x_d = z], from many rows with x_d near z, is the slope of the true effect."""
    r = 0.9
    X = inputs(400_000, r, np.random.default_rng(0))
    step = np.zeros(4)
    step[column] = 1e-4
    slopes = (mean(X + step) - mean(X - step)) / 2e-4
    for z in (-1.0, 0.5):
        near = np.abs(X[:, column] - z) < 0.05
        expected = (true_effect(column, np.array([z + 1e-4]), r) - true_effect(column, np.array([z - 1e-4]), r)) / 2e-4
        assert slopes[near].mean() == pytest.approx(expected[0], abs=0.03)


def test_bands_hold_in_a_few_data_sets(tmp_path):
    """100 data sets have 91 to 97 %; the mean of 4 × 8 curves, which hang together, stays within ten points."""
    main(["--repetitions", "4", "--rows", "100", "--n-jobs", "1", "--out", str(tmp_path)])
    table = pd.read_csv(tmp_path / "profile_bands.csv")
    assert len(table) == 8
    assert table["effect_90"].mean() > 0.83
    assert table["observations_50"].mean() == pytest.approx(0.5, abs=0.1)
    assert table["observations_90"].mean() == pytest.approx(0.9, abs=0.07)
    assert (tmp_path / "profile_bands.md").read_text().count("\n") == 10
