"""The list of measures, and the importance of columns and pairs over a whole data set by any of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.adapters import read_for
from rsens.measures._kl import kl_chunks
from rsens.measures._lengthscales import ard
from rsens.measures._prediction import aed_of, aeh_of, ead_of, eah_of
from rsens.measures._rsens import Chunks, check_alpha, chunks_of, gathered, rsens2_of, rsens_of
from rsens.measures._terms import Terms, check_groups, check_scale, check_weights


@dataclass(frozen=True)
class ComparedMethod:
    """A way to score columns or pairs, as callers see it. Subclasses compute it."""

    name: str
    order: int  # 1 if it scores columns, 2 if it scores pairs of columns
    meaning: str  # in a few words, for a legend
    _: KW_ONLY
    place: int | None = None  # in the paper's tables, and among "all" methods; None: only when it is named
    cheap: bool = True  # quick, and works for any model
    needs_y: bool = False
    needs_extra: str | None = None  # the extra whose packages it needs, except under budget "paper"
    scaled: bool = False  # its values are per unit of x
    groups: bool = False  # it has a value for columns that belong together

    def check_groups(self, terms: Terms) -> None:
        """An `InputError` if there are groups of columns and the method has no value for them."""
        if terms.grouped and not self.groups:
            raise InputError(f"{self.name} has no value for columns that belong together; it takes single columns.")

    def factor(self, units: Array) -> Array | float:
        """The factor from values per unit of x to values per `units`, (D,) or (D, D); 1 if nothing is per unit."""
        if not self.scaled:
            return 1.0
        return units if self.order == 1 else np.outer(units, units)


@dataclass(frozen=True)
class Measure(ComparedMethod):
    """A measure with local values, one for every row: `chunks(model, table, alpha)` gives them chunk by chunk.

    The global value is their mean; of a signed measure, the absolute mean, summed over outputs. With groups of columns,
    `chunks(…, units, terms)` gives local values of terms, per unit; a signed measure has the length of the vector of
    means. A measure `of_model` has no local values: `of_model(model, X)` reads the values of columns off the model.
    """

    chunks: Callable[..., Chunks] | None = None
    _: KW_ONLY
    of_model: Callable[[Any, Any], Array] | None = None
    signed: bool = False
    scaled: bool = True

    def importance(
        self,
        model: Any,
        X: Any,
        *,
        weights: Any = None,
        scale: Any = None,
        alpha: Any = 1.0,
        terms: Terms | None = None,
    ) -> Array:
        """The global value of every column (D,) or pair (D, D), or of `terms`; see `rsens.measures.importance`."""
        order = check_alpha(alpha)
        source, table = read_for(model, X)
        units, terms = check_scale(scale, table.names), terms or Terms.single(len(table.names))
        self.check_groups(terms)
        if self.of_model is not None:
            if weights is not None:
                raise InputError(
                    Argument("weights"), f": {self.name} is read off the model, not from rows. Leave them out."
                )
            values = self.factor(units) * self.of_model(model, X)
            return np.array([values[list(members)].max() for members in terms.members]) if terms.grouped else values
        assert self.chunks is not None
        share = check_weights(weights, len(table.values))
        if weights is not None and table.coding is not None:  # a function's levels are counted under the weights
            source, table = read_for(model, X, share)
        per_unit = bool(terms.grouped) and not self.signed
        asked = (source, table, order, units, terms) if per_unit else (source, table, order)
        mean: Array = sum((np.tensordot(share[rows], local, 1) for rows, local in self.chunks(*asked)), np.zeros(()))
        mean = mean if per_unit else self.factor(units) * mean
        if not self.signed:
            return mean
        return (terms.lengths(mean) if self.order == 1 else terms.pair_lengths(mean)).sum(axis=0)


METHODS: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure(
            "rsens", 1, "move of the predictive distribution", chunks_of(rsens_of, 1, "R-sens"), place=1, groups=True
        ),
        Measure("ead", 1, "mean size of the slope", chunks_of(ead_of, 1, "EAD"), place=2, groups=True),
        Measure("aed", 1, "size of the mean slope", chunks_of(aed_of, 1, "AED"), signed=True, place=3, groups=True),
        Measure("kl", 1, "as rsens, by a finite step", kl_chunks, place=9),
        Measure("ard", 1, "inverse length-scale", of_model=ard, place=10, cheap=False, groups=True),
        Measure(
            "rsens2",
            2,
            "change of one effect with the other variable, in the predictive distribution",
            chunks_of(rsens2_of, 2, "R-sens₂"),
            place=1,
            groups=True,
        ),
        Measure("eah", 2, "mean size of the bend", chunks_of(eah_of, 2, "EAH"), place=2, groups=True),
        Measure("aeh", 2, "size of the mean bend", chunks_of(aeh_of, 2, "AEH"), signed=True, place=3, groups=True),
    )
}


def importance(name: str, model: Any, X: Any, *, weights: Any = None, scale: Any = None, alpha: float = 1.0) -> Array:
    """The global value of the measure `name` in METHODS for every column (D,), or every pair of columns (D, D).

    `weights` gives rows different weights. `scale`, one number per column by name or in order, multiplies column d by
    s_d and the pair (d, e) by s_d s_e: standard deviations make columns in different units comparable. For a
    categorical column 1, per switch, is the natural choice. `alpha` is the order of the divergence; ead, aed, eah, aeh
    and ard have none.

    Example:
        >>> from rsens import Normal, from_function
        >>> from rsens.measures import importance
        >>> model = from_function(lambda X: Normal(X[:, 0] ** 2, 1.0))
        >>> X = [[-1.0], [2.0]]
        >>> [float(importance(name, model, X).round(4).item()) for name in ("rsens", "ead", "aed")]
        [3.0, 3.0, 1.0]
    """
    return _measure(name).importance(model, X, weights=weights, scale=scale, alpha=alpha)


def local_values(name: str, model: Any, X: Any, *, alpha: float = 1.0, scale: Any = None, groups: Any = None) -> Array:
    """The values of the measure `name` in METHODS at every row, (n, D) for columns or (n, D, D) for pairs.

    aed and aeh are signed, with an axis for outputs: (n, P, D) and (n, P, D, D). `groups`, {"season": ["sin", "cos"]},
    puts terms in the place of columns: rsens is then the largest over directions within the group, which have length 1
    in units of `scale`. ard has no values at rows.

    Example:
        >>> from rsens import Normal, from_function
        >>> from rsens.measures import local_values
        >>> model = from_function(lambda X: Normal(X[:, 0] ** 2, 1.0))
        >>> local_values("ead", model, [[-1.0], [2.0]]).round(4).tolist()
        [[2.0], [4.0]]
    """
    chunks = _measure(name).chunks
    if chunks is None:
        raise InputError(f"{name} has no values at rows. Use importance.")
    source, table = read_for(model, X)
    asked: tuple[Any, ...] = (source, table, check_alpha(alpha))
    if groups is not None or scale is not None:
        terms = Terms.of(groups, table.names)
        METHODS[name].check_groups(terms)
        check_groups(terms, table)
        asked += (check_scale(scale, table.names), terms)
    return gathered(chunks(*asked), len(table))


def _measure(name: str) -> Measure:
    if name not in METHODS:
        raise InputError(f"{name!r} is not a measure. Choose one of {', '.join(METHODS)}.")
    return METHODS[name]
