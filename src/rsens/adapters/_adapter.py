"""What an adapter is, and what adapters share: tests for classes of other libraries, and two kinds of model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rsens._coding import Coding
from rsens.derivatives import Derivatives, Description, Finding, Model
from rsens.distributions import Distribution

#: How libraries spell their names, where that is not the name of their package.
SPELLED = {"sklearn": "scikit-learn", "gpytorch": "GPyTorch", "botorch": "BoTorch", "torch": "PyTorch"}


@dataclass(frozen=True)
class Adapter:
    """How objects of one kind become a `Model`: which objects it accepts, and how it adapts one."""

    name: str
    accepts: Callable[[Any], bool]
    adapt: Callable[[Any], Model]


class NoTranslationError(Exception):
    """A part of a model, such as its kernel, is none that rsens has; the text says which."""


# ---- Classes of other libraries, by the names of a class and its ancestors: nothing is imported to find out ----------


def is_a(obj: Any, *names: str) -> bool:
    """Whether one of the ancestors of the object's class is one of `names`, such as "gpytorch.ExactGP".

    A name is the first part of the module and the name of the class: libraries move classes between their modules, and
    users subclass them in modules of their own.
    """
    return any(_named(kind) in names for kind in type(obj).__mro__)


def own_class(obj: Any) -> str:
    """The name "gpytorch.RBFKernel" for an object of that very class; a user's subclass has another first word."""
    return _named(type(obj))


def library_of(obj: Any) -> str:
    """The library that the object's class, or its nearest ancestor outside the user's own code, comes from."""
    roots = [_root(kind) for kind in type(obj).__mro__]
    root = next((root for root in roots if root not in ("__main__", "builtins", "abc", "typing")), roots[0])
    return SPELLED.get(root, root)


def overrides(obj: Any, library: str, *methods: str) -> bool:
    """Whether one of the methods is not the library's own: then the method counts, not our formula."""
    kinds = [next((kind for kind in type(obj).__mro__ if name in vars(kind)), object) for name in methods]
    return any(_root(kind) != library for kind in kinds) or any(name in vars(obj) for name in methods)


def _root(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _named(kind: type) -> str:
    return f"{_root(kind)}.{kind.__qualname__}"


# ---- Models ----------------------------------------------------------------------------------------------------------


class Described:
    """Mixed into a model with these three fields, in front of its other bases: it shows them."""

    #: The class of the object, for errors.
    label: str
    about: Description | None
    #: What there is to know before reading numbers.
    findings: tuple[Finding, ...]

    @property
    def name(self) -> str:
        return self.label

    @property
    def description(self) -> Description | None:
        return self.about

    def checks(self, X: Any) -> Iterator[Finding]:
        yield from self.findings


class Pending(Model):
    """A model that needs to see rows before it can be built: how many columns there are, and what they are called.

    Every call goes to the model built for its rows.
    """

    @abstractmethod
    def built_for(self, X: Any) -> Model:
        """The model for rows like X, with everything checked."""

    def coded(self, X: Any, weights: Any = None) -> Model:
        return self.built_for(X).coded(X, weights)

    def prepared(self, X: Any) -> Model:
        return self.built_for(X).prepared(X)

    def derivatives(self, X: Any, order: int) -> Derivatives:
        return self.built_for(X).derivatives(X, order)

    def predict_distribution(self, X: Any) -> Distribution:
        return self.built_for(X).predict_distribution(X)

    def checks(self, X: Any) -> Iterator[Finding]:
        yield from self.built_for(X).checks(X)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return 1  # chunks are made of prepared models, which know better

    def contrasted(self, coding: Coding) -> Model:
        raise NotImplementedError("contrasts are set on the model that `coded` returns")
