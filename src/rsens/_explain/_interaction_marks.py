"""Which pairs interact: the marks of pairs, by a test against a model in which terms add up.

R-sens₂ is not 0 for two variables that add up: a probability bends, and uncertainty bends with it. So the mark of a
pair is not a level of R-sens₂ but a test of the data (`rsens._interactions`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsens import _interactions as additivity
from rsens._arguments import child
from rsens._errors import Argument, InputError, RsensWarning, warn
from rsens._explain._context import INTERACTIONS, Context
from rsens._explain._null_level import discoveries
from rsens._explain._query import Query
from rsens._meaning import DISCOVERY_RATE, PER_PAIR
from rsens._refits import FAILURES, reason_of
from rsens._results import Part, stored
from rsens._text import listed
from rsens._typing import Array, Flags


@dataclass(frozen=True, eq=False, kw_only=True)
class Interactions(Part):
    """p-values of pairs, and the marks that follow from them."""

    pair_p_values: Array = stored(
        "The p-value of the test that the two terms of a pair add up. NaN where a term does not vary.", "pairs"
    )
    pair_discovery: Flags = stored(
        "Whether a pair is among the discoveries at a false-discovery rate of 10 % (Benjamini and Hochberg).", "pairs"
    )
    pair_additive: Flags = stored(
        "Whether the model adds up the two terms by construction, so that the pair is never marked.", "pairs"
    )
    pair_above: Flags = stored(
        "The mark of a pair: the data contradict a model in which the two add up (5 % per pair).", "pairs"
    )
    pair_unclear: Flags = stored(
        "Whether the test of a pair that is not marked is inconclusive: other columns nearly determine one of its two.",
        "pairs",
    )  # fmt: skip
    test_scale: str = stored(
        'The scale on which terms add up in the test: "identity" (of y), "log", "logit" or "probit".'
    )
    pair_null_kind: str = stored("The procedure behind the mark of pairs.")
    pair_notes: tuple[str, ...] = stored("Remarks on the marks of pairs.")


def find_interaction_marks(context: Context, additive: Flags) -> Interactions | None:
    """Test all pairs of terms; None without a test, with a warning or an error."""
    try:
        found = interaction_marks(context, additive)
    except (additivity.Untested, *FAILURES) as error:
        reason = f"the additive model could not be fitted ({reason_of(error)})."
        text = f"Pairs have no marks: {error if isinstance(error, additivity.Untested) else reason}"
        if context.null is True:
            raise InputError(text, " Use ", Argument("null", False), " or ", Argument("pairs", False), ".") from error
        warn(text)
        return None
    for note in found.pair_notes:
        warn(note)
    return found


def interaction_marks(context: Context, additive: Flags) -> Interactions:
    """Test all pairs of terms. `additive` (T, T): which ones the model adds up by construction."""
    query, source, order, names = context.query, context.query.source, context.order, context.query.terms.names
    first = query.table.part(0, 1)
    predicted = source.predict_distribution(first if source.takes_tables else first.source)
    target = additivity.likelihood_for(context.model, predicted, context.y)
    rows, levels = _coded(query)
    unclear = additivity.variance_inflation(rows, levels, query.terms.members) > additivity.MOST_INFLATION
    if unclear.any():
        warn(*np.array(names)[unclear].tolist(), category=CollinearityWarning)
    found = additivity.find_interactions(
        rows,
        target,
        members=query.terms.members,
        categorical=levels,
        clusters=order.clusters,
        order=order.rows,
        seed=child(context.seed, INTERACTIONS),
        progress=context.progress,
    )
    p, scale = found.p_values, additivity.scale_text(found.scale)
    upper = np.triu_indices(len(names), 1)
    by_construction = additive[upper]
    discovered = discoveries(p, DISCOVERY_RATE)
    above = (p <= PER_PAIR) & ~by_construction
    notes = list(found.notes)
    if (contradicted := discovered & by_construction).any():
        pairs = [f"{names[upper[0][k]]}:{names[upper[1][k]]}" for k in np.flatnonzero(contradicted)]
        notes.append(
            f"The model adds up on {scale} by construction, but the data show interactions that it cannot hold: "
            f"{listed(pairs, 10)}. A Gaussian process could."
        )
    return Interactions(
        pair_p_values=p,
        pair_discovery=discovered & ~by_construction,
        pair_additive=by_construction,
        pair_above=above,
        pair_unclear=~above & ~by_construction & (unclear[upper[0]] | unclear[upper[1]]),
        test_scale=found.scale,
        pair_null_kind=f"score test of additivity on {scale}",
        pair_notes=tuple(notes),
    )


class CollinearityWarning(RsensWarning):
    """Terms that other columns nearly determine; `names` has them."""

    def __init__(self, *names: str) -> None:
        self.names = names
        super().__init__(
            f"Other columns nearly determine {listed(names, 10)} (variance inflation above "
            f"{additivity.MOST_INFLATION:g}), so an interaction is almost indistinguishable from a curve: the test of "
            "pairs of these that are not marked is inconclusive. Leave out columns that repeat others, or group them."
        )


def _coded(query: Query) -> tuple[Array, dict[int, int]]:
    """The rows with codes 0, 1, … in the columns that count as levels, and how many levels occur."""
    values = query.table.values
    rows, levels = values.copy(), {}
    for d in query.categorical:
        occurring, codes = np.unique(values[:, d], return_inverse=True)
        rows[:, d], levels[d] = codes, len(occurring)
    return rows, levels
