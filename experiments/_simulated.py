"""Section 3.1: ten effects of one shape, and the hypothetical models that know them or nearly know them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.black_box import Predictor
from rsens.derivatives import Derivatives, Model
from rsens.distributions import Normal

N, D = 200, 10
STRENGTH = np.arange(1.0, D + 1.0)  # A_1 = 1 … A_10 = 10
NOISE = 0.2  # of the standard deviation of f
SPREAD = 0.2  # how fast the predictive variance grows with the squared Mahalanobis distance
BIAS = 0.02  # standard deviation of A_bias
BIASES = ("per-call", "per-repetition", "per-method")  # when A_bias is drawn

#: The six shapes with their derivatives.
FUNCTIONS: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "x": (lambda x: x, np.ones_like),
    "x^3": (lambda x: x * x * x, lambda x: 3.0 * x * x),
    "x + cos(3x)": (lambda x: x + np.cos(3.0 * x), lambda x: 1.0 - 3.0 * np.sin(3.0 * x)),
    "sin(3x)": (lambda x: np.sin(3.0 * x), lambda x: 3.0 * np.cos(3.0 * x)),
    "x exp(-x)": (lambda x: x * np.exp(-x), lambda x: (1.0 - x) * np.exp(-x)),
    "exp(-x^2)": (lambda x: np.exp(-(x**2)), lambda x: -2.0 * x * np.exp(-(x**2))),
}

#: The four distributions of the inputs.
INPUTS: dict[str, Callable[[np.random.Generator], Array]] = {
    "t3": lambda rng: rng.standard_t(3.0, (N, D)),
    "gaussian": lambda rng: rng.standard_normal((N, D)),
    "mixture": lambda rng: rng.choice([-1.0, 1.0], (N, D)) + 0.5 * rng.standard_normal((N, D)),
    # Covariance 0.8·11ᵀ + 0.2 I.
    "correlated": lambda rng: np.sqrt(0.8) * rng.standard_normal((N, 1)) + np.sqrt(0.2) * rng.standard_normal((N, D)),
}


@dataclass(frozen=True, eq=False)
class Simulated(Model):
    """Normal(f(x), V(x)), f(x) = Σ A_i f_i(x_i) (|b_i| |x_i|³ + 1) with b = 0 for the ground truth.

    V(x) = 1 + spread · (x − m)ᵀ S⁻¹ (x − m). `bias(shape)` gives |b| for that many calls of the model; None for b = 0.
    """

    function: str
    mean: Array
    precision: Array
    bias: Callable[[tuple[int, ...]], Array] | None
    spread: float = SPREAD

    def f(self, x: Array) -> Array:
        """f at blocks of rows (…, m, D), with one b for each block."""
        effects = FUNCTIONS[self.function][0](x)
        if self.bias is not None:
            effects = effects * (self.bias(x.shape[:-2])[..., None, :] * np.abs(x * x * x) + 1.0)
        return effects @ STRENGTH

    def variance(self, x: Array) -> Array:
        z = x - self.mean
        return 1.0 + self.spread * np.einsum("...d,...d->...", z @ self.precision, z)

    def predict_distribution(self, X: Any) -> Normal:
        return Normal(self.f(X), self.variance(X))

    def derivatives(self, X: Any, order: int) -> Derivatives:
        shape, slope = FUNCTIONS[self.function]
        b = np.zeros(D) if self.bias is None else self.bias(())
        size = np.abs(X)
        factor = b * size**3 + 1.0
        first_mean = STRENGTH * (slope(X) * factor + shape(X) * 3.0 * b * X * size)
        first_variance = 2.0 * self.spread * (X - self.mean) @ self.precision
        predictive = Normal((shape(X) * factor) @ STRENGTH, self.variance(X))
        return Derivatives(predictive, np.stack([first_mean, first_variance], axis=1), None)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return 10**6

    def predictor(self, X: Array, y: Array) -> Predictor:
        """The model as the black-box methods see it."""

        def log_densities(blocks: Array) -> Array:
            V = self.variance(blocks)
            return -0.5 * (np.log(2.0 * np.pi * V) + (y - self.f(blocks)) ** 2 / V)

        return Predictor(X, lambda blocks: self.f(blocks)[..., None], log_densities)


def biases(kind: str, rng: np.random.Generator) -> Callable[[tuple[int, ...]], Array]:
    """|A_bias| for calls of a model: new at every call, or the same for all calls of a repetition."""
    if kind == "per-call":
        return lambda shape: np.abs(rng.normal(0.0, BIAS, (*shape, D)))
    once = np.abs(rng.normal(0.0, BIAS, D))
    return lambda shape: np.broadcast_to(once, (*shape, D))


def imperfect(truth: Simulated, kind: str, rng: np.random.Generator) -> Iterator[Simulated]:
    """The model with a bias, as it is when y is made and then when each method looks at it.

    One model for all; per method, one after the other that are each the same for all calls.
    """
    if kind != "per-method":
        return repeat(replace(truth, bias=biases(kind, rng)))
    return (replace(truth, bias=biases("per-repetition", rng)) for _ in repeat(None))
