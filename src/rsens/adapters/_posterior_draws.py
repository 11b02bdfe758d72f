"""Posterior draws as the libraries hand them out, by name, with chains stacked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.adapters._origin import is_a

Draws = dict[str, Array]
Shape = tuple[int, ...]


def is_posterior(obj: Any) -> bool:
    """Whether the object holds draws and no model: what a sampler returns, or a part of it."""
    return is_a(obj, *_XARRAY, *_FITS)


def names_of(posterior: Any, argument: str) -> list[str]:
    """The names of everything that was drawn."""
    return list(_by_name(posterior, argument))


def draws_of(posterior: Any, argument: str, shapes: Mapping[str, Shape], *, within: str) -> Draws:
    """The draws of the variables in `shapes`, each (S, *shape): chains stacked, what else was drawn left out.

    Args:
        posterior: An xarray DataTree or Dataset, InferenceData, a sampler that has run, or a mapping of arrays
            (S, *shape) or (chains, S, *shape).
        argument: What the caller calls it.
        shapes: The shape of one draw of each variable.
        within: Whose variables these are, for errors: "the model".
    """
    named = _by_name(posterior, argument)
    missing = [name for name in shapes if name not in named]
    if missing:
        raise InputError(
            Argument(argument),
            f" has no draws of {_listed(missing)}, which {within} draws from its prior; got draws of "
            f"{_listed(list(named)) or 'nothing'}. Give the draws of every variable.",
        )
    draws = {name: _stacked(name, named[name], shape, argument) for name, shape in shapes.items()}
    numbers = {name: len(values) for name, values in draws.items()}
    if len(set(numbers.values())) > 1 or 0 in numbers.values():
        raise InputError(
            Argument(argument),
            " must hold the same number of draws of each variable, at least one; got "
            + ", ".join(f"{number} of {name!r}" for name, number in numbers.items())
            + ".",
        )
    for name, values in draws.items():
        if not np.isfinite(values).all():
            raise InputError(
                Argument(argument),
                f" holds numbers of {name!r} that are not finite: {np.count_nonzero(~np.isfinite(values))} of "
                f"{values.size}. Look for chains that failed, and leave them out.",
            )
    return draws


#: What holds draws but is none, and how to get them.
_INSTEAD = {
    "numpyro.Predictive": "Predictive gives random samples of y, whose differences are noise. Give the MCMC object",
    "numpyro.AutoGuide": "Give guide.sample_posterior(key, svi_result.params, sample_shape=(1000,))",
    "numpyro.SVIRunResult": "Give guide.sample_posterior(key, svi_result.params, sample_shape=(1000,))",
    "numpyro.SVI": "Give guide.sample_posterior(key, svi_result.params, sample_shape=(1000,))",
}
_XARRAY = ("xarray.DataTree", "xarray.Dataset", "arviz.InferenceData")
_FITS = ("numpyro.MCMC", "pymc.MultiTrace", "cmdstanpy.CmdStanMCMC")


def _by_name(posterior: Any, argument: str) -> Mapping[str, Any]:
    if is_a(posterior, *_XARRAY):
        return _from_xarray(posterior, argument)
    if is_a(posterior, "numpyro.MCMC"):
        try:
            return posterior.get_samples(group_by_chain=False)
        except (AssertionError, AttributeError):
            raise InputError(
                Argument(argument), ": the MCMC object has not run. Call mcmc.run(key, X, y) first."
            ) from None
    if is_a(posterior, "pymc.MultiTrace"):
        return {name: posterior.get_values(name) for name in posterior.varnames}
    if is_a(posterior, "cmdstanpy.CmdStanMCMC"):
        return posterior.stan_variables()
    if isinstance(posterior, Mapping):
        return posterior
    instead = [advice for name, advice in _INSTEAD.items() if is_a(posterior, name)]
    raise InputError(
        Argument(argument),
        f" must be posterior draws: what the sampler returned, or a dict with an array of draws for each variable, "
        f"the draws on the first axis; got {type(posterior).__name__}.{''.join(f' {advice}.' for advice in instead)}",
    )


def _from_xarray(posterior: Any, argument: str) -> Draws:
    """The variables of the group "posterior", draws first and dimensions in their own order."""
    if is_a(posterior, "xarray.Dataset"):
        group = posterior
    else:
        groups = list(posterior.children if is_a(posterior, "xarray.DataTree") else posterior.groups())
        group = posterior["posterior"] if "posterior" in groups else posterior
        if group is posterior and not getattr(group, "data_vars", None):
            raise InputError(
                Argument(argument),
                f" has no group 'posterior'; got {_listed(groups) or 'no groups'}. Give what the sampler returned.",
            )
    draws = {}
    for name, variable in group.data_vars.items():
        leading = [dim for dim in ("chain", "draw", "sample") if dim in variable.dims]
        if leading not in (["chain", "draw"], ["draw"], ["sample"]):
            raise InputError(
                Argument(argument),
                f": {name!r} has the dimensions {_listed(list(variable.dims))}; expected 'chain' and 'draw' first, "
                "or 'sample'.",
            )
        values = variable.transpose(*leading, ...).values
        draws[str(name)] = values.reshape(-1, *values.shape[len(leading) :])
    return draws


def _stacked(name: str, values: Any, shape: Shape, argument: str) -> Array:
    """(S, *shape) from that, or from (chains, S, *shape)."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise InputError(Argument(argument), f": the draws of {name!r} must be numbers; got {array.dtype}.")
    lead = array.ndim - len(shape)
    if lead not in (1, 2) or array.shape[lead:] != shape:
        raise InputError(
            Argument(argument),
            f": one draw of {name!r} has shape {shape} in the model, so its draws are {_written('S', *shape)}, or "
            f"{_written('chains', 'S', *shape)}; got {array.shape}.",
        )
    return array.reshape(-1, *shape)


def _written(*sizes: str | int) -> str:
    """A shape with names for some of its sizes: (S, 3)."""
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def _listed(names: list[Any]) -> str:
    return ", ".join(repr(str(name)) for name in names)
