"""The summary in words. A sentence is a list of texts and names, so that the page can set names apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from rsens._app.report._facts import Facts, Name
from rsens._app.report._format import number, percent, printable, shortened
from rsens._text import counted
from rsens.measures import BOTH, DOWN, UP, arrows

Sentence = list[str | Name]

#: The most variables named in one place.
MOST_NAMES = 6
#: Above this share of R-sens, a variable is said to move the uncertainty.
UNCERTAIN = 0.5


def summary(facts: Facts) -> list[Sentence]:
    """What matters, how much, above what level, which way, together with what, and on what ground."""
    sentences = [
        _leading(facts),
        _strength(facts),
        _above_null(facts),
        _directions(facts),
        _parts(facts),
        _pairs(facts),
        _quality(facts),
        _rows(facts),
    ]
    return [sentence for sentence in sentences if sentence]


def answer(facts: Facts) -> list[Sentence]:
    """The same in short: what matters, above what level, and together with what."""
    return [sentence for sentence in (_leading(facts), _above_null(facts), _pairs(facts)) if sentence]


def relevant(facts: Facts) -> list[str]:
    """The terms to speak of, largest first: those above the null level, or the leading ones where none is known."""
    null = facts.explanation.null_levels
    if null is None:
        return [term for term in facts.ranked if facts.explanation.main[term] > 0.0][:MOST_NAMES]
    return [term for term in facts.ranked if facts.explanation.main[term] > null[term]]


def predicted(facts: Facts) -> Sentence:
    """What the model predicts, as the subject of a sentence."""
    classes = getattr(facts.model, "classes_", None)
    if classes is None:
        return ["the prediction"]
    if len(classes) == 2:
        return ["the predicted probability of “", Name(shortened([classes[1]])[0], printable(classes[1])), "”"]
    return ["the predicted probabilities"]


def _leading(facts: Facts) -> Sentence:
    found = relevant(facts)
    if not found:
        if facts.explanation.null_levels is None:
            return ["No variable moves the prediction of ", facts.target, " at all."]
        return ["No variable moves the prediction of ", facts.target, " more than an irrelevant one would."]
    return ["The prediction of ", facts.target, " depends most on ", *_names(facts, found[:3]), "."]


def _strength(facts: Facts) -> Sentence:
    e = facts.explanation
    found = relevant(facts)
    if not found:
        return []
    term = found[0]
    if term in e.categorical:
        step: Sentence = ["A switch of ", facts.names[term], " to another level"]
    else:
        unit = {"sd": "One standard deviation", "raw": "One unit"}.get(e.scale_kind, "One given unit")
        step = [f"{unit} of ", facts.names[term]]
    interval = ""
    if e.intervals is not None:
        low, high = e.intervals.loc[term, ["lower", "upper"]]
        interval = f" ({percent(e.level)} interval {number(low)} to {number(high)})"
    value = number(e.main[term])
    if facts.outputs_are_probabilities:  # √(p(1 − p)) is the unit of R-sens, and ½ where p is ½
        half = number(0.5 * e.main[term], 2)
        return [*step, f" changes a probability of about one half by up to {half}: its R-sens is {value}{interval}."]
    return [
        *step,
        f" changes the predictive distribution as much as a shift by {value} of its own standard deviation would: "
        f"its R-sens is {value}{interval}.",
    ]


def _above_null(facts: Facts) -> Sentence:
    levels = facts.explanation.null_levels
    if levels is None:
        return []
    found, total = relevant(facts), len(facts.ranked)
    level = facts.explanation.null
    known = f" ({number(level)})" if isinstance(level, float) else ""
    verb = "is" if len(found) == 1 else "are"
    start = f"{len(found)} of {counted(total, 'variable')} {verb} above the null level{known}, "
    rest = "which an irrelevant variable rarely passes"
    if 3 < len(found) < total:
        sentence: Sentence = [f"{start}{rest}: ", *_names(facts, found), "; the others cannot be told from noise."]
    elif len(found) < total:
        sentence = [f"{start}{rest}; the others cannot be told from noise." if found else f"{start}{rest}."]
    else:
        sentence = [f"{start}{rest}."]
    return [*sentence, *_only_just(facts, found)]


def _only_just(facts: Facts, found: list[str]) -> Sentence:
    """The terms that are above the level, as it was estimated, but that some probes reach."""
    reached = facts.explanation.reached
    doubtful = [] if reached is None else [term for term in found if reached[term] > 0.0]
    if not doubtful:
        return []
    verb = "is" if len(doubtful) == 1 else "are"
    return [" ", *_names(facts, doubtful), f" {verb} so only just: some of the shuffled columns reach as high."]


def _directions(facts: Facts) -> Sentence:
    e, found = facts.explanation, relevant(facts)
    if not isinstance(e.direction, pd.Series) or not found:
        return []
    signs = dict(zip(found, arrows(e.direction[found], e.consistency[found]), strict=True))
    sentence = predicted(facts)
    first = sentence[0]
    assert isinstance(first, str)
    sentence[0] = first[:1].upper() + first[1:]
    verbs = ((UP, " rises with "), (DOWN, " falls with "), (BOTH, " goes both ways with "))
    said = [(verb, [term for term in found if signs[term] == sign]) for sign, verb in verbs]
    said = [(verb, terms) for verb, terms in said if terms]
    for k, (verb, terms) in enumerate(said):
        between = "" if k == 0 else " and" if k == len(said) - 1 else ","
        sentence += [between + verb, *_names(facts, terms)]
    return [*sentence, "."] if said else []


def _parts(facts: Facts) -> Sentence:
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
    return [f"{start} But ", *_names(facts, other), f" mostly {moves} {what}."]


def _pairs(facts: Facts) -> Sentence:
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
    sentence: Sentence = ["The strongest interaction is between "]
    sentence += [facts.names[top["first"]], " and ", facts.names[top["second"]]]
    more = ""
    if above is not None and len(frame) > 1:
        verb = "is" if len(above) == 1 else "are"
        more = f"; {len(above)} of {counted(len(frame), 'pair')} {verb} above the null level"
        clear = int((above["reached"] == 0.0).sum())
        if clear < len(above):
            more += f", {clear or 'none'} of them above all shuffled columns"
    return [*sentence, f" (R-sens₂ {number(top['value'])}){more}."]


def _quality(facts: Facts) -> Sentence:
    a = facts.assessment
    if a is None or a.warnings:
        return []
    gain = f"gain {number(a.gain)} ± {number(a.gain_error, 2)} per row"
    start = f"On rows that it has not seen, the model is better than a constant ({gain})"
    if a.kind == "classes":
        return [f"{start} and right in {percent(a.accuracy)} of them."]
    held = percent(float(a.coverage["share"].iloc[-1]))
    return [f"{start}, and its {percent(a.coverage.index[-1])} intervals hold {held} of them."]


def _rows(facts: Facts) -> Sentence:
    outside = int(facts.explanation.extrapolation.sum())
    if not outside:
        return []
    of = counted(facts.explanation.n, "row")
    lie = "lies" if outside == 1 else "lie"
    return [f"{outside:,} of {of} {lie} outside the cloud of the data, where the model extrapolates."]


def _names(facts: Facts, terms: Sequence[str]) -> Sentence:
    """a, b and c, each as a name; of many, the first and how many more."""
    shown: Iterable[Any] = terms
    more = len(terms) - MOST_NAMES
    if more > 0:
        shown = terms[:MOST_NAMES]
    parts: Sentence = []
    for k, term in enumerate(shown):
        if k:
            parts.append(" and " if k == len(terms) - 1 else ", ")
        parts.append(facts.names[term])
    return [*parts, f" and {more} more"] if more > 0 else parts


def captions(facts: Facts, *, interactive: bool) -> dict[str, str]:
    """What stands below the figures, and the unit of R-sens."""
    e = facts.explanation
    unit = {"sd": "standard deviation", "raw": "unit"}.get(e.scale_kind, "given unit")
    bars = ["Bars: R-sens of each variable"]
    if e.parts is not None and e.parts.shape[1] > 1:
        bars.append("split into what moves the prediction and what moves its uncertainty")
    text = ", ".join(bars) + "."
    if e.intervals is not None:
        text += f" Whiskers: {percent(e.level)} intervals over the rows."
    if e.null_levels is not None:
        text += " Dashed: the null level, which an irrelevant variable rarely passes."
    if isinstance(e.direction, pd.Series) and any(arrows(e.direction, e.consistency)):
        text += " ▲ ▼ ±: which way the prediction goes with the variable."
    summed = "mean" if e.aggregate == "mean" else "root mean square"
    spread = f"Local R-sens of each row, coloured by the value of the variable; diamonds: the {summed}."
    if interactive:
        fewer = len(facts.shown_rows)
        some = f" {fewer:,} of {e.n:,} rows are shown, evenly over the ranks of the prediction." if fewer < e.n else ""
        spread += f"{some} A click on a point shows its row below."
    return {"variables_caption": text, "spread_caption": spread, "reading_unit": unit}
