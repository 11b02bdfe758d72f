"""The arrays a family is built from: traced ones, whose λ can be differentiated, and all kinds of numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.distributions.cases import CASES, Case

every_case = pytest.mark.parametrize("case", CASES, ids=str)


def moved(family: Any, x: Any, convert: Any) -> Any:
    """The family with every leaf multiplied by x (fixed arguments too, they are not looked at in a trace)."""
    return family.rebuilt(iter([convert(leaf) * x for leaf in family.leaves()]))


@every_case
def test_traced_and_differentiated(case: Case) -> None:
    """Every λ is proportional to x, so value and slope are λ itself."""
    jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")
    family = case.distribution

    def as_tensor(leaf: Any) -> Any:
        return torch.tensor(np.asarray(leaf, dtype=np.float64))

    with jax.enable_x64(True):
        jitted = jax.jit(lambda x: moved(family, x, jax.numpy.asarray).parameters)
        by_jax = jax.jvp(jitted, (jax.numpy.float64(1.0),), (jax.numpy.float64(1.0),))
    one = torch.tensor(1.0, dtype=torch.float64)
    by_torch = torch.func.jvp(lambda x: moved(family, x, as_tensor).parameters, (one,), (one,))
    for array in (*by_jax, *(tensor.numpy() for tensor in by_torch)):
        assert array.dtype == np.float64
        np.testing.assert_allclose(array, case.near, rtol=1e-14)


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


GIVEN = {
    "lists": lambda leaf: leaf.tolist(),
    "single": lambda leaf: leaf.astype(np.float32),
    "fractions": lambda leaf: np.vectorize(Fraction, otypes=[object])(leaf),
}


def values_of(family: Any) -> dict[str, Any]:
    values = {name: getattr(family, name) for name in ("parameters", "mean", "variance")}
    values |= {name: getattr(family, name)() for name in ("prediction", "prediction_gradient", "fisher")}
    return values | family.fields() | {"sample": family.sample(np.random.default_rng(0))}


def assert_floats(family: Any, expected: Any, tolerance: float, skip: tuple[str, ...] = ()) -> None:
    for name, value in values_of(family).items():
        assert isinstance(value, np.ndarray | np.floating), name
        assert value.dtype.kind == "f", name
        if name not in skip:
            want = values_of(expected)[name]
            np.testing.assert_allclose(value, want, rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.parametrize("kind", GIVEN)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_any_kind_of_numbers(case: Case, kind: str) -> None:
    family = case.distribution
    leaves = [GIVEN[kind](np.asarray(leaf)) for leaf in family.leaves()]
    if kind == "single" and "Categorical" in case.name:
        leaves = [leaf.astype(np.float64) if leaf.ndim == 1 else leaf for leaf in leaves]
    given = family.rebuilt(iter(leaves))
    # A draw of a count may fall on the other side of a rounded probability.
    assert_floats(given, family, 1e-5 if kind == "single" else 0.0, ("sample",) if kind == "single" else ())
