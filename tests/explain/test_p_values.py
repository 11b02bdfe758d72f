"""How rarely an irrelevant variable gets as far."""

import numpy as np
import pytest
from scipy import stats

from rsens._explain._null_level import discoveries, familywise, tail_p_values


def test_among_the_probes_p_values_count():
    probes = np.arange(1.0, 41.0)
    p = tail_p_values(np.array([0.0, 1.0, 20.5, 30.0]), probes)
    np.testing.assert_allclose(p, np.array([41, 41, 21, 12]) / 41)


def test_above_them_they_are_an_exponential_tail():
    probes = np.arange(1.0, 41.0)  # the ten largest lie 5.5 above the next on average
    values = np.array([30.5, 40.0, 60.0])
    np.testing.assert_allclose(tail_p_values(values, probes), 0.25 * np.exp(-(values - 30.0) / 5.5))


def test_they_never_rise_with_the_value():
    probes = np.random.default_rng(0).exponential(size=60)
    p = tail_p_values(np.linspace(0.0, 10.0, 500), probes)
    assert (np.diff(p) <= 0.0).all()
    assert ((p > 0.0) & (p <= 1.0)).all()


@pytest.mark.parametrize("probes", [np.array([0.5]), np.full(60, 0.5), np.arange(15.0) / 15.0])
def test_few_probes_and_equal_ones_only_count(probes):
    assert tail_p_values(np.array([2.0]), probes) == 1.0 / (len(probes) + 1)


def test_they_are_nearly_uniform_for_irrelevant_variables():
    """Of variables that are like the probes, about 5 % have p ≤ 0.05 and 1 % p ≤ 0.01; here ± 2 %."""
    rng = np.random.default_rng(1)
    p = np.concatenate([tail_p_values(rng.gamma(4.0, size=4), rng.gamma(4.0, size=60)) for _ in range(1000)])
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=0.02)
    assert np.mean(p <= 0.01) == pytest.approx(0.01, abs=0.01)
    assert np.mean(p <= 0.5) == pytest.approx(0.5, abs=0.03)


def test_discoveries_are_those_of_scipy():
    rng = np.random.default_rng(2)
    for _ in range(50):
        p = np.where(rng.random(12) < 0.3, rng.uniform(0.0, 0.03, size=12), rng.random(12))
        np.testing.assert_array_equal(discoveries(p, 0.1), stats.false_discovery_control(p) <= 0.1)


def test_what_was_not_tested_does_not_count():
    p = np.array([np.nan, 0.04, 0.8])
    assert discoveries(p, 0.1).tolist() == [False, True, False]
    assert familywise(p, 0.1).tolist() == [False, True, False]  # 0.04 ≤ 0.1/2
    assert not discoveries(np.array([np.nan]), 0.1).any()
    assert not discoveries(np.array([0.2, 0.3]), 0.1).any()
