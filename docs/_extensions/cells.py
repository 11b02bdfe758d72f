"""Pages as notebooks: every Python block of a page is a cell that runs."""

from __future__ import annotations

from myst_nb.core.read import read_myst_markdown_notebook
from nbformat import NotebookNode


def read(text: str) -> NotebookNode:
    """The notebook of a page. Its language is said here, so that pages which do not run are coloured as well."""
    notebook = read_myst_markdown_notebook(text, code_directive="python", add_source_map=True)
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "python"}
    return notebook
