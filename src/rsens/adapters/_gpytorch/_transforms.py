"""BoTorch's transforms: inputs that are shifted and stretched; outcomes that are, too, or are exponentiated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._gpytorch._copies import numpy_of
from rsens.adapters._gpytorch._kernels import own_class

#: Rounding of a transform of rows.
ROUNDING = 1e-11


@dataclass(frozen=True, eq=False)
class AffineInputs:
    """x̃ = base + (x − centre)·slopes, column by column."""

    centre: Array
    base: Array
    slopes: Array

    @classmethod
    def none(cls, n_columns: int) -> AffineInputs:
        """x̃ = x."""
        return cls(np.zeros(n_columns), np.zeros(n_columns), np.ones(n_columns))

    def __call__(self, X: Array) -> Array:
        return self.base + (X - self.centre) * self.slopes

    def undone(self, inputs: Array) -> Array:
        """x, from x̃."""
        return self.centre + (inputs - self.base) / self.slopes


def affine_inputs(model: Any, inputs: Array) -> AffineInputs | None:
    """What `transform_inputs` of a working copy does to rows, if it is affine in each column; else None.

    Found by asking, so no list of transforms is needed: two points of a column give the line, and it must run through
    the training rows (original units, (N, D)) and through rows beside them, so that a rounding to whole numbers is not
    taken for a line.
    """
    if not hasattr(model, "input_transform"):
        return AffineInputs.none(inputs.shape[1])
    centre = inputs.mean(axis=0)
    spread = np.ptp(inputs, axis=0)
    step = np.where(spread > 0.0, spread, 1.0 + np.abs(centre))
    base, *moved = _transformed(model, np.concatenate([centre[None], centre + np.diag(step)]))
    if base.shape != centre.shape:
        return None
    slopes = (np.diag(np.array(moved)) - base) / step
    found = AffineInputs(centre, base, slopes)
    rows = np.concatenate([inputs, inputs + 0.2137 * step, centre + np.diag(step)])
    expected = found(rows)
    there = _transformed(model, rows)
    close = there.shape == expected.shape and np.abs(there - expected) <= ROUNDING * (1.0 + np.abs(expected))
    return found if np.all(close) else None


def original_inputs(copy: Any) -> Array:
    """The training inputs in the units of X: in evaluation mode BoTorch keeps the transformed ones in their place."""
    kept = getattr(copy, "_original_train_inputs", None)
    return numpy_of(copy.train_inputs[0] if kept is None else kept)


def _transformed(model: Any, rows: Array) -> Array:
    import torch

    with torch.no_grad():
        return numpy_of(model.transform_inputs(torch.tensor(rows)))


@dataclass(frozen=True)
class Outcome:
    """y = shift + scale·z, or exp of it with `exponentiated`, for z on the scale on which the model works."""

    shift: float = 0.0
    scale: float = 1.0
    exponentiated: bool = False


def read_outcome(model: Any) -> Outcome | None:
    """The outcome transform of a working copy with one output; None if there is one that is not affine or a log.

    Only BoTorch's own classes are read: a subclass may do anything.
    """
    return _outcome(getattr(model, "outcome_transform", None))


def _outcome(transform: Any) -> Outcome | None:
    if transform is None:
        return Outcome()
    name = own_class(transform)
    if name == "botorch.Standardize":
        return Outcome(float(numpy_of(transform.means).item()), float(numpy_of(transform.stdvs).item()))
    if name == "botorch.Log":
        return Outcome(exponentiated=True)
    if name == "botorch.ChainedOutcomeTransform":
        chain = Outcome()
        for inner in reversed([_outcome(part) for part in transform.values()]):  # the last one is undone first
            if inner is None or chain.exponentiated:
                return None
            shift, scale = inner.shift + inner.scale * chain.shift, inner.scale * chain.scale
            chain = Outcome(shift, scale, inner.exponentiated)
        return chain
    return None


def refuse_outcome(model: Any) -> InputError:
    """Why the predictions of a model with this outcome transform cannot be explained."""
    name = type(model.outcome_transform).__name__
    return InputError(
        f"{type(model).__name__} has the outcome transform {name}, under which the prediction is no distribution that "
        "rsens knows. Fit the model with Standardize (the default), Log, or both chained, or with "
        "outcome_transform=None on targets that you have transformed."
    )
