"""NumPyro: the likelihood of every posterior draw, read from a trace of the model."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rsens._errors import Argument, InputError
from rsens.adapters._numpyro_sites import latent_sites
from rsens.adapters._origin import is_a
from rsens.adapters._posterior_draws import draws_of


@dataclass(frozen=True)
class Rows:
    """A NumPyro model as a function of the rows X alone: y is not given, and other arguments are fixed."""

    model: Callable[..., Any]
    arguments: dict[str, Any]

    def __call__(self, X: Any) -> Any:
        return self.model(X, **self.arguments)


@dataclass(frozen=True)
class LikelihoodSite:
    """fn(draw, X): the distribution of the observed site, given one draw of the latent ones."""

    program: Rows
    site: str
    discrete: frozenset[str]

    def __call__(self, draw: Any, X: Any) -> Any:
        from numpyro.handlers import seed, substitute, trace

        # Draws of whole numbers may have become floating point on the way here; models index arrays with them.
        draw = {name: value.astype(int) if name in self.discrete else value for name, value in draw.items()}
        return trace(substitute(seed(self.program, 0), draw)).get_trace(X)[self.site]["fn"]


def program_of(model: Any, arguments: dict[str, Any]) -> Rows:
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
    return Rows(model, {**open_, **arguments})
