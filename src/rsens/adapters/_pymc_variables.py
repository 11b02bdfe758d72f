"""The random variables of a PyMC model: the one observed, those it depends on, and whether rows can be moved."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.adapters._pymc_data import DataRows
from rsens.adapters._pymc_graph import LikelihoodGraph


def observed_variable(model: Any, site: str | None) -> Any:
    """The random variable of y: the one named, or the only one observed."""
    known = {variable.name: variable for variable in model.observed_RVs}
    if not known:
        raise InputError("the model has no observed variable. Give y to its likelihood: observed=y.")
    if site in known or (site is None and len(known) == 1):
        variable = known[site] if site is not None else next(iter(known.values()))
        _check_one_output(model, variable)
        return variable
    raise InputError(
        Argument("site"),
        f" must name the observed variable to explain, one of {', '.join(map(repr, known))}; got {site!r}. "
        f"Write from_pymc(model, posterior, site={next(iter(known))!r}).",
    )


def observed_values(model: Any, variable: Any) -> Array:
    """The y that the model holds."""
    values = model.rvs_to_values[variable]
    if hasattr(values, "get_value"):  # pm.Data
        return np.asarray(values.get_value(borrow=True))
    return np.asarray(values.data if hasattr(values, "data") else values.eval(mode="FAST_COMPILE"))


def _check_one_output(model: Any, variable: Any) -> None:
    shape = observed_values(model, variable).shape
    if len(shape) == 1 or (len(shape) == 2 and shape[1] == 1):
        return
    raise InputError(
        f"from_pymc explains one number per row; the observed {variable.name!r} has shape {shape}. Explain one output "
        "at a time: its draws are still valid in a model with that output only."
    )


def free_variables(model: Any, fields: list[Any], rows: DataRows, observed: Any) -> list[Any]:
    """The random variables that the likelihood depends on. None of them may depend on the rows."""
    from pytensor.graph.traversal import ancestors

    graphs = [field for field in fields if hasattr(field, "owner")]
    reached = set(ancestors(graphs, blockers=model.free_RVs))
    free = [variable for variable in model.free_RVs if variable in reached]
    data = {variable for variable, _ in rows.placements}
    if not data <= reached and not any(data & set(ancestors([variable])) for variable in free):
        unused = ", ".join(repr(variable.name) for variable in data - reached)
        raise InputError(f"the likelihood of {observed.name!r} does not depend on the pm.Data {unused}.")
    of_rows = [variable.name for variable in free if data & set(ancestors([variable]))]
    if of_rows:
        raise InputError(
            f"the model draws {', '.join(map(repr, of_rows))} from a distribution that depends on the rows. Those "
            "draws belong to the rows it was fitted to, and other rows have none. Integrate them out of the model, for "
            "instance by a StudentT or NegativeBinomial in place of a draw per row."
        )
    return free


def shape_of(variable: Any) -> tuple[int, ...]:
    """The shape of one draw of a free variable."""
    if None not in variable.type.shape:
        return tuple(variable.type.shape)
    return tuple(int(size) for size in variable.shape.eval(mode="FAST_COMPILE"))


def try_out(graph: LikelihoodGraph, rows: DataRows, model: Any, observed: Any) -> None:
    """One draw at one row more than the model holds, and again in another order: rows must be free and independent."""
    n = len(rows.values)
    X = rows.values[np.arange(n + 1) % n]
    half = np.arange(n // 2 + 1)[::-1]
    try:
        λ = _parameters(graph, X)
        again = _parameters(graph, X[half])
    except (ValueError, IndexError, TypeError, AssertionError) as error:
        fixed = [v.name for v in model.data_vars if all(v is not moved for moved, _ in rows.placements)]
        raise InputError(
            f"the likelihood of {observed.name!r} cannot be evaluated at other rows than the model holds: "
            f"{str(error).splitlines()[0]} Everything that has one entry per row must come from the rows X"
            + (f"; the model also has the pm.Data {', '.join(map(repr, fixed))}" if fixed else "")
            + '. Name all of them, one for each column: data={"height": "height", "group": "group"}. Variables drawn '
            "for each row cannot be explained."
        ) from error
    scale = np.abs(λ).max(axis=0)
    if not np.allclose(λ[half], again, rtol=0.0, atol=1e-9 * scale.max(initial=1e-300)):
        raise InputError(
            f"the likelihood of {observed.name!r} mixes rows: a row's prediction changed when the other rows did. "
            "Compute means and scales from the training data before they go into the model, not from pm.Data."
        )


def _parameters(graph: LikelihoodGraph, X: Array) -> Array:
    """λ of the first draw, (n, M)."""
    return np.asarray(graph.components(X, slice(1)).parameters)[0]
