"""What the likelihoods of real numbers share: y is f plus noise."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from rsens._typing import Array
from rsens.likelihoods._base import DEVIATION, Likelihood, Target, real_target

#: The noise variance that the weak prior expects, as a share of the variance of y.
NOISE_SHARE = 0.04


class NoisyLikelihood(Likelihood):
    """y = f + noise; the squared scale of the noise is the first field and the only hyperparameter."""

    target: ClassVar[Target] = "numbers"

    @classmethod
    def start(cls, noise_variance: float) -> Self:
        return cls(noise_variance)  # type: ignore[call-arg]

    def priors(self, output_scale: float) -> list[tuple[float, float]]:
        """Keeps the noise of small data above zero."""
        return [(np.log(NOISE_SHARE * output_scale**2), DEVIATION)]

    @property
    def noise(self) -> float:
        return getattr(self, self.hyperparameter_names[0])

    def in_units(self, variance: float) -> Self:
        return replace(self, **{self.hyperparameter_names[0]: self.noise * variance})  # type: ignore[type-var]

    def checked_target(self, y: ArrayLike) -> Array:
        return real_target(type(self).__name__, y)
