"""Laws that hold for every source, over every family."""

import mpmath
import numpy as np
import pytest

from rsens.adapters import read_for
from rsens.derivatives import iterate
from rsens.distributions import ALL_FAMILIES, Bernoulli, Normal
from tests.derivatives.sources import DIFFERENCES, FAMILY_CASES, JAX, SOURCES, TORCH, rows

SOURCE = pytest.mark.parametrize("source", SOURCES, ids=[source.name for source in SOURCES])
CASE = pytest.mark.parametrize("case", FAMILY_CASES.values(), ids=list(FAMILY_CASES))


def test_every_family_has_a_case():
    assert {type(case(DIFFERENCES, rows())) for case in FAMILY_CASES.values()} == set(ALL_FAMILIES)


@CASE
@pytest.mark.parametrize("source", [JAX, DIFFERENCES], ids=["jax", "differences"])
def test_all_sources_agree_with_torch(source, case):
    exact, record = TORCH.model(case).derivatives(rows(), 2), source.model(case).derivatives(rows(), 2)
    np.testing.assert_allclose(record.distribution.parameters, exact.distribution.parameters, rtol=1e-13)
    source.close(record.first, exact.first)
    source.close2(record.second, exact.second)


@CASE
@SOURCE
def test_the_record_is_that_of_the_function_at_the_rows(source, case):
    X = rows()
    record = source.model(case).derivatives(X, 2)
    direct = case(DIFFERENCES, X).checked(len(X))
    assert type(record.distribution) is type(direct)
    assert list(record.distribution.fields()) == list(direct.fields())  # a logit stays a logit
    for ours, theirs in zip(record.distribution.leaves(), direct.leaves(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)
    assert record.first.shape == (*direct.parameters.shape, X.shape[1])
    assert record.second.shape == (*direct.parameters.shape, X.shape[1], X.shape[1])
    predicted = source.model(case).predict_distribution(X)
    np.testing.assert_array_equal(predicted.parameters, record.distribution.parameters)


def example(source, X):
    return FAMILY_CASES["normal"](source, X)


@SOURCE
def test_second_derivatives_are_exactly_symmetric(source):
    second = source.model(example).derivatives(rows(), 2).second
    np.testing.assert_array_equal(second, np.swapaxes(second, -1, -2))


@SOURCE
def test_permuting_rows_permutes_the_result(source):
    X, order = rows(9), np.random.default_rng(2).permutation(9)
    model = source.model(example).prepared(X)
    record, permuted = model.derivatives(X, 2), model.derivatives(X[order], 2)
    # Rounding of a row may depend on its place in a matrix product; differences divide that by the step.
    np.testing.assert_allclose(permuted.first, record.first[order], rtol=0, atol=0.1 * source.first)
    np.testing.assert_allclose(permuted.second, record.second[order], rtol=0, atol=0.1 * source.second)


@SOURCE
def test_rescaling_a_column_divides_its_derivatives(source):
    X, units = rows(6), np.array([8.0, 0.25, 1024.0])
    rescaled = source.model(lambda source, X: example(source, X / source.array(units)))
    record, other = source.model(example).derivatives(X, 2), rescaled.derivatives(X * units, 2)
    np.testing.assert_allclose(other.first * units, record.first, rtol=0, atol=1e-12)
    np.testing.assert_allclose(other.second * units[:, None] * units, record.second, rtol=0, atol=1e-12)


@pytest.mark.parametrize("order", [1, 2])
@SOURCE
def test_chunks_change_nothing(source, order):
    X = rows(23)
    model = source.model(example)
    ((whole, expected),) = iterate(*read_for(model, X), order)
    assert whole == slice(0, 23)
    seen = 0
    # A bound this small leaves a few rows per chunk.
    one = model.prepared(X).rows_per_chunk(X.shape[1], order)
    for part, record in iterate(*read_for(model, X), order, max_bytes=5 * 256 * 2**20 // one):
        assert part.start == seen
        assert 0 < len(record) == part.stop - part.start <= 5
        seen = part.stop
        np.testing.assert_allclose(record.first, expected.first[part], rtol=0, atol=0.1 * source.first)
        if order == 2:
            np.testing.assert_allclose(record.second, expected.second[part], rtol=0, atol=0.1 * source.second)
    assert seen == 23


@SOURCE
def test_an_additive_function_has_no_cross_derivatives(source):
    xp = source.xp

    def additive(source, X):
        return Normal(xp.sin(X[:, 0]) + X[:, 1] ** 2 + xp.exp(X[:, 2]), 1.0 + X[:, 0] ** 2)

    second = source.model(additive).derivatives(rows(), 2).second
    off = second[:, :, ~np.eye(3, dtype=bool)]
    np.testing.assert_allclose(off, 0.0, rtol=0, atol=1e-12 if source is not DIFFERENCES else 5e-7)


@pytest.mark.parametrize("source", [JAX, TORCH], ids=["jax", "torch"])
def test_a_constant_function_has_zero_derivatives(source):
    record = source.model(lambda s, X: Normal(1.0, 2.0)).derivatives(rows(), 2)
    assert record.distribution.mean.shape == (len(rows()),)
    assert not record.first.any()
    assert not record.second.any()


@pytest.mark.parametrize("logit", [-700.0, -30.0, 0.0, 30.0, 700.0])
@SOURCE
def test_logits_keep_their_digits_in_both_tails(source, logit):
    """λ = π = e^z/(1 + e^z): ∂π = π(1 − π) and ∂²π = π(1 − π)(1 − 2π), with 50-digit arithmetic as the judge."""
    record = source.model(lambda s, X: Bernoulli(logit=X[:, 0])).derivatives([[logit]], 2)
    with mpmath.workdps(400):
        π = 1 / (1 + mpmath.exp(-mpmath.mpf(logit)))
        first, second = float(π * (1 - π)), float(π * (1 - π) * (1 - 2 * π))
    rtol = {"differences": 1e-7}.get(source.name, 1e-12)
    np.testing.assert_allclose(record.first.ravel(), first, rtol=rtol)
    np.testing.assert_allclose(record.second.ravel(), second, rtol=rtol, atol=1e-8 if logit == 0.0 else 0.0)
    np.testing.assert_allclose(record.distribution.fisher_norm(record.first).ravel(), np.sqrt(first), rtol=rtol)
