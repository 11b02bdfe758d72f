"""Documents: sentences and tables, built once for each result and rendered as text, as HTML and as JSON.

All text is escaped here, so that a column may be called `<script>`.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, NewType

import numpy as np
import pandas as pd

from rsens._text import NAME_WIDTH, Pair, as_label, listed, on_one_line, safe, short, width_of

#: Escaped text.
Html = NewType("Html", str)
#: The width of paragraphs, and of tables outside a terminal; the least width of a terminal and of names.
WIDTH, LEAST_WIDTH, LEAST_NAME = 96, 40, 12
#: The longest bar of a table, in characters.
BAR = 8
#: The attributes of cells on a page, by kind of column.
PAGE = {"name": "", "number": ' class="right"', "words": ' class="tight"', "text": ""}


@dataclass(frozen=True)
class Column:
    """The cells of a table below a heading.

    Args:
        head: The heading.
        cells: Texts.
        kind: "name" and "words" are aligned left, "number" right; a "bar" is drawn in text only, and "text", the last
            column, is wrapped. Long names are shortened to fit.
        marks: A sign after each cell, such as a star.
        leaves: Where a terminal has no room, columns with a number are left out, the lowest number first.
    """

    head: str
    cells: Sequence[str]
    kind: Literal["name", "number", "words", "bar", "text"] = "number"
    marks: Sequence[str] = ()
    leaves: int = 0

    @property
    def is_empty(self) -> bool:
        return not any(cell.strip() for cell in self.cells)

    def lines(self) -> list[str]:
        """The heading and the cells as texts, with a space in the place of a missing mark."""
        marked = any(mark.strip() for mark in self.marks)
        marks = ["", *(self.marks or [""] * len(self.cells))]
        texts = zip((self.head, *self.cells), marks, strict=True)
        return [cell if isinstance(cell, Pair) else on_one_line(cell) + (mark or " ") * marked for cell, mark in texts]


@dataclass(frozen=True)
class ShownTable:
    """Columns with a title; below them the legend, and a question with the call that answers it."""

    title: str
    columns: Sequence[Column]
    legend: Sequence[str] = ()
    hint: tuple[str, str] | None = None
    frame: pd.DataFrame | None = None  # the same in numbers, for JSON
    muted: Sequence[bool] = ()  # lines that a page shows in grey
    file: str = ""  # which has the columns that a terminal has no room for

    def text(self, width: int) -> str:
        """For a terminal of this width. In a narrow one, columns leave and names are shortened."""
        lines, left = _lines([each for each in self.columns if not each.is_empty], width - 2)
        no_room = [f"no room for {listed(left)}: see {self.file}"] if self.file and left else []
        legend = [line for line in self.legend if line and not {*line.partition(":")[0].split(", ")} <= {*left}]
        below = [fold(line, width, "  ", "    ") for line in (*legend, *no_room)]
        if self.hint is not None:  # a command to copy, on its own line if it does not fit
            text, command = map(safe, self.hint)
            fits = width_of(f"  {text} {command}") <= min(WIDTH, width)
            below.append(f"  {text} {command}" if fits else f"{fold(text, width, '  ', '  ')}\n    {command}")
        return "\n".join([fold(self.title, width), *lines, *below])

    def html(self) -> Html:
        """For a notebook, whose own style of tables applies."""
        head, rows, legend = self._tags()
        hint = "" if self.hint is None else f"<p>{_unbroken(self.hint[0])} <code>{escape(self.hint[1])}</code></p>"
        return Html(
            f"<table>{head}<tbody>{''.join(rows)}</tbody></table>{f'<ul>{legend}</ul>' if legend else ''}{hint}"
        )

    def page(self, name: str, shown: int) -> Html:
        """For the page of a report: a button shows the lines after the first `shown`."""
        head, rows, legend = self._tags()
        rest, button = "", ""
        if len(rows) > shown:
            rest = f'<tbody class="rest" id="rest-{name}">{"".join(rows[shown:])}</tbody>'
            button = (
                '<button type="button" class="button needs-script more" aria-expanded="false" '
                f'aria-controls="rest-{name}" data-more="rest-{name}">Show all {len(rows)}</button>'
            )
        notes = f'<ul class="table-notes" id="notes-{name}">{legend}</ul>' if legend else ""
        described = f' aria-describedby="notes-{name}"' if notes else ""
        return Html(
            f'<div class="scroll" tabindex="0" role="region" aria-label="Table of {name}"><table{described}>{head}'
            f"<tbody>{''.join(rows[:shown])}</tbody>{rest}</table></div>{button}{notes}"
        )

    def _tags(self) -> tuple[str, list[str], str]:
        """The caption with the headings, the lines, and the items of the legend."""
        columns = [each for each in self.columns if each.kind in PAGE and not (each.is_empty and each.kind != "name")]
        heads = [(_unbroken(each.head.strip()), PAGE[each.kind]) for each in columns]
        head = "".join(f'<th scope="col"{style}>{text}</th>' if text else f"<td{style}></td>" for text, style in heads)
        grey = [' class="below"' if each else "" for each in self.muted or [False] * len(columns[0].cells)]
        cells = zip(grey, *map(_cells, columns), strict=True)
        return (
            f"<caption>{_unbroken(self.title)}</caption><thead><tr>{head}</tr></thead>",
            [f"<tr{style}>{''.join(row)}</tr>" for style, *row in cells],
            "".join(f"<li>{_unbroken(sentence(line))}</li>" for line in self.legend if line),
        )

    def json(self) -> list[dict[str, Any]]:
        """The lines in numbers, with None for unknown ones."""
        return [] if self.frame is None else records(self.frame)


@dataclass(frozen=True)
class Sentences:
    """Paragraphs one below the other: plain ones, a heading, or warnings."""

    texts: Sequence[str]
    kind: Literal["plain", "heading", "warning"] = "plain"

    def text(self, width: int) -> str:
        first, further = ("WARNING  ", " " * 9) if self.kind == "warning" else ("", "")
        return "\n".join(fold(text, width, first, further) for text in self.texts)

    def html(self) -> Html:
        before, after = {"plain": ("", ""), "heading": ("<strong>", "</strong>")}.get(
            self.kind, ("<strong>Warning:</strong> ", "")
        )
        return Html("".join(f"<p>{before}{_unbroken(text)}{after}</p>" for text in self.texts))


@dataclass(frozen=True)
class Notes:
    """A list under a title."""

    title: str
    texts: Sequence[str]

    def text(self, width: int) -> str:
        items = [fold(text, width, "  · ", "    ") for text in self.texts]
        return "\n".join([fold(self.title, width), *items]) if items else ""

    def html(self) -> Html:
        """A list that opens at a click."""
        items = "".join(f"<li>{_unbroken(text)}</li>" for text in self.texts)
        summary = f"<summary>{_unbroken(self.title)} ({len(self.texts)})</summary>"
        return Html(f"<details>{summary}<ul>{items}</ul></details>" if items else "")


Block = ShownTable | Sentences | Notes


@dataclass(frozen=True)
class Document:
    """Sentences, notes and tables in their order."""

    blocks: Sequence[Block]

    def text(self, width: int | None = None) -> str:
        """For a terminal, as wide as the terminal itself unless a width is given."""
        width = terminal_width() if width is None else width
        return "\n\n".join(filter(None, (block.text(width) for block in self.blocks)))

    def html(self) -> Html:
        """For a notebook: the tags of a report's page, without its style sheet."""
        return Html("".join(block.html() for block in self.blocks))


