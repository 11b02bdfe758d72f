"""Kernels and rows that the laws are tested on."""

import numpy as np

from rsens.kernels import (
    EQ,
    Categorical,
    Constant,
    Kernel,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    Periodic,
    RationalQuadratic,
    additive,
)

#: Columns 0 to 2 are continuous, column 3 holds the codes of four levels.
D = 4
STATIONARY = (EQ, Matern12, Matern32, Matern52, RationalQuadratic)

#: Every kernel: shared and per-column hyperparameters, all columns and some, in and out of order.
LEAVES: tuple[Kernel, ...] = (
    *(kind(1.7, 0.8) for kind in STATIONARY),
    *(kind(0.6, (1.5, 0.7), dims=(2, 0)) for kind in STATIONARY),
    EQ(2.0, (0.5, 1.0, 2.0, 4.0)),
    RationalQuadratic(1.1, (0.9, 1.4, 2.0), 2.5, dims=(0, 1, 2)),
    Periodic(1.3, 0.9, 2.2),
    Periodic(0.8, (1.1, 0.6), (1.7, 3.1), dims=(1, 2)),
    Periodic(0.8, (1.1, 0.6), 2.4, dims=(2, 1)),
    Linear(0.7),
    Linear((0.4, 1.9), dims=(3, 1)),
    Constant(1.4),
    Categorical(1.2, 0.7, dims=(3,)),
    Categorical(1.2, (0.7, 1.6), dims=(3, 1)),
)

#: About twenty compositions: every kind as a term and as a factor, overlapping and separate columns, nested.
COMPOSED: tuple[Kernel, ...] = (
    EQ(1.2, 0.9) + Linear(0.5) + Constant(0.3),
    EQ(1.2, (0.9, 1.1), dims=(0, 1)) * Matern52(0.8, 1.4, dims=(1, 2)),
    EQ(0.9, 0.7, dims=(0,)) * EQ(1.1, 1.3, dims=(0,)),
    Matern32(0.7, 1.2) + Matern52(0.5, (0.6, 0.9, 1.2, 1.5)),
    Matern32(0.7, 1.2, dims=(1,)) * Categorical(1.0, 0.8, dims=(3,)),
    RationalQuadratic(1.0, 0.8, 0.6, dims=(0, 2)) * Linear(1.5, dims=(1,)),
    Periodic(1.0, 1.2, 1.9, dims=(0,)) * EQ(1.0, 2.0, dims=(0,)),
    Periodic(0.7, 0.8, 2.7, dims=(1,)) + RationalQuadratic(0.9, 1.1, 3.0, dims=(1,)),
    Linear(0.6) * Linear((0.4, 0.3), dims=(0, 1)),
    Linear(0.6, dims=(0,)) * Linear(0.8, dims=(1,)) * Linear(0.5, dims=(2,)),
    (Constant(0.4) + Linear(0.7)) * EQ(1.1, 1.5),
    (EQ(0.5, 0.6, dims=(0,)) + Matern52(0.8, 1.0, dims=(1,))) * (Constant(0.2) + Periodic(0.6, 1.0, 2.0, dims=(2,))),
    EQ(0.9, 1.0, dims=(0,)) * (EQ(0.8, 1.0, dims=(1,)) + Linear(0.3, dims=(0,)) * Constant(0.7)) + Constant(0.1),
    Constant(2.0) * EQ(1.0, 0.9),
    Categorical(0.8, 0.5, dims=(3,)) + EQ(1.0, 0.9, dims=(0, 1, 2)) * Categorical(0.9, 1.1, dims=(3,)),
    Matern12(0.9, 0.8, dims=(0,)) + EQ(0.5, 1.2),
    EQ(0.8, 0.9, dims=(0,)) * Matern32(0.9, 1.1, dims=(1,)) * RationalQuadratic(1.1, 0.8, 1.5, dims=(2,)),
    additive(3),
    additive(3, [(0, 2), (2, 1)], Matern52),
    additive(3, [(2, 0)], RationalQuadratic),
    additive(2, [(0, 1)], Matern32) * Linear(0.4, dims=(2,)) + Constant(0.9),
)

KERNELS = LEAVES + COMPOSED
#: Matern12 gives values only.
SMOOTH = tuple(kernel for kernel in KERNELS if "Matern12" not in repr(kernel))


def rows(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.normal(size=(n, D - 1)), rng.integers(0, 4, n)])


#: Two sets of rows; no row of one is a row of the other.
X, Z = rows(5, seed=1), rows(7, seed=2)
