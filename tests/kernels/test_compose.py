"""Sums, products and the additive kernel: how they are put together."""

import numpy as np

from rsens.kernels import EQ, Categorical, Constant, Linear, Matern52, Product, Sum, additive

A, B, C = EQ(0.5, dims=(0,)), Linear(0.7, dims=(1,)), Constant(0.3)


def test_sums_and_products_are_flat():
    assert (A + B) + C == A + (B + C) == Sum((A, B, C)) == Sum([A, Sum((B, C))])
    assert (A * B) * C == A * (B * C) == Product((A, B, C))
    assert Product((Sum((A, B)), C)) == (A + B) * C
    assert Sum((Product((A, B)), C)) == A * B + C


def test_names():
    kernel = A * (B + EQ(1.0, (1.0, 2.0), dims=(3, 1)))
    assert kernel.hyperparameter_names == (
        "factors[0].variance",
        "factors[0].lengthscale",
        "factors[1].terms[0].variance",
        "factors[1].terms[1].variance",
        "factors[1].terms[1].lengthscale[3]",
        "factors[1].terms[1].lengthscale[1]",
    )
    assert kernel.n_dims == 4
    assert (Constant() * EQ()).n_dims is None


def test_additive():
    assert additive(2) == EQ(dims=(0,)) + EQ(dims=(1,))
    assert additive(1) == EQ(dims=(0,))
    assert additive(2, [(1, 0)], Matern52) == Sum(
        (Matern52(dims=(0,)), Matern52(dims=(1,)), Matern52(1.0, (1.0, 1.0), dims=(1, 0)))
    )
    assert additive(np.int64(2), np.array([[0, 1]])) == additive(2, [(0, 1)])


def test_additive_with_categorical_columns():
    assert additive(3, [(0, 1), (2, 1), (0, 2)], Matern52, categorical=[1, 2]) == Sum(
        (
            Matern52(dims=(0,)),
            Categorical(dims=(1,)),
            Categorical(dims=(2,)),
            Matern52(dims=(0,)) * Categorical(dims=(1,)),
            Categorical(1.0, (1.0, 1.0), dims=(2, 1)),
            Matern52(dims=(0,)) * Categorical(dims=(2,)),
        )
    )
    assert additive(2, [(1, 0)], categorical=np.array([1])).terms[2] == Categorical(dims=(1,)) * EQ(dims=(0,))
