"""Docstrings are plain text with `code` and indented formulas; this makes reStructuredText of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx

#: Sections whose lines are indented although they are no formulas.
SECTION = re.compile(r"(Args|Attributes|Example|Rarely needed|Returns|Raises|Yields):$")
ATTRIBUTES = ("attribute", "property")
CODE = re.compile(r"(`+)(.+?)\1")


def inline(text: str) -> str:
    """`x` becomes code; what reStructuredText would read as a mark (*, |, a last _) stays a character."""
    pieces, end = [], 0
    for found in CODE.finditer(text):
        pieces += [escaped(text[end : found.start()]), f"``{found[2]}``"]
        end = found.end()
        if text[end : end + 1].isalnum():
            pieces.append("\\ ")  # the end of code must be the end of a word
    return "".join([*pieces, escaped(text[end:])])


def escaped(text: str) -> str:
    bullet = re.match(r"\s*\* ", text)
    kept = bullet[0] if bullet else ""
    rest = re.sub(r"([\\*|])", r"\\\1", text[len(kept) :])
    return kept + re.sub(r"(\w)_(?!\w)", r"\1\\_", rest)


def rewritten(lines: list[str]) -> Iterator[str]:
    """All lines of a docstring."""
    shown = formula = section = False  # where we are
    before = ""
    for line in lines:
        if line and not line.startswith(" "):
            section, formula = bool(SECTION.match(line)), False
        if not line.strip():
            shown = False
        if line.lstrip().startswith(">>>"):
            shown = True
        if not section and not formula and not before.strip() and line.startswith("    ") and not shown:
            formula = True
            yield from ("::", "")
        yield line if shown or formula else inline(line)
        before = line


def process(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """What autodoc calls with each docstring, before napoleon reads its sections."""
    lines[:] = list(rewritten(lines))
    if what in ATTRIBUTES:
        app.env.temp_data[name] = list(lines)


def restore(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Of an attribute, napoleon takes for its type what stands before the first colon; it has no sections."""
    if what in ATTRIBUTES:
        lines[:] = app.env.temp_data.pop(name)


def setup(app: Sphinx) -> dict[str, Any]:
    """Before and after napoleon."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", process, priority=100)
    app.connect("autodoc-process-docstring", restore, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
