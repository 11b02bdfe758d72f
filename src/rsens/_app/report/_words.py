"""What else a study says in words: the details below the answer.

A sentence is a list of texts and names, so that the page can set names apart; `as_text` makes plain text of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from rsens import _meaning as meaning
from rsens._app.report._facts import Facts, Name
from rsens._app.report._naming import Words, levels, marked_pairs, names_of, pair_names, relevant
from rsens._app.tables import Choice
from rsens._assess import Assessment
from rsens._explain import Explanation, has_test, intervals_legend
from rsens._text import counted, number, percent, plus_minus, side_by_side
from rsens.likelihoods import likelihood_named
from rsens.measures import BOTH, DOWN, UP, arrows

#: Above this share of R-sens, a variable is said to move the uncertainty.
UNCERTAIN = 0.5


def details(facts: Facts) -> list[Words]:
    """How much, which way, what of all together, by prediction or uncertainty, and on what ground."""
    sentences = [
        _strength(facts),
        _directions(facts),
        _discovered_variables(facts),
        _parts(facts),
        _discovered_pairs(facts),
        _uncertain_pairs(facts),
        _intervals(facts.explanation),
        _quality(facts.assessment),
        _rows(facts.explanation),
    ]
    return [sentence for sentence in sentences if sentence]


# ---- the model -------------------------------------------------------------------------------------------------------


def model_name(model: Any) -> str:
    """What a model is called at the beginning of a sentence: a foreign one, as its class is."""
    said = getattr(model, "description", None)
    return said if isinstance(said, str) else type(model).__name__


def likelihood_name(likelihood: Choice) -> str:
    """What the target is, given the model."""
    return "classes" if likelihood.kind == "classification" else likelihood_named(likelihood.kind).label


def model_and_likelihood(model: Any, likelihood: Choice) -> str:
    """Which model, and why."""
    return f"{model_name(model)} with {likelihood_name(likelihood)} ({likelihood.reason})."


def unit_of(explanation: Explanation) -> str:
    """What R-sens is per, for numeric variables."""
    return {"sd": "standard deviation", "raw": "unit"}.get(explanation.scale_kind, "given unit")


# ---- variables -------------------------------------------------------------------------------------------------------


def _strength(facts: Facts) -> Words:
    e = facts.explanation
    found = relevant(facts)
    if not found:
        return []
    term = found[0]
    if term in e.categorical and e.scale_kind == "raw":
        step: Words = ["A switch of ", facts.names[term], " to another level"]
    else:
        step = [f"One {unit_of(e)} of ", facts.names[term]]
    value, interval = number(e.main[term]), ""
    if e.intervals is not None:
        ends = (float(e.intervals[end][term]) for end in ("lower", "upper"))
        value, low, high = side_by_side([e.main[term], *ends], e.main[term])
        rows_only = ", rows only" if e.interval_kind == "rows" else ""
        interval = f" ({percent(e.level, level=True)} interval {low} to {high}{rows_only})"
    if facts.outputs_are_probabilities:  # √(p(1 − p)) is the unit of R-sens, and ½ where p is ½
        half = number(0.5 * e.main[term], 2)
        return [*step, f" changes a probability of about one half by up to {half}: its R-sens is {value}{interval}."]
    return [
        *step,
        f" changes the predictive distribution as much as a shift by {value} of its own standard deviation would: "
        f"its R-sens is {value}{interval}.",
    ]


def _discovered_variables(facts: Facts) -> Words:
    """Which variables have the mark for all of them together."""
    discovery, found = facts.explanation.discovery, relevant(facts)
    if discovery is None or levels(facts) is None or not found:
        return []
    discovered = [term for term in facts.ranked if discovery[term]]
    return ["Among all variables, a", *_discoveries(found, discovered, lambda terms: names_of(facts, terms))]


def _discovered_pairs(facts: Facts) -> Words:
    """Which pairs have the mark for all of them together."""
    if not len(facts.pairs) or not has_test(facts.explanation):
        return []
    marked, discovered = (marked_pairs(facts, mark).index.to_list() for mark in ("above_null", "discovery"))
    if not marked:
        return []
    return [
        "Among all pairs, a",
        *_discoveries(marked, discovered, lambda lines: pair_names(facts, facts.pairs.loc[lines])),
    ]


def _discoveries(marked: list[Any], discovered: list[Any], names: Callable[[list[Any]], Words]) -> Words:
    """What is found at a false-discovery rate, given what has a mark of its own."""
    start = f" {meaning.DISCOVERY.replace('rate', 'rate of')} finds "
    if discovered == marked:
        return [f"{start}the same."]
    if not discovered:
        return [f"{start}none."]
    more = [each for each in discovered if each not in marked]
    if len(more) + len(marked) == len(discovered):
        return [f"{start}these and ", *names(more), "."]
    return [start, "" if more else "only ", *names(discovered), "."]


def _directions(facts: Facts) -> Words:
    e, found = facts.explanation, relevant(facts)
    if not isinstance(e.direction, pd.Series) or not isinstance(e.consistency, pd.Series) or not found:
        return []
    signs = dict(zip(found, arrows(e.direction[found], e.consistency[found]), strict=True))
    verbs = ((UP, " rises with "), (DOWN, " falls with "), (BOTH, " goes both ways with "))
    groups = [(verb, [term for term in found if signs[term] == sign]) for sign, verb in verbs]
    groups = [(verb, terms) for verb, terms in groups if terms]
    sentence = _prediction(facts)
    for k, (verb, terms) in enumerate(groups):
        between = "" if k == 0 else " and" if k == len(groups) - 1 else ","
        sentence += [between + verb, *names_of(facts, terms)]
    return [*sentence, "."] if groups else []


def _prediction(facts: Facts) -> Words:
    """What the model predicts, at the beginning of a sentence."""
    classes = getattr(facts.model, "classes_", None)
    if classes is None:
        return ["The prediction"]
    if len(classes) == 2:
        return ["The predicted probability of “", Name.of(classes[1]), "”"]
    return ["The predicted probabilities"]


def _parts(facts: Facts) -> Words:
    parts, main = facts.explanation.parts, facts.explanation.main
    found = relevant(facts)
    if parts is None or parts.shape[1] != 2 or not found:
        return []
    share = float(parts.iloc[:, 1].sum() / main.sum())
    if share >= UNCERTAIN:
        start = f"Mostly it is the uncertainty that moves, not the prediction: {percent(share)} of all sensitivity."
        other = [term for term in found if parts.iloc[:, 1][term] / main[term] < UNCERTAIN]
        what = "the prediction"
    else:
        start = f"Mostly it is the prediction that moves; its uncertainty has {percent(share)} of all sensitivity."
        other = [term for term in found if parts.iloc[:, 1][term] / main[term] >= UNCERTAIN]
        what = "the uncertainty"
    if not other:
        return [start]
    moves = "moves" if len(other) == 1 else "move"
    return [f"{start} But ", *names_of(facts, other), f" mostly {moves} {what}."]


# ---- pairs, quality, rows --------------------------------------------------------------------------------------------


def _uncertain_pairs(facts: Facts) -> Words:
    """How many of the pairs with a large R-sens₂ change only the uncertainty."""
    frame = facts.pairs
    if not len(frame) or "uncertainty_only" not in frame.columns or not frame["uncertainty_only"].any():
        return []
    only, total = int(frame["uncertainty_only"].sum()), len(frame)
    which = "The pair of variables is" if total == 1 else f"{only} of {total} pairs {'is' if only == 1 else 'are'}"
    return [f"{which} uncertainty only: {meaning.UNCERTAINTY_ONLY}."]


def _intervals(explanation: Explanation) -> Words:
    """What the intervals hold for."""
    return [f"{line[0].upper()}{line[1:]}." for line in intervals_legend(explanation)]


def _quality(assessment: Assessment | None) -> Words:
    a = assessment
    if a is None or a.warnings:
        return []
    gain = f"gain {plus_minus(a.gain, a.gain_error)} per row"
    start = f"On rows that it has not seen, the model is better than a constant ({gain})"
    if a.accuracy is not None:
        return [f"{start} and right in {percent(a.accuracy)} of them."]
    if a.coverage is None:
        return [f"{start}."]
    held = percent(float(a.coverage["share"].iloc[-1]))
    return [f"{start}, and its {percent(float(a.coverage.index[-1]), level=True)} intervals hold {held} of them."]


def _rows(explanation: Explanation) -> Words:
    outside = int(explanation.extrapolation.sum())
    if not outside:
        return []
    lie = "lies" if outside == 1 else "lie"
    of = counted(explanation.n, "row")
    return [f"{outside:,} of {of} {lie} outside the cloud of the data, where the model extrapolates."]
