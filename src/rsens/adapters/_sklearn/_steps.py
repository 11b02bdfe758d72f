"""The steps of a pipeline: z(x) with its derivatives in the columns of x.

Affine steps (scalers, PCA, selections) are found by trying: if base + (X − c)A reproduces what the step makes of all
rows, A is its derivative. That needs no list of classes, and a quadratic step cannot pass for affine, as it would if
differences at two steps were compared. Polynomials and splines have formulas; anything else is differentiated by
itself, with Richardson extrapolation, so the model behind it stays exact.
"""

from __future__ import annotations

from collections import UserList
from collections.abc import Sequence
from typing import Any

import numpy as np

from rsens._conversions import is_a
from rsens._table import column_of, columns_of_labels, is_frame
from rsens._typing import Array
from rsens.adapters._adapter import FIRST, SECOND, Transform, jumps, quotients
from rsens.derivatives import Inner, NoSecondDerivativesError, extrapolated, step_unit

#: How closely an affine step must reproduce its rows, relative to the size of an output.
SAME = 1e-11
#: Over half the step a second difference may change by this share; at a kink it doubles.
KINK = 0.2


class RoughStepError(Exception):
    """A step has no derivatives: it jumps, or computes in single precision. The text names the step."""


def through(steps: Sequence[Any], X: Any, order: int) -> tuple[Any, Inner]:
    """The rows X behind the steps, one after the other, and their derivatives in the columns of X."""
    inner = _identity(X)
    for step in steps:
        inner = inner if is_identity(step) else inner.into(derivatives_of(step, X, order))
        X = transformed([step], X)
        X = X.toarray() if hasattr(X, "toarray") else X
    return X, inner


def transformed(steps: Sequence[Any], X: Any) -> Any:
    """The rows X behind the steps."""
    for step in steps:
        X = X if is_identity(step) else step.transform(X)
    return X


def derivatives_of(step: Any, X: Any, order: int) -> Inner:
    """The derivatives of one step in its columns X; 0 in columns of labels, and in all columns of an encoder."""
    if is_identity(step):
        return _identity(X)
    if is_a(step, "sklearn.Pipeline"):
        return through([inner for _, inner in step.steps], X, order)[1]
    if is_a(step, "sklearn.ColumnTransformer"):
        return _of_columns(step, X, order)
    if is_a(step, "sklearn.FeatureUnion"):
        return _of_union(step, X, order)
    labels = columns_of_labels(X) if is_frame(X) else []
    if encodes(step) or len(labels) == X.shape[1]:
        return Inner(np.zeros((1, _outputs(step.transform(X)).shape[1], X.shape[1])))
    if is_a(step, "sklearn.PolynomialFeatures") and not labels:
        return _of_polynomial(step, np.asarray(X, dtype=np.float64), order)
    return _of_function(step, X, labels, order)


def encodes(step: Any) -> bool:
    """Whether the step turns levels into numbers, as OneHotEncoder, OrdinalEncoder and TargetEncoder do."""
    if is_a(step, "sklearn.Pipeline"):
        return any(encodes(inner) for _, inner in step.steps)
    return hasattr(step, "categories_")


def is_identity(step: Any) -> bool:
    """Whether the step does nothing."""
    return step is None or (isinstance(step, str) and step == "passthrough")


def _identity(X: Any) -> Inner:
    return Inner(np.eye(X.shape[1])[None])


def _unit_of(X: Array) -> Array:
    """The unit of each column, a power of two, so that x ± a share of it has no rounding."""
    return np.exp2(np.round(np.log2(step_unit(X))))


def _outputs(Z: Any) -> Array:
    """The output of a step as a dense array in double precision."""
    array = np.asarray(Z.toarray() if hasattr(Z, "toarray") else Z)
    if array.dtype.kind == "f" and array.dtype.itemsize < 8:
        raise RoughStepError("a step that computes in single precision")
    return array.astype(np.float64)


def positions_of(columns: Any, names: list[Any] | None, n: int) -> list[int]:
    """Columns as a ColumnTransformer names them (names, positions, a slice of either, a mask) as positions."""
    import pandas as pd

    if not isinstance(columns, slice):
        columns = [columns] if isinstance(columns, str | int | np.integer) else columns
        columns = list(columns.data if isinstance(columns, UserList) else columns)  # older releases warn of their list
    chosen = (columns.start, columns.stop) if isinstance(columns, slice) else columns
    positions = pd.Series(range(n), index=None if names is None else names[:n])
    by_name = any(isinstance(column, str) for column in chosen)
    return [int(d) for d in (positions.loc if by_name else positions.iloc)[columns]]


