"""What a study says in words, for the page and for the terminal.

A sentence is a list of texts and names, so that the page can set names apart; `as_text` makes plain text of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from typing import Any

import pandas as pd

from rsens import _meaning as meaning
from rsens._app.report._facts import Facts, Name
from rsens._app.tables import Choice
from rsens._assess import Assessment
from rsens._explain import Explanation, has_test, intervals_legend
from rsens._text import counted, number, percent, plus_minus
from rsens.likelihoods import likelihood_named
from rsens.measures import BOTH, DOWN, UP, arrows

Words = list[str | Name]

#: The most variables named in one place.
MOST_NAMES = 6
#: Above this share of R-sens, a variable is said to move the uncertainty.
UNCERTAIN = 0.5
#: The most pairs named in one place.
MOST_PAIRS = 4


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
        _uncertain_pairs(facts),
        _intervals(facts.explanation),
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
    null = _levels(facts)
    if null is None:
        return [term for term in facts.ranked if facts.explanation.main[term] > 0.0][:MOST_NAMES]
    return [term for term in facts.ranked if facts.explanation.main[term] > null[term]]


def _levels(facts: Facts) -> pd.Series[float] | None:
    """The null levels, if any is known."""
    null = facts.explanation.null_levels
    return None if null is None or null.isna().all() else null


def _leading(facts: Facts) -> Words:
    found = _relevant(facts)
    if not found:
        if _levels(facts) is None:
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
        rows_only = ", rows only" if e.interval_kind == "rows" else ""
        interval = f" ({percent(e.level, level=True)} interval {number(low)} to {number(high)}{rows_only})"
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
    """Which variables have the mark, what it means, and which have that for all variables together."""
    levels, found = _levels(facts), _relevant(facts)
    if levels is None or not found:
        return []
    known = int(levels.notna().sum())
    like = f"which 95 % of irrelevant columns like {'it' if len(found) == 1 else 'them'} stay below"
    sentence: Words = [f"{len(found)} of {counted(known, 'variable')} {_is(found)} above the null level, {like}"]
    if 3 < len(found) < known:
        sentence += [": ", *_names(facts, found)]
    if len(found) < known:
        sentence.append("; at this level the others cannot be told from noise")
    discovery = facts.explanation.discovery
    if discovery is None:
        return [*sentence, "."]
    discovered = [term for term in facts.ranked if discovery[term]]
    return [*sentence, ". ", *_discoveries(found, discovered, lambda terms: _names(facts, terms))]


def _discoveries(marked: list[Any], discovered: list[Any], names: Callable[[list[Any]], Words]) -> Words:
    """What is found at a false-discovery rate, given what has a mark of its own."""
    start = f"A {meaning.DISCOVERY.replace('rate', 'rate of')} finds "
    if discovered == marked:
        return [f"{start}the same."]
    if not discovered:
        return [f"{start}none."]
    more = [each for each in discovered if each not in marked]
    if len(more) + len(marked) == len(discovered):
        return [f"{start}these and ", *names(more), "."]
    return [start, "" if more else "only ", *names(discovered), "."]


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
    """Which pairs interact, by the test."""
    frame, e = facts.pairs, facts.explanation
    if not len(frame):
        return []
    if not has_test(e):
        top = frame.iloc[0]
        if not top["value"] > 0.0:
            return ["No pair of variables has an R-sens₂ above 0."]
        names = _pair_names(facts, frame.head(1))
        return ["The largest R-sens₂ is that of ", *names, f" ({number(top['value'])}); interactions were not tested."]
    scale = meaning.scale_name(str(e.test_scale))
    if e.pair_additive is not None and e.pair_additive.all():
        return [f"No pair interacts: the model adds up on the {scale} by construction."]
    tested = int(frame["p_value"].notna().sum())
    marked, discovered = (
        frame[frame[mark].fillna(False).astype(bool)].index.to_list() for mark in ("above_null", "discovery")
    )
    unclear = 0 if e.pair_unclear is None else int(e.pair_unclear.sum())
    doubt = f" For {counted(unclear, 'pair')} it cannot be told, because columns are collinear." if unclear else ""
    model = f"a model in which {'the two' if tested == 1 else 'they'} add up on the {scale}"
    if not marked:
        none = "The pair of variables is not" if tested == 1 else f"None of {tested} pairs is"
        return [f"{none} marked as interacting (5 % per pair): the data do not contradict {model}.{doubt}"]

    def names(lines: list[Any]) -> Words:
        return _pair_names(facts, frame.loc[lines])

    start = f"{len(marked)} of {counted(tested, 'pair')} {_is(marked)} marked as interacting (5 % per pair, so one in 20 by chance): "
    return [
        start,
        *names(marked),
        f"; there the data contradict {model}. ",
        *_discoveries(marked, discovered, names),
        doubt,
    ]


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


def _pair_names(facts: Facts, pairs: pd.DataFrame) -> Words:
    """a × b, c × d and e × f, with those that are uncertainty only; of many, the first ones and how many more."""
    parts: Words = []
    shown = pairs.head(MOST_PAIRS)
    only = shown.get("uncertainty_only", pd.Series(False, shown.index))
    for k, (first, second, alone) in enumerate(zip(shown["first"], shown["second"], only, strict=True)):
        if k:
            parts.append(" and " if k == len(pairs) - 1 else ", ")
        parts += [facts.names[first], " × ", facts.names[second], " (uncertainty only)" if alone else ""]
    more = len(pairs) - len(shown)
    return [*parts, f" and {more} more"] if more > 0 else parts


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
