"""The methods there are, by name. They are listed in `rsens.measures` and `rsens.black_box`, and looked up there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from rsens._arguments import one_of
from rsens._errors import Argument, InputError
from rsens.black_box import BLACK_BOX, Budget
from rsens.measures import METHODS, ComparedMethod

KINDS = {1: "single variables", 2: "pairs"}


def known(order: int) -> dict[str, ComparedMethod]:
    """Every method of this order by name: in the order of the paper's tables, then those that must be named."""
    listed: list[ComparedMethod] = [*METHODS.values(), *BLACK_BOX.values()]
    own = [method for method in listed if method.order == order]
    return {method.name: method for method in sorted(own, key=lambda method: (method.place is None, method.place or 0))}


def all_methods(order: int) -> list[ComparedMethod]:
    """What "all" stands for: the methods in the paper's tables."""
    return [method for method in known(order).values() if method.place is not None]


def cheap_methods(order: int, budget: Budget) -> list[ComparedMethod]:
    """What "cheap" stands for: the quick ones of "all", without those that need an optional package at this budget."""
    return [method for method in all_methods(order) if method.cheap and (budget.paper or method.needs_extra is None)]


def find_methods(methods: Any, order: Any, budget: Budget | None = None) -> list[ComparedMethod]:
    """The methods asked for, each once: "all", names, or where there is a budget also "cheap"."""
    one_of(order, "order", (1, 2))
    if isinstance(methods, str):
        if methods == "all":
            return all_methods(order)
        if methods == "cheap" and budget is not None:
            return cheap_methods(order, budget)
        methods = (methods,)
    if not isinstance(methods, Sequence) or not all(isinstance(name, str) for name in methods) or not methods:
        raise InputError(Argument("methods"), f" must be 'all', or names like ['rsens', 'pfi']; got {methods!r}.")
    return [_find(name, order) for name in dict.fromkeys(methods)]


def resolved(methods: Any, order: Any) -> list[str]:
    """The names of the methods asked for, each once."""
    return [method.name for method in find_methods(methods, order)]


def legend(methods: Iterable[str], order: int) -> str:
    """a: what it measures; b: what it measures."""
    there = known(order)
    return "; ".join(f"{name}: {there[name].meaning}" for name in methods if name in there)


def _find(name: str, order: int) -> ComparedMethod:
    there, other = known(order), 3 - order
    if name in there:
        return there[name]
    if name in known(other):
        raise InputError(f"{name} scores {KINDS[other]}: use ", Argument("order", other), ".")
    near = get_close_matches(name.lower(), there, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise InputError(f"There is no method {name!r} for {KINDS[order]}.{hint} There are {', '.join(there)}.")
