"""StudentT: λ = (location, scale2); df is fixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit, log_expit, stdtr, stdtrit

from rsens._errors import Argument, InputError
from rsens._special import log_gamma_half_step, log_ratio
from rsens._typing import Array
from rsens.distributions._base import RowShaper
from rsens.distributions._domain import POSITIVE, REAL, Domain
from rsens.distributions._finite import finite_renyi
from rsens.distributions._quadrature import rule
from rsens.distributions._univariate import NEGLIGIBLE, Reach, Univariate

#: Distributions are close if their locations are within this many scales, and their scales within this share.
_CLOSE = 0.1


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
        return _log_density(z, self.df) - 0.5 * np.log(self.scale2)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        return self.location + np.sqrt(self.scale2) * rng.standard_t(self.df, size + self.location.shape)

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        z = np.where(q <= 0.0, -np.inf, np.where(q >= 1.0, np.inf, stdtrit(self.df, q)))
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
        gap = location1 - location
        if alpha == 0.0:
            return np.zeros(rows)
        if np.isinf(alpha):
            return _renyi_max(gap, scale2, scale21, df).reshape(rows)
        gap, ratio = np.abs(gap), np.exp(0.5 * log_ratio(scale2, scale21))
        reach = _CLOSE / max(alpha, 1.0)
        close = (gap <= reach * np.sqrt(scale2)) & (np.abs(ratio - 1.0) <= reach) & (df >= 1.0)
        values = np.empty(gap.shape)
        for route, chosen in ((_renyi_of_close, close), (_renyi, ~close)):
            rest = np.flatnonzero(chosen)
            for i in (rest[start : start + 512] for start in range(0, len(rest), 512)):
                values[i] = route(gap[i], scale2[i], scale21[i], df[i], alpha)
        return values.reshape(rows)

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
        return log_p - 0.5 * (df + 1.0) * _log1p_square(z / np.sqrt(df)), [
            pull / scale,
            0.5 * (pull * z - 1.0) / self.scale2,
        ]


def _log_density(z: Array, df: Array) -> Array:
    """Log density of the standard t; as a difference of log-gammas its constant would have no digits at df = 1e8."""
    return log_gamma_half_step(0.5 * df) - 0.5 * np.log(np.pi * df) - 0.5 * (df + 1.0) * _log1p_square(z / np.sqrt(df))


def _renyi_of_close(gap: Array, scale2: Array, scale21: Array, df: Array, alpha: float) -> Array:
    """Like `_renyi`, for distributions that nearly coincide, with a twentieth of the nodes or fewer.

    With x = s√ν sinh t, p(x) dx ∝ cosh⁻ᵛ(t) dt, and the integrand is analytic up to about |Im t| = 1.1 where it has the
    singularities of q: the trapezoidal rule of step h is off by e^(−2π·1.1/h). A large ν narrows it to e^(−νt²/2).
    """
    nu, spread = df[:, None], 0.5 * log_ratio(scale2, scale21)[:, None]
    step = np.minimum(0.18, 0.6 / np.sqrt(nu))
    negligible = np.arccosh(np.exp(40.0 / nu))
    t = step * np.arange(-(n := int(np.max(np.ceil(negligible / step)))), n + 1)
    u = np.sinh(t)
    change = u * np.expm1(-spread) - (gap / np.sqrt(scale21 * df))[:, None]  # of u, from p's to q's
    d = -spread - 0.5 * (nu + 1.0) * np.log1p(change * ((change + 2.0 * u) / (1.0 + u**2)))
    log_p = log_gamma_half_step(0.5 * nu) - 0.5 * np.log(np.pi) - 0.5 * nu * np.log1p(u**2) + np.log(step)
    return finite_renyi(log_p, log_p + d, d, alpha, exact=False)


def _renyi(gap: Array, scale2: Array, scale21: Array, df: Array, alpha: float) -> Array:
    """D_α[t(0, scale2) ‖ t(gap, scale21)] for gap ≥ 0.

    No closed form: the integral is split at the two locations, and each piece is taken in the logarithm of the distance
    from them, where a power-law tail is an exponential and scales of 1e-75 and 1e75 are equally far from zero.
    """
    nu, root = df[:, None], np.sqrt(df)[:, None]
    spread = 0.5 * log_ratio(scale2, scale21)[:, None]
    scale, scale1 = np.sqrt(scale2), np.sqrt(scale21)
    span = np.maximum(np.maximum(scale, scale1), gap)
    near = np.log(np.minimum(scale, scale1)) - 45.0
    far = np.log(span) + 0.5 * np.log(np.maximum(df, 1.0)) + 45.0 / np.minimum(df, 1.0) + 5.0
    columns = (scale[:, None], scale1[:, None])

    def densities(x: Array, x1: Array) -> tuple[Array, Array]:
        """log p and d = log q/p at distances x from p's location and x1 from q's."""
        z, z1 = x / columns[0], x1 / columns[1]
        d = -spread - 0.5 * (nu + 1.0) * _log1p_square_difference(z / root, z1 / root)
        return _log_density(z, nu) - np.log(columns[0]), d

    def piece(distances: Callable[[Array], tuple[Array, Array, Array]], low: Array, high: Array) -> tuple[Array, Array]:
        def log_integrand(t: Array) -> Array:
            x, x1, log_jacobian = distances(t)
            log_p, d = densities(x, x1)
            return log_p + (1.0 - alpha) * d + log_jacobian

        t, log_weight = rule(log_integrand, low, high)
        x, x1, log_jacobian = distances(t)
        log_p, d = densities(x, x1)
        return log_p + log_jacobian + log_weight, d

    delta = gap[:, None]
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        depth = np.maximum(np.log(gap) - near, 1.0)
        pieces = [
            piece(lambda t: (np.exp(t), np.exp(t) + delta, t), near, far),
            piece(lambda t: (np.exp(t) + delta, np.exp(t), t), near, far),
            piece(
                lambda t: (delta * expit(t), delta * expit(-t), np.log(delta) + log_expit(t) + log_expit(-t)),
                -depth,
                depth,
            ),
        ]
    log_p = np.concatenate([p for p, _ in pieces], axis=1)
    d = np.concatenate([d for _, d in pieces], axis=1)
    return finite_renyi(log_p, log_p + d, d, alpha, exact=False)


def _log1p_square(z: Array) -> Array:
    """log(1 + z²), also where z² overflows."""
    size = np.abs(z)
    large = size > 1e8
    return np.where(large, 2.0 * np.log(np.where(large, size, 1.0)), np.log1p(np.where(large, 0.0, size) ** 2))


def _log1p_square_difference(z: Array, z1: Array) -> Array:
    """log(1 + z1²) − log(1 + z²) for z, z1 ≥ 0."""
    unit = np.maximum(z, 1.0)
    x = ((z1 - z) / unit) * ((z1 + z) / unit) / (unit**-2.0 + (z / unit) ** 2)
    return np.where(np.abs(x) < 0.5, np.log1p(np.clip(x, -0.9, 1.0)), _log1p_square(z1) - _log1p_square(z))


def _renyi_max(gap: Array, scale2: Array, scale21: Array, df: Array) -> Array:
    """sup_y log p/q: at a stationary point of ((x − δ)² + νs'²)/(x² + νs²), a root of a quadratic, or in the tails."""
    unit = np.maximum(np.maximum(scale2, scale21), gap**2)
    a, b, delta = df * (scale2 / unit), df * (scale21 / unit), gap / np.sqrt(unit)
    wider = df * ((scale2 - scale21) / unit)  # a − b
    c = wider - delta**2
    with np.errstate(divide="ignore", invalid="ignore"):
        q = -0.5 * (c + np.copysign(np.sqrt(c**2 + 4.0 * delta**2 * a), c))
        roots = [np.where(delta != 0.0, q / delta, 0.0), np.where(q != 0.0, -delta * a / q, 0.0)]
    spread = log_ratio(scale2, scale21)
    best = np.maximum(-0.5 * df * spread, 0.0)
    for root in roots:
        x = np.where(np.isfinite(root), root, 0.0)
        # ((x − δ)² + b)/(x² + a) · a/b = 1 + rise; in units of a large x, whose square is beyond float64 for a tiny δ
        size = np.maximum(np.abs(x), 1.0)
        x, over = x / size, a / size
        rise = (wider * x**2 - 2.0 * over * delta * x + over * (delta / size) * delta) / (x**2 + over / size) / b
        with np.errstate(divide="ignore"):
            best = np.maximum(best, 0.5 * spread + 0.5 * (df + 1.0) * np.log1p(rise))
    return best
