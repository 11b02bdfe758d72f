"""Docstrings are plain text with `code` and indented formulas; this makes reStructuredText of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx

ATTRIBUTES = ("attribute", "property")
CODE = re.compile(r"(`+)(.+?)\1")
EMPHASIS_OR_BULLET = re.compile(r"((?<!\S)\*\w[\w -]*\*(?!\w)|^\s*\* )")


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
    """Text outside of code; *emphasis* and the bullets of lists stay."""
    pieces = EMPHASIS_OR_BULLET.split(text)  # every second one is kept
    pieces[::2] = [re.sub(r"(\w)_(?!\w)", r"\1\\_", re.sub(r"([\\*|])", r"\\\1", piece)) for piece in pieces[::2]]
    return "".join(pieces)


def rewritten(lines: list[str]) -> Iterator[str]:
    """All lines of a docstring."""
    above, above_indent = "", 0  # the line above, and how far the last text was indented
    in_example, formula = False, 0  # where we are; a formula is indented so far
    for line in lines:
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        in_example = bool(text) and (in_example or text.startswith(">>>"))
        if text and indent < formula:
            formula = 0
        if text and not above and indent > above_indent and not in_example and not formula:
            formula = indent
            yield from (" " * (indent - 4) + "::", "")  # where the text above is, in an argument too
        yield line if in_example or formula else inline(line)
        above, above_indent = text, indent if text else above_indent


def process(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Convert a docstring: autodoc calls this with each, before napoleon reads its sections."""
    lines[:] = list(rewritten(lines))
    if what in ATTRIBUTES:
        app.env.temp_data[name] = list(lines)


def restore(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """For an attribute, napoleon takes the text before the first colon as its type; it has no sections."""
    if what in ATTRIBUTES:
        lines[:] = app.env.temp_data.pop(name)


def unsigned(app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str, returned: str) -> Any:
    """Results are made by calls: what their constructors take is nobody's business."""
    return ("", None) if what == "class" and "Made by `" in (obj.__doc__ or "") else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Before and after napoleon."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", process, priority=100)
    app.connect("autodoc-process-docstring", restore, priority=900)
    app.connect("autodoc-process-signature", unsigned)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
