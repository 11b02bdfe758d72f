"""What is particular to JAX: precision, compiling, tracing, memory."""

import pickle
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import rsens
from rsens._errors import InputError
from rsens.adapters import read_for
from rsens.derivatives import from_jax, iterate
from rsens.derivatives._model import MAX_BYTES
from rsens.distributions import Categorical, Mixture, Normal, StudentT
from tests.derivatives.sources import JAX, rows


def smooth(X):
    return Normal(jnp.sin(X[:, 0]) * X[:, 1], jnp.exp(X[:, 2]))


def test_the_global_setting_is_not_touched():
    assert not jax.config.jax_enable_x64
    list(iterate(*read_for(from_jax(smooth), rows()), 2))
    assert not jax.config.jax_enable_x64
    assert jnp.ones(2).dtype == jnp.float32
    assert jax.jit(lambda x: x + 1)(1.0).dtype == jnp.float32
    with pytest.raises(InputError):
        from_jax(lambda X: 1.0).derivatives(rows(), 1)
    assert jnp.ones(2).dtype == jnp.float32


@pytest.mark.parametrize("order", [1, 2])
def test_compiled_once_for_each_shape(order):
    fn = mock.Mock(wraps=smooth)
    model = from_jax(fn)
    model.derivatives(rows(9), order)
    calls = fn.call_count
    for n in (9, 10, 13, 16):  # all of them are padded to 16 rows
        model.derivatives(rows(n, seed=n), order)
    assert fn.call_count == calls
    model.derivatives(rows(17), order)
    assert fn.call_count > calls


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9])
def test_padding_leaves_no_trace(n):
    record, expected = JAX.wrap(smooth).derivatives(rows(n), 2), JAX.wrap(smooth).derivatives(rows(32), 2)
    assert len(record) == n
    assert record.distribution.parameters.shape == (n, 2)
    if n > 1:
        np.testing.assert_allclose(record.second[: n // 2], expected.second[: n // 2], rtol=1e-12, atol=1e-14)


def test_a_used_model_can_be_pickled():
    model = from_jax(smooth)
    record = model.derivatives(rows(), 1)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).derivatives(rows(), 1).first, record.first)


def wide(X):
    return Normal(jnp.exp(-((X[:, None] - np.linspace(-1.0, 1.0, 20_000)[:, None]) ** 2).sum(-1)).sum(-1), 1.0)


def square(X):
    mixed = jnp.exp(-((X[:, None] - X) ** 2).sum(-1)) @ jnp.ones((len(X), len(X)))
    return Normal(X[:, 0], jnp.diagonal(mixed) + 1.0)


@pytest.mark.parametrize(("function", "at_least"), [(wide, 1), (square, 64)])
def test_memory_inside_the_function_makes_chunks_small(function, at_least):
    at_most = from_jax(smooth).prepared(rows(2**15)).rows_per_chunk(3, 2)
    model = from_jax(function).prepared(rows(2**15))
    chunk = model.rows_per_chunk(3, 2)
    assert at_least <= chunk < min(at_most, 2**15)
    assert model.programs[2, chunk, 3].bytes <= MAX_BYTES


def test_numpy_branches_and_tensors_inside_the_function():
    for mean in (lambda X: np.asarray(X)[:, 0], lambda X: X[:, 0] if X[0, 0] > 0 else X[:, 1]):
        with pytest.raises(InputError, match=r"cannot be traced by JAX.*from_function"):
            from_jax(lambda X, mean=mean: Normal(mean(X), 1.0)).derivatives(rows(), 1)
    with pytest.raises(InputError, match="is not built from JAX arrays"):
        from_jax(lambda X: Normal(X[:, 0], {"variance": torch.ones(3)})).derivatives(rows(), 1)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda X: Normal(X[:, 0], X[:, 1]), r"at row \d+ \(\d+ of 30 values are wrong\)"),
        (lambda X: Normal(X[:, :1], 1.0), r"the function got 30 rows .*got Normal\(mean \(30, 1\)"),
        (lambda X: Normal(X[:-1, 0], 1.0), r"the function got 30 rows .*got Normal\(mean \(29,\)"),
        (lambda X: StudentT(X[:, 0], 1.0, X[:, :1] ** 2), r"30 rows.*df \(30, 1\)"),
        (lambda X: Categorical(0.1 * jnp.tanh(X) ** 2), r"of 30 rows are wrong"),
    ],
)
def test_messages_count_the_rows_of_the_user(function, text):
    """JAX fills 30 rows up to 32; nobody gave these."""
    for call in (lambda X: rsens.rsens(from_jax(function), X), from_jax(function).predict_distribution):
        with pytest.raises(InputError, match=text):
            call(rows(30))


def test_arguments_without_rows_are_not_cut():
    """32 classes, as many as there are rows with padding."""
    equal = Categorical(jnp.full(32, 1 / 32))
    model = from_jax(lambda X: Mixture([equal, Categorical(jax.nn.softmax(X[:, :1] * jnp.arange(32.0)))], [0.5, 0.5]))
    np.testing.assert_allclose(model.predict_distribution(rows(30)).mean.sum(axis=-1), 1.0, rtol=1e-12)


def test_loops_of_jax():
    """They have forward derivatives: the mean is x₀³x₁²."""

    def looped(X):
        cube = jax.lax.fori_loop(0, 3, lambda i, y: y * X[:, 0], jnp.ones(len(X)))
        square = jax.lax.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, c[1] * X[:, 1]), (0, jnp.ones(len(X))))[1]
        return Normal(cube * square, 1.0)

    X = rows()
    record = from_jax(looped).derivatives(X, 2)
    JAX.close(record.first[:, 0, 0], 3 * X[:, 0] ** 2 * X[:, 1] ** 2)
    JAX.close2(record.second[:, 0, 0, 1], 6 * X[:, 0] ** 2 * X[:, 1])