def _of_columns(step: Any, X: Any, order: int) -> Inner:
    """Each part of a ColumnTransformer has its own columns, and its place among the outputs."""
    names, parts, D = list(X.columns) if is_frame(X) else None, [], X.shape[1]
    for name, part, columns in step.transformers_:
        place = step.output_indices_.get(name, slice(0, 0))
        positions = [] if isinstance(part, str) and part == "drop" else positions_of(columns, names, D)
        if positions and place.stop > place.start:
            rows = X.iloc[:, positions] if is_frame(X) else X[:, positions]
            parts.append((_spread(derivatives_of(part, rows, order), positions, D), place))
    return _side_by_side(parts, D)


def _of_union(step: Any, X: Any, order: int) -> Inner:
    parts, start = [], 0
    for name, part in step.transformer_list:
        if part == "drop":
            continue
        weight, inner = (step.transformer_weights or {}).get(name, 1.0), derivatives_of(part, X, order)
        inner = Inner(weight * inner.first, None if inner.second is None else weight * inner.second)
        parts.append((inner, slice(start, start + inner.first.shape[1])))
        start += inner.first.shape[1]
    return _side_by_side(parts, X.shape[1])


def _side_by_side(parts: list[tuple[Inner, slice]], D: int) -> Inner:
    """The outputs of several steps, each in its place."""
    n = max((len(inner.first) for inner, _ in parts), default=1)
    outputs = max((place.stop for _, place in parts), default=0)
    first, second = np.zeros((n, outputs, D)), None
    for inner, place in parts:
        first[:, place] = inner.first
        if inner.second is not None:
            second = np.zeros((n, outputs, D, D)) if second is None else second
            second[:, place] = inner.second
    return Inner(first, second)


def _spread(inner: Inner, columns: list[int], D: int) -> Inner:
    """Derivatives in some columns as derivatives in all D: 0 in the others."""
    if columns == list(range(D)):
        return inner
    first = np.zeros((*inner.first.shape[:2], D))
    first[..., columns] = inner.first
    if inner.second is None:
        return Inner(first)
    second = np.zeros((*inner.second.shape[:2], D, D))
    second[..., np.array(columns)[:, None], columns] = inner.second
    return Inner(first, second)


def _of_polynomial(step: Any, X: Array, order: int) -> Inner:
    """z_l = Π_d x_d^p_ld, with the powers p of `powers_`."""
    powers = np.asarray(step.powers_, dtype=np.intp)
    D = powers.shape[1]
    table = np.stack([X**k for k in range(powers.max(initial=0) + 1)])  # (powers, n, D)

    def derivative(*columns: int) -> tuple[Any, Array]:
        """The outputs l with a derivative in these columns, one after the other, and its values (n, those l)."""
        factor, p = np.ones(len(powers)), powers.copy()
        for d in columns:
            factor = factor * p[:, d]
            p[:, d] -= 1
        left = np.flatnonzero(factor)
        return left, factor[left] * np.prod(table[p[left], :, np.arange(D)], axis=1).T

    first = np.zeros((len(X), len(powers), D))
    second = np.zeros((*first.shape, D)) if order == 2 else None
    for d in range(D):
        left, first[:, left, d] = derivative(d)
        for e in range(D) if second is not None else ():
            assert second is not None
            left, second[:, left, d, e] = derivative(d, e)
    return Inner(first, second)


def _of_splines(step: Any, X: Array, order: int) -> Inner | None:
    """The B-splines of every column; None where the step has outputs that we do not know."""
    widths = [np.atleast_2d(spline.c).shape[1] - (0 if step.include_bias else 1) for spline in step.bsplines_]
    if sum(widths) != step.n_features_out_:
        return None
    first = np.zeros((len(X), sum(widths), X.shape[1]))
    second = np.zeros((*first.shape, X.shape[1])) if order == 2 else None
    for d, (spline, width, stop) in enumerate(zip(step.bsplines_, widths, np.cumsum(widths), strict=True)):
        place = slice(stop - width, stop)
        first[:, place, d] = _spline(spline, X[:, d], 1, step)[:, :width]
        if second is not None:
            second[:, place, d, d] = _spline(spline, X[:, d], 2, step)[:, :width]
    return Inner(first, second)


def _spline(spline: Any, x: Array, k: int, step: Any) -> Array:
    """The k-th derivatives of all basis functions at x, (n, splines), with the step's rule outside the knots."""
    low, high = spline.t[spline.k], spline.t[-spline.k - 1]
    if k > spline.k:
        return np.zeros((len(x), spline.c.shape[1]))
    if step.extrapolation == "periodic":
        x = low + (x - low) % (high - low)
    values = spline.derivative(k)(x if step.extrapolation == "continue" else np.clip(x, low, high))
    if step.extrapolation == "constant" or (step.extrapolation == "linear" and k == 2):
        values[(x < low) | (x > high)] = 0.0
    return values


