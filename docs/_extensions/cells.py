"""Pages as notebooks: every Python block of a page is a cell that runs."""

from __future__ import annotations

import ast

from myst_nb.core.read import read_myst_markdown_notebook
from nbformat import NotebookNode


def read(text: str) -> NotebookNode:
    """The notebook of a page. Its language is set here, so that pages which do not run are coloured as well."""
    notebook = read_myst_markdown_notebook(text, code_directive="python", add_source_map=True)
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "python"}
    for cell in notebook.cells:
        if cell.cell_type == "code" and only_asserts(cell.source):
            cell.metadata["tags"] = ["remove-cell"]
    return notebook


def only_asserts(source: str) -> bool:
    """Blocks that only check the statements of the page run, but readers of the site need not see them."""
    return all(isinstance(statement, ast.Assert) for statement in ast.parse(source).body)
