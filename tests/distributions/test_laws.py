"""Laws that hold for every family, over the table of cases.py. Fisher information by three routes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rsens.distributions import ALL_FAMILIES
from tests.distributions.cases import CASES, Array, Case

every_case = pytest.mark.parametrize("case", CASES, ids=str)
ORDERS = (0.0, 0.1, 0.5, 0.9, 1.0, 1.2, 2.0, np.inf)


def test_the_table_covers_every_family() -> None:
    assert {case.family for case in CASES} == {family.__name__ for family in ALL_FAMILIES}


def information(case: Case) -> Array:
    """The Fisher information on the tangent space, (n, R, R)."""
    t = case.tangent
    return np.einsum("ri,nij,sj->nrs", t, case.distribution.fisher(), t)


def assert_information(got: Array, want: Array, tolerance: float) -> None:
    """Entries compared on the scale of their diagonals."""
    scale = np.sqrt(np.einsum("nii->ni", want))
    np.testing.assert_allclose(
        got / scale[:, :, None] / scale[:, None, :], want / scale[:, :, None] / scale[:, None, :], atol=tolerance, rtol=0
    )


# ---- density and score -----------------------------------------------------------------------------------------------


@every_case
def test_log_prob_normalises(case: Case) -> None:
    y, weights = case.grid(case.distribution)
    np.testing.assert_allclose((weights * np.exp(case.distribution.log_prob(y))).sum(0), 1.0, rtol=1e-11)


@every_case
def test_log_prob_is_that_of_scipy(case: Case) -> None:
    if case.scipy is None:
        pytest.skip("SciPy has no mixtures")
    rng = np.random.default_rng(1)
    y = case.distribution.sample(rng, 20)
    for i, row in enumerate(case.near):
        law = case.scipy(row)
        want = law.logpmf(y[:, i]) if hasattr(law, "logpmf") else law.logpdf(y[:, i])
        np.testing.assert_allclose(case.distribution.log_prob(y)[:, i], want, rtol=1e-9, atol=1e-11)


@every_case
def test_score_is_the_derivative_of_log_prob(case: Case) -> None:
    y = case.distribution.sample(np.random.default_rng(2), 5)
    score = case.distribution.score(y) @ case.tangent.T
    assert score.shape == (5, len(case.near), len(case.tangent))
    for r, direction in enumerate(case.tangent):
        step = 1e-3 * np.abs(case.near[:, direction != 0]).min(1) + 1e-4
        want = derivative(lambda h, d=direction, y=y: case.build(case.near + h[:, None] * d).log_prob(y), step)
        np.testing.assert_allclose(score[..., r], want, rtol=1e-7, atol=1e-7)


def derivative(f: Callable[[Array], Array], step: Array) -> Array:
    """f'(0) by central differences at h, h/2 and h/4 with Richardson's extrapolation: error O(h⁶)."""
    d = [(f(step / k) - f(-step / k)) / (2 * step / k) for k in (1, 2, 4)]
    first = [(4 * d[1] - d[0]) / 3, (4 * d[2] - d[1]) / 3]
    return (16 * first[1] - first[0]) / 15


# ---- Fisher information by three routes ---------------------------------------------------------------------------------


@every_case
def test_fisher_is_the_expected_square_of_the_score(case: Case) -> None:
    family = case.distribution
    y, weights = case.grid(family)
    p = weights * np.exp(family.log_prob(y))
    score = family.score(y) @ case.tangent.T
    score = np.where(p[..., None] > 0, score, 0.0)
    np.testing.assert_allclose(np.einsum("sn,snr->nr", p, score), 0.0, atol=1e-8 * np.sqrt(information(case).max()))
    assert_information(np.einsum("sn,snr,snq->nrq", p, score, score, optimize=True), information(case), 1e-9)


@every_case
@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_fisher_is_the_curvature_of_the_divergence(case: Case, alpha: float) -> None:
    """∂²D_α[λ ‖ λ']/∂λ'² at λ' = λ is α I (paper, equation 2)."""
    family, want = case.distribution, information(case)
    r = len(case.tangent)
    for i in range(r):
        for j in range(i + 1):
            # Along tangent i plus tangent j the quadratic form gives entry (i, j). A step of at most 2 % of what moves
            # and at most 0.02 in Fisher length leaves errors of order 0.02⁶ after the extrapolation.
            along = np.eye(r)[[i, j]].sum(0) if i != j else np.eye(r)[i]
            direction = along @ case.tangent
            if alpha > 1 and case.family == "Weibull" and direction[0] != 0:
                continue  # infinite for every larger shape, see test_weibull.py
            curvature = np.einsum("r,nrs,s->n", along, want, along)
            moving = np.abs(case.near[:, direction != 0])
            share = np.where(moving > 0, moving, np.inf).min(1)
            size = 0.02 * np.minimum(share, 1 / np.sqrt(curvature))
            move = size[:, None] * direction
            got = second_derivative(lambda h, m=move: family.renyi(case.build(case.near + h * m), alpha))
            np.testing.assert_allclose(got / size**2, alpha * curvature, rtol=3e-7)


def second_derivative(f: Callable[[float], Array]) -> Array:
    """f''(0) where f(0) = f'(0) = 0, by steps 1, 1/2, 1/4 and Richardson's extrapolation."""
    d = [(f(h) + f(-h)) / h**2 for h in (1.0, 0.5, 0.25)]
    first = [(4 * d[1] - d[0]) / 3, (4 * d[2] - d[1]) / 3]
    return (16 * first[1] - first[0]) / 15


@every_case
def test_fisher_by_monte_carlo(case: Case) -> None:
    """Within 5 standard errors, estimated from the same draws, and 1e-3 for what is too rare to be drawn."""
    family, want = case.distribution, information(case)
    draws = 40_000
    score = family.score(family.sample(np.random.default_rng(3), draws)) @ case.tangent.T
    products = np.einsum("snr,snq->snrq", score, score)
    error = products.std(0) / np.sqrt(draws)
    scale = np.sqrt(np.einsum("nii->ni", want))
    floor = 1e-3 * scale[:, :, None] * scale[:, None, :]
    assert (np.abs(products.mean(0) - want) <= 5 * error + floor).all()


@every_case
def test_whiten_norm_and_information_agree(case: Case) -> None:
    family = case.distribution
    n, m = case.near.shape
    u = np.random.default_rng(4).normal(size=(n, len(case.tangent), 2, 3))
    u = np.einsum("nrab,rm->nmab", u, case.tangent)
    white = family.whiten(u)
    assert white.shape[0] == n and white.shape[2:] == (2, 3)
    want = np.einsum("nmab,nmk,nkab->nab", u, family.fisher(), u)
    np.testing.assert_allclose((white**2).sum(1), want, rtol=1e-10)
    np.testing.assert_allclose(family.fisher_norm(u) ** 2, want, rtol=1e-10)
    np.testing.assert_allclose(family.fisher(), np.swapaxes(family.fisher(), 1, 2), rtol=1e-12)
    assert (np.linalg.eigvalsh(information(case)) > -1e-9 * np.abs(information(case)).max()).all()


@every_case
def test_orthogonal_blocks(case: Case) -> None:
    """Between the blocks the information is zero."""
    family = case.distribution
    assert dict(family.orthogonal_blocks) == case.blocks
    information_matrix = family.fisher()
    for name, block in case.blocks.items():
        for other_name, other in case.blocks.items():
            if name != other_name:
                np.testing.assert_allclose(information_matrix[:, block, other], 0.0, atol=1e-14)


# ---- divergence ----------------------------------------------------------------------------------------------------------


@every_case
def test_divergence_by_quadrature(case: Case) -> None:
    p, q = case.distribution, case.other
    y, weights = case.grid(p)
    log_p, log_q = p.log_prob(y), q.log_prob(y)
    for alpha in (0.3, 0.5, 1.2):
        want = np.log((weights * np.exp(alpha * log_p + (1 - alpha) * log_q)).sum(0)) / (alpha - 1)
        np.testing.assert_allclose(p.renyi(q, alpha), want, rtol=1e-9)
    with np.errstate(invalid="ignore"):
        kl = np.where(np.isfinite(log_p), weights * np.exp(log_p) * (log_p - log_q), 0.0).sum(0)
    np.testing.assert_allclose(p.renyi(q, 1.0), kl, rtol=1e-9)
    np.testing.assert_allclose(p.renyi(q), kl, rtol=1e-9)


@every_case
def test_divergence_is_zero_only_for_equal_distributions(case: Case) -> None:
    p, q = case.distribution, case.other
    for alpha in ORDERS:
        np.testing.assert_array_equal(p.renyi(case.distribution, alpha), 0.0)
        if alpha > 0:
            assert (p.renyi(q, alpha) > 1e-6).all()
            assert (q.renyi(p, alpha) > 1e-6).all()
    np.testing.assert_array_equal(p.renyi(q, 0.0), 0.0)  # the supports are the same


@every_case
def test_divergence_grows_with_its_order(case: Case) -> None:
    values = np.array([case.distribution.renyi(case.other, alpha) for alpha in ORDERS])
    finite = np.where(np.isfinite(values), values, np.finfo(float).max)
    assert (np.diff(finite, axis=0) >= -1e-12 * finite[:-1]).all()


@every_case
def test_divergence_is_continuous_in_its_order(case: Case) -> None:
    """At 1 from both sides, and at 0 and ∞ from within."""
    p, q = case.distribution, case.other
    for near in (1 - 1e-6, 1 - 1e-12, 1 + 1e-12, 1 + 1e-6):
        np.testing.assert_allclose(p.renyi(q, near), p.renyi(q, 1.0), rtol=1e-5)
    np.testing.assert_allclose(p.renyi(q, 1e-9), 0.0, atol=1e-7)
    top = p.renyi(q, np.inf)
    finite = np.isfinite(top)
    high = p.renyi(q, 1e5)
    np.testing.assert_allclose(high[finite], top[finite], rtol=1e-2)
    assert (high <= top * (1 + 1e-12)).all()


@every_case
@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.5, 0.999])
def test_divergence_is_skew_symmetric(case: Case, alpha: float) -> None:
    """(1 − α) D_α[P ‖ Q] = α D_{1−α}[Q ‖ P]."""
    p, q = case.distribution, case.other
    np.testing.assert_allclose((1 - alpha) * p.renyi(q, alpha), alpha * q.renyi(p, 1 - alpha), rtol=1e-9)


