"""The names of the methods, and what is said about a name that is none of them."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from rsens._arguments import one_of
from rsens._errors import InputError
from rsens.black_box import BLACK_BOX
from rsens.measures import METHODS

#: The inverse length-scales of a Gaussian process: neither local values nor predictions, so it is in no registry.
ARD = "ard"
#: What "all" stands for, in the order of the tables of the paper; the methods it leaves out come last.
ALL: dict[int, tuple[str, ...]] = {
    1: ("rsens", "ead", "aed", "apc", "shap", "pd", "pfi", "var", "kl", ARD),
    2: ("rsens2", "eah", "aeh", "shap", "pd", "h"),
}
KINDS = {1: "single variables", 2: "pairs"}


def known(order: int) -> list[str]:
    """Every method of this order: those of ALL, and those that are only given when asked for by name."""
    measures = [name for name, measure in METHODS.items() if measure.order == order]
    black_box = [name for name, of_order in BLACK_BOX if of_order == order]
    return list(dict.fromkeys([*ALL[order], *measures, *black_box]))


def resolved(methods: Any, order: Any) -> list[str]:
    """The names asked for, each once; "all" is those of ALL."""
    one_of(order, "order", (1, 2))
    if isinstance(methods, str):
        methods = ALL[order] if methods == "all" else (methods,)
    if not isinstance(methods, Sequence) or not all(isinstance(name, str) for name in methods) or not methods:
        raise InputError(f"methods must be 'all', or names like ['rsens', 'pfi']; got {methods!r}.")
    for name in methods:
        _check(name, order)
    return list(dict.fromkeys(methods))


def _check(name: str, order: int) -> None:
    if name in known(order):
        return
    other = 3 - order
    if name in known(other):
        raise InputError(f"{name} scores {KINDS[other]}: use order={other}.")
    near = get_close_matches(name.lower(), known(order), n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise InputError(f"There is no method {name!r} for {KINDS[order]}.{hint} There are {', '.join(known(order))}.")
