"""StudentT: λ = (location, scale2); df is fixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import stdtr, stdtrit

from rsens._errors import Argument, InputError
from rsens._special import log_gamma_half_step
from rsens._typing import Array
from rsens.distributions._base import RowShaper
from rsens.distributions._domain import POSITIVE, REAL, Domain
from rsens.distributions._student_t_density import log1p_square, log_density
from rsens.distributions._student_t_renyi import student_t_renyi
from rsens.distributions._univariate import NEGLIGIBLE, Reach, Univariate


@dataclass(frozen=True, eq=False)
class StudentT(Univariate):
    """StudentT(location, scale2, df), with a density proportional to (1 + (y − location)²/(df·scale2))^(−(df + 1)/2).

    λ = (location, scale2) and df is fixed; with s² = scale2 and ν = df, I = diag((ν+1)/((ν+3)s²), ν/(2(ν+3)s⁴)). The
    variance is scale2·ν/(ν − 2), not scale2. `mean` is nan for df ≤ 1 and `variance` is inf for df ≤ 2; the
    prediction is the location.

    Args:
        location: The centre; one value per row, shape (n,), or one for all rows.
        scale2: The square of the scale, greater than 0; same shape.
        df: Degrees of freedom, greater than 0; same shape. They may not depend on x.

    Example:
        >>> from rsens import StudentT
        >>> StudentT(location=[0.0, 1.0], scale2=2.0, df=4.0).variance.tolist()
        [4.0, 4.0]
    """

    location: Any
    scale2: Any
    df: Any
    matched_by_average: ClassVar[bool] = False
    domains: ClassVar[dict[str, Domain]] = {"location": REAL, "scale2": POSITIVE, "df": POSITIVE}
    fixed_fields: ClassVar[tuple[str, ...]] = ("df",)
    orthogonal_blocks: ClassVar[dict[str, slice]] = {"location": slice(0, 1), "scale2": slice(1, 2)}

    @property
    def mean(self) -> Array:
        return np.where(self._checked.df > 1.0, self._checked.location, np.nan)

    @property
    def variance(self) -> Array:
        df = self._checked.df
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(df > 2.0, self._checked.scale2 * (df / (df - 2.0)), np.where(df > 1.0, np.inf, np.nan))

    def _matched(self, average: Callable[..., Any]) -> StudentT:
        """The draws' variance of the location adds to scale2·df/(df − 2), the variance; with df ≤ 2 there is none."""
        location, df = average(self.location), average(self.df)
        spread = average((self.location - location) ** 2)
        share = (df - 2.0) / df
        return StudentT(location, average(self.scale2) + 0.5 * (share + abs(share)) * spread, df)

    def _log_prob(self, y: Array) -> Array:
        z = (y - self.location) / np.sqrt(self.scale2)
        return log_density(z, self.df) - 0.5 * np.log(self.scale2)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        return self.location + np.sqrt(self.scale2) * rng.standard_t(self.df, size + self.location.shape)

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        z = np.where(q <= 0.0, -np.inf, np.where(q >= 1.0, np.inf, stdtrit(self.df, q)))
        z = np.where(q == 0.5, 0.0, z)  # SciPy 1.15 has 7e-17, and panels of quadrature begin here
        return self.location + np.sqrt(self.scale2) * (-z if upper else z)

    def _cdf(self, y: Array, upper: bool) -> Array:
        z = (y - self.location) / np.sqrt(self.scale2)
        return stdtr(self.df, -z if upper else z)

    def _renyi(self, other: Self, alpha: float) -> Array:
        if (self.df != other.df).any():
            raise InputError(
                "StudentT: renyi compares distributions with the same ",
                Argument("df"),
                "; df is fixed, not a parameter.",
            )
        fields = (self.location, self.scale2, other.location, other.scale2, self.df)
        rows = np.broadcast_shapes(*(field.shape for field in fields))
        location, scale2, location1, scale21, df = (np.broadcast_to(field, rows).reshape(-1) for field in fields)
        return student_t_renyi(location1 - location, scale2, scale21, df, alpha).reshape(rows)

    def _prediction(self) -> Array:
        return self.location[..., None]

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        df = self.df
        scale2 = row(self.scale2)
        by_location = row(np.sqrt((df + 1.0) / (df + 3.0)))
        by_scale2 = row(np.sqrt(0.5 * (df / (df + 3.0))))
        return [by_location * u[0] / np.sqrt(scale2), by_scale2 * u[1] / scale2]

    def _score(self, y: Array) -> Array:
        scale, df = np.sqrt(self.scale2), self.df
        z = (y - self.location) / scale
        pull = (df + 1.0) / (df + z**2)
        return np.stack([pull * z / scale, 0.5 * (pull * z**2 - 1.0) / self.scale2], -1)

    def _reach(self) -> Reach:
        kinds, place = np.unique(self.df, return_inverse=True)
        far = np.minimum(-stdtrit(kinds, NEGLIGIBLE), 1e140)[place].reshape(self.df.shape)
        scale = np.sqrt(self.scale2)
        return Reach(self.location - far * scale, self.location + far * scale, self.location, scale)

    def _log_prob_and_scores(self, t: Array) -> tuple[Array, list[Array]]:
        scale, df = np.sqrt(self.scale2), self.df
        z = (t - self.location) / scale
        pull = z * ((df + 1.0) / (df + z**2))
        log_p = log_gamma_half_step(0.5 * df) - 0.5 * np.log(np.pi * df * self.scale2)
        return log_p - 0.5 * (df + 1.0) * log1p_square(z / np.sqrt(df)), [
            pull / scale,
            0.5 * (pull * z - 1.0) / self.scale2,
        ]