class Shown:
    """A result that is printed, and shown in a notebook, as its document."""

    def _document(self) -> Document:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._document().text()

    def _repr_html_(self) -> str:
        return self._document().html()


def terminal_width() -> int:
    """Columns of the terminal, or the variable COLUMNS."""
    return max(LEAST_WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)


def fold(text: str, width: int | None = None, first: str = "", further: str = "") -> str:
    """A paragraph no wider than the terminal or `WIDTH`; lines begin with `first` and `further`."""
    return textwrap.fill(
        safe(text).replace("\n", " "),
        min(WIDTH, terminal_width() if width is None else width),
        initial_indent=first,
        subsequent_indent=further,
        break_on_hyphens=False,
    )


def sentence(text: str) -> str:
    """A line of a legend with a capital letter and a full stop."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def bars(values: Iterable[float], most: float) -> list[str]:
    """Values as bars, the largest as wide as `BAR`."""
    return ["█" * round(BAR * value / most) if most > 0.0 else "" for value in values]


def plain(value: Any) -> Any:
    """A value that JSON can hold: None for one that is missing or not finite."""
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    if value is None or value is pd.NA:
        return None
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not np.isfinite(value) else value


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The lines of a table, ready for JSON."""
    return [{str(name): plain(value) for name, value in line.items()} for line in frame.to_dict("records")]


