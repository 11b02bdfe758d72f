"""The answer in one paragraph: what matters and which way, how good the model is, and what the marks mean.

The print, the report and the notebook begin with it.
"""

from __future__ import annotations

from rsens import _meaning as meaning
from rsens._app.report._facts import Facts, Name
from rsens._app.report._naming import Words, levels, marked_pairs, names_of, pair_names, relevant
from rsens._explain import directions, has_test, in_points
from rsens._text import as_label, counted, listed, number
from rsens.measures import BOTH, DOWN, UP

#: How many variables lead.
LEADING = 3
#: What a slope is per.
PER = {"sd": "per sd", "raw": "per unit"}


def answer(facts: Facts) -> list[Words]:
    """The sentences; those that have nothing to say are left out. If only some rows were used, the first says so."""
    leading = _leading(facts)
    if _is_sample(facts):
        leading = [f"Based on {_rows(facts)}, {_lower(str(leading[0]))}", *leading[1:]]
    sentences = [leading, _model(facts), _marks(facts), _pairs(facts)]
    return [sentence for sentence in sentences if sentence]


def rows_used(facts: Facts) -> str:
    """How many rows of how many: "1,000 of 8,760"."""
    used = facts.explanation.n
    return f"{used:,} of {_rows_there(facts):,}" if _is_sample(facts) else f"{used:,}"


def _rows_there(facts: Facts) -> int:
    """How many rows there are to draw from."""
    kept = facts.settings.get("rows_kept")
    return int(kept["rows"] if kept else facts.settings.get("rows_in_data") or 0)


def _is_sample(facts: Facts) -> bool:
    return facts.explanation.n < _rows_there(facts)


def _rows(facts: Facts) -> str:
    """How many rows, of how many, and which."""
    return f"{rows_used(facts)} row{'' if facts.explanation.n == 1 else 's'}{chosen_rows(facts)}"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def chosen_rows(facts: Facts) -> str:
    """Which rows they are, if the user has chosen some: " where open=yes"."""
    kept = facts.settings.get("rows_kept")
    return "" if kept is None else f" where {as_label(kept['where'])}"


def _leading(facts: Facts) -> Words:
    found = relevant(facts)
    if not found:
        if levels(facts) is None:
            return ["No variable moves the prediction of ", facts.target, " at all."]
        return ["No variable moves the prediction of ", facts.target, " more than an irrelevant one would."]
    shown = found[:LEADING]
    effects = dict(zip(shown, directions(facts.explanation, shown, digits=2), strict=True))
    start: Words = [*_prediction(facts), " depends most on "]
    return [*start, *names_of(facts, shown, lambda term: _effect(facts, effects[term])), *_arrows(facts, effects)]


def _prediction(facts: Facts) -> Words:
    classes = getattr(facts.model, "classes_", None)
    if facts.outputs_are_probabilities and classes is not None and len(classes) == 2:
        return ["The predicted probability of ", facts.target, " “", Name.of(classes[1]), "”"]
    return ["The prediction of ", facts.target]


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


def _model(facts: Facts) -> Words:
    """How good, and on how many rows unless that was said."""
    if facts.assessment is None:
        unchecked = "the model was not checked on unseen rows."
        return [_upper(unchecked) if _is_sample(facts) else f"It is based on {_rows(facts)}; {unchecked}"]
    model = f"the model {facts.assessment.phrase}."
    return [_upper(model) if _is_sample(facts) else f"Based on {_rows(facts)}, {model}"]


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
        first = pair_names(facts, frame.head(1))
        return ["The largest R-sens₂ is that of ", *first, f" ({number(top)}); interactions were not tested."]
    scale = meaning.scale_name(str(e.test_scale))
    if e.pair_additive is not None and e.pair_additive.all():
        return [f"No pair interacts: the model adds up on the {scale} by construction."]
    tested, marked = int(frame["p_value"].notna().sum()), marked_pairs(facts)
    unclear = 0 if e.pair_unclear is None else int(e.pair_unclear.sum())
    doubt = f" For {counted(unclear, 'pair')} it cannot be told, because columns are collinear." if unclear else ""
    model = f"a model in which {'the two' if 1 in (len(marked), tested) else 'they'} add up on the {scale}"
    if not len(marked):
        none = "The pair of variables has no star" if tested == 1 else f"None of {tested} pairs has a star"
        return [f"{none}: the data do not contradict {model}.{doubt}"]
    start = f"{len(marked)} of {counted(tested, 'pair')} {'has' if len(marked) == 1 else 'have'} a star, "
    means = f": there the data contradict {model} (one in 20 pairs that add up has a star by chance).{doubt}"
    return [start, *pair_names(facts, marked), means]
