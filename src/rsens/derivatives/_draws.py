"""Posterior draws of a function's parameters: the predictive is the mixture of the draws' own distributions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.derivatives._evaluation import as_arrays
from rsens.derivatives._output import family_from, shapes_of
from rsens.distributions import Distribution, Mixture

#: How many values of one argument to hold at once while draws are matched by one distribution: what a cache holds.
BLOCK = 250_000


@dataclass(frozen=True, eq=False)
class Draws:
    """S draws of the parameters of a function fn(parameters, X), with weights that add up to 1."""

    fn: Callable[[dict[str, Any], Any], Distribution]
    #: Each (S, …).
    values: dict[str, Any]
    weights: Array

    @classmethod
    def read(cls, fn: Any, draws: Any, weights: ArrayLike | None, call: str) -> Draws:
        """The draws as a user gave them, checked."""
        if not callable(fn):
            raise InputError(
                f"{call}: ", Argument("fn"), f" must be a function of (parameters, X); got {type(fn).__name__}."
            )
        if not isinstance(draws, Mapping) or not draws:
            raise InputError(
                f"{call}: ",
                Argument("draws"),
                " must map names of parameters to arrays with the draws first, such as {'slope': (4000, 3)}; "
                f"got {type(draws).__name__}. Stack chains: values.reshape(-1, *values.shape[2:]).",
            )
        values = {str(name): _read(name, array, call) for name, array in draws.items()}
        sizes = {name: len(array) for name, array in values.items()}
        if len(set(sizes.values())) > 1 or min(sizes.values()) == 0:
            raise InputError(
                f"{call}: all ",
                Argument("draws"),
                f" must have the same number of draws, at least one, on the first axis; got {sizes}. "
                "Stack chains: values.reshape(-1, *values.shape[2:]).",
            )
        return cls(fn, values, read_weights(weights, next(iter(sizes.values())), call))

    def __len__(self) -> int:
        return len(self.weights)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """One draw after another: its parameters, without the axis of draws."""
        for s in range(len(self)):
            yield {name: array[s] for name, array in self.values.items()}

    def some(self, count: int) -> Draws:
        """At most so many of the draws, evenly spaced, with equal weights."""
        kept = np.unique(np.linspace(0, len(self) - 1, count).astype(np.intp))
        values = {name: array[kept] for name, array in self.values.items()}
        return Draws(self.fn, values, np.full(len(kept), 1.0 / len(kept)))

    def families(self, X: Array) -> Iterator[Distribution]:
        """What the function returns for rows X, draw by draw, as NumPy arrays; all of one family."""
        first: Distribution | None = None
        shapes: list[Any] = []
        for s, parameters in enumerate(self):
            family = family_from(partial(self.fn, parameters), X.copy())
            if first is not None and type(family) is type(first) and _shapes(family) == shapes:
                yield family  # thousands of draws: what was looked at once need not be looked at again
                continue
            check_one_family(family)
            family = as_arrays(family, len(X))
            first, shapes = (family, _shapes(family)) if first is None else (first, shapes)
            if type(family) is not type(first) or family.fields().keys() != first.fields().keys():
                raise InputError(
                    "the function must return the same family for all draws; got "
                    f"{type(first).__name__} ({shapes_of(first)}) and then at draw {s} {type(family).__name__} "
                    f"({shapes_of(family)})."
                )
            yield family

    def mixture(self, X: Array) -> Mixture:
        """The predictive at rows X, with arrays (S, n)."""
        return Mixture(_held(self.families(X), len(self), len(X)), self.weights, draws=True)

    def matched(self, X: Array) -> Distribution:
        """One distribution in place of the mixture, `Mixture.matched`: of some draws at a time, then of all of these.

        Means of means are means and variances add up, so it is the same distribution. Every draw's function is called
        once, for all rows, and what is held stays small.
        """
        size = max(math.isqrt(len(self)), BLOCK // len(X))
        families, weights = self.families(X), []
        parts: list[Distribution] = []
        for start in range(0, len(self), size):
            some = self.weights[start : start + size]
            held = _held(islice(families, len(some)), len(some), len(X))
            if not _same_for_all(held, parts):
                return self.matched_by_rows(X)
            weights.append(some.sum())
            parts.append(Mixture(held, some / weights[-1] if weights[-1] > 0.0 else _equal(len(some))).matched())
        return Mixture(_held(parts, len(parts), len(X)), np.array(weights)).matched()

    def matched_by_rows(self, X: Array) -> Distribution:
        """The same where an argument outside λ differs between draws: all draws of some rows at a time."""
        size = max(1, BLOCK // len(self))
        parts = [self.mixture(X[k : k + size]).matched() for k in range(0, len(X), size)]
        leaves = [np.concatenate(leaf) for leaf in zip(*(part.leaves() for part in parts), strict=True)]
        return parts[0].rebuilt(iter(leaves))


def _held(families: Iterable[Distribution], count: int, n: int) -> Distribution:
    """So many families of n rows as one, whose arrays have the families in front: (count, n, …)."""
    fields: dict[str, Array] = {}
    kind: type[Distribution] | None = None
    for s, family in enumerate(families):
        kind = type(family)
        for name, values in family.fields().items():
            event = values.shape[values.ndim - family.domains[name].event_ndim :]
            if s == 0:
                fields[name] = np.empty((count, n, *event), values.dtype)
            fields[name][s] = values
    assert kind is not None  # there is at least one
    return kind(**fields)


def _same_for_all(held: Distribution, before: list[Distribution]) -> bool:
    """Whether the arguments outside λ, such as the df of a Student t, are those of all draws."""
    fixed = [(name, getattr(held, name)) for name in held.fixed_fields]
    return all(
        bool((values == values[0]).all()) and (not before or bool((values[0] == getattr(before[0], name)).all()))
        for name, values in fixed
    )


def _equal(count: int) -> Array:
    return np.full(count, 1.0 / count)


def _shapes(family: Distribution) -> list[Any]:
    """The arguments of a family and their shapes; None for what is no NumPy array."""
    return [(name, v.shape if isinstance(v, np.ndarray) else None) for name, v in family.fields().items()]


def check_one_family(family: Distribution) -> None:
    """A draw's own distribution must not be a mixture again."""
    if isinstance(family, Mixture):
        raise InputError(
            "the function must return one distribution for each draw; got a Mixture. Give its components as draws, "
            "with weights."
        )


