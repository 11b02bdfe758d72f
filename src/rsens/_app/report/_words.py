"""What a study says in words, for the page and for the terminal.

A sentence is a list of texts and names, so that the page can set names apart; `as_text` makes plain text of it.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any

import pandas as pd

from rsens._app.report._facts import Facts, Name
from rsens._app.tables import Choice
from rsens._assess import Assessment
from rsens._explain import Explanation
from rsens._text import counted, number, percent, plus_minus
from rsens.likelihoods import likelihood_named
from rsens.measures import BOTH, DOWN, UP, arrows

Words = list[str | Name]

#: The most variables named in one place.
MOST_NAMES = 6
#: Above this share of R-sens, a variable is said to move the uncertainty.
UNCERTAIN = 0.5
#: What the null level is, as a relative clause.
RARELY = "which an irrelevant variable rarely passes"


def as_text(sentence: Words) -> str:
    """The sentence with whole names."""
    return "".join(part if isinstance(part, str) else part.full for part in sentence)


def summary(facts: Facts) -> list[Words]:
    """What matters, how much, above what level, which way, together with what, and on what ground."""
    sentences = [
        _leading(facts),
        _strength(facts),
        _above_null(facts),
        _directions(facts),
        _parts(facts),
        _pairs(facts),
        _quality(facts.assessment),
        _rows(facts.explanation),
    ]
    return [sentence for sentence in sentences if sentence]


def answer(facts: Facts) -> list[Words]:
    """The same in short: what matters, above what level, and together with what."""
    return [sentence for sentence in (_leading(facts), _above_null(facts), _pairs(facts)) if sentence]


# ---- the model -------------------------------------------------------------------------------------------------------


def model_name(model: Any) -> str:
    """What a model is called at the beginning of a sentence: a foreign one, as its class is."""
    return str(getattr(model, "description", type(model).__name__))


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


def _relevant(facts: Facts) -> list[str]:
    """The terms to speak of, largest first: those above the null level, or the leading ones where none is known."""
    null = facts.explanation.null_levels
    if null is None:
        return [term for term in facts.ranked if facts.explanation.main[term] > 0.0][:MOST_NAMES]
    return [term for term in facts.ranked if facts.explanation.main[term] > null[term]]


def _leading(facts: Facts) -> Words:
    found = _relevant(facts)
    if not found:
        if facts.explanation.null_levels is None:
            return ["No variable moves the prediction of ", facts.target, " at all."]
        return ["No variable moves the prediction of ", facts.target, " more than an irrelevant one would."]
    return ["The prediction of ", facts.target, " depends most on ", *_names(facts, found[:3]), "."]


def _strength(facts: Facts) -> Words:
    e = facts.explanation
    found = _relevant(facts)
    if not found:
        return []
    term = found[0]
    if term in e.categorical and e.scale_kind == "raw":
        step: Words = ["A switch of ", facts.names[term], " to another level"]
    else:
        step = [f"One {unit_of(e)} of ", facts.names[term]]
    interval = ""
    if e.intervals is not None:
        low, high = (float(e.intervals[end][term]) for end in ("lower", "upper"))
        interval = f" ({percent(e.level, level=True)} interval {number(low)} to {number(high)})"
    value = number(e.main[term])
    if facts.outputs_are_probabilities:  # √(p(1 − p)) is the unit of R-sens, and ½ where p is ½
        half = number(0.5 * e.main[term], 2)
        return [*step, f" changes a probability of about one half by up to {half}: its R-sens is {value}{interval}."]
    return [
        *step,
        f" changes the predictive distribution as much as a shift by {value} of its own standard deviation would: "
        f"its R-sens is {value}{interval}.",
    ]


def _above_null(facts: Facts) -> Words:
    levels = facts.explanation.null_levels
    if levels is None:
        return []
    found, total = _relevant(facts), len(facts.ranked)
    level = facts.explanation.null
    known = f" ({number(level)})" if isinstance(level, float) else ""
    start = f"{len(found)} of {counted(total, 'variable')} {_is(found)} above the null level{known}, {RARELY}"
    noise = "the others cannot be told from noise."
    if 3 < len(found) < total:
        return [f"{start}: ", *_names(facts, found), f"; {noise}", *_only_just(facts, found)]
    if 0 < len(found) < total:
        return [f"{start}; {noise}", *_only_just(facts, found)]
    return [f"{start}.", *_only_just(facts, found)]


def _only_just(facts: Facts, found: list[str]) -> Words:
    """The terms above the estimated level that some probes reach."""
    reached = facts.explanation.reached
    doubtful = [] if reached is None else [term for term in found if reached[term] > 0.0]
    if not doubtful:
        return []
    return [" ", *_names(facts, doubtful), f" {_is(doubtful)} only just above: some shuffled columns reach as high."]


def _directions(facts: Facts) -> Words:
    e, found = facts.explanation, _relevant(facts)
    if not isinstance(e.direction, pd.Series) or not isinstance(e.consistency, pd.Series) or not found:
        return []
    signs = dict(zip(found, arrows(e.direction[found], e.consistency[found]), strict=True))
    verbs = ((UP, " rises with "), (DOWN, " falls with "), (BOTH, " goes both ways with "))
    groups = [(verb, [term for term in found if signs[term] == sign]) for sign, verb in verbs]
    groups = [(verb, terms) for verb, terms in groups if terms]
    sentence = _prediction(facts)
    for k, (verb, terms) in enumerate(groups):
        between = "" if k == 0 else " and" if k == len(groups) - 1 else ","
        sentence += [between + verb, *_names(facts, terms)]
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
    found = _relevant(facts)
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
    return [f"{start} But ", *_names(facts, other), f" mostly {moves} {what}."]


# ---- pairs, quality, rows --------------------------------------------------------------------------------------------


def _pairs(facts: Facts) -> Words:
    frame = facts.pairs
    if not len(frame):
        return []
    above = frame[frame["above_null"].fillna(False).astype(bool)] if frame["null"].notna().any() else None
    if above is not None and not len(above):
        one = len(frame) == 1
        none = "The pair of variables does not interact" if one else f"None of the {len(frame)} pairs interacts"
        return [f"{none} more than an irrelevant one would."]
    top = frame.iloc[0] if above is None else above.iloc[0]
    if not top["value"] > 0.0:
        return ["No pair of variables interacts."]
    sentence: Words = ["The strongest interaction is between "]
    sentence += [facts.names[top["first"]], " and ", facts.names[top["second"]]]
    more = ""
    if above is not None and len(frame) > 1:
        more = f"; {len(above)} of {counted(len(frame), 'pair')} {_is(above)} above the null level"
        clear = int((above["reached"] == 0.0).sum())
        if clear < len(above):
            more += f", {clear or 'none'} of them above all shuffled columns"
    return [*sentence, f" (R-sens₂ {number(top['value'])}){more}."]


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


def _is(items: Sized) -> str:
    return "is" if len(items) == 1 else "are"


def _names(facts: Facts, terms: Sequence[str]) -> Words:
    """a, b and c, each as a name; of many, the first ones and how many more."""
    more = len(terms) - MOST_NAMES
    parts: Words = []
    for k, term in enumerate(terms[:MOST_NAMES]):
        if k:
            parts.append(" and " if k == len(terms) - 1 else ", ")
        parts.append(facts.names[term])
    return [*parts, f" and {more} more"] if more > 0 else parts
