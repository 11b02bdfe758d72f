"""Posterior draws and a function of one draw, as a model: the predictive is the mixture of the draws' distributions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from rsens._arguments import one_of
from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._table import Table, positive_per_column
from rsens._typing import Array
from rsens.derivatives._derivatives import Derivatives
from rsens.derivatives._differences import ROWS_PER_CALL, Steps, ends, spaced
from rsens.derivatives._function import DifferenceModel
from rsens.derivatives._jax import from_jax
from rsens.derivatives._model import Around, Counter, Description, Finding, Model, rows_for, rows_of
from rsens.derivatives._output import as_arrays, check_function, family_from, first_rows, signature, spread_out
from rsens.derivatives._torch import from_torch
from rsens.distributions import Distribution, Mixture

#: How many values of one argument to hold at once while draws are matched by one distribution: what a cache holds.
BLOCK = 250_000
#: How many draws and rows the checks of a function look at: it is the same function for all draws.
LOOKED_AT, LOOKED_AT_ROWS = 4, 64


def from_draws(
    fn: Callable[[dict[str, Any], Any], Distribution],
    draws: Mapping[str, Any],
    *,
    backend: Literal["numpy", "jax", "torch"] = "numpy",
    weights: ArrayLike | None = None,
    categorical: Any = None,
    step: ArrayLike | None = None,
    scale: ArrayLike | None = None,
) -> DrawsModel:
    """A model from posterior draws: the predictive is the mixture of the distributions of all draws.

    R-sens is exact for the mixture: it sees what the draws disagree on, also where they form two modes. R-sens₂ depends
    on parameters λ, and a mixture has thousands; it is taken of one distribution in place of the mixture
    (`Mixture.matched`): real y with the mean and variance of the mixture, counts with the mean rate, classes and events
    exactly.

    Args:
        fn: A function fn(parameters, X) of one draw, a dict of arrays without the axis of draws, and rows X (n, D). It
            returns a family, each row of it from the same row of X only.
        draws: Maps names of parameters to arrays with the draws on the first axis, chains stacked: (S, …).
        backend: The library of the function. "numpy" takes central differences, "jax" and "torch" differentiate.
        weights: Weights of the draws, (S,); equal by default.
        categorical: Columns that are categorical, as in `from_function`.
        step: How far differences move each column, as in `from_function`; "numpy" only.
        scale: The unit of each column, as in `from_function`; "numpy" only.

    Returns:
        A model for `explain`, `rsens` and all other measures.

    Example:
        Two draws of a slope, +2 and −2. At 0 the prediction does not depend on x; further out the two part.

        >>> from rsens import Normal, from_draws, rsens
        >>> model = from_draws(lambda p, X: Normal(p["b"] * X[:, 0], 0.09), {"b": [2.0, -2.0]})
        >>> rsens(model, [[0.0], [1.5]]).round(2).tolist()
        [[0.0], [6.67]]
    """
    read = Draws.read(fn, draws, weights)
    if one_of(backend, "backend", ("numpy", "jax", "torch")) == "numpy":
        step = None if step is None else positive_per_column(step, None, "step")
        scale = None if scale is None else positive_per_column(scale, None, "scale")
        predictive: Model = read.differences(step, scale, categorical)
        matched: Model = DifferenceModel(read.matched, step, scale, categorical)
    elif step is not None or scale is not None:
        problem = f' and scale are for differences, backend="numpy"; {backend} differentiates exactly. Leave them out.'
        raise InputError("from_draws: ", Argument("step"), problem)
    else:
        source = from_jax if backend == "jax" else from_torch
        predictive = source(partial(_traced_mixture, read, backend), categorical=categorical)
        matched = source(lambda X: _traced_mixture(read, backend, X).matched(), categorical=categorical)
    return DrawsModel(predictive, matched, 2 * len(read))


@dataclass(eq=False)
class DrawsModel(Around):
    """A model of a mixture of draws, and one, `matched`, of a single distribution in its place for pairs."""

    predictive: Model
    matched: Model
    n_parameters: int
    about: Description | None = None
    findings: tuple[Finding, ...] = ()
    #: The rows that `matched` is still to be prepared for.
    pending: Any = None

    def __post_init__(self) -> None:
        parameters = self.n_parameters
        super().__init__(self.predictive)
        self.n_parameters = parameters

    def described(self, about: Description, *findings: Finding) -> DrawsModel:
        """This model with a description of the object it was made from."""
        return replace(self, about=about, findings=findings)

    @property
    def for_pairs(self) -> Model:
        if self.pending is not None:  # prepared when it is needed: that takes as long as explaining a few rows
            self.matched, self.pending = self.matched.prepared(self.pending), None
        return self.matched

    def derivatives(self, X: Any, order: int) -> Derivatives:
        record = self.predictive.derivatives(X, 1)
        return record if order == 1 else replace(record, matched=self.for_pairs.derivatives(X, 2))

    @property
    def description(self) -> Description | None:
        return self.about

    def checks(self, X: Any) -> Iterator[Finding]:
        yield from self.findings
        yield from super().checks(X)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        rows = self.predictive.rows_per_chunk(n_columns, 1)
        return rows if order == 1 else min(rows, self.for_pairs.rows_per_chunk(n_columns, 2))

    def coded(self, X: Any, weights: Any = None) -> DrawsModel:
        return self._each(lambda model: model.coded(X, weights))

    def contrasted(self, coding: Coding) -> DrawsModel:
        return self._each(lambda model: model.contrasted(coding))

    def counted(self, counter: Counter) -> DrawsModel:
        return self._each(lambda model: model.counted(counter))

    def prepared(self, X: Any) -> DrawsModel:
        return replace(self, predictive=self.predictive.prepared(X), pending=X)

    def _each(self, change: Callable[[Model], Model]) -> DrawsModel:
        return replace(self, predictive=change(self.predictive), matched=change(self.matched))


@dataclass(frozen=True, eq=False)
class Draws:
    """S draws of the parameters of a function fn(parameters, X), with weights that add up to 1."""

    fn: Callable[[dict[str, Any], Any], Distribution]
    #: Each (S, …).
    values: dict[str, Any]
    weights: Array

    @classmethod
    def read(cls, fn: Any, draws: Any, weights: ArrayLike | None) -> Draws:
        """The arguments of `from_draws`, checked."""
        check_function(fn, "from_draws", "(parameters, X)")
        stacking = "Stack chains: values.reshape(-1, *values.shape[2:])."
        if not isinstance(draws, Mapping) or not draws:
            example = "arrays with the draws first, such as {'slope': (4000, 3)}"
            problem = f" must map names of parameters to {example}; got {type(draws).__name__}. {stacking}"
            raise InputError("from_draws: ", Argument("draws"), problem)
        values = {str(name): _read(name, array) for name, array in draws.items()}
        sizes = {name: len(array) for name, array in values.items()}
        if len(set(sizes.values())) > 1 or min(sizes.values()) == 0:
            problem = f" must have the same number of draws, at least one, on the first axis; got {sizes}. {stacking}"
            raise InputError("from_draws: all ", Argument("draws"), problem)
        return cls(fn, values, read_weights(weights, next(iter(sizes.values())), "from_draws"))

    def __len__(self) -> int:
        return len(self.weights)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """One draw after another: its parameters, without the axis of draws."""
        for s in range(len(self)):
            yield {name: array[s] for name, array in self.values.items()}

    def some(self, count: int) -> Draws:
        """At most `count` of the draws, evenly spaced, with equal weights."""
        kept = spaced(len(self), count)
        values = {name: array[kept] for name, array in self.values.items()}
        return Draws(self.fn, values, _equal(len(kept)))

    def differences(
        self, step: Array | None = None, scale: Array | None = None, categorical: Any = None
    ) -> DifferenceModel:
        """The mixture of the draws with ∂λ of each, by central differences."""
        return DrawDifferences(
            self.mixture, step, scale, categorical, parameters=2 * len(self), draws=self, families=self.families
        )

    def families(self, X: Array) -> Iterator[Distribution]:
        """The prediction of each draw for rows X, one after another, as NumPy arrays; all of one family."""
        first: Any = None
        shapes: list[Any] = []
        for s, parameters in enumerate(self):
            family = family_from(partial(self.fn, parameters), X.copy())
            if first is not None and type(family) is type(first) and _shapes(family) == shapes:
                yield family  # of thousands of draws only the first is checked
                continue
            check_one_family(family)
            family = as_arrays(family, len(X))
            first, shapes = (family, _shapes(family)) if first is None else (first, shapes)
            if _kind(family) != _kind(first):
                raise InputError(
                    f"the function must return the same family for all draws; got {signature(first)} and then at draw "
                    f"{s} {signature(family)}."
                )
            yield family

    def mixture(self, X: Array) -> Mixture:
        """The predictive at rows X, with arrays (S, n)."""
        return Mixture(_held(self.families(X), len(self), len(X)), self.weights, draws=True)

    def matched(self, X: Array) -> Distribution:
        """One distribution in place of the mixture, `Mixture.matched`: of some draws at a time, then of these."""
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


@dataclass(frozen=True, eq=False)
class DrawDifferences(DifferenceModel):
    """The mixture of draws with ∂λ of each draw: one call per draw, for the rows and their moved copies together.

    All draws share one function, so `prepared` checks its differences for a few draws and rows only.
    """

    draws: Any = None
    families: Any = None

    def _derivatives(self, X: Any, order: int) -> Derivatives:
        if self.steps is None:
            return self.prepared(X)._derivatives(X, order)
        X = self.numbers(X)
        n, n_columns = X.shape
        columns, h, eye = self.continuous(n_columns), self.steps.widths(X, 1), np.eye(n_columns, dtype=np.int8)
        points = ends(X, h, np.concatenate([0 * eye[:1], eye[columns], -eye[columns]]))
        copies, half = len(points), 1 + len(columns)
        changes: Array = np.empty(0)

        def here() -> Iterator[Distribution]:
            """The distributions of the draws at the rows; how z changes between moved rows goes to `changes`."""
            nonlocal changes
            for s, family in enumerate(self.families(points.reshape(-1, n_columns))):
                logit = family.fields().get("logit")
                z = family.columns() if logit is None else [logit]
                if s == 0:
                    changes = np.empty((n, len(self.draws), len(z), len(columns)))
                for m, column in enumerate(z):
                    at = np.broadcast_to(column, copies * n).reshape(copies, n)
                    np.subtract(at[1:half].T, at[half:].T, out=changes[:, s, m])
                yield first_rows(family, n)

        mixture = Mixture(_held(here(), len(self.draws), n), self.draws.weights, draws=True).checked(n)
        changes /= ((X + h) - (X - h))[:, None, None, columns]  # as rounded
        if (logit := mixture.components.fields().get("logit")) is not None:  # ∂π = π(1 − π) ∂logit
            changes *= (expit(logit) * expit(-logit)).T[:, :, None, None]
        first = changes.reshape(n, changes.shape[1] * changes.shape[2], len(columns))
        return Derivatives(mixture, spread_out(first, self.coding, 1))

    def counted(self, counter: Counter) -> DrawDifferences:
        return replace(self, fn=counter.calls(self.fn), families=counter.calls(self.families))

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        copies = 1 + 2 * n_columns
        return max(1, min(ROWS_PER_CALL // copies, rows_for(8 * self.parameters * 3 * copies)))

    def prepared(self, X: Any) -> DrawDifferences:
        model = self.coded(X)
        table = rows_of(model, X)
        model = replace(model, steps=Steps.of(model.numbers(table), self.step, self.scale))
        some = Table(table.names, table.values[spaced(len(table), LOOKED_AT_ROWS)], None, table.coding)
        few = self.draws.some(LOOKED_AT).mixture
        DifferenceModel(few, self.step, self.scale, coding=model.coding, steps=model.steps).derivatives(some, 1)
        return model


def _held(families: Iterable[Distribution], count: int, n: int) -> Distribution:
    """Families of n rows as one, whose arrays have the families in front: (count, n, …)."""
    fields: dict[str, Array] = {}
    kind: type[Distribution] | None = None
    for s, family in enumerate(families):
        if kind is None:
            kind = type(family)
            for name, values in family.fields().items():
                event = values.shape[values.ndim - family.domains[name].event_ndim :]
                fields[name] = np.empty((count, n, *event), values.dtype)
        for name, held in fields.items():
            held[s] = getattr(family, name)
    assert kind is not None  # there is at least one
    return kind(**fields)


def _same_for_all(held: Distribution, before: list[Distribution]) -> bool:
    """Whether the arguments outside λ, such as the df of a Student t, are the same in all draws."""
    fixed = {name: getattr(held, name) for name in held.fixed_fields}
    first = {name: getattr(before[0], name) if before else values[0] for name, values in fixed.items()}
    return all(bool((values == first[name]).all()) for name, values in fixed.items())


def _equal(count: int) -> Array:
    return np.full(count, 1.0 / count)


def _shapes(family: Distribution) -> list[Any]:
    """The arguments of a family and their shapes; None for other arrays than NumPy's."""
    return [(name, v.shape if isinstance(v, np.ndarray) else None) for name, v in family.fields().items()]


