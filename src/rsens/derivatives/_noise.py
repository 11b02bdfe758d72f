"""Functions that give other numbers for the same rows: how much they scatter, and what differences still tell.

With scatter ε in z and a function that changes by S over a unit of a column, a central difference over h units is wrong
by about ε/(√2 h) + S h²/6, and a second difference by √6 ε/h² (of a pair ε/(2h²)) + S h²/12. Steps of (ε/S)^{1/3} and
(ε/S)^{1/4} balance the two (Moré and Wild, 2012, *Estimating derivatives of noisy simulations*).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rsens._errors import Argument, InputError, RsensWarning
from rsens._typing import Array
from rsens.derivatives._evaluation import Evaluation, evaluate
from rsens.derivatives._output import RandomFunctionError
from rsens.derivatives._quotients import Quotients
from rsens.derivatives._steps import Steps
from rsens.distributions import Distribution

#: Rows that are evaluated twice.
TWICE = 8
#: Two evaluations may differ by this share of the values: threads add up in another order.
ROUNDING = 1e-13
#: The share of the largest values that the noise may reach before they are refused.
MOST = 0.5


@dataclass(frozen=True, eq=False)
class Noise:
    """The standard deviation of z and of λ between calls with the same rows, (M,) each, and relative to the spread."""

    z: Array
    parameters: Array
    #: The largest of ε/S, with S the standard deviation of z over the rows.
    relative: float

    @classmethod
    def of(cls, fn: Callable[[Array], Distribution], X: Array) -> Noise | None:
        """Measured at a few rows; None if the function is not random there, or not defined."""
        some = X[np.unique(np.linspace(0, len(X) - 1, TWICE).astype(np.intp))]
        try:
            once, again = evaluate(fn, some), evaluate(fn, some)
        except InputError:  # `evaluate` of all rows says it, with the number of the row
            return None
        if once.z.shape != again.z.shape:
            return None
        z = _scatter(once.z, again.z)
        if not (z > 0.0).any():
            return None
        spread = np.maximum((0.5 * (once.z + again.z)).std(axis=0), z)
        λ = _scatter(once.distribution.parameters, again.distribution.parameters)
        return cls(z, λ, float(np.max(z / np.where(spread > 0.0, spread, 1.0))))

    def size(self, here: Evaluation) -> float:
        """The noise of z at these rows in standard deviations of the prediction: its root mean square Fisher norm."""
        each, _ = here.chain(np.broadcast_to(np.diag(self.z), (len(here.z), *np.diag(self.z).shape)), None)
        with np.errstate(all="ignore"):
            norms = here.distribution.fisher_norm(each)  # one direction for each parameter
        return float(np.sqrt(np.mean(np.sum(np.where(np.isfinite(norms), norms, 0.0) ** 2, axis=1))))

    def floors(self, here: Evaluation, steps: Steps) -> tuple[float, float]:
        """What R-sens of a column and R-sens₂ of a pair reach by noise alone, per unit of a column."""
        size, (first, second) = self.size(here), (float(np.min(steps.of_order(order))) for order in (1, 2))
        return size / (np.sqrt(2.0) * first), size / (2.0 * second**2)

    def warn(self, here: Evaluation, steps: Steps) -> None:
        """State the noise floor of R-sens and R-sens₂."""
        first, second = self.floors(here, steps)
        widths = " and ".join(f"{float(np.min(steps.of_order(order))):.2g}" for order in (1, 2))
        warning = RsensWarning(
            f"the function is random: for the same rows its predictions differ by {self.size(here):.2g} of their own "
            f"standard deviation. Differences are taken over {widths} of the spread of a column (first and second "
            f"derivatives). Noise floor: per spread of a column, R-sens below about {first:.2g} and R-sens₂ of a pair "
            f"below about {second:.2g} is noise. Fix the random numbers within the function, average more draws, or "
            "give a wider ",
            Argument("step"),
            " to lower it.",
        )
        warnings.warn(warning, stacklevel=2)

    def check(self, quotients: Quotients, steps: Steps, sizes: Array) -> None:
        """Refuse R-sens if the noise explains half of the largest value; `sizes` (columns,) are per unit."""
        floor, _ = self.floors(quotients.here, steps)
        if floor > MOST * float(sizes.max(initial=0.0)):
            raise RandomFunctionError(
                f"the function is random: the same rows gave different predictions, and its noise alone makes an "
                f"R-sens of about {floor:.2g} per spread of a column; the largest found is "
                f"{float(sizes.max(initial=0.0)):.2g}. Fix its random numbers, average more draws, or give a wider ",
                Argument("step"),
                "; for a PyTorch module with dropout or batch normalisation call .eval().",
            )


def _scatter(once: Array, again: Array) -> Array:
    """The standard deviation of each column between two calls; 0 if it is no more than rounding."""
    deviation = np.sqrt(0.5 * np.mean((once - again) ** 2, axis=0))
    return np.where(deviation > ROUNDING * np.abs(once).max(axis=0), deviation, 0.0)
