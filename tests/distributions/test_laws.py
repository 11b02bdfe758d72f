"""Laws that hold for every family, over the table of cases.py. Fisher information by three routes."""

from __future__ import annotations

import numpy as np
import pytest

from rsens.distributions import ALL_FAMILIES
from tests.distributions.cases import CASES, Array, Case, derivative, second_derivative

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
        got / scale[:, :, None] / scale[:, None, :],
        want / scale[:, :, None] / scale[:, None, :],
        atol=tolerance,
        rtol=0,
    )


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
                continue  # infinite for every larger shape
            curvature = np.einsum("r,nrs,s->n", along, want, along)
            moving = np.abs(case.near[:, direction != 0])
            share = np.where(moving > 0, moving, np.inf).min(1)
            size = 0.02 * np.minimum(share, 1 / np.sqrt(curvature))
            move = size[:, None] * direction
            got = second_derivative(lambda h, m=move: family.renyi(case.build(case.near + h * m), alpha))
            np.testing.assert_allclose(got / size**2, alpha * curvature, rtol=3e-7)


@every_case
def test_fisher_by_monte_carlo(case: Case) -> None:
    """Within 5 standard errors, estimated from the same draws, and 1e-3 for events too rare to be drawn."""
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
    n, _m = case.near.shape
    u = np.random.default_rng(4).normal(size=(n, len(case.tangent), 2, 3))
    u = np.einsum("nrab,rm->nmab", u, case.tangent)
    white = family.whiten(u)
    assert white.shape[0] == n
    assert white.shape[2:] == (2, 3)
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
