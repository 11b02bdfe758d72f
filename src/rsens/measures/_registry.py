"""The list of measures, and the importance of columns and pairs over a whole data set for any of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.adapters import read_for
from rsens.derivatives import Model
from rsens.measures._fourth_derivative._fourth_derivative import fourth_chunks
from rsens.measures._kl import kl_chunks
from rsens.measures._local import Chunks, check_alpha
from rsens.measures._prediction import aed_chunks, aeh_chunks, ead_chunks, eah_chunks
from rsens.measures._rows import check_scale, check_weights
from rsens.measures._rsens import rsens2_chunks, rsens_chunks


@dataclass(frozen=True)
class Measure:
    """One way to score columns (order 1) or pairs of columns (order 2).

    `chunks(model, table, alpha)` gives local values, chunk by chunk. The global value is their mean over rows; for a
    signed measure, whose local values have an axis for outputs, the absolute mean, summed over outputs.
    """

    name: str
    order: int
    chunks: Callable[[Model, Table, float], Chunks]
    signed: bool = False


METHODS: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("rsens", 1, rsens_chunks),
        Measure("ead", 1, ead_chunks),
        Measure("aed", 1, aed_chunks, signed=True),
        Measure("kl", 1, kl_chunks),
        Measure("rsens2", 2, rsens2_chunks),
        Measure("eah", 2, eah_chunks),
        Measure("aeh", 2, aeh_chunks, signed=True),
        Measure("fourth_derivative", 2, fourth_chunks),
    )
}


def importance(name: str, model: Any, X: Any, *, weights: Any = None, scale: Any = None, alpha: float = 1.0) -> Array:
    """The global value of the measure `name` in METHODS for every column (D,), or every pair of columns (D, D).

    `weights` counts rows differently. `scale`, one number per column by name or in order, multiplies column d by s_d
    and the pair (d, e) by s_d s_e: standard deviations make columns in different units comparable. For a
    categorical column 1, per switch, is the natural choice. `alpha` is the order of the divergence; ead, aed, eah and
    aeh have none.
    """
    if name not in METHODS:
        raise InputError(f"There is no measure {name!r}. Choose one of {', '.join(METHODS)}.")
    measure = METHODS[name]
    order = check_alpha(alpha)
    source, table = read_for(model, X)
    share = check_weights(weights, len(table.values))
    if weights is not None and table.coding is not None:  # a function's levels are counted under the weights
        source, table = read_for(model, X, share)
    units = check_scale(scale, table.names)
    factor = units if measure.order == 1 else np.outer(units, units)
    mean: Array = sum(
        (np.tensordot(share[rows], local, 1) for rows, local in measure.chunks(source, table, order)), np.zeros(())
    )
    return factor * (np.abs(mean).sum(axis=0) if measure.signed else mean)
