"""The answer of a study in sentences, and its tables: the same in print, notebook and report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from rsens import _meaning as meaning
from rsens._assess import quality
from rsens._document import ShownTable
from rsens._explain import directions, effects, has_test, in_points, pairs, subgroups, variables
from rsens._text import as_label, counted, listed, number, on_one_line, percent, side_by_side
from rsens.likelihoods import likelihood_named
from rsens.measures import BOTH, DOWN, UP

#: The most variables and pairs that a sentence names, and how many variables lead.
MOST_NAMES, MOST_PAIRS, LEADING = 6, 4, 3
#: The variables whose effects are printed.
EFFECTS = 5
#: The unit of R-sens for numbers; a study is per standard deviation.
UNIT = "standard deviation"
#: Above this share of R-sens, a variable mostly moves the uncertainty.
UNCERTAIN = 0.5


def answer(study: Any) -> str:
    """The paragraph that print, report and notebook begin with: leading variables, quality of the model, and stars.

    If only some rows were used, it begins with their number.
    """
    a, leading, n = study.assessment, _leading(study), study.explanation.n
    kept = study.settings.get("rows_kept")
    total = kept["rows"] if kept else study.settings["rows_in_data"]
    rows = f"{n:,} of {total:,} rows" if n < total else counted(n, "row")
    rows += f" where {as_label(kept['where'])}" if kept else ""
    model = "the model was not checked on unseen rows." if a is None else f"the model {a.phrase}."
    if n < total:
        leading, model = f"Based on {rows}, {leading[:1].lower()}{leading[1:]}", f"{model[:1].upper()}{model[1:]}"
    else:
        model = f"It is based on {rows}; {model}" if a is None else f"Based on {rows}, {model}"
    return " ".join(filter(None, (leading, model, _marks(study), _pairs(study))))


def details(study: Any) -> list[str]:
    """The details below the answer: the size of the largest value, its parts, and extrapolation."""
    outside, n = int(study.explanation.extrapolation.sum()), study.explanation.n
    lie = f"{outside:,} of {counted(n, 'row')} {'lies' if outside == 1 else 'lie'}"
    far = f"{lie} outside the cloud of the data, where the model extrapolates." if outside else ""
    return list(filter(None, (_strength(study), _parts(study), far)))


def heading(analysis: Any) -> list[str]:
    """A line on the data, and one on the model and the reason for its likelihood."""
    settings, choice = analysis.settings, analysis.likelihood
    rows, used, kept = settings["rows_in_data"], settings["rows_used"], settings.get("rows_kept")
    there = counted(rows, "row")
    if kept is not None:
        rows = kept["rows"]
        there = f"{rows:,} of {counted(kept['of'], 'row')} where {on_one_line(kept['where'])}"
    there += f" ({used:,} used)" if used < rows else ""
    data, target = on_one_line(settings["data"]), on_one_line(settings["target"])
    noise = "classes" if choice.kind == "classification" else likelihood_named(choice.kind).label
    return [
        f"{data}: {there}, {counted(len(settings['columns_used']), 'column')}; target '{target}'",
        f"{analysis.model.description} with {noise} ({choice.reason}).",
    ]


def tables(
    study: Any, most_variables: int, most_pairs: int, most_effects: int | None = EFFECTS
) -> dict[str, ShownTable]:
    """The tables by name, without those that have no lines."""
    e, by, classes = study.explanation, study.settings["arguments"].get("by"), study.likelihood.classes
    event = str(classes[1]) if classes is not None and len(classes) == 2 else None
    name = "" if by is None else f" by '{on_one_line(by)}'"
    found = {
        "quality": None if study.assessment is None else quality(study.assessment),
        "variables": variables(e, most_variables, where="in importance.csv", event=event),
        "effects": effects(e, most_effects),
        "pairs": pairs(e, most_pairs, where="in pairs.csv"),
        "subgroups": subgroups(e, most_variables, where="in by.csv", name=name),
    }
    return {name: table for name, table in found.items() if table is not None}


# ---- the answer ------------------------------------------------------------------------------------------------------


def _leading(study: Any) -> str:
    """The leading variables with their effects, and the meaning of arrows and units."""
    e, found, target = study.explanation, _relevant(study), as_label(study.settings["target"])
    if not found:
        far = "at all" if _levels(e) is None else "more than an irrelevant one would"
        return f"No variable moves the prediction of {target} {far}."
    effect = dict(zip(found[:LEADING], directions(e, found[:LEADING], digits=2), strict=True))
    classes, by_output = study.likelihood.classes, e.direction.ndim == 2
    two = classes is not None and len(classes) == 2
    start = f"predicted probability of {target} “{as_label(classes[1])}”" if two else f"prediction of {target}"
    names = _names(found[:LEADING], lambda term: _effect(effect[term], by_output))
    sentence = f"The {start} depends most on {names}"
    signs = [sign for sign in (UP, DOWN) if any(sign in each for each in effect.values())]
    if not signs:
        return f"{sentence}."
    if by_output:
        return f"{sentence}; {UP} is the class that becomes more probable as it grows, {DOWN} less probable."
    words = {UP: "up", DOWN: "down"}
    means = [f"{sign}{' is' if not k else ''} {words[sign]}" for k, sign in enumerate(signs)]
    if any(each and each[-1] != ")" for each in effect.values()):
        means.append("sd a standard deviation")
    if in_points(e):
        means.append("pp percentage points")
    return f"{sentence}; {listed(means)}."


def _effect(direction: str, by_output: bool) -> str:
    """(▲ 25 per sd), or nothing for a term without direction, such as a category."""
    if not direction:
        return ""
    if direction == BOTH:
        return f" ({BOTH} both ways)"
    if direction.endswith(")"):  # it has its own step: "▲ 25 (0 to 1)"
        return f" ({direction.removesuffix(')').replace(' (', ' from ')})"
    return f" ({direction}{'' if by_output else ' per sd'})"


def _marks(study: Any) -> str:
    """The variables with a star, and its meaning."""
    null, found = _levels(study.explanation), _relevant(study)
    if null is None or not found:
        return ""
    known, one = int(null.notna().sum()), len(found) == 1
    also = f", also {_names(found[LEADING:])}" if LEADING < len(found) < known else ""
    means = meaning.VARIABLE.replace("this one", "it" if one else "them")
    have, are = ("has", "it is") if one else ("have", "they are")
    return f"{len(found)} of {counted(known, 'variable')} {have} a star{also}: {are} {means}."


def _pairs(study: Any) -> str:
    """The pairs that interact, by the test."""
    e = study.explanation
    if e.order == 1 or not len(e.pairs):
        return ""
    frame, inference = e.to_frame(order=2), e.inference
    named = list(zip(frame["first"], frame["second"], strict=True))
    only = [" (uncertainty only)" if each else "" for each in frame.get("uncertainty_only", [False] * len(frame))]
    words = {pair: f"{as_label(pair[0])} × {as_label(pair[1])}{end}" for pair, end in zip(named, only, strict=True)}
    if not has_test(e):
        top = float(frame["value"].iloc[0])
        if not top > 0.0:
            return "No pair of variables has an R-sens₂ above 0."
        return f"{words[named[0]]} has the largest R-sens₂ ({number(top)}); interactions were not tested."
    scale = meaning.scale_name(str(inference.test_scale))
    if inference.pair_additive is not None and inference.pair_additive.all():
        return f"No pair interacts: the model adds up on the {scale} by construction."
    marked = [pair for pair in named if inference.pair_above[pair]]
    tested, unclear = int(frame["p_value"].notna().sum()), inference.pair_unclear
    doubt = 0 if unclear is None else int(unclear.sum())
    doubtful = f" {counted(doubt, 'pair')} of collinear columns {'is' if doubt == 1 else 'are'} inconclusive."
    model = f"a model in which {'the two' if 1 in (len(marked), tested) else 'they'} add up on the {scale}"
    if not marked:
        none = "The pair of variables has no star" if tested == 1 else f"None of {tested} pairs has a star"
        return f"{none}: the data do not contradict {model}.{doubtful if doubt else ''}"
    have, by_chance = "has" if len(marked) == 1 else "have", "one in 20 pairs that add up has a star by chance"
    names = listed([words[pair] for pair in marked], MOST_PAIRS)
    return (
        f"{len(marked)} of {counted(tested, 'pair')} {have} a star, {names}: there the data "
        f"contradict {model} ({by_chance}).{doubtful if doubt else ''}"
    )


# ---- the details -----------------------------------------------------------------------------------------------------


def _strength(study: Any) -> str:
    """The largest value in words."""
    e, found = study.explanation, _relevant(study)
    if not found:
        return ""
    top, interval = e.main[found[0]], ""
    value = number(top)
    if e.intervals is not None:
        value, low, high = side_by_side([top, *e.intervals.loc[found[0], ["lower", "upper"]]], top)
        rows_only = ", rows only" if e.interval_kind == "rows" else ""
        interval = f" ({percent(e.level, level=True)} interval {low} to {high}{rows_only})"
    change = f"the predictive distribution as much as a shift by {value} of its own standard deviation would"
    if study.likelihood.classes is not None:  # √(p(1 − p)) is the unit of R-sens, and ½ where p is ½
        change = f"a probability of about one half by up to {number(0.5 * top, 2)}"
    return f"One {UNIT} of {as_label(found[0])} changes {change}: its R-sens is {value}{interval}."


def _parts(study: Any) -> str:
    """The share of the uncertainty in all sensitivity, and the variables that differ from it."""
    e, found = study.explanation, _relevant(study)
    if e.parts is None or e.parts.shape[1] != 2 or not found:
        return ""
    spread = e.parts.iloc[:, 1]
    share = float(spread.sum() / e.main.sum())
    uncertain = share >= UNCERTAIN
    start = f"Mostly the prediction moves; its uncertainty has {percent(share)} of all sensitivity."
    if uncertain:
        start = f"Mostly the uncertainty moves, not the prediction: {percent(share)} of all sensitivity."
    other = [term for term in found if (spread[term] / e.main[term] >= UNCERTAIN) != uncertain]
    moves, moved = "moves" if len(other) == 1 else "move", "prediction" if uncertain else "uncertainty"
    return f"{start} But {_names(other)} mostly {moves} the {moved}." if other else start


# ---- names -----------------------------------------------------------------------------------------------------------


def _relevant(study: Any) -> list[str]:
    """The terms above the null level, largest first; the leading ones where no level is known."""
    e = study.explanation
    ranked = e.main.sort_values(ascending=False, kind="stable")
    if _levels(e) is None:
        return list(ranked[ranked > 0.0].index[:MOST_NAMES])
    above = e.inference.above_null.fillna(value=False)
    return [term for term in ranked.index if above[term]]


def _levels(e: Any) -> pd.Series[float] | None:
    """The null levels, if any is known."""
    return None if e.null is None or e.null.isna().all() else e.null


def _names(terms: Sequence[str], after: Callable[[str], str] = lambda term: "") -> str:
    """a, b and c, each with the text `after` it."""
    return listed([f"{as_label(term)}{after(term)}" for term in terms], MOST_NAMES)
