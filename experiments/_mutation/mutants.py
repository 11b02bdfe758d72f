"""The faults: every place in a function body where an operator, a number, a condition or a call can be changed.

Not changed: texts, annotations, decorators, defaults of arguments, texts of errors, and code outside functions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_TWINS = [("min", "max"), ("minimum", "maximum"), ("any", "all"), ("zeros", "ones"), ("zeros_like", "ones_like")]
#: Functions that are easily mistaken for each other.
NAMES = {a: b for pair in _TWINS for a, b in (pair, pair[::-1])}

#: Where a fault sits in the tree: a chain of (field, place in the list or None).
Place = tuple[tuple[str, int | None], ...]
Span = tuple[int, int]


@dataclass(frozen=True)
class Mutant:
    """One fault. `number` separates faults at the same place."""

    file: str
    function: str
    line: int
    column: int
    kind: str
    before: str
    after: str
    place: Place
    number: int
    #: First and last line of the statement, or of the expression in the head of a compound one.
    span: Span

    @property
    def name(self) -> str:
        """Its name in the list of results; the same until the line changes."""
        return f"{self.file}:{self.line}:{self.column} {self.kind} {self.before} → {self.after}"


def mutants_of(path: Path, root: Path) -> list[Mutant]:
    """Every fault that can be put into a file, in the order of its lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    file = path.relative_to(root).as_posix()
    found = [
        Mutant(file, function, node.lineno, node.col_offset, kind, _short(node), _short(changed), place, number, span)
        for function, place, node, span in _places(tree)
        for number, (kind, changed) in enumerate(_changes(node))
    ]
    by_name = {mutant.name: mutant for mutant in reversed(found)}  # of two that read the same, the outer one
    return sorted(by_name.values(), key=lambda m: (m.line, m.column, m.kind, m.after))


def mutated(path: Path, mutant: Mutant) -> ast.Module:
    """The tree of the file with the fault in it. Line numbers stay."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parent: ast.AST = tree
    for field, index in mutant.place[:-1]:
        parent = getattr(parent, field) if index is None else getattr(parent, field)[index]
    field, index = mutant.place[-1]
    node = getattr(parent, field) if index is None else getattr(parent, field)[index]
    changed = list(_changes(node))[mutant.number][1]
    ast.copy_location(changed, node)
    if index is None:
        setattr(parent, field, changed)
    else:
        getattr(parent, field)[index] = changed
    return ast.fix_missing_locations(tree)


def _short(node: ast.AST) -> str:
    if isinstance(node, ast.If | ast.While):  # without what it governs
        node = node.test
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 100 else f"{text[:99]}…"


# ---- where ----------------------------------------------------------------------------------------------------------


def _places(tree: ast.Module) -> Iterator[tuple[str, Place, ast.AST, Span]]:
    """The nodes in bodies of functions, each with the name of its function and the lines of its statement."""
    yield from _walk(tree, (), (), False, None)


def _walk(
    node: ast.AST, place: Place, names: tuple[str, ...], inside: bool, statement: Span | None
) -> Iterator[tuple[str, Place, ast.AST, Span]]:
    if isinstance(node, ast.stmt) and not hasattr(node, "body"):
        statement = (node.lineno, node.end_lineno or node.lineno)
    if inside and hasattr(node, "lineno"):
        yield ".".join(names), place, node, statement or (node.lineno, getattr(node, "test", node).end_lineno)
    if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return
    fields = list(ast.iter_fields(node))
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        names, inside = (*names, node.name), inside or isinstance(node, ast.FunctionDef)
        fields = [("body", node.body)]
    for field, value in fields:
        if field in ("annotation", "ctx", "op", "ops"):
            continue
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.AST):
                step = (field, index if isinstance(value, list) else None)
                yield from _walk(child, (*place, step), names, inside, statement)


# ---- what -----------------------------------------------------------------------------------------------------------


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The possible changes of a node, each with its kind."""
    match node:
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in ARITHMETIC:
            yield "operator", _with(node, lambda new: setattr(new, "op", ARITHMETIC[type(op)]()))
        case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert(), operand=operand):
            yield "sign", operand
        case ast.Compare(ops=[op]):
            for other in COMPARISONS[type(op)]:
                yield "comparison", _with(node, lambda new, other=other: setattr(new, "ops", [other()]))
        case ast.BoolOp(op=op):
            other_op = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield "condition", _with(node, lambda new: setattr(new, "op", other_op))
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield "condition", _with(node, lambda new: setattr(new, "test", ast.UnaryOp(ast.Not(), deepcopy(test))))
        case ast.Constant(value=bool(value)):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield "constant", ast.Constant(value + 1 if value + 1 != value else value / 2)
        case ast.Return(value=ast.AST() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield "return", ast.Return(ast.Constant(None))
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.Assert():
            yield "statement", ast.Pass()
        case ast.Break():
            yield "statement", ast.Continue()
        case ast.Continue():
            yield "statement", ast.Break()
        case ast.Call(func=ast.Name(id=name)) if name in NAMES:
            yield "name", _with(node, lambda new: setattr(new.func, "id", NAMES[name]))
        case ast.Call(func=ast.Attribute(attr=name)) if name in NAMES:
            yield "name", _with(node, lambda new: setattr(new.func, "attr", NAMES[name]))
        case ast.Call(func=ast.Attribute(attr="where"), args=[_, yes, no]):
            yield "branch", yes
            yield "branch", no
        case ast.Call(func=func, args=[argument]) if _is_function(func) and not isinstance(argument, ast.Starred):
            yield "call", argument


def _is_function(node: ast.AST) -> bool:
    """A function by its name or of a library, not a method: f(x) may become x."""
    match node:
        case ast.Name():
            return True
        case ast.Attribute(value=ast.Name(id="np" | "jnp" | "special" | "math")):
            return True
    return False


def _with(node: ast.AST, change: Callable[[ast.AST], None]) -> ast.AST:
    new = deepcopy(node)
    change(new)
    return new
