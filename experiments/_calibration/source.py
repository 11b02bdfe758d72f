"""A hash of the code that makes the numbers."""

from __future__ import annotations

import ast
from functools import cache
from hashlib import sha256
from pathlib import Path

import rsens

#: Folders and files of rsens that show results and make none.
SHOWS = ("_app", "plots", "cli.py", "__main__.py", "_version.py", "_text.py", "_plot_methods.py", "_export.py")
#: Statements that can have a docstring.
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def source_stamp() -> str:
    """A hash of the sources of rsens that make numbers."""
    root = Path(rsens.__file__).parent
    digest = sha256()
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if not set(parts) & set(SHOWS):
            digest.update("/".join(parts).encode() + b"\0" + _without_words(path).encode())
    return digest.hexdigest()[:12]


def _without_words(path: Path) -> str:
    """The code of a file without comments and docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)
