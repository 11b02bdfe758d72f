"""StudentT: λ = (location, scale2); df is fixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import expit, log_expit, stdtr, stdtrit

from rsens._special import log_gamma_half_step, log_ratio
from rsens._typing import Array
from rsens.distributions._base import NEGLIGIBLE, POSITIVE, REAL, Domain, Reach, RowShaper, Univariate
from rsens.distributions._jensen import finite_renyi, rule


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
    additive_on: ClassVar[Literal["identity"]] = "identity"
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
        """The draws' variance of the location adds to the variance, scale2·df/(df − 2), which exists for df > 2."""
        location, df = average(self.location), average(self.df)
        spread = average((self.location - location) ** 2)
        share = (df - 2.0) / df
        return StudentT(location, average(self.scale2) + 0.5 * (share + abs(share)) * spread, df)

    def _log_prob(self, y: Array) -> Array:
        return self._log_prob_and_scores(y)[0]

    def _score(self, y: Array) -> Array:
        return np.stack(np.broadcast_arrays(*self._log_prob_and_scores(y)[1]), -1)

    def _log_prob_and_scores(self, t: Array) -> tuple[Array, list[Array]]:
        scale, df = np.sqrt(self.scale2), self.df
        z = (t - self.location) / scale
        pull = z * ((df + 1.0) / (df + z**2))
        log_p = log_density(z, df) - 0.5 * np.log(self.scale2)
        return log_p, [pull / scale, 0.5 * (pull * z - 1.0) / self.scale2]

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
        return student_t_renyi(other.location - self.location, self.scale2, other.scale2, self.df, alpha)

    def _variance_gradient(self) -> tuple[Any, Array]:
        with np.errstate(divide="ignore", invalid="ignore"):
            return 0.0, np.where(self.df > 2.0, self.df / (self.df - 2.0), np.nan)

    def _prediction(self) -> Array:
        return self.location[..., None]

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        df = self.df
        scale2 = row(self.scale2)
        by_location = row(np.sqrt((df + 1.0) / (df + 3.0)))
        by_scale2 = row(np.sqrt(0.5 * (df / (df + 3.0))))
        return [by_location * u[0] / np.sqrt(scale2), by_scale2 * u[1] / scale2]

    def _reach(self) -> Reach:
        kinds, place = np.unique(self.df, return_inverse=True)
        far = np.minimum(-stdtrit(kinds, NEGLIGIBLE), 1e140)[place].reshape(self.df.shape)
        scale = np.sqrt(self.scale2)
        return Reach(self.location - far * scale, self.location + far * scale, self.location, scale)


def log_density(z: Array, df: Array) -> Array:
    """Log density of the standard t; as a difference of log-gammas its constant would have no digits at df = 1e8."""
    return log_gamma_half_step(0.5 * df) - 0.5 * np.log(np.pi * df) - 0.5 * (df + 1.0) * log1p_square(z / np.sqrt(df))


def log1p_square(z: Array) -> Array:
    """log(1 + z²), also where z² overflows."""
    size = np.abs(z)
    large = size > 1e8
    return np.where(large, 2.0 * np.log(np.where(large, size, 1.0)), np.log1p(np.where(large, 0.0, size) ** 2))


def log1p_square_rise(z: Array, z1: Array) -> Array:
    """log(1 + z1²) − log(1 + z²) for z, z1 ≥ 0."""
    unit = np.maximum(z, 1.0)
    x = ((z1 - z) / unit) * ((z1 + z) / unit) / (unit**-2.0 + (z / unit) ** 2)
    return np.where(np.abs(x) < 0.5, np.log1p(np.clip(x, -0.9, 1.0)), log1p_square(z1) - log1p_square(z))


#: Distributions are close if their locations are within this many scales, and their scales within this share.
CLOSE = 0.1
_DIGITS = 38.0  # e^−38 ≈ 3e-17 of the integral is negligible
_HALVINGS = 5  # beyond 2⁵ times the nodes that p alone needs, `far_renyi` is as fast
_NUMBERS = 2**17  # numbers in one array: they stay in the cache


