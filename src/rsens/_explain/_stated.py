"""What effects are stated of: the point prediction, its spread, and its logarithm where changes are read in percent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsens._typing import Array
from rsens.derivatives import Derivatives
from rsens.distributions import Distribution, Exponential, Gamma, LogNormal, NegativeBinomial, Poisson, Weibull
from rsens.measures import first_of_prediction, first_of_spread, has_spread, spread_of

#: Families of positive y, whose models usually add up on the log scale.
POSITIVE = (Poisson, NegativeBinomial, Gamma, Exponential, LogNormal, Weibull)


@dataclass(frozen=True)
class Stated:
    """Q numbers of each prediction: its P outputs, then the spread and the logarithm if it has them."""

    outputs: int
    spread: bool
    log: bool

    @classmethod
    def of(cls, distribution: Distribution) -> Stated:
        """What can be stated of a prediction."""
        outputs = distribution.prediction().shape[1]
        return cls(outputs, has_spread(distribution), outputs == 1 and isinstance(distribution, POSITIVE))

    def __len__(self) -> int:
        return self.outputs + self.spread + self.log

    def values(self, distribution: Distribution) -> Array:
        """The Q numbers at each row, (n, Q)."""
        prediction = distribution.prediction()
        parts = [prediction]
        if self.spread:
            parts.append(spread_of(distribution)[:, np.newaxis])
        if self.log:
            with np.errstate(divide="ignore"):
                parts.append(np.log(prediction))
        return np.concatenate(parts, axis=1)

    def slopes(self, derivatives: Derivatives) -> Array:
        """Their derivatives in the numeric columns, (n, Q, D); ∂ log f = ∂f/f."""
        slope = first_of_prediction(derivatives)
        parts = [slope]
        if self.spread:
            parts.append(first_of_spread(derivatives)[:, np.newaxis])
        if self.log:
            with np.errstate(divide="ignore", invalid="ignore"):
                parts.append(slope / derivatives.distribution.prediction()[..., np.newaxis])
        return np.concatenate(parts, axis=1)

    def split(self, values: Array) -> tuple[Array, Array | None, Array | None]:
        """The outputs (…, P), the spread (…) and the logarithm (…) of values (…, Q)."""
        p = self.outputs
        return values[..., :p], values[..., p] if self.spread else None, values[..., -1] if self.log else None

    def join(self, outputs: Array, spread: Array | None, log: Array | None) -> Array:
        """The inverse of `split`."""
        parts = [outputs] + [part[..., np.newaxis] for part in (spread, log) if part is not None]
        return np.concatenate(parts, axis=-1)
