"""An analysis: a table, a model of one of its columns, how good it is, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pandas as pd

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
    clusters: Any = None
