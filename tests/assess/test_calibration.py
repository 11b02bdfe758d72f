"""PIT, coverage, reliability: against their definitions, and uniform where the predictions are right."""

import numpy as np
import pytest
from scipy import stats

from rsens._assess._assessment import pit_distribution
from tests.assess.made import of_classes, of_numbers


def test_numbers_are_counted():
    u = np.random.default_rng(0).random(500)
    shares = of_numbers(u).pit_histogram(10)["share"]
    np.testing.assert_allclose(shares, np.histogram(u, np.linspace(0.0, 1.0, 11))[0] / 500, atol=1e-14)
    table = of_numbers(u).coverage
    assert table.loc[0.5, "share"] == pytest.approx(((u > 0.25) & (u <= 0.75)).mean())
    assert table.loc[0.9, "share"] == pytest.approx(((u > 0.05) & (u <= 0.95)).mean())
    assert table.loc[0.9, "standard_error"] == pytest.approx(np.sqrt(0.09 / 500))
    ends = of_numbers(np.array([0.0, 0.0, 1.0, 0.5]))
    np.testing.assert_allclose(ends.pit_histogram(2)["share"], [0.75, 0.25])  # 0.5 is the right end of the first bin
    assert ends.pit_histogram(None)["share"].sum() == 1.0
    sizes = {n: len(of_numbers(np.full(n, 0.5)).pit_histogram(None)) for n in (2, 40, 70, 1000)}
    assert sizes == {2: 4, 40: 4, 70: 7, 1000: 10}
    np.testing.assert_array_equal(of_numbers(np.ones(100)).pit_histogram(None)["left"], np.arange(10) / 10)


def test_counts_follow_the_definition():
    """Czado, Gneiting, Held (2009), equation 2, row by row."""
    rng = np.random.default_rng(1)
    y = rng.poisson(2.0, size=40)
    lower, upper = stats.poisson(2.5).cdf(y - 1), stats.poisson(2.5).cdf(y)
    for j in range(10):
        a, b = j / 10, (j + 1) / 10
        want = 0.0
        for low, high in zip(lower, upper, strict=True):
            want += (0.0 if b <= low else 1.0 if b >= high else (b - low) / (high - low)) / 40
            want -= (0.0 if a <= low else 1.0 if a >= high else (a - low) / (high - low)) / 40
        found = of_numbers(upper, pit_lower=lower, kind="counts").pit_histogram(10)
        assert found["share"][j] == pytest.approx(want, abs=1e-14)


@pytest.mark.parametrize("rate", [0.2, 3.0, 50.0])
def test_the_true_model_of_counts_is_uniform(rate):
    """In expectation exactly, for every rate: Σ_y p(y) F_y(u) = u, and so the coverage is 50 % and 90 %."""
    y = np.arange(400)
    law = stats.poisson(rate)
    p, lower, upper = law.pmf(y), law.cdf(y - 1), law.cdf(y)
    u = np.linspace(0.05, 0.95, 19)
    np.testing.assert_allclose(p @ pit_distribution(lower, upper, u), u, atol=1e-13)
    draws = np.random.default_rng(2).poisson(rate, size=20_000)
    for level, row in of_numbers(law.cdf(draws), pit_lower=law.cdf(draws - 1), kind="counts").coverage.iterrows():
        assert abs(row["share"] - level) < 4.0 * row["standard_error"]


def test_reliability_by_hand():
    p = np.repeat([0.1, 0.6], 20)
    probabilities = np.stack([1.0 - p, p], axis=1)
    codes = np.concatenate([np.repeat([1, 0], [4, 16]), np.repeat([1, 0], [9, 11])])
    table = of_classes(probabilities, codes).reliability
    np.testing.assert_allclose(table["predicted"], [0.1, 0.6])
    np.testing.assert_allclose(table["observed"], [0.2, 0.45])
    np.testing.assert_array_equal(table["rows"], [20, 20])
    np.testing.assert_allclose(table["standard_error"], np.sqrt([0.09 / 20, 0.24 / 20]))
    assert of_classes(probabilities, codes).calibration_error == pytest.approx(0.5 * 0.1 + 0.5 * 0.15)
    assert of_classes(probabilities, codes).brier_score == pytest.approx(np.mean((p - codes) ** 2))


def test_more_classes_look_at_the_predicted_one():
    probabilities = np.array([[0.5, 0.3, 0.2]] * 10 + [[0.1, 0.1, 0.8]] * 30)
    codes = np.repeat([0, 1, 2], [6, 8, 26])
    table = of_classes(probabilities, codes).reliability
    np.testing.assert_allclose(table["predicted"] @ table["rows"] / 40, (10 * 0.5 + 30 * 0.8) / 40)
    np.testing.assert_allclose(table["observed"] @ table["rows"] / 40, (6 + 26) / 40)
    want = np.mean([0.5 * ((row - np.eye(3)[k]) ** 2).sum() for row, k in zip(probabilities, codes, strict=True)])
    assert of_classes(probabilities, codes).brier_score == pytest.approx(want)


def test_equal_probabilities_are_one_group():
    table = of_classes(np.tile([0.7, 0.3], (200, 1)), np.arange(200) % 2).reliability
    assert table["observed"].tolist() == [0.5]


def test_chance_explains_the_error_of_the_true_model():
    """Over 300 data sets of 200 rows drawn from the probabilities themselves; two deviations leave about 3 %."""
    rng = np.random.default_rng(5)
    above = 0
    for _ in range(300):
        p = rng.random(200)
        codes = (rng.random(200) < p).astype(int)
        found = of_classes(np.stack([1.0 - p, p], axis=1), codes)
        error, by_chance = found.calibration_error, found.calibration_error_by_chance
        above += error > by_chance
    assert 0 < above < 30
