"""The public names of rsens: what there is, its parameters, and the options of the command."""

import contextlib
import enum
import inspect
import io
import json
import re
from pathlib import Path
from typing import Any

import rsens
from rsens.cli import main

HERE = Path(__file__).parent
RECORD, ALLOWED = HERE / "names.json", HERE / "allowed.txt"
API = HERE.parents[1] / "docs" / "api"
COMMANDS = ("explain", "compare", "stability", "select", "demo")

#: Results are made by rsens alone: their constructors are its own affair, all their attributes are public.
RESULTS = ("Assessment", "Check", "Difference", "Explanation", "Selection", "Stability", "Study")
#: Base classes whose documented attributes are public.
BASES = ("rsens.distributions.Distribution", "rsens.Model", "rsens.Derivatives")


def documented() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    directive = re.compile(r"\.\. auto(?:function|class|exception):: (\S+)\n((?:   :.*\n)*)")
    for page in sorted(API.glob("*.md")):
        for name, options in directive.findall(page.read_text(encoding="utf-8")):
            members = re.search(r":members: *(.*)", options)
            found[name] = [each.strip() for each in members[1].split(",") if each.strip()] if members else []
    return found


def look_up(name: str) -> Any:
    """The object of a name like rsens.plots.bars; None if it does not exist."""
    value: Any = rsens
    for part in name.split(".")[1:]:
        try:
            value = getattr(value, part)
        except AttributeError:
            return None
    return value


def default_text(value: Any) -> str:
    if value is inspect.Parameter.empty:
        return ""
    if isinstance(value, enum.Enum | type) or callable(value):
        return f" = {getattr(value, '__name__', value)}"
    return f" = {value!r}"


def parameters(name: str, value: Any) -> dict[str, str]:
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return {}
    return {
        f"{name}({each.name})": f"{position} {each.kind.description}{default_text(each.default)}"
        if each.kind is not inspect.Parameter.KEYWORD_ONLY
        else f"{each.kind.description}{default_text(each.default)}"
        for position, each in enumerate(signature.parameters.values())
        if each.name != "self"
    }


def attributes(name: str, kind: type, only: list[str] | None = None) -> dict[str, str]:
    found = {}
    for each in sorted(only or dir(kind)):
        if each.startswith("_") and not (only and each == "__call__"):
            continue
        value = inspect.getattr_static(kind, each, None)
        if value is None and not hasattr(kind, each):
            continue
        full = f"{name}.{each}"
        method = isinstance(value, classmethod | staticmethod) or inspect.isfunction(value)
        found[full] = "method" if method else "attribute"
        if method:
            found |= parameters(full, getattr(kind, each))
    return found


def current(of_docs: dict[str, list[str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in sorted({f"rsens.{each}" for each in rsens.__all__} | set(of_docs)):
        value = look_up(name)
        if value is None:
            continue
        if inspect.ismodule(value):
            found[name] = "module"
        elif not inspect.isclass(value):
            found[name] = "function"
            found |= parameters(name, value)
        else:
            found[name] = "class"
            if name.removeprefix("rsens.") in RESULTS:
                found |= attributes(name, value)
                continue
            if not issubclass(value, Exception):
                found |= parameters(name, value)
            members = of_docs.get(name)
            if name in BASES or members:
                found |= attributes(name, value, None if name == BASES[0] else members)
    return found | helps()


def helps() -> dict[str, str]:
    """The help of the command and of each of its commands, and a line for each of their options."""
    found = {}
    for command in ("", *COMMANDS):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
            main([*([command] if command else []), "--help"])
        name = f"rsens {command}".strip()
        found[f"{name} --help"] = text = out.getvalue()
        for option, value in re.findall(r"^  (?:-\w, )?(--[\w-]+)((?: [A-Z=,]+| \[[^]\n]+\])?)", text, re.MULTILINE):
            if option != "--help":
                found[f"{name} {option}"] = f"option{value}"
    return found


def write() -> None:
    of_docs = documented()
    record = {"documented": of_docs, "names": current(of_docs)}
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


def allowed() -> set[str]:
    """The names that may differ: the first word of each line, or the part before two spaces."""
    lines = ALLOWED.read_text(encoding="utf-8").splitlines() if ALLOWED.exists() else []
    return {re.split(r"\s{2,}", line)[0].strip() for line in lines if line.strip() and not line.startswith("#")}


def compare() -> list[str]:
    """One line for every name that is missing, new or different, and not allowed to be."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    old, new = record["names"], current(documented() | record["documented"])
    known = allowed()
    lines = []
    for name in sorted(old.keys() | new.keys()):
        # An allowed name allows its parameters and attributes.
        if old.get(name) == new.get(name) or any(
            name == each or name.startswith((f"{each}.", f"{each}(")) for each in known
        ):
            continue
        if name not in new:
            line = "missing"
        elif name not in old:
            line = "new"
        else:
            line = "other text" if name.endswith("--help") else f"{old[name]!r} is {new[name]!r}"
        lines.append(f"  {name:64} {line}")
    return lines
