"""An analysis: a table, a model of one of its columns, how good it is, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pandas as pd

from rsens._app.study._plain import note_as_dict
from rsens._app.tables import Choice, Note
from rsens._assess import Assessment

Found = TypeVar("Found")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Analysis(Generic[Found]):
    """What every command has as its result. Text, JSON and files are views of it; `Study` documents the fields.

    Only `found` differs from command to command.
    """

    model: Any
    assessment: Assessment | None
    notes: tuple[Note, ...]
    likelihood: Choice
    X: pd.DataFrame
    y: Any
    settings: dict[str, Any]
    recipe: dict[str, Any]
    found: Found


def head_as_dict(analysis: Analysis[Any]) -> dict[str, Any]:
    """All but what was found, as plain values: the keys that the JSON of every command has."""
    settings, choice = analysis.settings, analysis.likelihood
    return {
        "data": {
            "name": settings["data"],
            "rows": settings["rows_in_data"],
            "rows_used": settings["rows_used"],
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
        "notes": [note_as_dict(note) for note in analysis.notes],
        "settings": settings,
    }
