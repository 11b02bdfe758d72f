"""How often each value is in a column."""

from __future__ import annotations

from typing import Any


def tally(column: Any) -> Any:
    """Value → number of rows, the most frequent first; equal ones as they come, which pandas 2 does not promise."""
    return column.value_counts(sort=False).sort_values(ascending=False, kind="stable")
