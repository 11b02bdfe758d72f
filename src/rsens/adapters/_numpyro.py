"""NumPyro: the likelihood of every posterior draw, read from a trace of the model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from rsens._conversions import is_a
from rsens._errors import Argument, InputError, MissingExtraError
from rsens._table import shape_of
from rsens._text import quoted
from rsens.adapters._adapter import Pending, first_line, wrong_kind
from rsens.adapters._posterior_draws import about_draws, by_name, drawn_per_row, draws_of
from rsens.derivatives import Model, from_draws

#: A model as a function of the rows alone.
Program = Callable[[Any], Any]


def from_numpyro(model: Any, samples: Any, *, site: str = "y", categorical: Any = None, **arguments: Any) -> Model:
    """A NumPyro model with its posterior draws, as a model to explain.

    The predictive is the mixture over draws of the likelihood, noise included. The likelihood of each draw is read from
    a trace of the model, never from samples of y, so derivatives are exact. It runs in float64, also with draws in
    single precision.

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
    program = _of_rows(model, arguments)
    try:
        import numpyro  # noqa: F401
    except ImportError:
        raise MissingExtraError("numpyro", "jax") from None
    by_name(samples, "samples")  # an error now rather than at the first rows
    return Pending(partial(_built, program, samples, site, categorical))


def _built(program: Program, samples: Any, site: str, categorical: Any, X: Any) -> Model:
    """The model for rows like X: they decide how many columns there are."""
    sites = _checked_sites(program, site, shape_of(X)[1], by_name(samples, "samples"))
    draws = draws_of(samples, "samples", sites.latent)
    if not draws:
        raise InputError(
            f"the model draws only {site!r}, so there is no posterior to average over. Explain its prediction as a "
            "function: from_jax(fn)."
        )
    exact = {name: v.astype(np.float64) if v.dtype.kind == "f" else v for name, v in draws.items()}
    fn, count = partial(_likelihood, program, site, frozenset(sites.discrete)), len(next(iter(draws.values())))
    noise = f"included: the likelihood of {site!r}"
    about = about_draws("NumPyro model", count, "likelihoods", noise, derivatives="exact (JAX)")
    return from_draws(fn, exact, backend="jax", categorical=categorical).described(*about)


def _likelihood(program: Program, site: str, discrete: frozenset[str], draw: Any, X: Any) -> Any:
    """The distribution of the observed site, given one draw of the latent ones."""
    from numpyro.handlers import seed, substitute, trace

    # Draws of whole numbers may have become floating point on the way here; models index arrays with them.
    draw = {name: value.astype(int) if name in discrete else value for name, value in draw.items()}
    return trace(substitute(seed(program, 0), draw)).get_trace(X)[site]["fn"]


def _of_rows(model: Any, arguments: dict[str, Any]) -> Program:
    """The model as a function of rows, with None for arguments that have no default, such as y."""
    if not callable(model) or isinstance(model, type) or is_a(model, "numpyro.Predictive"):
        raise wrong_kind("from_numpyro", "model", "the model function, model(X) or model(X, y=None)", model)
    try:
        parameters = list(inspect.signature(model).parameters.values())[1:]
    except (TypeError, ValueError):  # built in C, or by a handler that hides its arguments
        parameters = []
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    open_ = {p.name: None for p in parameters if p.kind in named and p.default is p.empty}
    return partial(model, **{**open_, **arguments})


@dataclass(frozen=True)
class Sites:
    """The sites of a model, as one trace shows them."""

    #: Sample sites without obs=, by the shape of one draw.
    latent: dict[str, tuple[int, ...]] = field(default_factory=dict)
    #: The latent sites that hold whole numbers: class labels, counts.
    discrete: set[str] = field(default_factory=set)
    observed: list[str] = field(default_factory=list)


def _checked_sites(program: Program, site: str, n_columns: int, drawn: Collection[str]) -> Sites:
    """The sites of a model whose likelihood is `site`, without that one: none may depend on the number of rows.

    `drawn` are the names of which there are draws.
    """
    few, more = (_traced(program, rows, n_columns) for rows in (2, 3))
    if site not in few.observed and site not in few.latent:
        has = quoted(few.observed or [name for name in few.latent if name not in drawn]) or "no such site"
        text = f" must name the site of y, which has obs=; got {site!r}, and the model has {has}."
        raise InputError(Argument("site"), text)
    few.latent.pop(site, None)
    of_rows = [name for name, shape in few.latent.items() if more.latent.get(name) != shape]
    if of_rows:
        raise drawn_per_row(of_rows)
    return few


#: Kinds of sites that cannot be followed, where they have no value: the reason and the way out.
REFUSED = {
    "param": (
        "the model has the numpyro.param site {name!r} without a value, which would keep its initial value. Fill it "
        "in: from_numpyro(numpyro.handlers.substitute(model, params), samples)."
    ),
    "control_flow": "the model uses scan or cond of NumPyro, which hide sites. Write from_draws(fn, samples).",
    "plate": (
        "the plate {name!r} takes a random part of the rows (subsample_size). Give it all rows: "
        "numpyro.plate({name!r}, X.shape[0])."
    ),
}


def _traced(program: Program, rows: int, n_columns: int) -> Sites:
    """The sites that the model visits for this many rows. Nothing is computed: only shapes are followed."""
    import jax
    import jax.numpy as jnp
    from numpyro.handlers import seed
    from numpyro.primitives import Messenger

    found = Sites()

    class Outline(Messenger):  # type: ignore[misc]
        """Outermost, so it sees what the model's own handlers have left open. It fills in zeros."""

        def process_message(self, msg: Any) -> None:
            kind, name = msg["type"], msg.get("name")  # control flow has none
            if kind in REFUSED and (kind == "control_flow" or msg["value"] is None):
                raise InputError(REFUSED[kind].format(name=name))
            if kind == "sample" and msg["is_observed"]:
                found.observed.append(name)
            elif kind == "sample" and msg["value"] is None:
                shape = tuple(msg["fn"].shape(msg["kwargs"].get("sample_shape", ())))
                discrete = bool(getattr(msg["fn"].support, "is_discrete", False))
                found.latent[name] = shape
                if discrete:
                    found.discrete.add(name)
                msg["value"] = jnp.zeros(shape, dtype=int if discrete else float)

    def run(X: Any) -> None:
        seed(Outline(program), 0)(X)

    with jax.enable_x64(True):
        try:
            jax.eval_shape(run, jax.ShapeDtypeStruct((rows, n_columns), jnp.float64))
        except InputError as error:
            raise InputError(error.sentence) from None  # without JAX's note about its traceback
        except (jax.errors.JAXTypeError, jax.errors.JAXIndexError) as error:
            text = "the model cannot be traced by JAX: it turns X into a NumPy array or branches on its values ("
            raise InputError(f"{text}{first_line(error)}). Use jax.numpy and jnp.where.") from error
        except (TypeError, ValueError, IndexError, AttributeError, AssertionError) as error:
            raise InputError(
                f"the model does not run for {rows} rows and {n_columns} columns: {first_line(error)}. It is called as "
                "model(X), with None for y. Sizes of plates and arrays must come from X.shape[0]."
            ) from error
    return found
