"""GaussianProcessRegressor: scikit-learn's hyperparameters, weights and Cholesky factor, our kernels and derivatives.

Its `predict(return_std=True)` counts WhiteKernels as noise of an observation, but not `alpha`, although both stand for
noise in the fit. With `normalize_y` the kernel, `alpha` and the weights are in units of the training targets' standard
deviation.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.adapters._sklearn._closed import Closed, numbers_in, record_of
from rsens.adapters._sklearn._kernels import Translated, UntranslatableError, translated
from rsens.adapters._sklearn._return_std import read_std
from rsens.adapters._sklearn._understood import Understood, overrides
from rsens.derivatives import Derivatives, Finding, Inner, result_bytes
from rsens.distributions import Distribution, Normal
from rsens.kernels import Kernel
from rsens.posteriors import LatentPosterior, TriangularRoot

#: An `alpha` below this share of the prior variance only keeps the Cholesky factor stable.
JITTER = 1e-8


class ExactGP(Closed):
    """Normal(m, v + σ²) in the units of y, from the latent (m, v) in the units of the kernel."""

    def __init__(self, gp: Any, kernel: Kernel, noise: float) -> None:
        self._gp, self._kernel, self._noise = gp, kernel, noise
        self._shift, self._scale = _units(gp)

    @cached_property
    def _posterior(self) -> LatentPosterior:
        gp = self._gp
        weights = np.ascontiguousarray(np.ravel(gp.alpha_), dtype=np.float64)
        inputs = np.ascontiguousarray(gp.X_train_, dtype=np.float64)
        return LatentPosterior(self._kernel, inputs, weights, TriangularRoot(np.asfortranarray(gp.L_, np.float64)))

    def predict(self, X: Any) -> Distribution:
        latent = self._posterior.moments(numbers_in(X))
        return self._normal(latent.mean, latent.variance)

    def predict_point(self, X: Any) -> Array:
        """The mean needs no solve."""
        return (self._shift + self._scale * self._posterior.means(numbers_in(X)))[:, None]

    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        latent = self._posterior.derivatives(numbers_in(X), order, inner)
        assert latent.first is not None
        units = np.array([self._scale, self._scale**2])
        second = None if latent.second is None else units[:, None, None] * latent.second
        return record_of(self._normal(latent.mean, latent.variance), units[:, None] * latent.first, second, order)

    def bytes_per_row(self, n_columns: int, order: int) -> int:
        return result_bytes(n_columns, order, 2)  # the rest is bounded within the posterior

    def _normal(self, mean: Array, variance: Array) -> Normal:
        return Normal(self._shift + self._scale * mean, self._scale**2 * (variance + self._noise))


def read_gp_regressor(gp: Any) -> Understood:
    """The prediction of a fitted GaussianProcessRegressor."""
    if not hasattr(gp, "X_train_"):
        raise InputError(f"{type(gp).__name__} is not fitted: it would predict its prior. Call fit(X, y) first.")
    _check_one_target(gp)
    if overrides(gp, "predict"):
        return read_std(gp)
    alpha = _common_alpha(gp)
    try:
        kernel = translated(gp.kernel_)
        if kernel.smooth is None:
            raise UntranslatableError("a kernel without a smooth part")
    except UntranslatableError:
        return _by_differences(gp, alpha)
    noise, words = _noise(gp, kernel, alpha)
    closed = ExactGP(gp, kernel.smooth, noise)
    inputs = np.asarray(gp.X_train_, dtype=np.float64)
    return Understood.of(
        closed, "Normal", words, training=inputs, kernel=kernel.smooth, findings=(_finding(noise, words),)
    )


def _by_differences(gp: Any, alpha: float) -> Understood:
    """A kernel that is not ours: the estimator's own mean and standard deviation, and `alpha` where it is noise."""
    prior = float(np.mean(gp.kernel_.diag(gp.X_train_)))
    extra = alpha * _units(gp)[1] ** 2 if alpha > JITTER * prior else 0.0
    understood = read_std(gp, extra)
    words = f"included: {extra:.3g} (alpha), and any WhiteKernel" if extra else "included if the kernel has WhiteKernel"
    inputs = np.asarray(gp.X_train_, dtype=np.float64)
    return Understood(understood.predict, "Normal", words, training=inputs)


def _units(gp: Any) -> tuple[float, float]:
    """The mean and the standard deviation of the training targets: 0 and 1 without `normalize_y`."""
    return float(np.squeeze(gp._y_train_mean)), float(np.squeeze(gp._y_train_std))


def _noise(gp: Any, kernel: Translated, alpha: float) -> tuple[float, str]:
    """The noise variance of an observation in units of the kernel, and in words, in units of y."""
    assert kernel.smooth is not None
    inputs = np.asarray(gp.X_train_, dtype=np.float64)
    counts = alpha > JITTER * float(np.mean(kernel.smooth.diag(inputs)))
    parts = {"WhiteKernel": kernel.white, "alpha": alpha if counts else 0.0}
    noise = sum(parts.values())
    if noise == 0.0:
        return 0.0, "none"
    sources = " + ".join(name for name, part in parts.items() if part > 0.0)
    return noise, f"included: {noise * _units(gp)[1] ** 2:.3g} ({sources})"


def _finding(noise: float, words: str) -> Finding:
    if noise > 0.0:
        return Finding("noise", "ok", f"noise of an observation is {words}.")
    return Finding(
        "noise",
        "warning",
        "the model has no noise: no WhiteKernel, and alpha is only jitter. Near the training rows its variance is "
        "almost 0, and R-sens is then huge there. If y is measured with noise, add WhiteKernel() to the kernel.",
    )


def _check_one_target(gp: Any) -> None:
    if np.ndim(gp.y_train_) > 1 and np.shape(gp.y_train_)[1] > 1:
        raise InputError(
            f"{type(gp).__name__} was fitted to {np.shape(gp.y_train_)[1]} targets at once; rsens explains one. Fit "
            "one per target: GaussianProcessRegressor(…).fit(X, Y[:, 0])."
        )


def _common_alpha(gp: Any) -> float:
    """`alpha` as one number; noise that differs between training rows says nothing about a new observation."""
    alpha = np.unique(np.asarray(gp.alpha, dtype=np.float64))
    if len(alpha) == 1:
        return float(alpha[0])
    raise InputError(
        f"{type(gp).__name__} has a different ",
        Argument("alpha"),
        f" for every training row ({alpha[0]:.3g} to {alpha[-1]:.3g}), so the noise of a new observation is not known. "
        "Say what it is: def predict(X): mean, sd = gp.predict(X, return_std=True); return rsens.Normal(mean, sd**2 + "
        "noise), and explain rsens.from_function(predict).",
    )
