"""Families from lists, tuples, whole numbers and single precision: what comes out is always an array of floats."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rsens import distributions as ds
from rsens.distributions._arrays import as_floats
from tests.distributions.cases import CASES, Case


def as_tuple(values: Any) -> Any:
    return tuple(map(as_tuple, values)) if isinstance(values, list) else values


GIVEN = {
    "lists": lambda leaf: leaf.tolist(),
    "tuples": lambda leaf: as_tuple(leaf.tolist()),
    "single": lambda leaf: leaf.astype(np.float32),
    "fractions": lambda leaf: np.vectorize(Fraction, otypes=[object])(leaf),
}
PROPERTIES = ("parameters", "mean", "variance")
METHODS = ("prediction", "prediction_gradient", "fisher")


def values_of(family: Any) -> dict[str, Any]:
    values = {name: getattr(family, name) for name in PROPERTIES}
    values |= {name: getattr(family, name)() for name in METHODS}
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


WHOLE: dict[type[Any], tuple[Any, ...]] = {
    ds.Normal: ([0, 1], [1, 2]),
    ds.StudentT: ([0, 1], [1, 2], 5),
    ds.LogNormal: ([0, 1], [1, 2]),
    ds.Gamma: ([1, 2], [3, 4]),
    ds.Exponential: ([1, 2],),
    ds.Beta: ([1, 2], [3, 4]),
    ds.Weibull: ([1, 2], [3, 4]),
    ds.Bernoulli: ([0, 1],),
    ds.Binomial: (3, [0, 1]),
    ds.Categorical: ([[0, 1], [1, 0]],),
    ds.Histogram: ([0, 1, 3], [[0, 1], [1, 0]]),
    ds.Poisson: ([1, 2],),
    ds.NegativeBinomial: ([1, 2], [3, 4]),
    ds.MultivariateNormal: ([[0, 1]], [[[2, 1], [1, 2]]]),
    ds.Mixture: ([ds.Normal([0, 1], 1), ds.Normal(2, [3, 4])], [0, 1]),
}


@pytest.mark.parametrize("family", ds.ALL_FAMILIES)
def test_whole_numbers(family: type[Any]) -> None:
    """Halves of whole numbers are no whole numbers: nothing may be rounded or stay an int."""
    given = family(*WHOLE[family])
    exact = family(*(v if family is ds.Mixture else np.array(v, dtype=np.float64) for v in WHOLE[family]))
    for name in PROPERTIES:
        value = getattr(given, name)
        assert value.dtype == np.float64
        np.testing.assert_array_equal(value, getattr(exact, name))


def test_columns_of_a_data_frame() -> None:
    table = pd.DataFrame({"m": [0, 1], "v": [1.0, 2.0]}, index=[7, 3])
    given = ds.Normal(table["m"], table["v"])
    assert type(given.mean) is np.ndarray
    np.testing.assert_array_equal(given.mean + given.variance, [1.0, 3.0])


def test_what_must_not_be_read_stays() -> None:
    """Arrays that carry derivatives, also in a list, and what is wrong, which `checked` reports."""
    torch, jnp = pytest.importorskip("torch"), pytest.importorskip("jax.numpy")
    tensor = torch.tensor([1.0], requires_grad=True)
    for values in (
        tensor,
        [tensor[0], 2.0],
        [[tensor[0]]],
        jnp.ones(2),
        (1.0, jnp.ones(())),
        "text",
        None,
        [[1], [1, 2]],
    ):
        assert as_floats(values) is values
