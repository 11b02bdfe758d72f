"""Formulas as MathML: browsers draw it themselves, so pages need no script and no network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.writers.html5 import HTML5Translator


def visit(writer: HTML5Translator, node: nodes.Element) -> None:
    """Write a formula, in the line or on a line of its own."""
    block = isinstance(node, nodes.math_block)
    formula = node.astext()
    if block and r"\\" in formula and r"\begin" not in formula:
        formula = rf"\begin{{aligned}}{formula}\end{{aligned}}"
    try:
        written = latex2mathml.tex2mathml(formula, as_block=block)
    except MathError as error:
        raise SphinxError(f"{node.source}:{node.line}: {error} in the formula {formula}") from error
    writer.body.append(f'<div class="formula">{written}</div>\n' if block else written)
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx."""
    app.add_html_math_renderer("mathml", inline_renderers=(visit, None), block_renderers=(visit, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