def _kind(family: Distribution) -> tuple[Any, ...]:
    return type(family), family.fields().keys(), family.parameter_names


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
        problem = f" must be {count} numbers of at least 0, not all 0; got shape {values.shape}."
        raise InputError(f"{call}: ", Argument("weights"), problem)
    return values / values.sum()


def _read(name: Any, array: Any) -> Any:
    """The draws of one parameter as an array of finite numbers."""
    values, problem = np.asarray(array), ""
    if values.dtype.kind not in "biuf" or values.ndim == 0:
        got = f"{values.dtype}, shape {values.shape}"
        problem = f"must be numbers with the draws on the first axis; got {got}."
    elif (bad := ~np.isfinite(values).all(axis=tuple(range(1, values.ndim)))).any():
        which = f"{int(bad.sum())} of {len(values)} draws, first in draw {int(bad.argmax())}"
        problem = f"are not finite in {which}. Leave these draws out."
    if problem:
        raise InputError("from_draws: the ", Argument("draws"), f" of {str(name)!r} {problem}")
    return values


def _traced_mixture(draws: Draws, backend: str, X: Any) -> Mixture:
    """The predictive at rows X, all draws at once: traced by JAX, or as tensors of PyTorch."""
    as_array: Callable[[Any], Any]
    vmap: Callable[..., Any]
    if backend == "jax":
        import jax

        as_array, vmap = jax.numpy.asarray, jax.vmap
    else:
        import torch

        as_array, vmap = torch.as_tensor, torch.func.vmap
    seen: list[Distribution] = []

    def leaves(parameters: dict[str, Any]) -> list[Any]:
        family = family_from(lambda Z: draws.fn(parameters, Z), X)
        check_one_family(family)
        seen[:] = [family]
        return [as_array(leaf) for leaf in family.leaves()]

    parameters = {name: as_array(values) for name, values in draws.values.items()}
    try:
        stacked = vmap(leaves)(parameters)
    except RuntimeError:  # an operation that PyTorch's vmap cannot batch
        if backend == "jax":
            raise
        each = [leaves({name: values[s] for name, values in parameters.items()}) for s in range(len(draws))]
        stacked = [torch.stack(leaf) for leaf in zip(*each, strict=True)]
    (family,) = seen
    fields = {}
    for name, values in zip(family.fields(), stacked, strict=True):
        axes = values.ndim - family.domains[name].event_ndim
        fields[name] = values[:, None] if axes == 1 else values  # one value for all rows
    return Mixture(type(family)(**fields), np.asarray(draws.weights), draws=True)
