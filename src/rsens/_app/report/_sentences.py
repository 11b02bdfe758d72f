"""Sentences as lists of texts and names, so that the page can set names apart; and which terms to speak of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from rsens import _meaning as meaning
from rsens._app.report._facts import Facts, Name
from rsens._app.tables import Choice
from rsens._assess import Assessment
from rsens._explain import Explanation, directions, has_test, in_points
from rsens._text import as_label, counted, listed, number, percent, plus_minus, side_by_side
from rsens.likelihoods import likelihood_named
from rsens.measures import BOTH, DOWN, UP, arrows

Words = list[str | Name]

#: The most variables, and pairs, named in one place.
MOST_NAMES, MOST_PAIRS = 6, 4


def as_text(sentence: Words) -> str:
    """The sentence with whole names."""
    return "".join(part if isinstance(part, str) else part.full for part in sentence)


def joined(items: Sequence[Words], most: int) -> Words:
    """a, b and c; of more than `most`, the first ones and how many more."""
    words: Words = []
    for k, item in enumerate(items[:most]):
        words += ([] if not k else [" and " if k == len(items) - 1 else ", "]) + item
    more = len(items) - most
    return [*words, f" and {more} more"] if more > 0 else words


def names_of(facts: Facts, terms: Sequence[str], after: Callable[[str], str] = lambda term: "") -> Words:
    """a, b and c, each as a name with what is said `after` it."""
    return joined([[facts.names[term], after(term)] for term in terms], MOST_NAMES)


def pair_names(facts: Facts, pairs: Sequence[tuple[str, str]]) -> Words:
    """a × b, c × d and e × f, with those that are uncertainty only."""
    only = set(facts.explanation.uncertainty_only)
    items: list[Words] = [
        [facts.names[pair[0]], " × ", facts.names[pair[1]], " (uncertainty only)" if pair in only else ""]
        for pair in pairs
    ]
    return joined(items, MOST_PAIRS)


def levels(facts: Facts) -> pd.Series[float] | None:
    """The null levels, if any is known."""
    null = facts.explanation.null_levels
    return None if null is None or null.isna().all() else null


def relevant(facts: Facts) -> list[str]:
    """The terms to speak of, largest first: those above the null level, or the leading ones where none is known."""
    null, main = levels(facts), facts.explanation.main
    if null is None:
        return [term for term in facts.ranked if main[term] > 0.0][:MOST_NAMES]
    return [term for term in facts.ranked if main[term] > null[term]]


#: How many variables lead.
LEADING = 3
#: What a slope is per.
PER = {"sd": "per sd", "raw": "per unit"}


def answer(facts: Facts) -> list[Words]:
    """The paragraph that the print, the report and the notebook begin with: what matters, how good the model is, marks.

    Empty sentences are left out. If only some rows were used, the first sentence begins with that.
    """
    leading, a = _leading(facts), facts.assessment
    model = "the model was not checked on unseen rows." if a is None else f"the model {a.phrase}."
    used, chosen = rows_used(facts)
    rows = f"{used} row{'' if facts.explanation.n == 1 else 's'}{chosen}"
    if " of " in used:  # a sample
        start = str(leading[0])
        leading = [f"Based on {rows}, {start[:1].lower()}{start[1:]}", *leading[1:]]
        model = model[:1].upper() + model[1:]
    else:
        model = f"It is based on {rows}; {model}" if a is None else f"Based on {rows}, {model}"
    sentences: list[Words] = [leading, [model], _marks(facts), _pairs(facts)]
    return [sentence for sentence in sentences if sentence]


def rows_used(facts: Facts) -> tuple[str, str]:
    """How many rows, of how many if some were drawn, and which: "1,000 of 8,760" and " where open=yes"."""
    n, kept = facts.explanation.n, facts.settings.get("rows_kept")
    there = int(kept["rows"] if kept else facts.settings.get("rows_in_data") or 0)
    return f"{n:,} of {there:,}" if n < there else f"{n:,}", f" where {as_label(kept['where'])}" if kept else ""


def _leading(facts: Facts) -> Words:
    found = relevant(facts)
    if not found:
        far = "at all" if levels(facts) is None else "more than an irrelevant one would"
        return ["No variable moves the prediction of ", facts.target, f" {far}."]
    shown = found[:LEADING]
    effects = dict(zip(shown, directions(facts.explanation, shown, digits=2), strict=True))
    start = [*_prediction(facts, facts.target), " depends most on "]
    return [*start, *names_of(facts, shown, lambda term: _effect(facts, effects[term])), *_arrows(facts, effects)]


def _prediction(facts: Facts, *target: str | Name) -> Words:
    """The predicted quantity at the beginning of a sentence, with the name of the target if given."""
    classes = getattr(facts.model, "classes_", None)
    if facts.outputs_are_probabilities and classes is not None and len(classes) == 2:
        return ["The predicted probability of ", *target, " " if target else "", "“", Name.of(classes[1]), "”"]
    return ["The prediction", " of " if target else "", *target]


def _effect(facts: Facts, direction: str) -> str:
    """(▲ 25 per sd), or nothing for what has no direction, such as a category."""
    if not direction:
        return ""
    if direction == BOTH:
        return f" ({BOTH} both ways)"
    if direction.endswith(")"):  # it has a step of its own: "▲ 25 (0 to 1)"
        return f" ({direction.removesuffix(')').replace(' (', ' from ')})"
    per = PER.get(facts.explanation.scale_kind, "per given unit")
    return f" ({direction})" if _by_output(facts) else f" ({direction} {per})"


def _arrows(facts: Facts, effects: dict[str, str]) -> Words:
    """What the arrows mean, if there are any."""
    signs = [sign for sign in (UP, DOWN) if any(sign in effect for effect in effects.values())]
    if not signs:
        return ["."]
    if _by_output(facts):
        return [f"; {UP} is the class that becomes more probable as it grows, {DOWN} the one that becomes less."]
    words = {UP: "up", DOWN: "down"}
    sd = ["sd a standard deviation"] if any(effect and effect[-1] != ")" for effect in effects.values()) else []
    sd = sd if facts.explanation.scale_kind == "sd" else []
    sd += ["pp percentage points"] if in_points(facts.explanation) else []
    means = [f"{sign}{' is' if not k else ''} {words[sign]}" for k, sign in enumerate(signs)]
    return [f"; {listed([*means, *sd])}."]


def _by_output(facts: Facts) -> bool:
    return facts.explanation.direction.ndim == 2


def _marks(facts: Facts) -> Words:
    """Which variables have a star, and what it means."""
    null, found = levels(facts), relevant(facts)
    if null is None or not found:
        return []
    known = int(null.notna().sum())
    one = len(found) == 1
    sentence: Words = [f"{len(found)} of {counted(known, 'variable')} {'has' if one else 'have'} a star"]
    if LEADING < len(found) < known:
        sentence += [", also ", *names_of(facts, found[LEADING:])]
    means = meaning.VARIABLE.replace("this one", "it" if one else "them")
    return [*sentence, f": {'it is' if one else 'they are'} {means}."]


def _pairs(facts: Facts) -> Words:
    """Which pairs interact, by the test."""
    frame, e = facts.pairs, facts.explanation
    if not len(frame):
        return []
    if not has_test(e):
        top = float(frame["value"].iloc[0])
        if not top > 0.0:
            return ["No pair of variables has an R-sens₂ above 0."]
        first = pair_names(facts, facts.ranked_pairs[:1])
        return ["The largest R-sens₂ is that of ", *first, f" ({number(top)}); interactions were not tested."]
    scale = meaning.scale_name(str(e.test_scale))
    if e.pair_additive is not None and e.pair_additive.all():
        return [f"No pair interacts: the model adds up on the {scale} by construction."]
    tested, marked = int(frame["p_value"].notna().sum()), facts.marked_pairs
    unclear = 0 if e.pair_unclear is None else int(e.pair_unclear.sum())
    doubt = f" For {counted(unclear, 'pair')} it cannot be told, because columns are collinear." if unclear else ""
    model = f"a model in which {'the two' if 1 in (len(marked), tested) else 'they'} add up on the {scale}"
    if not len(marked):
        none = "The pair of variables has no star" if tested == 1 else f"None of {tested} pairs has a star"
        return [f"{none}: the data do not contradict {model}.{doubt}"]
    start = f"{len(marked)} of {counted(tested, 'pair')} {'has' if len(marked) == 1 else 'have'} a star, "
    means = f": there the data contradict {model} (one in 20 pairs that add up has a star by chance).{doubt}"
    return [start, *pair_names(facts, marked), means]


#: Above this share of R-sens, a variable is said to move the uncertainty.
UNCERTAIN = 0.5


def details(facts: Facts) -> list[Words]:
    """The details below the answer: how much, which way, by prediction or uncertainty, and on what ground."""
    sentences = [
        _strength(facts),
        _directions(facts),
        _parts(facts),
        _quality(facts.assessment),
        _rows_explained(facts.explanation),
    ]
    return [sentence for sentence in sentences if sentence]


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


def _parts(facts: Facts) -> Words:
    parts, main = facts.explanation.parts, facts.explanation.main
    found = relevant(facts)
    if parts is None or parts.shape[1] != 2 or not found:
        return []
    share = float(parts.iloc[:, 1].sum() / main.sum())
    uncertain = share >= UNCERTAIN
    if uncertain:
        start = f"Mostly it is the uncertainty that moves, not the prediction: {percent(share)} of all sensitivity."
    else:
        start = f"Mostly it is the prediction that moves; its uncertainty has {percent(share)} of all sensitivity."
    other = [term for term in found if (parts.iloc[:, 1][term] / main[term] >= UNCERTAIN) != uncertain]
    if not other:
        return [start]
    moves = "moves" if len(other) == 1 else "move"
    what = "prediction" if uncertain else "uncertainty"
    return [f"{start} But ", *names_of(facts, other), f" mostly {moves} the {what}."]


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


def _rows_explained(explanation: Explanation) -> Words:
    outside, rows = int(explanation.extrapolation.sum()), counted(explanation.n, "row")
    if not outside:
        return []
    lie = "lies" if outside == 1 else "lie"
    return [f"{outside:,} of {rows} {lie} outside the cloud of the data, where the model extrapolates."]
