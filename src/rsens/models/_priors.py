"""Weakly informative priors for hyperparameters: log-normal, with the size of the data as their unit.

Each hyperparameter h has log h ~ N(log c, s²). S is the standard deviation of y (1 for counts and classes: their latent
values are on the log or probit scale), S_d the standard deviation of column d, and q the number of columns of a kernel:

| hyperparameter                        | c                | s   |                                               |
|---------------------------------------|------------------|-----|-----------------------------------------------|
| variance of a kernel                  | S²               | 2   | log sd has deviation 1                        |
| length-scale                          | S_d √q           | 1   | distances between rows grow with √q           |
| variance of Linear                    | S²/(q S_d²)      | 2   |                                               |
| period, and length-scale of Periodic  | the value given  | 0.5 | data hardly tells a period from its multiples |
| alpha of RationalQuadratic            | 1                | 1   |                                               |
| length-scale of Categorical           | 1                | 1   | no unit                                       |
| noise_variance, scale2                | 0.04 S²          | 2   | keeps the noise of small data above zero      |
| size of NegativeBinomial              | 10               | 2   |                                               |

Kernels and likelihoods know their own rows of this table (`Kernel.priors`, `Likelihood.priors`).
`priors={"lengthscale": (4.0, 1.0)}` replaces (c, s) for all hyperparameters of that name.

The same table gives random starts and, at ±18 around log c, the limits of the search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from types import MappingProxyType
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.kernels import Kernel
from rsens.likelihoods import Likelihood

REACH = 18.0


@dataclass(frozen=True, eq=False)
class LogNormals:
    """θ ~ N(mean, deviation²), independent: the entries of θ are logarithms of hyperparameters."""

    mean: Array
    deviation: Array

    def log_density(self, theta: Array) -> tuple[float, Array]:
        """log p(θ) up to a constant, and its gradient."""
        z = (theta - self.mean) / self.deviation
        return float(-0.5 * np.sum(z**2)), -z / self.deviation

    def start(self, rng: np.random.Generator, order: Sequence[int]) -> Array:
        """A random draw, at most a factor of e away per standard deviation; numbers are drawn in this order of θ."""
        z = np.empty(len(self.mean))
        z[order] = rng.standard_normal(len(z))
        return self.mean + np.minimum(self.deviation, 1.0) * z

    def limits(self, start: Array) -> Array:
        """Wide limits for a search, (hyperparameters, 2), with the start inside."""
        return np.column_stack([np.minimum(self.mean - REACH, start), np.maximum(self.mean + REACH, start)])


def log_normals(
    kernel: Kernel,
    likelihood: Likelihood,
    input_scale: Array,
    output_scale: float,
    given: Mapping[str, tuple[float, float]] = MappingProxyType({}),
) -> LogNormals:
    """The table above, in the order of the kernel's `theta`, then the likelihood's; `given` has (c, s) by name."""
    entries = [*kernel.priors(input_scale, output_scale), *likelihood.priors(output_scale)]
    fields = [_field(name) for name in (*kernel.hyperparameter_names, *likelihood.hyperparameter_names)]
    unknown = sorted(set(given) - set(fields))
    if unknown:
        known = ", ".join(map(repr, dict.fromkeys(fields)))
        raise InputError(Argument("priors"), f": there is no hyperparameter {unknown[0]!r} here. There are {known}.")
    for i, field in enumerate(fields):
        if field in given:
            c, spread = given[field]
            entries[i] = (float(np.log(c)), spread)
    mean, deviation = np.array(entries).reshape(-1, 2).T
    return LogNormals(mean, deviation)


def check_priors(priors: Any) -> Mapping[str, tuple[float, float]] | None:
    """The priors that replace weak ones, {} if none does; None for no priors at all."""
    if priors is None:
        return None
    if isinstance(priors, str) and priors == "weak":
        return {}
    if not isinstance(priors, Mapping):
        raise InputError(
            Argument("priors"), f" must be 'weak', None or a dict like {{'lengthscale': (4.0, 1.0)}}; got {priors!r}."
        )
    for name, prior in priors.items():
        pair = isinstance(prior, tuple | list) and len(prior) == 2
        if not pair or not all(isinstance(number, Real) and 0.0 < float(number) < np.inf for number in prior):
            raise InputError(
                Argument("priors"),
                f": {name!r} needs two positive numbers, the median and the standard deviation of the "
                f"logarithm, like (4.0, 1.0); got {prior!r}.",
            )
    return {str(name): (float(c), float(s)) for name, (c, s) in priors.items()}


def _field(name: str) -> str:
    """`lengthscale`, of `lengthscale[3]` and of `terms[0].lengthscale[3]`."""
    return name.rpartition(".")[2].partition("[")[0]