def _of_function(step: Any, X: Any, labels: list[int], order: int) -> Inner:
    """Any other step: affine, a spline, or by differences."""
    D = X.shape[1]
    moved = [d for d in range(D) if d not in labels]
    values = np.column_stack([np.asarray(column_of(X, d), np.float64) for d in moved])

    def transform(rows: Array, which: Any) -> Array:
        """The output of the step for rows like the rows `which` of X, with other numbers."""
        if not is_frame(X):
            given: Any = np.array(X[which], dtype=np.float64 if X.dtype.kind in "biuf" else object)
            given[:, moved] = rows
        else:
            import pandas as pd

            old = X.iloc[which].reset_index(drop=True)
            new = {X.columns[d]: rows[:, k] for k, d in enumerate(moved)}
            given = pd.DataFrame({name: new.get(name, old[name]) for name in X.columns}, columns=X.columns)
        with np.errstate(all="ignore"):  # moved rows may leave the domain of a logarithm
            return _outputs(step.transform(given))

    try:
        slopes = _affine_slopes(transform, values, bool(labels))
    except ValueError:  # a step that refuses moved rows, such as a logarithm below 0, is not affine
        slopes = None
    if slopes is not None:
        return _spread(Inner(slopes[None]), moved, D)
    if is_a(step, "sklearn.SplineTransformer") and not labels:
        found = _of_splines(step, values, order)
        if found is not None:
            return found
    return _spread(_by_differences(type(step).__name__, transform, values, order), moved, D)


def _affine_slopes(transform: Transform, X: Array, labels: bool) -> Array | None:
    """A (L, D), the derivatives of an affine step in numbers X (n, D); None for any other step.

    The slopes come from a centre c and from c + u_d e_d, with u_d a power of two near the spread of column d, so that
    no digit is lost. They are tried on the rows X and on rows around c, in case there are few. With labels, rows differ
    in their base, and each is moved instead.
    """
    D, u = X.shape[1], _unit_of(X)
    c = X[0] if labels else np.median(X, axis=0)
    ends = transform(np.vstack([c, c + np.diag(u)]), np.zeros(1 + D, dtype=np.intp))
    A = ((ends[1:] - ends[0]) / u[:, None]).T
    # Points in the unit cube that lie on no line through columns.
    scattered = np.modf(np.outer(np.arange(1.0, 9.0), np.sqrt(np.arange(2.0, 2.0 + D))))[0]
    moves = u * (4.0 * scattered - 2.0)
    if labels:
        rows = np.concatenate([np.broadcast_to(move, X.shape) for move in moves])
        which = np.tile(np.arange(len(X)), len(moves))
        base = np.tile(transform(X, np.arange(len(X))), (len(moves), 1))
        given = transform(np.tile(X, (len(moves), 1)) + rows, which)
    else:
        rows, base = np.vstack([X - c, moves]), ends[0]
        given = transform(c + rows, np.zeros(len(rows), dtype=np.intp))
    size = np.abs(given).max(axis=0) + (np.abs(rows).max(axis=0) + np.abs(c)) @ np.abs(A.T)
    same = np.abs(base + rows @ A.T - given) <= SAME * size
    return A if np.isfinite(given).all() and same.all() else None


def _by_differences(name: str, transform: Transform, X: Array, order: int) -> Inner:
    """∂z and ∂²z of a step at the rows X, if it is smooth."""
    unit = _unit_of(X)
    at, widths = quotients(transform, X, list(range(X.shape[1]))), np.broadcast_to(unit, X.shape)
    first = extrapolated(at.first, FIRST * widths)
    if jumps(transform, at, first, unit).any():
        raise RoughStepError(name)
    if order == 1:
        return Inner(first)
    both = [at.second(share * SECOND * widths) for share in (1.0, 0.5)]
    coarse, fine = (np.einsum("nmdd->nmd", second) for second in both)
    size = np.ptp(at.z, axis=0)[:, None] / np.square(unit)
    bends = np.maximum(np.abs(coarse), np.abs(fine)) > 0.01 * np.where(size > 0.0, size, np.inf)
    if ((bends & (np.abs(fine - coarse) > KINK * np.abs(coarse))).mean(axis=(0, 1)) > 0.01).any():
        raise NoSecondDerivativesError(
            f"the step {name} of the pipeline has kinks at the rows, where second derivatives do not exist. "
            "Replace it by a smooth step, such as PowerTransformer or SplineTransformer, or leave pairs out."
        )
    return Inner(first, (4.0 * both[1] - both[0]) / 3.0)