def student_t_renyi(gap: Array, scale2: Array, scale21: Array, df: Array, alpha: float) -> Array:
    """D_α[t(0, scale2) ‖ t(gap, scale21)] for arrays (n,) and the same df, which has no closed form."""
    if np.isinf(alpha):
        return largest_log_ratio(gap, scale2, scale21, df)
    gap, reach = np.abs(gap), CLOSE / max(alpha, 1.0)
    ratio = np.exp(0.5 * log_ratio(scale2, scale21))
    close = (gap <= reach * np.sqrt(scale2)) & (np.abs(ratio - 1.0) <= reach) & (df >= 1.0)
    halvings = np.where(close, -1.0, _halvings(gap, scale2, scale21, df, alpha))
    values = np.empty(gap.shape)
    for times in np.unique(halvings):
        rows = np.flatnonzero(halvings == times)
        if times > _HALVINGS:
            nodes, route = 512, far_renyi
        else:
            nodes, route = 128 * 2 ** max(int(times), 0), partial(trapezoidal_renyi, halvings=times)
        for start in range(0, len(rows), size := max(1, _NUMBERS // nodes)):
            i = rows[start : start + size]
            values[i] = route(gap[i], scale2[i], scale21[i], df[i], alpha)
    return values


def trapezoidal_renyi(gap: Array, scale2: Array, scale21: Array, df: Array, alpha: float, halvings: float) -> Array:
    """D_α from even steps in t, where x = s√ν sinh t and p(x) dx ∝ cosh⁻ᵛ(t) dt; −1 halvings are close pairs.

    Up to the pole of q at sinh t = gap/(s√ν) ± i s'/s, a trapezoidal rule of step h is off by e^(−2π·height/h).
    """
    beta, (g, ratio) = 1.0 - alpha, _in_units(gap, scale2, scale21, df)
    spread = 0.5 * log_ratio(scale2, scale21)[:, None]
    df = df[:1] if (df == df[0]).all() else df
    is_close = halvings < 0.0
    # The pole of a close q is at least 1.1 above the real axis.
    step = _step(df, 1.0 / (1.0 - CLOSE) ** 2, 0.9) if is_close else _step(df, 1.0) * 0.5**halvings
    reach = np.sinh(np.arccosh(np.exp((_DIGITS + 7.0) / df)))
    if beta != 0.0 and not is_close:
        precision = _precision(ratio, alpha)
        centre = g * np.abs(beta) / ratio**2 / precision  # of p^α q^β, if p and q were normal
        reach = centre + reach * np.maximum(1.0, precision**-0.5)
    n = int(np.max(np.ceil(np.arcsinh(reach) / step)))
    u, nu = np.sinh(step[:, None] * np.arange(-n, n + 1)), df[:, None]
    log1p_u2 = np.log1p(u**2)
    log_p = log_gamma_half_step(0.5 * nu) - 0.5 * np.log(np.pi) - 0.5 * nu * log1p_u2 + np.log(step)[:, None]
    if is_close:
        change = u * np.expm1(-spread) - (g / ratio)[:, None]  # of u, from p's to q's
        d = -spread - 0.5 * (nu + 1.0) * np.log1p(change * ((change + 2.0 * u) / (1.0 + u**2)))
        return finite_renyi(log_p, log_p + d, d, alpha, exact=False)
    # E_p[log p/q], or log E_p[(q/p)^β] / −β
    log_ratios = spread + 0.5 * (nu + 1.0) * (np.log1p(((u - g[:, None]) / ratio[:, None]) ** 2) - log1p_u2)
    p = np.exp(log_p)
    terms = log_ratios if beta == 0.0 else np.expm1(-beta * log_ratios)
    mean = terms @ p[0] if len(p) == 1 else np.where(p > 0.0, terms * p, 0.0).sum(axis=1)
    return mean if beta == 0.0 else np.log1p(mean) / -beta


def _halvings(gap: Array, scale2: Array, scale21: Array, df: Array, alpha: float) -> Array:
    """How often the step that p alone needs is halved because of q; inf where `trapezoidal_renyi` would lose digits."""
    g, ratio = _in_units(gap, scale2, scale21, df)
    pole = np.arcsinh(g + 1j * ratio)
    height = np.abs(pole.imag)
    if alpha == 1.0:
        # Only log q has a pole there: the rule is off by p(pole) e^(−2π·height/h), unless the best w is below it.
        short = _DIGITS - df * np.log(np.abs(np.cosh(pole)))
        step = np.where((height < _best(df)) & (short > 0.0), 2.0 * np.pi * height / np.maximum(short, 1.0), np.inf)
        fits = (g < 1e100) & (ratio < 1e100)
    else:
        precision = _precision(ratio, alpha)
        step = _step(df, np.maximum(1.0, alpha + np.abs(1.0 - alpha) / ratio**2), 0.7 * height)
        centre = gap / np.sqrt(scale2) * np.abs(1.0 - alpha) / ratio**2 / precision
        fits = (alpha >= 0.5) & (precision > 0.3) & (centre < 5.0) & (gap < 3.0 * np.sqrt(scale2)) & (ratio < 10.0)
    halvings = np.ceil(np.log2(np.maximum(_step(df, 1.0) / step, 1.0)))
    return np.where(fits & (df >= 1.0) & (halvings <= _HALVINGS), halvings, np.inf)


def _step(df: Array | float, precision: Array | float, height: Array | float = np.inf) -> Array:
    """The step for cosh⁻ᵛ(t) to the power `precision`: |cosh(t + iw)|⁻ᵛ ≤ cos⁻ᵛ(w) cosh⁻ᵛ(t) at the best w ≤ height."""
    w = np.minimum(_best(df * precision), height)
    step: Array = 2.0 * np.pi * w / (_DIGITS - precision * df * np.log(np.cos(w)))
    return step


def _best(df: Array | float) -> Array:
    """How far above the real axis of t the error of the rule is estimated best."""
    return np.minimum(np.sqrt(2.0 * _DIGITS / df), 1.2)


def _in_units(gap: Array, scale2: Array, scale21: Array, df: Array | float) -> tuple[Array, Array]:
    """The gap in units of s√ν, and s'/s."""
    scale = np.sqrt(scale2)
    return gap / scale / np.sqrt(df), np.sqrt(scale21) / scale


def _precision(ratio: Array, alpha: float) -> Array:
    """The precision of p^α q^β if p and q were normal, in units of p's."""
    return alpha + (1.0 - alpha) / ratio**2


def far_renyi(gap: Array, scale2: Array, scale21: Array, df: Array, alpha: float) -> Array:
    """D_α[t(0, scale2) ‖ t(gap, scale21)] for gap ≥ 0, from pieces split at the two locations.

    In the logarithm of the distance from them a power-law tail is an exponential, and 1e-75 and 1e75 are equally far.
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
        d = -spread - 0.5 * (nu + 1.0) * log1p_square_rise(z / root, z1 / root)
        return log_density(z, nu) - np.log(columns[0]), d

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


def largest_log_ratio(gap: Array, scale2: Array, scale21: Array, df: Array) -> Array:
    """sup_y log p/q: at a stationary point of ((x − δ)² + νs'²)/(x² + νs²), a root of a quadratic, or in the tails."""
    unit = np.maximum(np.maximum(scale2, scale21), gap**2)
    a, b, delta = df * (scale2 / unit), df * (scale21 / unit), gap / np.sqrt(unit)
    wider = df * ((scale2 - scale21) / unit)  # a − b
    c = wider - delta**2
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
        best = np.maximum(best, 0.5 * spread + 0.5 * (df + 1.0) * np.log1p(rise))
    return best
