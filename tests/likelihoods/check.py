"""Checks that several test files share."""

from __future__ import annotations

import numpy as np

from rsens.likelihoods import Likelihood
from tests.likelihoods.cases import PREDICTIVE, Array, Case
from tests.likelihoods.oracle import stored

TINY = np.finfo(float).tiny


def close(found: Array, exact: Array, relative: float, absolute: float | Array = TINY) -> None:
    """Every value within its tolerance, or an assertion that shows the first that is not."""
    found, exact, absolute = np.broadcast_arrays(np.asarray(found), np.asarray(exact), absolute)
    with np.errstate(under="ignore"):
        error, allowed = np.abs(found - exact), relative * np.abs(exact) + absolute
    wrong = np.argwhere(~(error <= allowed))
    if len(wrong):
        worst = tuple(wrong[0])
        raise AssertionError(f"{len(wrong)} wrong, the first at {worst}: got {found[worst]!r}, exact {exact[worst]!r}")


def check_density(case: Case) -> None:
    """log p and its f-derivatives against 60-digit arithmetic.

    The slope of a count likelihood is the difference of two numbers of the size of `subtracted`, whose rounding it
    inherits; all else keeps its own digits, in the tails too.
    """
    likelihood, y, f = case.likelihood, case.y, case.f
    log_density, *exact = np.array(stored("density", case)).T
    # f is known to half a unit in its last place, which the slope carries over.
    close(likelihood.log_density(y, f), log_density, 4e-15, 4e-15 + 4e-16 * np.abs(f * exact[0]))
    for found, wanted in zip(likelihood.f_derivatives(y, f), exact, strict=True):
        close(found, wanted, 1e-13, TINY + 1e-15 * subtracted(likelihood, y, f))


def check_theta(case: Case) -> None:
    """Derivatives in theta, which are differences of numbers of the size of y for counts, and of 1 otherwise."""
    likelihood, y, f = case.likelihood, case.y, case.f
    by_density, by_slope, by_second = np.array(stored("theta", case)).T
    if likelihood.name == "student_t":
        by_second = likelihood.curvature(y, f)[0]  # the expected information is proportional to 1/s²
    found = likelihood.theta_derivatives(y, f)
    scale = 1.0 + subtracted(likelihood, y, f)
    for got, wanted in zip(found, (by_density, by_slope, -by_second), strict=True):
        assert got.shape == (1, len(y))
        close(got[0], wanted, 1e-13, 2e-15 * scale)


def subtracted(likelihood: Likelihood, y: Array, f: Array) -> Array:
    if likelihood.name == "poisson":
        return y + np.exp(f)
    if likelihood.name == "negative_binomial":
        k = likelihood.size
        return (y + np.exp(f)) * k / (k + np.exp(f))
    return np.zeros_like(y)


def check_log_predictive_density(likelihood: Likelihood) -> None:
    points = {str(k): p for k, p in PREDICTIVE}[str(likelihood)]
    y, m, v = np.array(points).T
    close(likelihood.log_predictive_density(y, m, v), stored("predictive", likelihood), 1e-14, 1e-11)


def check_link_derivatives(likelihood: Likelihood, points: list[tuple[float, float]]) -> None:
    """Derivatives of π = E[h(f)] in (m, v), with ∂_v = ½∂²_m; near a zero of one, relative to the previous one."""
    m, v = np.array(points).T
    first, second = likelihood.predictive_derivatives(m, v, 2)
    by_m, by_mm, by_mmm, by_mmmm = np.array(stored("link", likelihood.name)).T
    for found, exact, before in [
        (first[:, 0, 0], by_m, by_m),
        (first[:, 0, 1], by_mm / 2, by_m),
        (second[:, 0, 0, 0], by_mm, by_m),
        (second[:, 0, 0, 1], by_mmm / 2, by_mm),
        (second[:, 0, 1, 0], by_mmm / 2, by_mm),
        (second[:, 0, 1, 1], by_mmmm / 4, by_mmm),
    ]:
        close(found, exact, 1e-11, TINY + 1e-14 * np.abs(before))