@every_case
def test_largest_ratio(case: Case) -> None:
    """D_∞ is the log of the largest p/q: no ratio exceeds it and the grid comes close to it."""
    p, q = case.distribution, case.other
    y, _ = case.grid(p)
    with np.errstate(invalid="ignore"):
        ratio = p.log_prob(y) - q.log_prob(y)
    ratio = np.where(np.isfinite(ratio), ratio, -np.inf)
    top = p.renyi(q, np.inf)
    assert (ratio.max(0) <= top * (1 + 1e-10)).all()
    finite = np.isfinite(top)
    np.testing.assert_allclose(ratio.max(0)[finite], top[finite], rtol=2e-2)


# ---- samples and moments -------------------------------------------------------------------------------------------------


@every_case
def test_moments_are_those_of_the_density(case: Case) -> None:
    family = case.distribution
    y, weights = case.grid(family)
    p = weights * np.exp(family.log_prob(y))
    if "Categorical" in case.name:  # y is a label: the mean is that of the indicators
        y = np.eye(3)[y.astype(int)]
    y = y if y.ndim == 3 else y[..., None]
    mean = np.einsum("sn,snk->nk", p, y)
    variance = np.einsum("sn,snk->nk", p, (y - mean) ** 2)
    n = len(case.near)
    np.testing.assert_allclose(np.reshape(family.mean, (n, -1)), mean, rtol=1e-9, atol=1e-9)
    # The tails of a Student-t with 4 degrees of freedom hold more of the variance than of anything else.
    np.testing.assert_allclose(np.reshape(family.variance, (n, -1)), variance, rtol=1e-6 if case.name == "StudentT" else 1e-9)


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
    # Nodes of a trapezoid rule carry half of their mass to either side; counts carry all of it.
    whole = np.array_equal(edges, np.round(edges))
    exact = cumulative if whole else cumulative - mass[order] / 2
    return float(stats.kstwo.sf(np.abs(empirical - exact).max(), len(sample)))


