"""The likelihood of a PyMC model as a function of the rows and of all draws, with its gradient in the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rsens import distributions
from rsens._errors import InputError
from rsens._typing import Array
from rsens.distributions import Distribution

#: A placeholder for the rows in place of a data variable: the variable, and its columns of X (None: all of them).
Placement = tuple[Any, int | None]


@dataclass(frozen=True)
class LikelihoodGraph:
    """λ(draw, x) of a likelihood: fields of our family as graphs, and derivatives of those that are λ."""

    family: type[Distribution]
    #: The rows X (n, D), and the free variables of one draw.
    X: Any
    free: tuple[Any, ...]
    fields: dict[str, Any]
    gradients: tuple[Any, ...]
    draws: tuple[Array, ...]

    @classmethod
    def of(
        cls,
        family: type[Distribution],
        fields: dict[str, Any],
        free: Sequence[Any],
        draws: Sequence[Array],
        rows: Sequence[Placement],
    ) -> LikelihoodGraph:
        """The fields of a family as functions of rows X (n, D) and of draws of the free variables."""
        import pytensor
        import pytensor.tensor as pt
        from pytensor.graph.replace import clone_replace

        X = pt.dmatrix("rows")
        inputs = [_placeholder(variable) for variable in free]
        given = {variable: _taken(X, variable, column) for variable, column in rows}
        # Not strict: rows are float64 whatever the data were, and the graph follows.
        graphs = clone_replace(
            [pt.as_tensor(field) for field in fields.values()],
            {**given, **dict(zip(free, inputs, strict=True))},
            rebuild_strict=False,
        )
        ndim = {name: family.domains[name].event_ndim for name in fields}
        per_row = {name: _per_row(graph, ndim[name]) for name, graph in zip(fields, graphs, strict=True)}
        gradients = [
            pytensor.grad(column.sum(), X, disconnected_inputs="ignore", return_disconnected="zero")
            for name, graph in per_row.items()
            if name not in family.fixed_fields
            for column in _columns(graph, ndim[name], name)
        ]
        return cls(family, X, tuple(inputs), per_row, tuple(gradients), tuple(draws))

    def __len__(self) -> int:
        """How many draws there are."""
        return len(self.draws[0])

    def components(self, X: Array, draws: slice = slice(None)) -> Distribution:
        """The family of every draw at every row, arrays (S, n)."""
        values = [array[draws] for array in self.draws]
        arrays = {}
        for name, given in zip(self.fields, self._run_values(X, *values), strict=True):
            array = np.asarray(given, dtype=np.float64)  # it may lack the draws, the rows or both
            event = array.shape[array.ndim - self.family.domains[name].event_ndim :]
            arrays[name] = np.broadcast_to(array, (len(values[0]), len(X), *event))
        return self.family(**arrays)

    def first(self, X: Array) -> Array:
        """∂λ/∂x of every draw, (n, S, M, D)."""
        shape = (len(self), *X.shape)
        # A λ that does not depend on the draws comes back without their axis.
        columns = [np.broadcast_to(gradient, shape) for gradient in self._run_gradients(X, *self.draws)]
        return np.moveaxis(np.stack(columns, axis=2), 0, 1)

    def __getstate__(self) -> dict[str, Any]:
        """For pickling: without the compiled functions, which are compiled again when needed."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_run")}

    @cached_property
    def _run_values(self) -> Callable[..., list[Array]]:
        return self._compiled(list(self.fields.values()))

    @cached_property
    def _run_gradients(self) -> Callable[..., list[Array]]:
        return self._compiled(list(self.gradients))

    def _compiled(self, outputs: list[Any]) -> Callable[..., list[Array]]:
        """A function of the rows and of all draws at once."""
        import pytensor
        from pytensor.graph.replace import vectorize_graph

        draws = [_placeholder(variable, draws_first=True) for variable in self.free]
        replaced = dict(zip(self.free, draws, strict=True))
        # The default mode spends up to minutes on compiling, and runs no faster.
        return pytensor.function(
            [self.X, *draws], vectorize_graph(outputs, replaced), mode="FAST_COMPILE", on_unused_input="ignore"
        )


