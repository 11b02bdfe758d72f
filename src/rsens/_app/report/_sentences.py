"""Sentences of a study as lists of texts and names, so that the page can emphasise names; its tables, and entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from rsens import _meaning as meaning
from rsens._app.report._facts import Facts, Name
from rsens._app.tables import Choice
from rsens._document import Html
from rsens._explain import Explanation, directions, effects, has_test, in_points, pairs, subgroups, variables
from rsens._text import as_label, counted, listed, number, percent, side_by_side
from rsens.likelihoods import likelihood_named
from rsens.measures import BOTH, DOWN, UP

Words = list[str | Name]

#: The most variables and pairs that a sentence names, and how many variables lead.
MOST_NAMES, MOST_PAIRS, LEADING = 6, 4, 3
#: The unit of a slope.
PER = {"sd": "per sd", "raw": "per unit"}
#: Above this share of R-sens, a variable mostly moves the uncertainty.
UNCERTAIN = 0.5


def as_text(sentence: Words) -> str:
    """The sentence with whole names."""
    return "".join(part if isinstance(part, str) else part.full for part in sentence)


def answer(facts: Facts) -> list[Words]:
    """The paragraph that print, report and notebook begin with: the leading variables, the model's quality, the marks.

    Empty sentences are left out. If only some rows were used, the first sentence begins with their number.
    """
    a, leading = facts.assessment, _leading(facts)
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


def details(facts: Facts) -> list[Words]:
    """The details below the answer: the size of the largest value, its parts, and extrapolation."""
    return [sentence for sentence in (_strength(facts), _parts(facts), _outside(facts.explanation)) if sentence]


def relevant(facts: Facts) -> list[str]:
    """The terms above the null level, largest first; the leading ones where no level is known."""
    null, main = _levels(facts), facts.explanation.main
    if null is None:
        return [term for term in facts.ranked if main[term] > 0.0][:MOST_NAMES]
    return [term for term in facts.ranked if facts.explanation.inference.above_null.fillna(value=False)[term]]


def rows_used(facts: Facts) -> tuple[str, str]:
    """How many rows, of how many if some were drawn, and which: "1,000 of 8,760" and " where open=yes"."""
    n, kept = facts.explanation.n, facts.settings.get("rows_kept")
    there = int(kept["rows"] if kept else facts.settings.get("rows_in_data") or 0)
    return f"{n:,} of {there:,}" if n < there else f"{n:,}", f" where {as_label(kept['where'])}" if kept else ""


def model_name(model: Any) -> str:
    """The description of a model, to begin a sentence; the class of a foreign one."""
    description = getattr(model, "description", None)
    return description if isinstance(description, str) else type(model).__name__


def likelihood_name(likelihood: Choice) -> str:
    """The distribution of the target, given the model."""
    return "classes" if likelihood.kind == "classification" else likelihood_named(likelihood.kind).label


def model_and_likelihood(model: Any, likelihood: Choice) -> str:
    """The model, and the reason for it."""
    return f"{model_name(model)} with {likelihood_name(likelihood)} ({likelihood.reason})."


def unit_of(explanation: Explanation) -> str:
    """The unit of R-sens for numeric variables."""
    return {"sd": "standard deviation", "raw": "unit"}.get(explanation.scale_kind, "given unit")


# ---- the answer ------------------------------------------------------------------------------------------------------


def _leading(facts: Facts) -> Words:
    """The leading variables with their effects, and the meaning of arrows and units."""
    e, found = facts.explanation, relevant(facts)
    if not found:
        far = "at all" if _levels(facts) is None else "more than an irrelevant one would"
        return ["No variable moves the prediction of ", facts.target, f" {far}."]
    shown, by_output = found[:LEADING], e.direction.ndim == 2
    effects = dict(zip(shown, directions(e, shown, digits=2), strict=True))
    classes = getattr(facts.model, "classes_", None)
    start: Words = ["The prediction of ", facts.target]
    if facts.outputs_are_probabilities and classes is not None and len(classes) == 2:
        start = ["The predicted probability of ", facts.target, " “", Name.of(classes[1]), "”"]
    unit = "" if by_output else f" {PER.get(e.scale_kind, 'per given unit')}"
    sentence = [*start, " depends most on ", *_names(facts, shown, lambda term: _effect(effects[term], unit))]
    signs = [sign for sign in (UP, DOWN) if any(sign in effect for effect in effects.values())]
    if not signs:
        return [*sentence, "."]
    if by_output:
        return [*sentence, f"; {UP} is the class that becomes more probable as it grows, {DOWN} less probable."]
    words = {UP: "up", DOWN: "down"}
    means = [f"{sign}{' is' if not k else ''} {words[sign]}" for k, sign in enumerate(signs)]
    if e.scale_kind == "sd" and any(effect and effect[-1] != ")" for effect in effects.values()):
        means.append("sd a standard deviation")
    if in_points(e):
        means.append("pp percentage points")
    return [*sentence, f"; {listed(means)}."]


def _effect(direction: str, unit: str) -> str:
    """(▲ 25 per sd), or nothing for a term without direction, such as a category."""
    if not direction:
        return ""
    if direction == BOTH:
        return f" ({BOTH} both ways)"
    if direction.endswith(")"):  # it has its own step: "▲ 25 (0 to 1)"
        return f" ({direction.removesuffix(')').replace(' (', ' from ')})"
    return f" ({direction}{unit})"


def _marks(facts: Facts) -> Words:
    """The variables with a star, and its meaning."""
    null, found = _levels(facts), relevant(facts)
    if null is None or not found:
        return []
    known, one = int(null.notna().sum()), len(found) == 1
    sentence: Words = [f"{len(found)} of {counted(known, 'variable')} {'has' if one else 'have'} a star"]
    if LEADING < len(found) < known:
        sentence += [", also ", *_names(facts, found[LEADING:])]
    means = meaning.VARIABLE.replace("this one", "it" if one else "them")
    return [*sentence, f": {'it is' if one else 'they are'} {means}."]


def _pairs(facts: Facts) -> Words:
    """The pairs that interact, by the test."""
    frame, e = facts.pairs, facts.explanation
    if not len(frame):
        return []
    if not has_test(e):
        top = float(frame["value"].iloc[0])
        if not top > 0.0:
            return ["No pair of variables has an R-sens₂ above 0."]
        first = _pair_names(facts, facts.ranked_pairs[:1])
        return [*first, f" has the largest R-sens₂ ({number(top)}); interactions were not tested."]
    scale = meaning.scale_name(str(e.inference.test_scale))
    if e.inference.pair_additive is not None and e.inference.pair_additive.all():
        return [f"No pair interacts: the model adds up on the {scale} by construction."]
    tested, marked = int(frame["p_value"].notna().sum()), facts.marked_pairs
    unclear = 0 if e.inference.pair_unclear is None else int(e.inference.pair_unclear.sum())
    doubt = f" {counted(unclear, 'pair')} of collinear columns {'is' if unclear == 1 else 'are'} inconclusive."
    doubt = doubt if unclear else ""
    model = f"a model in which {'the two' if 1 in (len(marked), tested) else 'they'} add up on the {scale}"
    if not len(marked):
        none = "The pair of variables has no star" if tested == 1 else f"None of {tested} pairs has a star"
        return [f"{none}: the data do not contradict {model}.{doubt}"]
    start = f"{len(marked)} of {counted(tested, 'pair')} {'has' if len(marked) == 1 else 'have'} a star, "
    means = f": there the data contradict {model} (one in 20 pairs that add up has a star by chance).{doubt}"
    return [start, *_pair_names(facts, marked), means]


# ---- the details -----------------------------------------------------------------------------------------------------


def _strength(facts: Facts) -> Words:
    """The largest value in words."""
    e, found = facts.explanation, relevant(facts)
    if not found:
        return []
    term = found[0]
    step: Words = [f"One {unit_of(e)} of ", facts.names[term]]
    if term in e.categorical and e.scale_kind == "raw":
        step = ["A switch of ", facts.names[term], " to another level"]
    value, interval = number(e.main[term]), ""
    if e.intervals is not None:
        ends = (float(e.intervals[end][term]) for end in ("lower", "upper"))
        value, low, high = side_by_side([e.main[term], *ends], e.main[term])
        rows_only = ", rows only" if e.interval_kind == "rows" else ""
        interval = f" ({percent(e.level, level=True)} interval {low} to {high}{rows_only})"
    change = f"the predictive distribution as much as a shift by {value} of its own standard deviation would"
    if facts.outputs_are_probabilities:  # √(p(1 − p)) is the unit of R-sens, and ½ where p is ½
        change = f"a probability of about one half by up to {number(0.5 * e.main[term], 2)}"
    return [*step, f" changes {change}: its R-sens is {value}{interval}."]


def _parts(facts: Facts) -> Words:
    """The share of the uncertainty in all sensitivity, and the variables that differ from it."""
    parts, main, found = facts.explanation.parts, facts.explanation.main, relevant(facts)
    if parts is None or parts.shape[1] != 2 or not found:
        return []
    share = float(parts.iloc[:, 1].sum() / main.sum())
    uncertain = share >= UNCERTAIN
    start = f"Mostly the prediction moves; its uncertainty has {percent(share)} of all sensitivity."
    if uncertain:
        start = f"Mostly the uncertainty moves, not the prediction: {percent(share)} of all sensitivity."
    other = [term for term in found if (parts.iloc[:, 1][term] / main[term] >= UNCERTAIN) != uncertain]
    if not other:
        return [start]
    moves, moved = "moves" if len(other) == 1 else "move", "prediction" if uncertain else "uncertainty"
    return [f"{start} But ", *_names(facts, other), f" mostly {moves} the {moved}."]


def _outside(explanation: Explanation) -> Words:
    outside = int(explanation.extrapolation.sum())
    lie = "lies" if outside == 1 else "lie"
    rows = counted(explanation.n, "row")
    text = f"{outside:,} of {rows} {lie} outside the cloud of the data, where the model extrapolates."
    return [text] if outside else []


# ---- names -----------------------------------------------------------------------------------------------------------


def _levels(facts: Facts) -> pd.Series[float] | None:
    """The null levels, if any is known."""
    null = facts.explanation.null
    return None if null is None or null.isna().all() else null


def _joined(items: Sequence[Words], most: int) -> Words:
    """a, b and c; of more than `most`, the first ones and how many more."""
    words: Words = []
    for k, item in enumerate(items[:most]):
        words += ([] if not k else [" and " if k == len(items) - 1 else ", "]) + item
    more = len(items) - most
    return [*words, f" and {more} more"] if more > 0 else words


def _names(facts: Facts, terms: Sequence[str], after: Callable[[str], str] = lambda term: "") -> Words:
    """a, b and c, each as a name with the text `after` it."""
    return _joined([[facts.names[term], after(term)] for term in terms], MOST_NAMES)


def _pair_names(facts: Facts, pairs: Sequence[tuple[str, str]]) -> Words:
    """a × b, c × d and e × f, with a remark on pairs that change only the uncertainty."""
    only = {(x["first"], x["second"]) for x in facts.pairs.to_dict("records") if x.get("uncertainty_only")}
    items: list[Words] = [
        [facts.names[pair[0]], " × ", facts.names[pair[1]], " (uncertainty only)" if pair in only else ""]
        for pair in pairs
    ]
    return _joined(items, MOST_PAIRS)


# ---- tables and entries ----------------------------------------------------------------------------------------------

#: How many variables, effects and pairs are shown at first; the others on demand, and on paper.
VARIABLES, EFFECTS, PAIRS = 20, 10, 10
#: The most pairs of the page.
MOST_PAIRS = 50


def tables(facts: Facts, n_pairs: int | None) -> dict[str, Html]:
    """The tables by name, with their legends; empty for those without lines."""
    e, n = facts.explanation, len(facts.explanation.names)
    classes = getattr(facts.model, "classes_", None)
    event = str(classes[1]) if facts.outputs_are_probabilities and classes is not None and len(classes) == 2 else None
    found = {
        "variables": (variables(e, n, event=event), VARIABLES),
        "effects": (effects(e, None), EFFECTS),
        "pairs": (pairs(e, MOST_PAIRS, where="in pairs.csv"), n_pairs or PAIRS),
        "subgroups": (subgroups(e, n), n),
    }
    return {name: Html("") if table is None else table.page(name, shown) for name, (table, shown) in found.items()}


def flatten(settings: Mapping[str, Any], before: str = "") -> list[tuple[str, str]]:
    """Settings as lines of name and value; nested ones have both names."""
    lines = []
    for key, value in settings.items():
        name = f"{before}{as_label(key)}"
        if isinstance(value, Mapping):
            lines += flatten(value, f"{name} · ")
        elif value is not None:
            lines.append((name, _setting(value)))
    return lines


def _setting(value: Any) -> str:
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        return ", ".join(as_label(item) for item in items) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return as_label(value)


def about(facts: Facts) -> list[tuple[str, str]]:
    """What was explained, in a few entries for the head of the page."""
    e = facts.explanation
    two = len(e.two_valued)
    counts = {"categorical": len(e.categorical) - two, "with two values": two}
    kinds = [f"{count} {kind}" for kind, count in counts.items() if count]
    entries = [
        ("Rows", "".join(rows_used(facts))),
        ("Variables", f"{len(e.names):,}" + (f" ({', '.join(kinds)})" if kinds else "")),
        ("Model", model_name(facts.model)),
        ("Likelihood", e.family if facts.likelihood is None else likelihood_name(facts.likelihood)),
        ("Sensitivity per", unit_of(e) + (" or switch" if e.categorical and e.scale_kind == "raw" else "")),
    ]
    if facts.assessment is not None:
        entries.append(("Checked on", f"{counted(facts.assessment.n_rows, 'row')} held out"))
    return entries
