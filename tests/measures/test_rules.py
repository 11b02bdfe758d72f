"""Sums over nodes that stand for expectations, against moments and informations known in closed form."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from rsens.distributions import NegativeBinomial, StudentT, Weibull
from rsens.measures._fourth_derivative import (
    gauss_for_sums,
    negative_binomial_rule,
    student_t_rule,
    weibull_rule,
)


@pytest.mark.parametrize("df", [0.3, 1.0, 2.0, 4.0, 7.5, 30.0, 1e3, 1e8])
def test_student_t(df: float) -> None:
    """The information of location and squared scale: (df + 1)/(df + 3) and df/(2(df + 3))."""
    v, w = student_t_rule(StudentT(np.zeros(1), np.ones(1), np.full(1, df)).checked(1))
    by_location = (df + 1) * np.tanh(v) / np.cosh(v) / np.sqrt(df)
    by_scale2 = 0.5 * ((df + 1) * np.tanh(v) ** 2 - 1)
    np.testing.assert_allclose((w * by_location**2).sum(), (df + 1) / (df + 3), rtol=1e-13)
    np.testing.assert_allclose((w * by_scale2**2).sum(), df / (2 * (df + 3)), rtol=1e-13)
    np.testing.assert_allclose((w * by_scale2).sum(), 0.0, atol=1e-14)


@pytest.mark.parametrize(("power", "log_power"), [(0, 4), (1, 1), (2, 2), (4, 0), (4, 4)])
def test_weibull(power: int, log_power: int) -> None:
    """E[z^j log^m z] of an exponential z is the m-th derivative of Γ at 1 + j."""
    t, w = weibull_rule(Weibull(np.ones(1), np.ones(1)).checked(1))
    exact = float(mp.diff(mp.gamma, 1 + power, log_power))
    np.testing.assert_allclose((w * np.exp(power * t) * t**log_power).sum(), exact, rtol=1e-12)


@pytest.mark.parametrize(
    ("mean", "size"),
    [(3.0, 2.0), (50.0, 0.1), (50.0, 1e6), (1e5, 3.0), (1e8, 1e9), (1e12, 1e2), (2.0, 1e-6), (1e12, 1e9)],
)
def test_negative_binomial(mean: float, size: float) -> None:
    y, w = negative_binomial_rule(NegativeBinomial(np.array([mean]), np.array([size])).checked(1))
    assert y.shape[1] < 2000
    variance = mean * (1 + mean / size)
    fourth = variance * (1 + 3 * variance + 6 * variance / size)  # κ₄ = V(1 + 6V/size), μ₄ = κ₄ + 3V²
    np.testing.assert_allclose((w * y).sum(), mean, rtol=1e-13)
    np.testing.assert_allclose((w * (y - mean) ** 2).sum(), variance, rtol=1e-11)
    np.testing.assert_allclose((w * (y - mean) ** 4).sum(), fourth, rtol=1e-11)


@pytest.mark.parametrize("length", [16, 32, 1024, 2**40])
def test_gauss_rule_for_sums(length: int) -> None:
    """Exact up to degree 31: checked in exact integers, for y − (length − 1)/2 doubled to make it whole."""
    x, w = gauss_for_sums(length)
    centred = 2 * x - (length - 1)
    if length == 16:
        np.testing.assert_allclose(np.sort(x), np.arange(16), atol=1e-12)
        np.testing.assert_allclose(w, 1.0, rtol=1e-12)
    for degree in (0, 2, 8, 16, 30):
        if length > 1024:  # Faulhaber: the sum tends to the integral, with relative error 1/length²
            exact = length / (degree + 1)
        else:
            exact = sum((2 * k - (length - 1)) ** degree for k in range(length)) / float(length) ** degree
        np.testing.assert_allclose((w * (centred / length) ** degree).sum(), exact, rtol=1e-12)


def test_rows_of_different_widths_are_padded_with_nothing() -> None:
    both = NegativeBinomial(np.array([2.0, 1e6]), np.array([3.0, 5.0])).checked(2)
    y, w = negative_binomial_rule(both)
    np.testing.assert_allclose(w.sum(axis=1), 1.0, rtol=1e-14)
    np.testing.assert_allclose((w * y).sum(axis=1), both.mean, rtol=1e-13)
