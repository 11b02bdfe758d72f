"""The density of rows of which the common ones were thinned out."""

import numpy as np
import pytest

from rsens.likelihoods import LogitLikelihood, NegativeBinomialLikelihood, PoissonLikelihood, ProbitLikelihood
from rsens.models._rows import ThinnedDensity

RATE = 0.05
DENSITIES = {
    "logit": ThinnedDensity(LogitLikelihood(), 0.0, RATE),
    "probit": ThinnedDensity(ProbitLikelihood(), 0.0, RATE),
    "common ones": ThinnedDensity(ProbitLikelihood(), 1.0, RATE),
    "poisson": ThinnedDensity(PoissonLikelihood(), 0.0, RATE),
    "negative binomial": ThinnedDensity(NegativeBinomialLikelihood(2.0), 0.0, RATE),
    "common twos": ThinnedDensity(PoissonLikelihood(), 2.0, RATE),
}


over_all = pytest.mark.parametrize("density", DENSITIES.values(), ids=DENSITIES)


def grid(density):
    highest = 1 if density.likelihood.target == "classes" else 4
    y, f = np.meshgrid(np.arange(highest + 1.0), np.linspace(-3.0, 2.0, 11))
    return y.ravel(), f.ravel()


@over_all
def test_the_probabilities_of_all_y_add_up_to_one(density):
    f = np.linspace(-4.0, 2.0, 7)
    most = 1 if density.likelihood.target == "classes" else 400
    total = sum(np.exp(density.log_density(np.full_like(f, y), f)) for y in range(most + 1))
    np.testing.assert_allclose(total, 1.0, rtol=1e-9)


def test_density_after_thinning_by_bayes_theorem():
    f = np.linspace(-3.0, 3.0, 9)
    p = np.exp(ProbitLikelihood().log_density(np.ones(9), f))
    kept = p / (p + RATE * (1.0 - p))
    np.testing.assert_allclose(np.exp(DENSITIES["probit"].log_density(np.ones(9), f)), kept, rtol=1e-12)


@over_all
def test_derivatives_in_f_are_those_of_differences_and_the_curvature_is_cut_off_at_zero(density):
    y, f = grid(density)
    h = 1e-5
    up, down = density.f_derivatives(y, f + h), density.f_derivatives(y, f - h)
    lower = ((density.log_density(y, f + h) - density.log_density(y, f - h)) / (2 * h),)
    differences = lower + tuple((a - b) / (2 * h) for a, b in zip(up[:2], down[:2], strict=True))
    for ours, expected in zip(density.f_derivatives(y, f), differences, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-6, atol=1e-8)
    W, dW = density.curvature(y, f)
    _, second, third = density.f_derivatives(y, f)
    np.testing.assert_allclose(W, np.maximum(-second, 0.0))
    np.testing.assert_allclose(dW, np.where(second < 0.0, -third, 0.0))


def test_derivatives_in_theta_are_those_of_differences():
    density = DENSITIES["negative binomial"]
    (y, f), h = grid(density), 1e-5
    theta = density.likelihood.theta
    up, down = (ThinnedDensity(density.likelihood.with_theta(theta + step), 0.0, RATE) for step in (h, -h))
    parts = (lambda d: d.log_density(y, f), lambda d: d.f_derivatives(y, f)[0], lambda d: d.curvature(y, f)[0])
    for found, part in zip(density.theta_derivatives(y, f), parts, strict=True):
        np.testing.assert_allclose(found[0], (part(up) - part(down)) / (2 * h), rtol=1e-6, atol=1e-8)