def read_weights(weights: ArrayLike | None, count: int, call: str) -> Array:
    """Weights of draws or models, (count,), adding up to 1; equal ones if none are given."""
    if weights is None:
        return _equal(count)
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{call}: ", Argument("weights"), f" is not numeric ({error}).") from None
    if values.shape != (count,) or not (values >= 0.0).all() or not 0.0 < values.sum() < np.inf:
        raise InputError(
            f"{call}: ",
            Argument("weights"),
            f" must be {count} numbers of at least 0, not all 0; got shape {values.shape}.",
        )
    return values / values.sum()


def _read(name: Any, array: Any, call: str) -> Any:
    values = np.asarray(array)
    if values.dtype.kind not in "biuf" or values.ndim == 0:
        raise InputError(
            f"{call}: the ",
            Argument("draws"),
            f" of {str(name)!r} must be numbers with the draws on the first axis; got {values.dtype}, "
            f"shape {values.shape}.",
        )
    bad = ~np.isfinite(values.reshape(len(values), -1)).all(axis=1) if values.dtype.kind == "f" else np.zeros(1, bool)
    if bad.any():
        raise InputError(
            f"{call}: the ",
            Argument("draws"),
            f" of {str(name)!r} are not finite in {int(bad.sum())} of {len(values)} draws, first in draw "
            f"{int(bad.argmax())}. Leave these draws out.",
        )
    return values