def _placeholder(variable: Any, draws_first: bool = False) -> Any:
    """An input for the draws of a free variable: float64, unless it is whole numbers."""
    import pytensor.tensor as pt

    dtype = "float64" if variable.dtype.startswith("float") else variable.dtype
    shape = ((None,) if draws_first else ()) + tuple(variable.type.shape)
    return pt.tensor(variable.name, shape=shape, dtype=dtype)


def _taken(X: Any, variable: Any, column: int | None) -> Any:
    """What stands in the graph for a data variable: all rows, or one of their columns."""
    if column is None:
        return X
    values = X[:, column] if variable.ndim == 1 else X[:, column : column + 1]
    return values if variable.dtype.startswith("float") else values.astype(variable.dtype)


def _per_row(graph: Any, event_ndim: int) -> Any:
    """The graph with one axis of rows, of length one if all rows have the same; y of shape (n, 1) has one too many."""
    axes = graph.ndim - event_ndim
    return graph[None] if axes == 0 else graph if axes == 1 else graph[:, 0]


def _columns(graph: Any, event_ndim: int, name: str) -> list[Any]:
    """The parameters of λ that a field holds: itself, or one for each class."""
    if event_ndim == 0:
        return [graph]
    classes = graph.type.shape[-1]
    if classes is None:
        raise InputError(
            f"the number of classes in {name!r} must be known to PyMC: give the coefficients a fixed shape, or the "
            "likelihood a fixed number of classes."
        )
    return [graph[..., k] for k in range(classes)]


# ---- PyMC's likelihoods as our families: λ written in the parameters that PyMC's random variables hold ---------------
# These differ from the arguments that people write: Gamma holds (shape, scale), Exponential a scale, NegativeBinomial
# (n, p).


#: The fields of our family from the parameters of the random variable, in its own order. Only arithmetic is done.
FIELDS: dict[str, tuple[type[Distribution], Callable[..., dict[str, Any]]]] = {
    "NormalRV": (distributions.Normal, lambda mu, sigma: {"mean": mu, "variance": sigma**2}),
    "StudentTRV": (
        distributions.StudentT,
        lambda nu, mu, sigma: {"location": mu, "scale2": sigma**2, "df": nu},
    ),
    "CauchyRV": (distributions.StudentT, lambda mu, scale: {"location": mu, "scale2": scale**2, "df": 1.0}),
    "LogNormalRV": (distributions.LogNormal, lambda mu, sigma: {"mu": mu, "sigma2": sigma**2}),
    "GammaRV": (distributions.Gamma, lambda shape, scale: {"mean": shape * scale, "shape": shape}),
    "ExponentialRV": (distributions.Exponential, lambda scale: {"mean": scale}),
    "BetaRV": (distributions.Beta, lambda a, b: {"a": a, "b": b}),
    "WeibullBetaRV": (distributions.Weibull, lambda shape, scale: {"shape": shape, "scale": scale}),
    "WeibullRV": (distributions.Weibull, lambda shape, scale: {"shape": shape, "scale": scale}),
    "BernoulliRV": (distributions.Bernoulli, lambda p: {"probability": p}),
    "BinomialRV": (distributions.Binomial, lambda n, p: {"n": n, "probability": p}),
    "CategoricalRV": (distributions.Categorical, lambda p: {"probabilities": p}),
    "PoissonRV": (distributions.Poisson, lambda rate: {"rate": rate}),
    "NegBinomialRV": (distributions.NegativeBinomial, lambda n, p: {"mean": n * (1.0 - p) / p, "size": n}),
}


def family_of(variable: Any) -> tuple[type[Distribution], dict[str, Any]]:
    """Our family of an observed variable, and its fields as graphs."""
    op = variable.owner.op
    name = type(op).__name__
    if name not in FIELDS:
        known = ", ".join(sorted({key.removesuffix("RV").removesuffix("Beta") or "Beta" for key in FIELDS}))
        raise InputError(
            f"the likelihood of {variable.name!r} is a {name.removesuffix('RV')} of PyMC, which is none of rsens' "
            f"families (known: {known}). Zero-inflated, truncated, censored and custom likelihoods are not. Write the "
            "prediction of one draw as a function that returns a family: from_draws(fn, draws)."
        )
    family, fields = FIELDS[name]
    return family, fields(*op.dist_params(variable.owner))
