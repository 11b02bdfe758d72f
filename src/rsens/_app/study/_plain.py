"""A study as JSON: what `--json` prints and summary.json holds. docs/command-line.md lists the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens._explain import Explanation

if TYPE_CHECKING:
    from rsens._app.study._pipeline import Analysis
    from rsens._app.study._result import Study


def as_dict(study: Study) -> dict[str, Any]:
    """A study, ready for JSON: what is not known is None."""
    head = head_as_dict(study)
    last = {name: head.pop(name) for name in ("notes", "settings")}
    e, by = study.explanation, study.explanation.by_frame()
    found = {
        "variables": _variables(e),
        "effects": records(e.effects),
        "pairs": _pairs(study),
        "intervals_hold": None if e.intervals is None else e.intervals_hold,
    }
    return head | found | ({} if by is None else {"by": records(by)}) | last


def head_as_dict(analysis: Analysis[Any]) -> dict[str, Any]:
    """All but what was found, as plain values: the keys that the JSON of every command has."""
    settings, choice = analysis.settings, analysis.likelihood
    return {
        "data": {
            "name": settings["data"],
            "rows": settings["rows_in_data"],
            "rows_used": settings["rows_used"],
            **({"rows_kept": settings["rows_kept"]} if "rows_kept" in settings else {}),
            "columns": settings["columns_used"],
        },
        "target": settings["target"],
        "likelihood": {
            "kind": choice.kind,
            "reason": choice.reason,
            "classes": None if choice.classes is None else [str(label) for label in choice.classes],
        },
        "model": type(analysis.model).__name__,
        "quality": None if analysis.assessment is None else analysis.assessment.to_dict(),
        "notes": [
            {"kind": note.kind, "columns": list(note.columns), "text": note.text, "severe": note.severe}
            for note in analysis.notes
        ],
        "settings": settings,
    }


#: What is known of both a variable and a pair, as columns of `to_frame`.
SHARED = ("rank", "value", "lower", "upper", "interval_kind", "above_null", "p_value", "discovery", "null_kind")
#: What is known of a variable only.
OF_VARIABLES = ("null", "familywise", "reached")


def _variables(e: Explanation) -> list[dict[str, Any]]:
    return [
        {
            "name": line["term"],
            **_values(line, *SHARED, *OF_VARIABLES),
            "per": line.get("per", {"sd": "sd", "raw": "unit"}.get(e.scale_kind, "given")),
            "direction": _outputs(e.direction, line["term"]),
            "consistency": _outputs(e.consistency, line["term"]),
            "parts": _parts(line),
        }
        for line in e.to_frame().to_dict("records")
    ]


def _pairs(study: Study) -> list[dict[str, Any]] | None:
    e = study.explanation
    if e.order == 1:
        return None
    flags = {"additive": e.pair_additive, "unclear": e.pair_unclear}
    return [
        {
            "first": line["first"],
            "second": line["second"],
            **_values(line, *SHARED),
            "parts": _parts(line),
            "uncertainty_only": plain(line.get("uncertainty_only")),
            **{
                name: None if of_pairs is None else plain(of_pairs[(line["first"], line["second"])])
                for name, of_pairs in flags.items()
            },
        }
        for line in e.to_frame(order=2).head(study.n_pairs).to_dict("records")
    ]


def _values(line: dict[Any, Any], *names: str) -> dict[str, Any]:
    return {name: plain(line[name]) for name in names}


def _parts(line: dict[Any, Any]) -> dict[str, Any] | None:
    """What a value is made of, by name; None for families of one parameter."""
    parts = {key.removeprefix("part_"): plain(value) for key, value in line.items() if str(key).startswith("part_")}
    return parts or None


def _outputs(values: Any, term: str) -> Any:
    """A number, or one by class."""
    if isinstance(values, pd.Series):
        return plain(values[term])
    return {str(name): plain(value) for name, value in values.loc[term].items()}


def plain(value: Any) -> Any:
    """A value that JSON can hold: None for what is missing or not finite."""
    if value is None or value is pd.NA:
        return None
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The lines of a table, ready for JSON."""
    return [{str(name): plain(value) for name, value in line.items()} for line in frame.to_dict("records")]
