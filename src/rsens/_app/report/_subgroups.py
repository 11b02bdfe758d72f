"""The table of subgroups on the page."""

from __future__ import annotations

from dataclasses import dataclass

from rsens._app.report._facts import Facts, Name
from rsens._explain import by_columns, by_legend


@dataclass(frozen=True)
class SubgroupsTable:
    """R-sens by variable and subgroup, as texts; below it, what the mark means. Without subgroups it has no lines."""

    by: Name
    heads: list[str]
    lines: list[tuple[Name, list[str]]]
    notes: list[str]


def subgroups(facts: Facts) -> SubgroupsTable:
    """All variables, the one that matters most over all rows first."""
    e = facts.explanation
    by = Name.of(facts.settings.get("arguments", {}).get("by") or "subgroups")
    if e.by is None:
        return SubgroupsTable(by, [], [], [])
    terms, columns = by_columns(e, len(e.names))
    cells = zip(*columns.values(), strict=True)
    lines = [(facts.names[term], [cell.strip() for cell in line]) for term, line in zip(terms, cells, strict=True)]
    return SubgroupsTable(by, [head.strip() for head in columns], lines, by_legend(e))
