"""The constant, against what one computes by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rsens._assess._assess import constant_for_classes, constant_for_counts, constant_for_numbers
from rsens._errors import InputError
from rsens.distributions import NegativeBinomial, Poisson, StudentT


def test_numbers_by_hand():
    # ȳ = 2, s² = (1 + 0 + 1)/2 = 1, so StudentT(2, 4/3, 2).
    constant = constant_for_numbers(np.array([1.0, 2.0, 3.0]))
    assert (constant.location, constant.scale2, constant.df) == (2.0, pytest.approx(4.0 / 3.0), 2.0)


def test_one_training_row_says_nothing_about_a_spread():
    with pytest.raises(InputError, match="needs two training rows"):
        constant_for_numbers(np.array([1.0]))


def test_constant_numbers_still_have_a_scale():
    constant = constant_for_numbers(np.full(5, 3.0))
    assert isinstance(constant, StudentT)
    assert np.isfinite(constant.log_prob([3.0, 4.0])).all()
    assert np.isfinite(constant_for_numbers(np.zeros(5)).log_prob(0.0))


def test_counts_that_are_not_overdispersed_are_poisson():
    constant = constant_for_counts(np.array([3.0, 4.0, 3.0, 4.0]))
    assert isinstance(constant, Poisson)
    assert constant.rate == 14.5 / 4.0
    zeros = constant_for_counts(np.zeros(10))
    assert isinstance(zeros, Poisson)
    assert zeros.rate == 0.05


def test_overdispersed_counts_are_negative_binomial():
    y = stats.nbinom(1.5, 1.5 / 9.5).rvs(size=4000, random_state=3).astype(float)
    constant = constant_for_counts(y)
    assert isinstance(constant, NegativeBinomial)
    assert constant.size == pytest.approx(1.5, rel=0.1)  # its standard error is about 0.04
    best = constant.log_prob(y).sum()
    for factor in (0.9, 1.1):  # the size maximises the likelihood
        assert best > NegativeBinomial(constant.mean, factor * constant.size).log_prob(y).sum()
    assert best > Poisson(constant.mean).log_prob(y).sum()


def test_classes_are_smoothed_shares():
    np.testing.assert_allclose(constant_for_classes(np.array([0, 0, 1]), 3), np.array([2.5, 1.5, 0.5]) / 4.5)
