"""A GP through GPyTorch's own automatic differentiation, for what has no closed form here: all rows in one call."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._adapter import first_line
from rsens.adapters._gpytorch._native import FAILURES, Moments, exact_settings, numpy_of
from rsens.derivatives import result_bytes, rows_for, step_unit
from rsens.posteriors import Latent

#: How far rows are moved where GPyTorch's second derivatives are wrong, in units of the columns.
ASIDE = 1e-5
#: Two values of a column are the same up to this many units: then a distance may be 0.
SAME = 1e-7
#: Arrays of shape (rows, training rows) that live at a time, by order: the kernel, and what its derivatives keep.
ARRAYS = {1: 28, 2: 56}


@dataclass(frozen=True, eq=False)
class Autograd:
    """The latent mean and variance of a model at rows X (n, D), as PyTorch differentiates them.

    GPyTorch cuts squared distances off at 0, and their derivatives too. So where a row is also an anchor (a training
    row, an inducing point), second derivatives in one column are wrong, for smooth kernels too. There we take the mean
    of the derivatives a little to either side, which differs from the truth by the square of that little.
    """

    mean_and_variance: Moments
    #: The rows that distances are measured from, (N, D); None where they are not known: every row may be one.
    anchors: Array | None
    #: The training inputs, where they are known.
    inputs: Array | None
    #: How many anchors there are, for the memory that they take.
    size: int
    #: Columns that hold categories: a step aside would be none of them.
    levels: tuple[int, ...] = ()
    way: ClassVar[str] = "automatic (PyTorch)"

    @cached_property
    def unit(self) -> Array:
        """The unit of each column, (D,)."""
        return np.ones(1) if self._known is None else step_unit(self._known)

    @property
    def _known(self) -> Array | None:
        return self.anchors if self.inputs is None else self.inputs

    def moments(self, X: Array) -> Latent:
        import torch

        with torch.no_grad(), exact_settings():
            mean, variance = self._called(torch.tensor(X))
        return Latent(numpy_of(mean), numpy_of(variance))

    def derivatives(self, X: Array, order: int) -> Latent:
        if self._known is not None and self._known.shape[1] == X.shape[1] and not self._rows_are_alone:
            raise InputError(
                "the model's prediction of a row changes with the other rows that it is asked about. Scale rows by the "
                "training data, not by the rows of a call."
            )
        if order == 1:
            return self._differentiated(X, 1)
        anchored = self._at_anchors(X)
        if anchored.all():
            return self._differentiated_aside(X)
        if not anchored.any():
            return self._differentiated(X, 2)
        parts = self._differentiated(X[~anchored], 2), self._differentiated_aside(X[anchored])
        place = np.argsort(np.concatenate([np.flatnonzero(~anchored), np.flatnonzero(anchored)]))
        return Latent(*(np.concatenate([getattr(part, f.name) for part in parts])[place] for f in fields(Latent)))

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return rows_for(result_bytes(n_columns, order) + 8 * self.size * ARRAYS[order])

    def _differentiated(self, X: Array, order: int) -> Latent:
        """The gradient of Σ_i m(x_i) holds ∂m at every row i, since no row depends on another."""
        import torch

        with torch.enable_grad(), exact_settings():
            rows = torch.tensor(X, requires_grad=True)
            values = self._called(rows)
            firsts = [_gradient(value, rows, order == 2) for value in values]
            seconds = (
                [torch.stack([_gradient(f[:, d], rows, False) for d in range(X.shape[1])], 1) for f in firsts]
                if order == 2
                else None
            )
        mean, variance = map(numpy_of, values)
        first = np.stack([numpy_of(each) for each in firsts], 1)
        if seconds is None:
            return Latent(mean, variance, first)
        second = np.stack([numpy_of(each) for each in seconds], 1)
        return Latent(mean, variance, first, 0.5 * (second + second.swapaxes(-1, -2)))

    def _differentiated_aside(self, X: Array) -> Latent:
        """Values at the rows, derivatives from either side of them."""
        unit = self.unit if self.unit.shape == X.shape[1:] else step_unit(X)  # anchors may lie in another space
        step = np.maximum(ASIDE * unit, 64.0 * np.spacing(np.abs(X)))
        step[:, list(self.levels)] = 0.0
        at, above, below = self.moments(X), self._differentiated(X + step, 2), self._differentiated(X - step, 2)
        middle = [0.5 * (getattr(above, name) + getattr(below, name)) for name in ("first", "second")]
        return Latent(at.mean, at.variance, *middle)

    def _at_anchors(self, X: Array) -> NDArray[np.bool_]:
        """Flags rows that share a value with an anchor in some column: a kernel of that column sees a distance of 0."""
        if self.anchors is None or self.anchors.shape[1] != X.shape[1]:
            return np.ones(len(X), dtype=bool)
        shared = np.zeros(len(X), dtype=bool)
        for d in set(range(X.shape[1])) - set(self.levels):
            x, known, same = X[:, d], np.unique(self.anchors[:, d]), SAME * self.unit[d]
            place = np.searchsorted(known, x)
            below, above = known[np.maximum(place - 1, 0)], known[np.minimum(place, len(known) - 1)]
            shared |= np.minimum(np.abs(x - below), np.abs(x - above)) <= same
        return shared

    @cached_property
    def _rows_are_alone(self) -> bool:
        """One call serves all rows only if the prediction of a row comes from that row alone."""
        if self._known is None or len(self._known) < 2:
            return True
        together, alone = self.moments(self._known[:2]), self.moments(self._known[:1])
        near = 1e-6 * np.sqrt(np.abs(alone.variance[0]))
        return bool(
            abs(together.mean[0] - alone.mean[0]) <= 1e-6 * abs(alone.mean[0]) + near
            and abs(together.variance[0] - alone.variance[0]) <= near**2 + 1e-6 * alone.variance[0]
        )

    def _called(self, rows: Any) -> tuple[Any, Any]:
        try:
            return self.mean_and_variance(rows)
        except InputError:
            raise
        except FAILURES as error:
            if "dtype" in str(error) or {"Double", "Float"} <= set(str(error).replace(",", " ").split()):
                raise InputError(
                    f"the model mixes float64 rows with single precision ({first_line(error)}). Keep its tensors as "
                    "buffers or parameters, so that model.double() reaches them."
                ) from error
            raise InputError(
                f"the model cannot predict {len(rows)} rows of {rows.shape[1]} columns in double precision "
                f"({first_line(error)}). Make model.double().eval()(torch.tensor(X)) work first."
            ) from error


def _gradient(values: Any, rows: Any, keep: bool) -> Any:
    """∂Σ values/∂rows; 0 where they do not depend on each other."""
    import torch

    if not values.requires_grad:
        return torch.zeros_like(rows)
    found = torch.autograd.grad(values.sum(), rows, create_graph=keep, retain_graph=True, allow_unused=True)[0]
    return torch.zeros_like(rows) if found is None else found
