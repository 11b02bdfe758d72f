"""What GPRegressor and GPClassifier share: their settings, and how these are read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from tqdm import tqdm

from rsens._arguments import whole_number
from rsens._coding import Coding
from rsens._errors import InputError
from rsens.derivatives import Derivatives, chain_rule
from rsens.derivatives._model import result_bytes, rows_for
from rsens.distributions._base import Array
from rsens.kernels import EQ, Categorical, Kernel
from rsens.likelihoods import Likelihood
from rsens.models._inference import FittedGP, Search
from rsens.models._posterior import Latent
from rsens.models._priors import check_priors
from rsens.models._standard import Standard

#: Without `inducing`, a GP is exact up to so many rows, and has so many inducing inputs above.
MOST_EXACT_ROWS = 3000
INDUCING = 500
#: Latent values, the record and what the chain rule makes on the way: so many times the bytes of the record.
RECORDS = 4


class GPSettings:
    """Settings, and what is learned whatever the likelihood."""

    kernel: Kernel | None
    standardize: bool
    optimize: bool
    n_restarts: int
    priors: str | Mapping[str, tuple[float, float]] | None
    inducing: float | None
    max_iter: int
    tolerance: float
    random_state: int | np.random.RandomState | np.random.Generator | None
    progress: bool
    input_scale_: Array
    coding_: Coding | None

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        """How many rows `derivatives` can take at once; inside, kernels are done in smaller chunks of fixed memory."""
        return rows_for(RECORDS * result_bytes(n_columns, order))

    def _start_kernel(self, n_columns: int) -> Kernel:
        if self.kernel is None:
            return _default_kernel(n_columns, self.coding_)
        if not isinstance(self.kernel, Kernel):
            raise InputError(
                "kernel must be one of rsens.kernels, such as EQ(variance=1.0, lengthscale=1.0), or None; "
                f"got {type(self.kernel).__name__}."
            )
        return self.kernel

    def _search(self, n_rows: int) -> Search:
        if not (isinstance(self.tolerance, Real) and self.tolerance > 0.0):
            raise InputError(f"tolerance must be a positive number; got {self.tolerance!r}.")
        return Search(
            optimize=bool(self.optimize),
            n_restarts=whole_number(self.n_restarts, "n_restarts", 0),
            priors=check_priors(self.priors),
            n_inducing=self._n_inducing(n_rows),
            max_iter=whole_number(self.max_iter, "max_iter", 1),
            tolerance=float(self.tolerance),
            bar=partial(tqdm, disable=not self.progress, leave=False),
            rng=_generator(self.random_state),
        )

    def _n_inducing(self, n_rows: int) -> int | None:
        """None for the exact GP."""
        if self.inducing is None:
            return None if n_rows <= MOST_EXACT_ROWS else INDUCING
        wrong = isinstance(self.inducing, bool) or not isinstance(self.inducing, Real)
        if wrong or not self.inducing >= 1 or (self.inducing < n_rows and self.inducing != int(self.inducing)):
            raise InputError(
                f"inducing must be a whole number of at least 1, math.inf for the exact GP, or None; "
                f"got {self.inducing!r}."
            )
        return None if self.inducing >= n_rows else int(self.inducing)

    def _standard(self, rows: Array) -> Standard:
        D = rows.shape[1]
        if not self.standardize:
            return Standard(np.zeros(D), np.ones(D))
        mean = rows.mean(axis=0)
        if self.coding_ is not None:
            mean[list(self.coding_.categorical)] = 0.0  # their scale is 1: level codes stay as they are
        return Standard(mean, np.where(self.input_scale_ > 0.0, self.input_scale_, 1.0))

    def _keep_fitted(self, gps: tuple[FittedGP, ...], units: Standard) -> None:
        """What the attributes say in the units of the data; for several GPs, tuples."""
        self._gps, self._units = gps, units
        kernels = tuple(units.kernel(gp.kernel) for gp in gps)
        inducing = tuple(None if gp.inducing is None else units.original(gp.inducing) for gp in gps)
        self.kernel_ = kernels if len(gps) > 1 else kernels[0]
        self.inducing_inputs_ = inducing if len(gps) > 1 else inducing[0]
        self.jitter_ = max(gp.jitter for gp in gps)
        self.n_iter_ = sum(gp.steps for gp in gps)
        self.input_mean_ = units.input_mean


def _generator(random_state: Any) -> np.random.Generator:
    """Random numbers from anything that scikit-learn or NumPy takes for a source of them."""
    if isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state.integers(2**31))
    try:
        return np.random.default_rng(check_random_state(random_state).randint(2**31))
    except ValueError:
        raise InputError(
            "random_state must be None, a whole number of at least 0, or a NumPy Generator or RandomState; "
            f"got {random_state!r}."
        ) from None


def _default_kernel(n_columns: int, coding: Coding | None) -> Kernel:
    """EQ of the continuous columns times Categorical of the others, with one length-scale per column."""
    if coding is None:
        return EQ(1.0, (float(np.sqrt(n_columns)),) * n_columns)
    levels = Categorical(1.0, (1.0,) * len(coding.categorical), dims=coding.categorical)
    q = len(coding.continuous)
    return EQ(1.0, (float(np.sqrt(q)),) * q, dims=coding.continuous) * levels if q else levels


def through(likelihood: Likelihood, latent: Latent, order: int) -> Derivatives:
    """λ and its derivatives in x, from those of (m, v)."""
    assert latent.first is not None
    outer = likelihood.predictive_derivatives(latent.mean, latent.variance, order)
    first, second = chain_rule(latent.first, latent.second, *outer)
    return Derivatives(likelihood.predictive(latent.mean, latent.variance), first, second)
