"""Put the code of a changed file into the functions that are already in memory."""

from __future__ import annotations

import ast
import gc
import hashlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType

#: A function of a file: its full name, its first line, and its number among functions that share both (lambdas).
Key = tuple[str, int, int]


def fingerprint(path: Path) -> str:
    """Digest a source file; empty if it is gone."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.exists() else ""


def live_functions() -> dict[str, list[FunctionType]]:
    """Every function in memory, by the file it was written in."""
    gc.unfreeze()
    found: dict[str, list[FunctionType]] = defaultdict(list)
    for thing in gc.get_objects():
        if type(thing) is FunctionType:
            found[thing.__code__.co_filename].append(thing)
    gc.freeze()
    return found


def swap(path: Path, tree: ast.Module, functions: list[FunctionType]) -> bool:
    """Give each function the code that the tree has for it; False if one of them cannot take it."""
    file = str(path)
    old = _by_key(compile(path.read_text(encoding="utf-8"), file, "exec", dont_inherit=True))
    new = _by_key(compile(tree, file, "exec", dont_inherit=True))
    keys = {code: key for key, code in old.items()}
    for function in functions:
        key = keys.get(function.__code__)
        if key is None or key not in new:
            continue
        if new[key].co_freevars != function.__code__.co_freevars:
            return False
        function.__code__ = new[key]
    return True


def _by_key(module: CodeType) -> dict[Key, CodeType]:
    seen: dict[tuple[str, int], int] = defaultdict(int)
    found: dict[Key, CodeType] = {}
    for code in _codes(module):
        name = (code.co_qualname, code.co_firstlineno)
        found[(*name, seen[name])] = code
        seen[name] += 1
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)
