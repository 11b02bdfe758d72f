"""The tables of the report, as HTML, and entries of names and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rsens._app.report._facts import Facts
from rsens._app.report._sentences import likelihood_name, model_name, rows_used, unit_of
from rsens._document import Html
from rsens._explain import effects, pairs, subgroups, variables
from rsens._text import as_label, counted

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
