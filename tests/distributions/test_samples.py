"""Laws for every family: samples, moments, the point prediction, and λ itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.distributions.cases import CASES, Array, Case, derivative

every_case = pytest.mark.parametrize("case", CASES, ids=str)


@every_case
def test_moments_are_those_of_the_density(case: Case) -> None:
    family = case.distribution
    y, weights = case.grid(family)
    p = weights * np.exp(family.log_prob(y))
    if "Categorical" in case.name:  # y is a label: the mean is the mean of the indicators
        y = np.eye(3)[y.astype(int)]
    y = y if y.ndim == 3 else y[..., None]
    mean = np.einsum("sn,snk->nk", p, y)
    variance = np.einsum("sn,snk->nk", p, (y - mean) ** 2)
    n = len(case.near)
    np.testing.assert_allclose(np.reshape(family.mean, (n, -1)), mean, rtol=1e-9, atol=1e-9)
    # The tails of a Student-t with 4 degrees of freedom hold more of the variance than of anything else.
    np.testing.assert_allclose(
        np.reshape(family.variance, (n, -1)), variance, rtol=1e-6 if case.name == "StudentT" else 1e-9
    )


@every_case
def test_samples_fit_the_distribution(case: Case) -> None:
    """Kolmogorov's statistic against the density summed over the grid."""
    family = case.distribution
    draws = 20_000
    sample = family.sample(np.random.default_rng(5), draws)
    y, weights = case.grid(family)
    p = weights * np.exp(family.log_prob(y))
    if sample.ndim == 3:  # in standard coordinates every entry is standard normal, independently of the others
        factor = np.linalg.cholesky(np.asarray(family.covariance))
        z = np.linalg.solve(factor, (sample - family.mean)[..., None])[..., 0]
        assert stats.kstest(z.ravel(), "norm").pvalue > 1e-3
        identity = np.broadcast_to(np.eye(z.shape[-1]), (len(case.near), *[z.shape[-1]] * 2))
        np.testing.assert_allclose(np.einsum("sni,snj->nij", z, z) / draws, identity, atol=0.04)
        return
    for i in range(len(case.near)):
        assert goodness_of_fit(sample[:, i], y[:, i], p[:, i]) > 1e-3


def goodness_of_fit(sample: Array, nodes: Array, mass: Array) -> float:
    """P-value of the largest gap between the empirical and the exact distribution function (Kolmogorov)."""
    order = np.argsort(nodes)
    edges, cumulative = nodes[order], np.cumsum(mass[order])
    empirical = np.searchsorted(np.sort(sample), edges, side="right") / len(sample)
    # Nodes of a trapezoid rule carry half of their mass to either side; counts carry their whole mass.
    whole = np.array_equal(edges, np.round(edges))
    exact = cumulative if whole else cumulative - mass[order] / 2
    return float(stats.kstwo.sf(np.abs(empirical - exact).max(), len(sample)))


@every_case
def test_sample_shapes_and_seeds(case: Case) -> None:
    family, n = case.distribution, len(case.near)
    one = family.sample(np.random.default_rng(6))
    many = family.sample(np.random.default_rng(6), 7)
    assert many.shape == (7, *one.shape)
    assert one.shape[0] == n
    np.testing.assert_array_equal(many, family.sample(np.random.default_rng(6), 7))
    assert family.log_prob(one).shape == (n,)
    assert family.log_prob(many).shape == (7, n)
    assert np.isfinite(family.log_prob(many)).all()


@every_case
def test_prediction_derivatives(case: Case) -> None:
    family, (n, m) = case.distribution, case.near.shape
    f = case.mean
    gradient, hessian = family.prediction_gradient(), family.prediction_hessian()
    outputs = f(case.near).shape[1]
    assert gradient.shape == (n, outputs, m)
    if hessian is None:
        hessian = np.zeros((n, outputs, m, m))
    assert hessian.shape == (n, outputs, m, m)
    for direction in case.tangent:
        step = np.full(n, 1e-3)
        want = derivative(lambda h, d=direction: f(case.near + h[:, None] * d).T, step).T
        np.testing.assert_allclose(gradient @ direction, want, rtol=1e-8, atol=1e-10)
        want = derivative(
            lambda h, d=direction: case.build(case.near + h[:, None] * d).prediction_gradient().transpose(1, 2, 0), step
        ).transpose(2, 0, 1)
        np.testing.assert_allclose(hessian @ direction, want, rtol=1e-8, atol=1e-10)


@every_case
def test_checked_broadcasts_to_rows(case: Case) -> None:
    """One distribution, given by scalars, is repeated for as many rows as requested."""
    rows = case.build(case.near[0]).checked(5)
    assert rows.parameters.shape == (5, case.near.shape[1])
    np.testing.assert_array_equal(rows.parameters, np.repeat(case.near[:1], 5, axis=0))
    single = case.build(case.near[:1])
    y = single.sample(np.random.default_rng(7))
    np.testing.assert_allclose(rows.log_prob(np.repeat(y, 5, axis=0)), np.repeat(single.log_prob(y), 5), rtol=1e-14)


@every_case
def test_one_distribution_without_rows(case: Case) -> None:
    """All arguments scalar: λ has shape (M,), u has shape (M, …), and every method drops the axis of rows."""
    alone, single, rows = case.build(case.near[0]), case.build(case.near[:1]), case.build(case.far[:1])
    assert alone.parameters.shape == case.near[0].shape
    u = np.stack([case.tangent[0], case.tangent.sum(0)], -1)
    np.testing.assert_allclose(alone.fisher_norm(u), single.fisher_norm(u[None])[0], rtol=1e-14)
    np.testing.assert_allclose(alone.fisher(), single.fisher()[0], rtol=1e-14)
    y = single.sample(np.random.default_rng(8))[0]
    np.testing.assert_allclose(alone.log_prob(y), single.log_prob(y[None])[0], rtol=1e-14)
    np.testing.assert_allclose(alone.score(y), single.score(y[None])[0], rtol=1e-14)
    np.testing.assert_allclose(alone.renyi(case.build(case.far[0]), 0.7), single.renyi(rows, 0.7)[0], rtol=1e-14)
    np.testing.assert_array_equal(alone.prediction_gradient(), single.prediction_gradient()[0])
    assert np.shape(alone.mean) == np.shape(single.mean)[1:]
    assert np.shape(alone.variance) == np.shape(single.variance)[1:]
    assert alone.sample(np.random.default_rng(9), 3).shape[1:] == np.shape(y)
