"""How results look in a notebook: all text is escaped here, so that a column may be called `<script>`.

There is no colour of text or background, as the notebook's own are right in every theme; styles stand in the tags, as
notebooks drop style sheets they do not trust.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import NewType

from rsens._text import on_one_line

#: Text that is escaped already.
Html = NewType("Html", str)

#: Orange and grey that stand out from white and from black.
WARNING, LINE = "#d98200", "rgba(128,128,128,0.4)"
#: Sentences are no wider than this, and neither are names.
TEXT_WIDTH, NAME_WIDTH = "52em", "26em"
#: Where there is no room, the table scrolls before names become columns of letters.
LEAST_NAME = "9em"
TITLE = "caption-side:top;text-align:left;font-weight:bold;color:inherit;padding:0.3em 0"
CELL = f"border:none;border-bottom:1px solid {LINE};padding:0.25em 0.7em;vertical-align:top"


def view(*blocks: Html) -> str:
    """What `_repr_html_` returns: the blocks one below the other."""
    return f'<div class="rsens" style="max-width:100%">{"".join(blocks)}</div>'


def heading(text: str) -> Html:
    """What the result is, in one line."""
    return Html(f"<p><strong>{_escaped(text)}</strong></p>")


def paragraph(text: str) -> Html:
    """One or more sentences."""
    return Html(f'<p style="max-width:{TEXT_WIDTH}">{_escaped(text)}</p>')


def warning(text: str) -> Html:
    """A reason not to rely on what follows."""
    style = f"max-width:{TEXT_WIDTH};border-left:4px solid {WARNING};padding-left:0.7em"
    return Html(f'<p style="{style}"><strong>Warning:</strong> {_escaped(text)}</p>')


def notes(title: str, texts: Sequence[str]) -> Html:
    """A list that opens with a click, or nothing."""
    if not texts:
        return Html("")
    items = "".join(f"<li>{_escaped(text)}</li>" for text in texts)
    summary = f'<summary style="cursor:pointer">{_escaped(title)} ({len(texts)})</summary>'
    return Html(f'<details style="max-width:{TEXT_WIDTH}">{summary}<ul>{items}</ul></details>')


def table(
    title: str,
    names: Sequence[str],
    columns: Mapping[str, Sequence[str]],
    *,
    left: Collection[str] = (),
    below: Sequence[str] = (),
) -> Html:
    """A table of texts, cells by heading; empty columns are left out, those of words (`left`) stand on the left."""
    filled = {head: cells for head, cells in columns.items() if any(cell.strip() for cell in cells)}
    sides = ["left" if head in left else "right" for head in filled]
    heads = "".join(_cell("th", head, side) for head, side in zip(filled, sides, strict=True))
    rows = [
        _name(name) + "".join(_cell("td", cell, side) for cell, side in zip(cells, sides, strict=True))
        for name, *cells in zip(names, *filled.values(), strict=True)
    ]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    legend = "".join(f'<div style="margin-top:0.2em">{_escaped(line)}</div>' for line in below)
    return Html(
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:0.5em 0">'
        f'<caption style="{TITLE}">{_escaped(title)}</caption>'
        f"<thead><tr>{_cell('td', '', 'left')}{heads}</tr></thead><tbody>{body}</tbody></table></div>"
        + (f'<div style="max-width:{TEXT_WIDTH};font-size:90%;margin-bottom:1em">{legend}</div>' if legend else "")
    )


def _cell(tag: str, text: str, side: str) -> str:
    return f'<{tag} style="{CELL};text-align:{side};white-space:nowrap">{_escaped(text.strip())}</{tag}>'


def _name(text: str) -> str:
    """A whole name, which may be long."""
    width = f"min-width:{LEAST_NAME};max-width:{NAME_WIDTH};overflow-wrap:anywhere"
    style = f"{CELL};text-align:left;font-weight:normal;{width}"
    return f'<th scope="row" style="{style}">{_escaped(text)}</th>'


def _escaped(text: str) -> str:
    return escape(on_one_line(text))
