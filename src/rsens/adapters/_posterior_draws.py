"""Posterior draws of any sampler, by name and with chains stacked, and models of draws made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from rsens._conversions import is_a
from rsens._errors import Argument, InputError
from rsens._text import quoted
from rsens._typing import Array
from rsens.derivatives import Description, Draws, DrawsModel, Finding, from_function
from rsens.distributions import Distribution, Mixture

Shape = tuple[int, ...]

#: With fewer draws the tails of the predictive are the tails of single draws.
FEW_DRAWS = 400
XARRAY = ("xarray.DataTree", "xarray.Dataset", "arviz.InferenceData")


def draws_of(posterior: Any, argument: str, shapes: Mapping[str, Shape]) -> dict[str, Array]:
    """The draws of the variables in `shapes`, each (S, *shape): chains stacked, other variables left out.

    A mapping may hold arrays (S, *shape) or (chains, S, *shape). `argument` names the posterior in the public call.
    """
    named, problem = by_name(posterior, argument), ""
    missing = [name for name in shapes if name not in named]
    if missing:
        text = f" has no draws of {quoted(missing)}; got draws of {quoted(named) or 'nothing'}."
        raise InputError(Argument(argument), text)
    draws = {name: _stacked(name, named[name], shape, argument) for name, shape in shapes.items()}
    numbers = {name: len(values) for name, values in draws.items()}
    bad = [name for name, values in draws.items() if not np.isfinite(values).all()]
    if len(set(numbers.values())) > 1 or 0 in numbers.values():
        problem = f" must hold the same number of draws of each variable, at least one; got {numbers}."
    elif bad:
        problem = f" must hold finite numbers; those of {quoted(bad)} are not all finite. Leave failed chains out."
    if problem:
        raise InputError(Argument(argument), problem)
    return draws


def drawn_per_row(names: Iterable[str]) -> InputError:
    """The error for variables that a model draws for every row."""
    return InputError(
        f"the model draws {quoted(names)} from a distribution that depends on the rows. Those draws belong to the rows "
        "it was fitted to, and other rows have none. Integrate them out of the model, for instance by a StudentT or "
        "negative binomial in place of a draw per row."
    )


def about_draws(program: str, count: int, family: str, noise: str, **words: str) -> tuple[Description, Finding]:
    """A description of a model with this many draws, and whether they are enough: R-sens settles as count^-1/2."""
    about = Description(f"{program} with {count} draws", f"mixture of {family}", noise, **words)
    if count >= FEW_DRAWS:
        return about, Finding("draws", "ok", f"{count} draws.")
    text = f"only {count} draws: where they disagree, R-sens shows single draws. Take {FEW_DRAWS} or more."
    return about, Finding("draws", "warning", text)


@dataclass(frozen=True, eq=False)
class DrawsAtOnce(Draws):
    """Draws that one call evaluates together: `components(X)` is a family whose arrays have the draws first, (S, n)."""

    components: Callable[[Array], Distribution]

    @classmethod
    def of(cls, components: Callable[[Array], Distribution], count: int) -> Self:
        """With equal weights."""
        return cls(partial(_all_of, components), {}, np.full(count, 1.0 / count), components)

    def model(self, program: str, family: str, noise: str, columns: str, categorical: Any) -> DrawsModel:
        """The mixture of the draws with derivatives by differences."""
        words = {"derivatives": "differences over a small step", "columns": columns}
        about, finding = about_draws(program, len(self), family, noise, **words)
        matched = from_function(self.matched, categorical=categorical)
        return DrawsModel(self.differences(categorical=categorical), matched, 2 * len(self), about, (finding,))

    def some(self, count: int) -> Draws:
        kept = np.unique(np.linspace(0, len(self) - 1, count).astype(np.intp))
        return DrawsAtOnce.of(partial(_some_of, self.components, kept), len(kept))

    def families(self, X: Array) -> Iterator[Distribution]:
        yield from Mixture(self.components(X), self.weights).members

    def mixture(self, X: Array) -> Mixture:
        return Mixture(self.components(X), self.weights, draws=True)

    def matched(self, X: Array) -> Distribution:
        """One call gives all draws, so these are matched for some rows at a time."""
        return self.matched_by_rows(X)


def _all_of(components: Callable[[Array], Distribution], parameters: Any, X: Array) -> Distribution:
    return components(X)


def _some_of(components: Callable[[Array], Distribution], kept: Any, X: Array) -> Distribution:
    family = components(X)
    return type(family)(**{name: values[kept] for name, values in family.fields().items()})


def by_name(posterior: Any, argument: str) -> Mapping[str, Any]:
    """Everything that was drawn: the draws come first, or chains and draws."""
    if is_a(posterior, *XARRAY):
        return {name: _draws_first(name, v, argument) for name, v in _group(posterior, argument).data_vars.items()}
    if is_a(posterior, "numpyro.MCMC"):
        try:
            return posterior.get_samples(group_by_chain=False)
        except (AssertionError, AttributeError):
            text = ": the MCMC object has not run. Call mcmc.run(key, X, y) first."
            raise InputError(Argument(argument), text) from None
    if is_a(posterior, "pymc.MultiTrace"):
        return {name: posterior.get_values(name) for name in posterior.varnames}
    if is_a(posterior, "cmdstanpy.CmdStanMCMC"):
        return posterior.stan_variables()
    if isinstance(posterior, Mapping):
        return posterior
    raise InputError(
        Argument(argument),
        " must be posterior draws: the result of the sampler, or a dict with an array of draws for each variable, the "
        f"draws on the first axis, such as guide.sample_posterior(…); got {type(posterior).__name__}.",
    )


def _group(posterior: Any, argument: str) -> Any:
    """The group "posterior" of an object of xarray or ArviZ, or the object itself if it is that group."""
    if is_a(posterior, "xarray.Dataset"):
        return posterior
    groups = list(posterior.children if is_a(posterior, "xarray.DataTree") else posterior.groups())
    if "posterior" in groups:
        return posterior["posterior"]
    if getattr(posterior, "data_vars", None):
        return posterior
    text = f" has no group 'posterior'; got {quoted(groups) or 'no groups'}. Give the result of the sampler."
    raise InputError(Argument(argument), text)


def _draws_first(name: Any, variable: Any, argument: str) -> Array:
    """Stacked draws of a variable of xarray, its other dimensions in their order."""
    leading = [dim for dim in ("chain", "draw", "sample") if dim in variable.dims]
    if leading not in (["chain", "draw"], ["draw"], ["sample"]):
        text = f": {name!r} has the dimensions {quoted(variable.dims)}; expected 'chain' and 'draw' first, or 'sample'."
        raise InputError(Argument(argument), text)
    values = variable.transpose(*leading, ...).values
    return np.reshape(values, (-1, *values.shape[len(leading) :]))


def _stacked(name: str, values: Any, shape: Shape, argument: str) -> Array:
    """The draws (S, *shape), also from (chains, S, *shape)."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise InputError(Argument(argument), f": the draws of {name!r} must be numbers; got {array.dtype}.")
    lead = array.ndim - len(shape)
    if lead not in (1, 2) or array.shape[lead:] != shape:
        text = f": one draw of {name!r} has shape {shape} in the model, so its draws need one axis more, or two with "
        raise InputError(Argument(argument), f"{text}chains; got {array.shape}.")
    return array.reshape(-1, *shape)
