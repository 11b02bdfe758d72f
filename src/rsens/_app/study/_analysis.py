"""An analysis: a table, a model of one of its columns, how good it is, and what was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import pandas as pd

from rsens._app.tables import Choice, Note
from rsens._assess import Assessment
from rsens.measures import Terms

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
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def terms(self) -> tuple[str, ...]:
        """What is ranked: the columns, and groups in the place of theirs."""
        return Terms.of(self.groups, tuple(map(str, self.X.columns))).names
