"""λ inside a user's function: JAX tracers and torch tensors go in, `parameters` comes out and can be differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rsens.distributions import Bernoulli, Binomial, Mixture, Normal
from tests.distributions.cases import CASES, Case

every_case = pytest.mark.parametrize("case", CASES, ids=str)


def moved(family: Any, x: Any, convert: Any) -> Any:
    """The family with every leaf multiplied by x (fixed arguments too, they are not looked at in a trace)."""
    return family.rebuilt(iter([convert(leaf) * x for leaf in family.leaves()]))


@every_case
def test_jax(case: Case) -> None:
    jax = pytest.importorskip("jax")
    import jax.numpy as jnp

    family = case.distribution
    with jax.enable_x64(True):

        def parameters(x: Any) -> Any:
            return moved(family, x, jnp.asarray).parameters

        got = jax.jit(parameters)(jnp.float64(1.0))
        value, slope = jax.jvp(parameters, (jnp.float64(1.0),), (jnp.float64(1.0),))
        assert isinstance(got, jax.Array)
        assert got.dtype == jnp.float64
        np.testing.assert_allclose(got, case.near, rtol=1e-14)
        np.testing.assert_allclose(value, case.near, rtol=1e-14)
        np.testing.assert_allclose(slope, case.near, rtol=1e-14)  # every λ is proportional to x


@every_case
def test_torch(case: Case) -> None:
    torch = pytest.importorskip("torch")
    family = case.distribution

    def parameters(x: Any) -> Any:
        return moved(family, x, lambda leaf: torch.tensor(np.asarray(leaf, dtype=np.float64))).parameters

    one = torch.tensor(1.0, dtype=torch.float64)
    value, slope = torch.func.jvp(parameters, (one,), (one,))
    assert isinstance(value, torch.Tensor)
    assert value.dtype == torch.float64
    np.testing.assert_allclose(value.numpy(), case.near, rtol=1e-14)
    np.testing.assert_allclose(slope.numpy(), case.near, rtol=1e-14)


@every_case
def test_checked_takes_torch_and_jax(case: Case) -> None:
    """The boundary turns any array type into float64 NumPy."""
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    with jax.enable_x64(True):
        for convert in (lambda leaf: torch.tensor(np.asarray(leaf, dtype=np.float64)), jax.numpy.asarray):
            family = moved(case.distribution, 1.0, convert).checked(len(case.near))
            assert type(family.parameters) is np.ndarray
            assert family.parameters.dtype == np.float64
            np.testing.assert_array_equal(family.parameters, case.near)
            np.testing.assert_array_equal(family.renyi(case.other, 0.5), case.distribution.renyi(case.other, 0.5))


@pytest.mark.parametrize("z", [-700.0, -30.0, 0.3, 30.0, 700.0])
@pytest.mark.parametrize(
    "make", [lambda z: Bernoulli(logit=z), lambda z: Binomial(5.0, logit=z)], ids=["Bernoulli", "Binomial"]
)
def test_logit_derivatives_keep_their_digits(make: Any, z: float) -> None:
    """∂π/∂z = σ(z) σ(−z) and ∂²π/∂z² = σ(z) σ(−z) (σ(−z) − σ(z)) in both tails, where 1 − π has no digits left."""
    jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")
    p, q = (1 / (1 + np.exp(-s * z)) for s in (1.0, -1.0))
    with jax.enable_x64(True):

        def f(x: Any) -> Any:
            return make(x[None]).parameters[0, 0]

        x = jax.numpy.float64(z)
        np.testing.assert_allclose(f(x), p, rtol=1e-13)
        np.testing.assert_allclose(jax.grad(f)(x), p * q, rtol=1e-12)
        np.testing.assert_allclose(jax.grad(jax.grad(f))(x), p * q * (q - p), rtol=1e-12)
    x = torch.tensor(z, dtype=torch.float64)
    g = torch.func.grad(f)
    np.testing.assert_allclose(f(x).item(), p, rtol=1e-13)
    np.testing.assert_allclose(g(x).item(), p * q, rtol=1e-12)
    np.testing.assert_allclose(torch.func.grad(g)(x).item(), p * q * (q - p), rtol=1e-12)


def test_constants_beside_traced_arrays() -> None:
    """A user may write Normal(f(x), 0.25): Python numbers, NumPy arrays and traced arrays together."""
    jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")
    want = [[1.0, 0.25], [2.0, 0.25]]
    got = jax.jit(lambda x: Normal(x, 0.25).parameters)(np.array([1.0, 2.0]))
    np.testing.assert_allclose(got, want)
    x = torch.tensor([1.0, 2.0], dtype=torch.float64)
    np.testing.assert_allclose(Normal(x, 0.25).parameters.numpy(), want)
    np.testing.assert_allclose(Normal(0.25, x).parameters.numpy(), np.array(want)[:, ::-1])
    np.testing.assert_allclose(Normal(np.array([1.0, 2.0]), 0.25).parameters, want)


def test_constants_inside_a_traced_mixture() -> None:
    jax = pytest.importorskip("jax")

    def f(x: Any) -> Any:
        return Mixture([Normal(x, 1.0), Normal(0.0, x**2)], [0.5, 0.5]).parameters

    with jax.enable_x64(True):
        value, slope = jax.jvp(f, (jax.numpy.array([3.0]),), (jax.numpy.array([1.0]),))
    np.testing.assert_allclose(value, [[3.0, 1.0, 0.0, 9.0]])
    np.testing.assert_allclose(slope, [[1.0, 0.0, 0.0, 6.0]])


def test_batched_by_vmap() -> None:
    """One distribution per row under vmap: scalars inside, (n, M) outside."""
    jax = pytest.importorskip("jax")
    got = jax.vmap(lambda x: Normal(x[0] * x[1], 1.0 + x[1] ** 2).parameters)(np.array([[1.0, 2.0], [3.0, 1.0]]))
    np.testing.assert_allclose(got, [[2.0, 5.0], [3.0, 2.0]])