@every_case
def test_sample_shapes_and_seeds(case: Case) -> None:
    family, n = case.distribution, len(case.near)
    one = family.sample(np.random.default_rng(6))
    many = family.sample(np.random.default_rng(6), 7)
    assert many.shape == (7, *one.shape) and one.shape[0] == n
    np.testing.assert_array_equal(many, family.sample(np.random.default_rng(6), 7))
    assert family.log_prob(one).shape == (n,)
    assert family.log_prob(many).shape == (7, n)
    assert np.isfinite(family.log_prob(many)).all()


# ---- the point prediction ------------------------------------------------------------------------------------------------


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


# ---- λ -------------------------------------------------------------------------------------------------------------------


@every_case
def test_parameters_are_stacked_in_order(case: Case) -> None:
    family = case.distribution
    np.testing.assert_array_equal(family.parameters, case.near)
    names = family.parameter_names
    assert len(names) == case.near.shape[1]
    assert len(set(names)) == len(names)
    assert all(short in name for short, name in zip(case.names, names, strict=True))


@every_case
def test_leaves_rebuild_the_family(case: Case) -> None:
    family: Any = case.distribution
    again = family.rebuilt(iter(family.leaves()))
    assert type(again) is type(family)
    np.testing.assert_array_equal(again.parameters, family.parameters)
    np.testing.assert_array_equal(again.renyi(case.other, 0.7), family.renyi(case.other, 0.7))


@every_case
def test_checked_broadcasts_to_rows(case: Case) -> None:
    """One distribution, given by scalars, stands for as many rows as are asked for."""
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
