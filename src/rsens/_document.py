"""Documents: sentences and tables, built once for each result and rendered as text, as HTML and as JSON.

All text is escaped here, so that a column may be called `<script>`. In a notebook, text and background keep their
colours, which are right in every theme, and styles are attributes, as notebooks drop style sheets they do not trust.
On the page of a report, tags have the classes of its style sheet.
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

from rsens._text import NAME_WIDTH, Pair, as_label, distinct, listed, on_one_line, safe, short, width_of

#: Escaped text.
Html = NewType("Html", str)
#: The width of paragraphs, and of tables outside a terminal; the least width of a terminal and of names.
WIDTH, LEAST_WIDTH, LEAST_NAME = 96, 40, 12
#: The longest bar of a table, in characters, and the longest name in a table of a page.
BAR, PAGE_NAME = 8, 80
#: Orange and grey that are visible on white and on black; the widths of sentences and names in a notebook.
ORANGE, GREY, TEXT, NAME = "#d98200", "rgba(128,128,128,0.4)", "max-width:52em", "min-width:9em;max-width:26em"
CELL = f"border:none;border-bottom:1px solid {GREY};padding:0.25em 0.7em;vertical-align:top"
NOTEBOOK = {
    "name": f' style="{CELL};text-align:left;font-weight:normal;{NAME};overflow-wrap:anywhere"',
    "number": f' style="{CELL};text-align:right;white-space:nowrap"',
    "words": f' style="{CELL};text-align:left;white-space:nowrap"',
    "bar": f' style="{CELL};text-align:left;white-space:nowrap"',
    "text": f' style="{CELL};text-align:left"',
    "mark": ' style="display:inline-block;width:0.7em;text-align:left"',
}
PAGE = {"name": "", "number": ' class="right"', "words": ' class="tight"', "text": "", "mark": ' class="mark star"'}


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
        """Whether there is nothing to show."""
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
        asked = [] if self.hint is None else [with_command(*self.hint, width)]
        return "\n".join([fold(self.title, width), *lines, *below, *asked])

    def html(self) -> Html:
        """For a notebook."""
        legend = [*self.legend, *([] if self.hint is None else [" ".join(self.hint)])]
        below = "".join(f'<div style="margin-top:0.2em">{_escaped(line)}</div>' for line in legend if line)
        title = "caption-side:top;text-align:left;font-weight:bold;color:inherit;padding:0.3em 0"
        return Html(
            '<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:0.5em 0">'
            f'<caption style="{title}">{_escaped(self.title)}</caption>'
            f"{self._head(NOTEBOOK)}<tbody>{''.join(self._rows(NOTEBOOK))}</tbody></table></div>"
            + (f'<div style="{TEXT};font-size:90%;margin-bottom:1em">{below}</div>' if below else "")
        )

    def page(self, name: str, shown: int) -> Html:
        """For the page of a report: a button shows the lines after the first `shown`."""
        rows = self._rows(PAGE)
        rest, notes, button = "", "", ""
        if len(rows) > shown:
            rest = f'<tbody class="rest" id="rest-{name}">{"".join(rows[shown:])}</tbody>'
            button = (
                '<button type="button" class="button needs-script more" aria-expanded="false" '
                f'aria-controls="rest-{name}" data-more="rest-{name}">Show all {len(rows)}</button>'
            )
        if legend := [f"<li>{_unbroken(sentence(line))}</li>" for line in self.legend if line]:
            notes = f'<ul class="table-notes" id="notes-{name}">{"".join(legend)}</ul>'
        described = f' aria-describedby="notes-{name}"' if notes else ""
        return Html(
            f'<div class="scroll" tabindex="0" role="region" aria-label="Table of {name}"><table{described}>'
            f"<caption>{_unbroken(self.title)}</caption>{self._head(PAGE)}"
            f"<tbody>{''.join(rows[:shown])}</tbody>{rest}</table></div>{button}{notes}"
        )

    def json(self) -> list[dict[str, Any]]:
        """The lines in numbers, with None for unknown ones."""
        return [] if self.frame is None else records(self.frame)

    def _head(self, look: dict[str, str]) -> str:
        write = _escaped if look is NOTEBOOK else _unbroken
        heads = [(write(each.head.strip()), look[each.kind]) for each in self._shown(look)]
        cells = [f'<th scope="col"{style}>{head}</th>' if head else f"<td{style}></td>" for head, style in heads]
        return f"<thead><tr>{''.join(cells)}</tr></thead>"

    def _rows(self, look: dict[str, str]) -> list[str]:
        columns = [_cells(each, look) for each in self._shown(look)]
        grey = [' class="below"' if each else "" for each in self.muted or [False] * len(columns[0])]
        return [f"<tr{style}>{''.join(row)}</tr>" for style, *row in zip(grey, *columns, strict=True)]

    def _shown(self, look: dict[str, str]) -> list[Column]:
        return [each for each in self.columns if each.kind in look and not (each.is_empty and each.kind != "name")]


@dataclass(frozen=True)
class Sentences:
    """Paragraphs one below the other: plain ones, a heading, or warnings."""

    texts: Sequence[str]
    kind: Literal["plain", "heading", "warning"] = "plain"

    def text(self, width: int) -> str:
        """For a terminal of this width."""
        first, further = ("WARNING  ", " " * 9) if self.kind == "warning" else ("", "")
        return "\n".join(fold(text, width, first, further) for text in self.texts)

    def html(self) -> Html:
        """For a notebook."""
        style = f"{TEXT};border-left:4px solid {ORANGE};padding-left:0.7em" if self.kind == "warning" else TEXT
        before, after = {
            "plain": ("", ""), "heading": ("<strong>", "</strong>"), "warning": ("<strong>Warning:</strong> ", ""),
        }[self.kind]  # fmt: skip
        return Html("".join(f'<p style="{style}">{before}{_escaped(text)}{after}</p>' for text in self.texts))


@dataclass(frozen=True)
class Notes:
    """A list, which a click opens in a notebook."""

    title: str
    texts: Sequence[str]

    def text(self, width: int) -> str:
        """For a terminal of this width."""
        items = [fold(text, width, "  · ", "    ") for text in self.texts]
        return "\n".join([fold(self.title, width), *items]) if items else ""

    def html(self) -> Html:
        """For a notebook."""
        if not self.texts:
            return Html("")
        items = "".join(f"<li>{_escaped(text)}</li>" for text in self.texts)
        summary = f'<summary style="cursor:pointer">{_escaped(self.title)} ({len(self.texts)})</summary>'
        return Html(f'<details style="{TEXT}">{summary}<ul>{items}</ul></details>')


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
        """For a notebook."""
        return Html(f'<div class="rsens" style="max-width:100%">{"".join(block.html() for block in self.blocks)}</div>')


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


def with_command(text: str, command: str, width: int, indent: str = "  ") -> str:
    """A line that ends with a command to copy. If it does not fit, the command has its own line."""
    line = f"{indent}{safe(text)} {safe(command)}"
    fits = width_of(line) <= min(WIDTH, width)
    return line if fits else f"{fold(text, width, indent, indent)}\n{indent * 2}{safe(command)}"


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


def _cells(column: Column, look: dict[str, str]) -> list[str]:
    style = look[column.kind]
    if column.kind == "name":
        names = map(_escaped, column.cells) if look is NOTEBOOK else _page_names(column.cells)
        return [f'<th scope="row"{style}>{name}</th>' for name in names]
    marks = column.marks if any(mark.strip() for mark in column.marks) else ()
    signs = [f"<span{look['mark']}>{escape(mark)}</span>" for mark in marks] or [""] * len(column.cells)
    write = _escaped if look is NOTEBOOK else _unbroken
    return [f"<td{style}>{write(cell.strip())}{sign}</td>" for cell, sign in zip(column.cells, signs, strict=True)]


def _page_names(names: Sequence[str]) -> list[str]:
    """Names of variables and pairs; shortened ones have the whole name as their title."""
    parts = [(name.first, name.second) if isinstance(name, Pair) else (name,) for name in names]
    whole = list(dict.fromkeys(as_label(part) for pair in parts for part in pair))
    cut = dict(zip(whole, distinct(whole, PAGE_NAME), strict=True))

    def span(name: str) -> str:
        full = as_label(name)
        title = "" if cut[full] == full else f' title="{escape(full)}"'
        return f'<span class="name"{title}>{escape(cut[full])}</span>'

    return [' <span class="times">×</span> '.join(map(span, pair)) for pair in parts]


def _escaped(text: str) -> str:
    return escape(on_one_line(text))


def _unbroken(text: str) -> str:
    """Escaped, without a line end before a percent sign."""
    return _escaped(text).replace(" %", "\u00a0%")
