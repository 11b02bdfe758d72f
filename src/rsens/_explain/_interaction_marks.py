"""Which pairs interact: the marks of pairs, by a test against a model in which terms add up.

R-sens₂ is not 0 for two variables that add up: a probability bends, and uncertainty bends with it. So the mark of a
pair is not a level of R-sens₂ but a test of the data (`rsens._interactions`).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from rsens._arguments import child
from rsens._errors import Argument, InputError, RsensWarning
from rsens._explain._null_level import discoveries
from rsens._explain._query import INTERACTIONS, Context, Query
from rsens._interactions import (
    MOST_INFLATION,
    Untested,
    find_interactions,
    likelihood_for,
    scale_text,
    variance_inflation,
)
from rsens._meaning import DISCOVERY_RATE, PER_PAIR
from rsens._refits import FAILURES, reason_of
from rsens._results import Part, stored
from rsens._table import Table
from rsens._text import listed
from rsens._typing import Array, Flags


@dataclass(frozen=True, eq=False, kw_only=True)
class Interactions(Part):
    """p-values of pairs, and the marks that follow from them."""

    pair_p_values: Array = stored(
        "The p-value of the test that the two terms of a pair add up. NaN where a term does not vary.",
        "pairs", column="p_value",
    )  # fmt: skip
    pair_discovery: Flags = stored(
        "Whether a pair is among the discoveries at a false-discovery rate of 10 % (Benjamini and Hochberg).",
        "pairs", column="discovery",
    )  # fmt: skip
    pair_additive: Flags = stored(
        "Whether the model adds up the two terms by construction, so that the pair is never marked.", "pairs"
    )
    pair_above: Flags = stored(
        "The mark of a pair: the data contradict a model in which the two add up (5 % per pair).",
        "pairs", column="above_null",
    )  # fmt: skip
    pair_unclear: Flags = stored(
        "Whether a pair that is not marked cannot be told: other columns nearly determine one of its two.", "pairs",
    )  # fmt: skip
    test_scale: str = stored(
        'The scale on which terms add up in the test: "identity" (of y), "log", "logit" or "probit".'
    )
    pair_null_kind: str = stored("What the mark of pairs is.")
    pair_rows: int = stored("How many rows the test of pairs used.")
    pair_notes: tuple[str, ...] = stored("What to know about the marks of pairs.")


def find_interaction_marks(context: Context, additive: Flags, *, required: bool) -> Interactions | None:
    """`interaction_marks`, its notes as warnings. What cannot be tested is an error if `required`, else a warning."""
    collinear = collinear_terms(context.table, context.query)
    try:
        found = interaction_marks(context, additive, collinear)
    except FAILURES as error:
        found = Untested(f"the additive model could not be fitted ({reason_of(error)}).")
    if isinstance(found, Untested):
        text = f"Pairs have no marks: {found.reason}"
        if required:
            raise InputError(text, " Use ", Argument("null", False), " or ", Argument("pairs", False), ".")
        warnings.warn(RsensWarning(text), stacklevel=4)
        return None
    for note in found.pair_notes:
        warnings.warn(RsensWarning(note), stacklevel=4)
    if (warning := collinearity_warning(collinear)) is not None:
        warnings.warn(warning, stacklevel=4)
    return found


def interaction_marks(
    context: Context, additive: Flags | None = None, collinear: tuple[str, ...] = ()
) -> Interactions | Untested:
    """Test all pairs of terms, or state why not. `additive` (T, T): which ones the model adds up by construction."""
    query, source, order = context.query, context.source, context.order
    first = context.table.part(0, 1)
    predicted = source.predict_distribution(first if source.takes_tables else first.source)
    target = likelihood_for(context.model, predicted, context.y)
    if isinstance(target, Untested):
        return target
    rows, levels = _coded(context.table.values, query.categorical)
    members = query.terms.members
    found = find_interactions(
        rows,
        target,
        members=members,
        categorical=levels,
        clusters=order.clusters,
        order=order.rows,
        seed=child(context.seed, INTERACTIONS),
        progress=context.progress,
    )
    p, upper = found.p_values, np.triu_indices(len(members), 1)
    by_construction = np.zeros(len(p), dtype=np.bool_) if additive is None else np.asarray(additive, np.bool_)[upper]
    discovered = discoveries(p, DISCOVERY_RATE)
    above = (p <= PER_PAIR) & ~by_construction
    scale, names = scale_text(found.scale), query.terms.names
    unclear_terms = np.isin(names, collinear)
    notes = list(found.notes)
    contradicted = [f"{names[upper[0][k]]}:{names[upper[1][k]]}" for k in np.flatnonzero(discovered & by_construction)]
    if contradicted:
        notes.append(
            f"The model adds up on {scale} by construction, but the data show interactions that it cannot hold: "
            f"{listed(contradicted, 10)}. A Gaussian process could."
        )
    return Interactions(
        pair_p_values=p,
        pair_discovery=discovered & ~by_construction,
        pair_additive=by_construction,
        pair_above=above,
        pair_unclear=~above & ~by_construction & (unclear_terms[upper[0]] | unclear_terms[upper[1]]),
        test_scale=found.scale,
        pair_null_kind=f"score test of additivity on {scale}",
        pair_rows=found.n_rows,
        pair_notes=tuple(notes),
    )


def collinear_terms(table: Table, query: Query) -> tuple[str, ...]:
    """The terms that other columns nearly determine: variance inflation above 5."""
    rows, levels = _coded(table.values, query.categorical)
    inflation = variance_inflation(rows, levels, query.terms.members)
    return tuple(name for name, vif in zip(query.terms.names, inflation, strict=True) if vif > MOST_INFLATION)


class CollinearityWarning(RsensWarning):
    """Terms that other columns nearly determine; `names` has them."""

    names: tuple[str, ...] = ()


def collinearity_warning(names: tuple[str, ...]) -> CollinearityWarning | None:
    """What to say of such terms; None if there are none."""
    if not names:
        return None
    warning = CollinearityWarning(
        f"Other columns nearly determine {listed(names, 10)} (variance inflation above {MOST_INFLATION:g}), so an "
        "interaction can hardly be told from a curve: a pair of these that is not marked cannot be told, it need not "
        "add up. Leave out columns that say the same, or group them."
    )
    warning.names = names
    return warning


def _coded(values: Array, categorical: tuple[int, ...]) -> tuple[Array, dict[int, int]]:
    """The rows with codes 0, 1, … in the columns that count as levels, and how many levels occur."""
    rows, levels = values.copy(), {}
    for d in categorical:
        occurring, codes = np.unique(values[:, d], return_inverse=True)
        rows[:, d], levels[d] = codes, len(occurring)
    return rows, levels
