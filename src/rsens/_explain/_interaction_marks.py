"""Which pairs interact: the marks of pairs, by a test against a model in which terms add up.

R-sens₂ is not 0 for two variables that add up: a probability bends, and uncertainty bends with it. So the mark of a
pair is not a level of R-sens₂ but a test of the data (`rsens._interactions`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsens._arguments import child
from rsens._errors import Argument, InputError, RsensWarning, warn
from rsens._explain._context import INTERACTIONS, Context
from rsens._explain._p_values import discoveries
from rsens._explain._query import Query
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
from rsens._text import listed
from rsens._typing import Array, Flags


@dataclass(frozen=True, eq=False, kw_only=True)
class Interactions(Part):
    """p-values of pairs, and the marks that follow from them."""

    pair_p_values: Array = stored(
        "The p-value of the test that the two terms of a pair add up. NaN where a term does not vary.",
        "pairs",
    )  # fmt: skip
    pair_discovery: Flags = stored(
        "Whether a pair is among the discoveries at a false-discovery rate of 10 % (Benjamini and Hochberg).",
        "pairs",
    )  # fmt: skip
    pair_additive: Flags = stored(
        "Whether the model adds up the two terms by construction, so that the pair is never marked.", "pairs"
    )
    pair_above: Flags = stored(
        "The mark of a pair: the data contradict a model in which the two add up (5 % per pair).",
        "pairs",
    )  # fmt: skip
    pair_unclear: Flags = stored(
        "Whether the test of a pair that is not marked is inconclusive: other columns nearly determine one of its two.",
        "pairs",
    )  # fmt: skip
    test_scale: str = stored(
        'The scale on which terms add up in the test: "identity" (of y), "log", "logit" or "probit".'
    )
    pair_null_kind: str = stored("The procedure behind the mark of pairs.")
    pair_rows: int = stored("How many rows the test of pairs used.")
    pair_notes: tuple[str, ...] = stored("Remarks on the marks of pairs.")


def find_interaction_marks(context: Context, additive: Flags) -> Interactions | None:
    """`interaction_marks`, its notes as warnings; None without a test, with a warning or an error."""
    collinear = collinear_terms(context.query)
    try:
        found = interaction_marks(context, additive, collinear)
    except FAILURES as error:
        found = Untested(f"the additive model could not be fitted ({reason_of(error)}).")
    if isinstance(found, Untested):
        text = f"Pairs have no marks: {found.reason}"
        if context.null is True:
            raise InputError(text, " Use ", Argument("null", False), " or ", Argument("pairs", False), ".")
        warn(text)
        return None
    for note in found.pair_notes:
        warn(note)
    if collinear:
        warn(*collinear, category=CollinearityWarning)
    return found


def interaction_marks(
    context: Context, additive: Flags | None = None, collinear: tuple[str, ...] = ()
) -> Interactions | Untested:
    """Test all pairs of terms, or state why not. `additive` (T, T): which ones the model adds up by construction."""
    query, source, order = context.query, context.query.source, context.order
    first = query.table.part(0, 1)
    predicted = source.predict_distribution(first if source.takes_tables else first.source)
    target = likelihood_for(context.model, predicted, context.y)
    if isinstance(target, Untested):
        return target
    rows, levels = _coded(query)
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


def collinear_terms(query: Query) -> tuple[str, ...]:
    """The terms that other columns nearly determine: variance inflation above 5."""
    inflation = variance_inflation(*_coded(query), query.terms.members)
    return tuple(name for name, vif in zip(query.terms.names, inflation, strict=True) if vif > MOST_INFLATION)


class CollinearityWarning(RsensWarning):
    """Terms that other columns nearly determine; `names` has them."""

    def __init__(self, *names: str) -> None:
        self.names = names
        super().__init__(
            f"Other columns nearly determine {listed(names, 10)} (variance inflation above {MOST_INFLATION:g}), so an "
            "interaction is almost indistinguishable from a curve: the test of a pair of these that is not marked is "
            "inconclusive. Leave out columns that repeat others, or group them."
        )


def _coded(query: Query) -> tuple[Array, dict[int, int]]:
    """The rows with codes 0, 1, … in the columns that count as levels, and how many levels occur."""
    values = query.table.values
    rows, levels = values.copy(), {}
    for d in query.categorical:
        occurring, codes = np.unique(values[:, d], return_inverse=True)
        rows[:, d], levels[d] = codes, len(occurring)
    return rows, levels
