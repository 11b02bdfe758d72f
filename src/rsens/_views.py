"""Short tables with a legend, once as text for a terminal and once as HTML for a notebook."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rsens._html import Html
from rsens._html import table as html_table
from rsens._text import NAME_WIDTH, safe, short, width_of

#: The width of legends, and of tables whose names can be shortened.
WIDTH = 100
#: Columns of words, which stand on the left; numbers stand on the right.
WORDS = ("direction", "step", "first most often", "finding", "")


@dataclass(frozen=True)
class ShownTable:
    """Cells as texts by heading, the names of the lines, and the sentences below."""

    title: str
    names: Sequence[str]
    columns: dict[str, list[str]]
    legend: list[str]

    def text(self) -> str:
        """For a terminal; empty columns are left out, and long names are shortened."""
        filled = {head: cells for head, cells in self.columns.items() if any(cell.strip() for cell in cells)}
        columns = [_padded([head, *cells], left=head in WORDS) for head, cells in filled.items()]
        room = max(NAME_WIDTH, WIDTH - sum(2 + width_of(cells[0]) for cells in columns))
        names = _padded([self.title, *(short(name, room) for name in self.names)], left=True)
        lines = ["  ".join(cells).rstrip() for cells in zip(names, *columns, strict=True)]
        return "\n".join([*lines, *map(folded, self.legend)])

    def html(self) -> Html:
        """For a notebook."""
        return html_table(self.title, self.names, self.columns, left=WORDS, below=self.legend)


def text_of(heading: str, tables: Sequence[ShownTable]) -> str:
    """A heading and tables, each with its legend."""
    return "\n\n".join([heading, *(table.text() for table in tables)])


def html_of(tables: Sequence[ShownTable]) -> list[Html]:
    """Tables for notebooks, each with its legend."""
    return [table.html() for table in tables]


def folded(line: str) -> str:
    """A sentence on as many lines as it takes, the further ones indented."""
    return textwrap.fill(safe(line), WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)


def _padded(cells: Sequence[str], *, left: bool) -> list[str]:
    width = max(map(width_of, cells))
    spaces = [" " * (width - width_of(cell)) for cell in cells]
    return [cell + space if left else space + cell for cell, space in zip(cells, spaces, strict=True)]
