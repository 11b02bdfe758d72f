"""Tables and paragraphs that fit into the terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Sequence

from rsens._text import NAME_WIDTH, on_one_line, safe, short, width_of

#: The width of paragraphs, and of everything where there is no terminal.
WIDTH = 96
#: The least width of names, and of a terminal that says it has none.
LEAST_NAME, LEAST_WIDTH = 12, 40


def terminal_width() -> int:
    """Columns of the terminal, or what the variable COLUMNS says."""
    return max(LEAST_WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    align: str,
    *,
    give_way: Iterable[Iterable[int]] = (),
    indent: str = "  ",
) -> str:
    """Columns side by side, "<" or ">" each, or "~" for the one on the left whose names lose letters.

    Empty columns are left out. Where there is no room, names first lose what is beyond `NAME_WIDTH`, then the groups of
    columns in `give_way` go one after the other, then names lose more.
    """
    room = terminal_width() - len(indent)
    natural = [max(width_of(on_one_line(line[k])) for line in (header, *rows)) for k in range(len(header))]
    kept = [k for k in range(len(header)) if any(row[k] for row in rows)]
    for leaving in map(set, give_way):
        if _total(min(natural[k], NAME_WIDTH) if align[k] == "~" else natural[k] for k in kept) <= room:
            break
        kept = [k for k in kept if k not in leaving]
    widths = [natural[k] for k in kept]
    flexible = next((i for i, k in enumerate(kept) if align[k] == "~"), None)
    if flexible is not None:
        least = min(LEAST_NAME, widths[flexible])
        widths[flexible] = max(least, min(widths[flexible], widths[flexible] + room - _total(widths)))
    lines = []
    for line in (header, *rows):
        cells = [short(line[k], widths[i]) if i == flexible else line[k] for i, k in enumerate(kept)]
        padded = (_pad(cell, width, align[k]) for cell, width, k in zip(cells, widths, kept, strict=True))
        lines.append((indent + "  ".join(padded)).rstrip())
    return "\n".join(lines)


def paragraph(text: str, first: str = "", indent: str = "") -> str:
    """Lines no longer than the width."""
    return textwrap.fill(
        safe(text).replace("\n", " "),
        min(WIDTH, terminal_width()),
        initial_indent=first,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def with_command(text: str, command: str, indent: str) -> str:
    """A line that ends with a command to copy. If it does not fit, the command has a line of its own."""
    line = f"{indent}{safe(text)} {safe(command)}"
    if width_of(line) <= min(WIDTH, terminal_width()):
        return line
    return f"{paragraph(text, indent, indent)}\n{indent * 2}{safe(command)}"


def _total(widths: Iterable[int]) -> int:
    """Of columns with two spaces between them."""
    widths = list(widths)
    return sum(widths) + 2 * (len(widths) - 1)


def _pad(text: str, width: int, side: str) -> str:
    space = " " * (width - width_of(text))
    return space + text if side == ">" else text + space
