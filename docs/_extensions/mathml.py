"""Formulas as MathML: browsers draw it themselves, so pages need no script and no network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.util.logging import getLogger
from sphinx.writers.html5 import HTML5Translator

logger = getLogger(__name__)


def inline(writer: HTML5Translator, node: nodes.Element) -> None:
    """A formula in the line."""
    writer.body.append(mathml(node, node.astext()))
    raise nodes.SkipNode


def block(writer: HTML5Translator, node: nodes.Element) -> None:
    """A displayed formula, with its number if it has one."""
    number = f'<span class="number">({node["number"]})</span>' if node.get("number") else ""
    writer.body.append(writer.starttag(node, "div", CLASS="formula"))
    writer.body.append(f"{mathml(node, node.astext(), as_block=True)}{number}</div>\n")
    raise nodes.SkipNode


def mathml(node: nodes.Element, formula: str, **options: bool) -> str:
    """The formula; what cannot be read is a warning, and fails the build."""
    try:
        written = latex2mathml.tex2mathml(formula, **options)
    except MathError as error:
        logger.warning("%s In the formula %s", error, formula, location=node)
        return ""
    return written.replace("<mo>‖</mo>", '<mo stretchy="false">‖</mo>')  # as high as a letter, not as the line


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
