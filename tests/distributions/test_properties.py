"""Random shapes and scales: broadcasting, extra axes of u, and what must not depend on units."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from rsens import distributions as ds
from tests.distributions.cases import CASES, Case

common = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
every_case = pytest.mark.parametrize("case", [c for c in CASES if c.family != "Mixture"], ids=str)
sizes = st.floats(-6.0, 6.0).map(lambda e: 10.0**e)
moderate = st.floats(-2.0, 2.0).map(lambda e: 10.0**e)
orders = st.sampled_from([0.2, 0.5, 0.9, 1.0, 1.3, 2.0])
FAMILIES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "Normal": (ds.Normal, (st.floats(-1e6, 1e6), sizes)),
    "StudentT": (lambda m, v: ds.StudentT(m, v, 5.0), (st.floats(-1e3, 1e3), moderate)),
    "LogNormal": (ds.LogNormal, (st.floats(-50, 50), moderate)),
    "Gamma": (ds.Gamma, (sizes, sizes)),
    "Exponential": (ds.Exponential, (sizes,)),
    "Beta": (ds.Beta, (sizes, sizes)),
    "Weibull": (ds.Weibull, (st.floats(0.05, 50), sizes)),
    "Bernoulli": (ds.Bernoulli, (st.floats(0.0, 1.0, exclude_min=True, exclude_max=True),)),
    "Poisson": (ds.Poisson, (sizes,)),
    "NegativeBinomial": (ds.NegativeBinomial, (moderate, moderate)),
}


@every_case
@common
@given(data=st.data())
def test_extra_axes_of_a_change(case: Case, data: st.DataObject) -> None:
    """u (n, M), (n, M, D), (n, M, D, D): every slice gets the norm it would get alone."""
    extra = data.draw(st.lists(st.integers(0, 4), max_size=2))
    seed = data.draw(st.integers(0, 2**20))
    n, m = case.near.shape
    u = np.random.default_rng(seed).normal(size=(n, m, *extra))
    family = case.distribution
    got = family.fisher_norm(u)
    assert got.shape == (n, *extra)
    flat = u.reshape(n, m, -1)
    for j in range(flat.shape[2]):
        np.testing.assert_allclose(got.reshape(n, -1)[:, j], family.fisher_norm(flat[:, :, j]), rtol=1e-12)


@every_case
@common
@given(exponent=st.integers(-140, 140), seed=st.integers(0, 2**20))
def test_norm_is_homogeneous(case: Case, exponent: int, seed: int) -> None:
    """‖c u‖ = |c| ‖u‖ also where the squares are out of range."""
    u = np.random.default_rng(seed).normal(size=(*case.near.shape, 2))
    family, c = case.distribution, 2.0**exponent * 2.0 ** (3 * exponent)
    np.testing.assert_allclose(family.fisher_norm(-c * u), c * family.fisher_norm(u), rtol=1e-13)


@every_case
@common
@given(seed=st.integers(0, 2**20))
def test_triangle_inequality(case: Case, seed: int) -> None:
    u, v = np.random.default_rng(seed).normal(size=(2, *case.near.shape, 3))
    norm = case.distribution.fisher_norm
    assert (norm(u + v) <= (norm(u) + norm(v)) * (1 + 1e-12)).all()


@every_case
@common
@given(data=st.data())
def test_rows_do_not_see_each_other(case: Case, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(case.near) - 1), min_size=1, max_size=6))
    alpha = data.draw(orders)
    part = case.build(case.near[rows])
    divergences, information = of_all_rows(case, alpha)
    np.testing.assert_allclose(part.renyi(case.build(case.far[rows]), alpha), divergences[rows], rtol=1e-12)
    np.testing.assert_allclose(part.fisher(), information[rows], rtol=1e-12)


@cache
def of_all_rows(case: Case, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    return case.distribution.renyi(case.other, alpha), case.distribution.fisher()


@pytest.mark.parametrize(("make", "strategies"), FAMILIES.values(), ids=FAMILIES)
@common
@given(data=st.data())
def test_divergence_over_all_scales(make: Any, strategies: tuple[Any, ...], data: st.DataObject) -> None:
    """Not negative, not NaN, non-decreasing in α, skew-symmetric, and zero for equal arguments."""
    p, q = (make(*[np.array([data.draw(s)]) for s in strategies]) for _ in range(2))
    values = [p.renyi(q, alpha)[0] for alpha in (0.0, 0.2, 0.5, 1.0, 1.5, np.inf)]
    assert not np.isnan(values).any()
    assert values[0] == 0.0
    for low, high in itertools.pairwise(values):
        assert low <= high * (1 + 1e-8)
    np.testing.assert_allclose(0.8 * p.renyi(q, 0.2), 0.2 * q.renyi(p, 0.8), rtol=1e-8)
    np.testing.assert_array_equal(p.renyi(p, 0.5), 0.0)


@pytest.mark.parametrize(("make", "strategies"), FAMILIES.values(), ids=FAMILIES)
@common
@given(data=st.data())
def test_broadcasting(make: Any, strategies: tuple[Any, ...], data: st.DataObject) -> None:
    """Scalar fields with (n,) fields give the same as full arrays."""
    n = data.draw(st.integers(1, 5))
    values = [data.draw(s) for s in strategies]
    scalar = data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    assume(not all(scalar))
    mixed = make(*[v if alone else np.full(n, v) for v, alone in zip(values, scalar, strict=True)])
    full = make(*[np.full(n, v) for v in values])
    assert mixed.parameters.shape == (n, len(values))
    np.testing.assert_array_equal(mixed.parameters, full.parameters)
    u = np.ones((n, len(values), 2))
    np.testing.assert_array_equal(mixed.fisher_norm(u), full.fisher_norm(u))
    np.testing.assert_array_equal(mixed.checked(n).mean, full.checked(n).mean)


@common
@given(unit=st.floats(-60.0, 60.0).map(lambda e: 10.0**e), data=st.data())
def test_divergence_does_not_depend_on_units(unit: float, data: st.DataObject) -> None:
    """y and its scale parameters multiplied by a constant."""
    a, b = (data.draw(moderate) for _ in range(2))
    alpha = data.draw(orders)
    for make in (
        lambda x, s: ds.Normal(np.array([x * s]), np.array([x * s**2])),
        lambda x, s: ds.StudentT(np.array([x * s]), np.array([x * s**2]), 5.0),
        lambda x, s: ds.Gamma(np.array([x * s]), np.array([x])),
        lambda x, s: ds.Exponential(np.array([x * s])),
        lambda x, s: ds.Weibull(np.array([2.0]), np.array([x * s])),
    ):
        np.testing.assert_allclose(
            make(a, unit).renyi(make(b, unit), alpha), make(a, 1.0).renyi(make(b, 1.0), alpha), rtol=1e-7, atol=1e-22
        )
