"""Mean and variance of a model of GPyTorch or BoTorch at rows, as tensors: all rows in one call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rsens._errors import InputError

#: Rows (n, D) as a tensor → mean and variance (n,) each.
Moments = Callable[[Any], tuple[Any, Any]]


@dataclass(frozen=True, eq=False)
class LatentMoments:
    """f, without noise; of one draw where the model has several."""

    model: Any
    draw: int | None = None

    def __call__(self, rows: Any) -> tuple[Any, Any]:
        return one_output(self.model(rows), self.model, len(rows), self.draw)


@dataclass(frozen=True, eq=False)
class ObservationMoments:
    """y, as the likelihood has it; its noise may depend on x."""

    model: Any
    likelihood: Any
    takes_rows: bool

    def __call__(self, rows: Any) -> tuple[Any, Any]:
        latent = self.model(rows)
        observed = self.likelihood(latent, rows) if self.takes_rows else self.likelihood(latent)
        return one_output(observed, self.model, len(rows))


@dataclass(frozen=True, eq=False)
class PosteriorMoments:
    """BoTorch's posterior, through the transforms of inputs and outcome that the model has; with noise if asked."""

    model: Any
    observation_noise: bool
    draw: int | None = None

    def __call__(self, rows: Any) -> tuple[Any, Any]:
        posterior = self.model.posterior(rows, observation_noise=self.observation_noise)
        distribution = getattr(posterior, "distribution", None)
        if distribution is None:
            raise InputError(
                f"{type(self.model).__name__}.posterior gives {type(posterior).__name__}; rsens needs a normal "
                "distribution. Write the prediction yourself: from_torch(fn) with an fn(X) that returns a family."
            )
        return one_output(distribution, self.model, len(rows), self.draw)


def one_output(distribution: Any, model: Any, n: int, draw: int | None = None) -> tuple[Any, Any]:
    """Mean and variance of a normal distribution with one output, or an error."""
    name = type(model).__name__
    if not hasattr(distribution, "lazy_covariance_matrix"):
        raise InputError(
            f"{name} gives {type(distribution).__name__} for rows; rsens needs a MultivariateNormal. Write the "
            "prediction yourself: from_torch(fn) with fn(X) that returns one of the families."
        )
    mean, variance = distribution.mean, distribution.variance
    if draw is not None:
        mean, variance = mean[draw], variance[draw]
    if tuple(mean.shape) == (n, 1):
        mean, variance = mean[:, 0], variance[:, 0]
    if tuple(mean.shape) != (n,):
        raise InputError(
            f"{name} predicts an array of shape {tuple(mean.shape)} for {n} rows: several outputs, or a batch of GPs. "
            "Explain one output at a time, with a model of that output."
        )
    if getattr(model, "prediction_strategy", None) is not None:  # it keeps the last covariance, with its whole graph
        model.prediction_strategy._last_test_train_covar = None
    return mean, variance
