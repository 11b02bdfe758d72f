"""Partial dependence of a GP in closed form: the mean of f with some columns held fixed, averaged over rows.

If the kernel is a sum of terms, each the product of a factor in the columns S and a factor in the others R,

    k(x, z) = Σ_t k_t(x_S, z_S) κ_t(x_R, z_R),

the mean m(x) = mean + Σ_j a_j k(x, z_j) of the posterior, averaged over rows x_1 … x_n, is

    PD_S(x_S) = 1/n Σ_i m(x_S, x_iR) = mean + Σ_t Σ_j a_j k_t(x_S, z_jS) · 1/n Σ_i κ_t(x_iR, z_jR).

This needs one row of a kernel per value and one per row x_i; predicting with the model needs one per value *and* row.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.linalg import blas

from rsens._typing import Array
from rsens.kernels import Kernel, Leaf, Product, Sum, Term
from rsens.posteriors import CHUNK_BYTES, LatentPosterior, even_chunks


def averaged_mean(posterior: LatentPosterior, columns: Sequence[int], held: Array, X: Array) -> Array | None:
    """The mean of f with `columns` as in each row of `held` (m, D), averaged over the rows X; None if inseparable."""
    terms = separated(posterior.kernel, columns, X.shape[1])
    if terms is None:
        return None
    Z = posterior.inputs
    averages = np.full(len(held), posterior.mean)
    row_bytes = 16 * len(Z)  # the product of factors so far and the next factor
    for inside, outside in terms:
        weights = posterior.weights * _mean_over(X, Z, outside)
        if not inside:  # the same for all values of the columns
            averages += weights.sum()
            continue
        for rows in even_chunks(len(held), row_bytes, CHUNK_BYTES):
            averages[rows] += blas.dgemv(1.0, _values(held[rows], Z, inside), weights, trans=1)
    return averages


def separated(kernel: Kernel, columns: Sequence[int], n_columns: int) -> list[Term] | None:
    """The terms k_t · κ_t that add up to the kernel, or None if one of its parts mixes the two sets of columns."""
    if isinstance(kernel, Sum):
        parts = [separated(part, columns, n_columns) for part in kernel.parts]
        return None if None in parts else [term for part in parts if part is not None for term in part]
    if isinstance(kernel, Product):
        parts = [separated(part, columns, n_columns) for part in kernel.parts]
        chosen = product(*(part for part in parts if part is not None))  # one term of each factor
        return None if None in parts else [_multiplied(terms) for terms in chosen]
    if not isinstance(kernel, Leaf):
        return None
    inside = [column for column in kernel.active_of(n_columns) if column in columns]
    outside = [column for column in kernel.active_of(n_columns) if column not in columns]
    if not outside:
        return [((kernel,), ())]
    if not inside:
        return [((), (kernel,))]
    return kernel.split(inside, outside, n_columns)


def _multiplied(terms: Sequence[Term]) -> Term:
    insides, outsides = zip(*terms, strict=True)
    return sum(insides, ()), sum(outsides, ())


def _values(X: Array, Z: Array, factors: tuple[Kernel, ...]) -> Array:
    """The product of the factors, (M, rows) in Fortran order."""
    values = np.ones((len(Z), len(X)), order="F")
    for factor in factors:
        values *= factor(Z, X)
    return values


def _mean_over(X: Array, Z: Array, factors: tuple[Kernel, ...]) -> Array:
    """1/n Σ_i κ(x_i, z_j), (M,)."""
    if not factors:
        return np.ones(len(Z))
    total = np.zeros(len(Z))
    for rows in even_chunks(len(X), 16 * len(Z), CHUNK_BYTES):
        total += _values(X[rows], Z, factors).sum(axis=1)
    return total / len(X)
