"""NumPyro: the likelihood of every posterior draw, read from a trace of the model."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError, MissingExtraError
from rsens._table import shape_of
from rsens.adapters._draws_finding import draws_finding
from rsens.adapters._numpyro_sites import latent_sites
from rsens.adapters._origin import is_a
from rsens.adapters._pending import Pending
from rsens.adapters._posterior_draws import draws_of, names_of
from rsens.derivatives import Description, Model, from_draws


def from_numpyro(model: Any, samples: Any, *, site: str = "y", categorical: Any = None, **arguments: Any) -> Model:
    """A NumPyro model with its posterior draws, as a model to explain.

    The predictive is the mixture over draws of the likelihood, noise included. The likelihood of each draw is read from
    a trace of the model, never from samples of y, so derivatives are exact. It runs in float64, whatever the draws
    were.

    Args:
        model: The model function, `model(X)` or `model(X, y=None)`, where X is (n, D). Arguments without a default,
            such as y, are given as None. A model of several arrays can be wrapped: `lambda X: model(X[:, 0], X[:, 1])`.
        samples: An MCMC object that has run; a dict of draws, (draws, …) or (chains, draws, …), such as
            `mcmc.get_samples()` or `guide.sample_posterior(…)`; or InferenceData.
        site: The name of the site of y.
        categorical: Columns of X that are categorical, by name or position, in addition to a data frame's own.
        **arguments: Further arguments of the model.

    Returns:
        A model for `explain`, `rsens` and all other measures.

    Example:
        >>> import numpyro
        >>> import numpyro.distributions as dist
        >>> import rsens
        >>> def program(X, y=None):
        ...     slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
        ...     numpyro.sample("y", dist.Normal(slope * X[:, 0], 0.5), obs=y)
        >>> draws = {"slope": [0.9, 1.0, 1.1]}  # as MCMC.get_samples() gives them
        >>> rsens.rsens(rsens.from_numpyro(program, draws), [[0.0]]).round(2).tolist()
        [[2.0]]
    """
    program = _program(model, arguments)
    try:
        import numpyro  # noqa: F401
    except ImportError:
        raise MissingExtraError("numpyro", "jax") from None
    names_of(samples, "samples")  # or an error that says what to give
    return NumPyroModel(program, samples, site, categorical)


class NumPyroModel(Pending):
    """The model that `from_numpyro` makes."""

    def __init__(self, program: ModelOfRows, samples: Any, site: str, categorical: Any) -> None:
        self._program, self._samples, self._site, self._categorical = program, samples, site, categorical
        self._built: dict[int, Model] = {}  # by the number of columns

    def built_for(self, X: Any) -> Model:
        columns = shape_of(X)[1]
        if columns not in self._built:
            self._built[columns] = self._build(columns)
        return self._built[columns]

    def _build(self, columns: int) -> Model:
        sites = latent_sites(self._program, self._site, columns, names_of(self._samples, "samples"))
        shapes = sites.without(self._site)
        draws = draws_of(self._samples, "samples", shapes, within="the model")
        if not draws:
            raise InputError(
                f"the model draws nothing besides {self._site!r}, so there is no posterior to average over. Explain "
                "its prediction as a function: from_jax(fn)."
            )
        exact = {name: v.astype(np.float64) if v.dtype.kind == "f" else v for name, v in draws.items()}
        fn = LikelihoodSite(self._program, self._site, frozenset(sites.discrete))
        model = from_draws(fn, exact, backend="jax", categorical=self._categorical)
        return model.described(
            Description(
                model=f"NumPyro model with {len(next(iter(draws.values())))} draws",
                family="mixture of likelihoods",
                noise=f"included: the likelihood of {self._site!r}",
                derivatives="exact (JAX)",
            ),
            draws_finding(len(next(iter(draws.values())))),
        )


@dataclass(frozen=True)
class ModelOfRows:
    """A NumPyro model as a function of the rows X alone: y is not given, and other arguments are fixed."""

    model: Callable[..., Any]
    arguments: dict[str, Any]

    def __call__(self, X: Any) -> Any:
        return self.model(X, **self.arguments)


@dataclass(frozen=True)
class LikelihoodSite:
    """fn(draw, X): the distribution of the observed site, given one draw of the latent ones."""

    program: ModelOfRows
    site: str
    discrete: frozenset[str]

    def __call__(self, draw: Any, X: Any) -> Any:
        from numpyro.handlers import seed, substitute, trace

        # Draws of whole numbers may have become floating point on the way here; models index arrays with them.
        draw = {name: value.astype(int) if name in self.discrete else value for name, value in draw.items()}
        return trace(substitute(seed(self.program, 0), draw)).get_trace(X)[self.site]["fn"]


def _program(model: Any, arguments: dict[str, Any]) -> ModelOfRows:
    """The model as a function of rows, with None for arguments that have no default: y, which it is asked about."""
    if not callable(model) or isinstance(model, type):
        raise InputError(
            "from_numpyro: ",
            Argument("model"),
            f" must be the model function, model(X) or model(X, y=None); got {type(model).__name__}.",
        )
    if is_a(model, "numpyro.Predictive"):
        raise InputError(
            "from_numpyro: ",
            Argument("model"),
            " must be the model function itself; got a Predictive, which gives random samples of y: their differences "
            "are noise. Write from_numpyro(model, mcmc).",
        )
    try:
        parameters = list(inspect.signature(model).parameters.values())[1:]
    except (TypeError, ValueError):  # built in C, or by a handler that hides its arguments
        parameters = []
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    open_ = {p.name: None for p in parameters if p.kind in named and p.default is p.empty}
    return ModelOfRows(model, {**open_, **arguments})
