"""What a conversion is, and how the class of a foreign object is recognised without importing its library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rsens._errors import InputError
from rsens.distributions import Distribution

#: From a foreign distribution to our family.
Builder = Callable[[Any], Distribution]


@dataclass(frozen=True)
class Conversion:
    """How the distributions of one library become families: which objects it accepts, how one is converted."""

    name: str
    accepts: Callable[[Any], bool]
    convert: Builder
    #: The classes it knows, as their own library calls them.
    known: Iterable[str]


def has_ancestor(obj: Any, *names: str) -> bool:
    """Whether an ancestor of the object's class is one of `names`, such as "torch.Distribution"."""
    return any(f"{_library(kind)}.{kind.__name__}" in names for kind in type(obj).__mro__)


def builder_for(obj: Any, library: str, builders: Mapping[str, Builder]) -> Builder:
    """The builder of the nearest ancestor that `builders` names.

    A class between the two with a density of its own is another distribution, unless a library wrote it: Pyro wraps the
    distributions of torch. Without a `library`, the names alone decide.
    """
    for kind in type(obj).__mro__:
        if kind.__name__ in builders and library in ("", _library(kind)):
            return builders[kind.__name__]
        if {"log_prob", "_log_prob"} & vars(kind).keys() and _library(kind) not in (library, "pyro"):
            break
    raise unknown(obj, library, builders)


def unknown(obj: Any, library: str, known: Iterable[str], name: str = "") -> InputError:
    """The error for a distribution that is none of our families."""
    got = name or type(obj).__name__
    source = library or _library(type(obj))
    return InputError(
        f"{got} of {source} is none of rsens' families. Of {source} these can be converted: "
        f"{', '.join(sorted(known))}. "
        "Give one of them, or build the family that is closest: Normal(mean, variance), Mixture([…], weights), "
        "Histogram(borders, probabilities)."
    )


def _library(kind: type) -> str:
    return kind.__module__.partition(".")[0]
