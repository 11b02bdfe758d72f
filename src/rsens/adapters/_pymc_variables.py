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
    if site is None and len(known) == 1:
        return next(iter(known.values()))
    if site in known:
        return known[site]
    raise InputError(
        Argument("site"),
        f" must name the observed variable to explain, one of {', '.join(map(repr, known))}; got {site!r}. "
        f"Write from_pymc(model, posterior, site={next(iter(known))!r}).",
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
    return tuple(int(size) for size in variable.shape.eval())


def try_out(graph: LikelihoodGraph, rows: DataRows, model: Any, observed: Any) -> None:
    """One draw at one row more than the model holds, and again in another order: rows must be free and independent."""
    n = len(rows.values)
    X = rows.values[np.arange(n + 1) % n]
    alone = graph.one_draw()
    half = np.arange(n // 2 + 1)[::-1]
    try:
        λ = _parameters(alone, X)
        again = _parameters(alone, X[half])
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
    """λ of one draw, (n, M)."""
    components = graph.components(X)
    return np.asarray(components.parameters)[0]
