"""Where an object comes from, by the names of its class and its ancestors: nothing is imported to find out."""

from __future__ import annotations

from typing import Any


def is_a(obj: Any, *names: str) -> bool:
    """Whether one of the ancestors of the object's class is one of `names`, such as "gpytorch.ExactGP".

    A name is the first part of the module and the name of the class: libraries move classes between their modules, and
    users subclass them in modules of their own.
    """
    return any(f"{kind.__module__.partition('.')[0]}.{kind.__qualname__}" in names for kind in type(obj).__mro__)


#: How libraries spell their names, where that is not the name of their package.
SPELLED = {"sklearn": "scikit-learn", "gpytorch": "GPyTorch", "botorch": "BoTorch", "torch": "PyTorch"}


def library_of(obj: Any) -> str:
    """The library that the object's class, or its nearest ancestor outside the user's own code, comes from."""
    for kind in type(obj).__mro__:
        root = kind.__module__.partition(".")[0]
        if root not in ("__main__", "builtins", "abc", "typing"):
            return SPELLED.get(root, root)
    return type(obj).__module__.partition(".")[0]