def _lines(columns: list[Column], room: int) -> tuple[list[str], list[str]]:
    """Columns of texts side by side, and the headings of columns that do not fit."""
    texts = [each.lines() for each in columns]
    widths = [max(width_of(str(text) if isinstance(text, Pair) else text) for text in column) for column in texts]
    flexible = [each.kind in ("name", "text") for each in columns]
    kept = list(range(len(columns)))
    for leaving in sorted({each.leaves for each in columns if each.leaves}):
        if _total(min(widths[k], NAME_WIDTH) if flexible[k] else widths[k] for k in kept) <= room:
            break
        kept = [k for k in kept if columns[k].leaves != leaving]
    for k in reversed(kept):  # a wrapped text gives way before a name
        if flexible[k]:
            least = min(LEAST_NAME, widths[k])
            widths[k] = max(least, min(widths[k], widths[k] + room - _total(widths[j] for j in kept)))
    if all(not columns[k].head.strip() for k in kept):
        texts = [column[1:] for column in texts]
    lines = []
    for row in zip(*(texts[k] for k in kept), strict=True):
        cells, further = [], []
        for k, cell in zip(kept, row, strict=True):
            if columns[k].kind == "text":
                cell, *further = textwrap.wrap(cell, widths[k], break_on_hyphens=False) or [""]
            cell = short(cell, widths[k]) if columns[k].kind == "name" else cell
            space = " " * (widths[k] - width_of(cell))
            cells.append(space + cell if columns[k].kind == "number" else cell + space)
        before = " " * (_total(widths[k] for k in kept) - widths[kept[-1]])
        lines += [f"  {line}".rstrip() for line in ("  ".join(cells), *(before + text for text in further))]
    return lines, [each.head for k, each in enumerate(columns) if k not in kept]


def _total(widths: Iterable[int]) -> int:
    """The width of columns with two spaces between them."""
    widths = list(widths)
    return sum(widths) + 2 * (len(widths) - 1)


def _cells(column: Column) -> list[str]:
    """The cells of a column on a page."""
    if column.kind == "name":
        parts = [(name.first, name.second) if isinstance(name, Pair) else (name,) for name in column.cells]
        spans = [[f'<span class="name">{escape(as_label(part))}</span>' for part in pair] for pair in parts]
        return [f"""<th scope="row">{' <span class="times">×</span> '.join(pair)}</th>""" for pair in spans]
    marks = column.marks if any(mark.strip() for mark in column.marks) else ()
    signs = [f'<span class="mark star">{escape(mark)}</span>' for mark in marks] or [""] * len(column.cells)
    cells = zip(column.cells, signs, strict=True)
    return [f"<td{PAGE[column.kind]}>{_unbroken(cell.strip())}{sign}</td>" for cell, sign in cells]


def _unbroken(text: str) -> str:
    """Escaped, without a line end before a percent sign."""
    return escape(on_one_line(text)).replace(" %", "\u00a0%")
