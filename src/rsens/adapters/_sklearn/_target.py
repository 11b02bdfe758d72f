"""TransformedTargetRegressor: the regressor predicts a function of y, and we want y."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens.adapters._sklearn._closed import Closed
from rsens.adapters._sklearn._understood import Understood
from rsens.derivatives import Derivatives, Inner
from rsens.distributions import Distribution, LogNormal, Normal

Family = type[Normal] | type[LogNormal]

#: How closely the inverse of the transformer must be affine, or the exponential of something affine.
SAME = 1e-10


class OfTarget(Closed):
    """With t ~ Normal(m, v) of the transformed target: y = a + bt is Normal, log y = a + bt is LogNormal."""

    def __init__(self, inside: Closed, family: Family, a: float, b: float) -> None:
        self._inside, self._family, self._a, self._b = inside, family, a, b

    def predict(self, X: Any) -> Distribution:
        return target_of(self._inside.predict(X), self._family, self._a, self._b)

    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        record = self._inside.derivatives(X, order, inner)
        units = np.array([self._b, self._b**2])
        second = None if record.second is None else units[:, None, None] * record.second
        distribution = target_of(record.distribution, self._family, self._a, self._b)
        return Derivatives(distribution, units[:, None] * record.first, second)

    def check_steps(self, X: Any) -> None:
        self._inside.check_steps(X)

    def bytes_per_row(self, n_columns: int, order: int) -> int:
        return self._inside.bytes_per_row(n_columns, order)


def target_of(inside: Distribution, family: Family, a: float, b: float) -> Distribution:
    """The distribution of y, from the Normal of the transformed target."""
    if not isinstance(inside, Normal):
        raise InputError(
            f"TransformedTargetRegressor: the regressor inside must predict a Normal; got {type(inside).__name__}."
        )
    return family(a + b * inside.mean, b**2 * inside.variance)


def read_transformed_target(model: Any, inside: Understood) -> Understood:
    """The prediction of y, from what was understood of the regressor inside."""
    family, a, b = _inverse(model)
    return replace(
        inside,
        predict=lambda X: target_of(inside.predict(X), family, a, b),
        closed=None if inside.closed is None else OfTarget(inside.closed, family, a, b),
        family=family.__name__,
        noise=f"{inside.noise}, before the target is transformed back",
    )


def _inverse(model: Any) -> tuple[Family, float, float]:
    """The family of y and (a, b): y = a + bt or log y = a + bt for the transformed target t."""
    t = np.linspace(-2.0, 2.0, 9)
    with np.errstate(all="ignore"):
        y = np.asarray(model.transformer_.inverse_transform(t[:, None]), dtype=np.float64).ravel()
        as_it_is, of_log = _line(t, y), _line(t, np.log(y)) if (y > 0.0).all() else None
    if as_it_is is not None:
        return Normal, *as_it_is
    if of_log is not None:
        return LogNormal, *of_log
    raise InputError(
        f"{type(model).__name__}: y follows no family of rsens, because the inverse of its transformer is neither "
        "affine nor an exponential. Explain model.regressor_ instead: R-sens does not depend on how y is transformed, "
        "as long as the transformation can be inverted."
    )


def _line(t: Any, y: Any) -> tuple[float, float] | None:
    """(a, b) with y = a + bt to the last digits, or None."""
    if not np.isfinite(y).all():
        return None
    b = float((y[-1] - y[0]) / (t[-1] - t[0]))
    a = float(y[len(y) // 2] - b * t[len(t) // 2])
    size = np.abs(y).max()
    return (a, b) if b != 0.0 and (np.abs(a + b * t - y) <= SAME * size).all() else None
