"""Gaussian processes: scikit-learn's hyperparameters, weights and Cholesky factors, our kernels and derivatives.

`GaussianProcessRegressor.predict(return_std=True)` counts WhiteKernels as noise of an observation, but not `alpha`,
although both are noise in the fit. With `normalize_y` the kernel, `alpha` and the weights are in units of the training
targets' standard deviation.

`GaussianProcessClassifier.predict_proba` replaces the logistic function by five error functions, which is up to 1e-4
off in probability; we integrate instead. A WhiteKernel is part of the latent f, and so adds to its variance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from operator import mul
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.adapters._adapter import NoTranslationError, not_fitted, overrides
from rsens.adapters._linear_predictor import LocationResponse, Response, in_units, through_response
from rsens.adapters._sklearn._estimators import OF_CLASSES, read_probabilities
from rsens.adapters._sklearn._prediction import Prediction, numbers_in, read_std
from rsens.derivatives import Derivatives, Finding, Inner, normalized, normalized_derivatives, result_bytes
from rsens.distributions import Distribution, Normal
from rsens.kernels import (
    EQ,
    Constant,
    ConstantDiagonal,
    Kernel,
    Linear,
    Matern32,
    Matern52,
    Product,
    RationalQuadratic,
    Stationary,
    Sum,
)
from rsens.likelihoods import LogitLikelihood
from rsens.posteriors import Latent, LatentPosterior, Root, TriangularRoot

#: An `alpha` below this share of the prior variance only keeps the Cholesky factor stable.
JITTER = 1e-8
NO_NOISE = (
    "the model has no noise: no WhiteKernel, and alpha is only jitter. Near the training rows R-sens is then huge. If "
    "y is measured with noise, add WhiteKernel() to the kernel."
)


def _latent_gp(
    gp: Any,
    prior: Translated,
    weights: Any,
    root: Root,
    response: Response,
    more: float,
    units: tuple[float, float] = (0.0, 1.0),
    **words: Any,
) -> Prediction:
    """Latent moments (m, v) in the units of the kernel, through a response at shift + scale·m and scale²(v + more)."""
    weights = np.ascontiguousarray(np.ravel(weights), dtype=np.float64)
    posterior = LatentPosterior(prior.smooth, _inputs(gp), weights, root)

    def observed(latent: Latent) -> Latent:
        return in_units(replace(latent, variance=latent.variance + more), *units)

    def predict(X: Any) -> Distribution:
        latent = observed(posterior.moments(numbers_in(X)))
        return response.predictive(latent.mean, latent.variance)

    def derivatives(X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        return through_response(response, observed(posterior.derivatives(numbers_in(X), order, inner)))

    def mean(X: Any) -> Array:
        return (units[0] + units[1] * posterior.means(numbers_in(X)))[:, None]

    point = mean if isinstance(response, LocationResponse) else None  # the mean of a Normal needs no solve
    return Prediction(predict, derivatives=derivatives, point=point, training=_inputs(gp), **words)


def read_gp_regressor(gp: Any) -> Prediction:
    """The prediction of a fitted GaussianProcessRegressor."""
    name = type(gp).__name__
    if not hasattr(gp, "X_train_"):
        raise InputError(f"{name} is not fitted: it would predict its prior. Call fit(X, y) first.")
    targets = np.shape(gp.y_train_)[1:]
    if targets not in ((), (1,)):
        raise InputError(f"{name} was fitted to {targets[0]} targets at once; rsens explains one. Fit one per target.")
    if overrides(gp, "sklearn", "predict"):
        return read_std(gp)
    alphas = np.unique(np.asarray(gp.alpha, dtype=np.float64))
    if len(alphas) > 1:
        raise InputError(
            f"{name} has a different ",
            Argument("alpha"),
            f" for every training row ({alphas[0]:.3g} to {alphas[-1]:.3g}), so the noise of a new observation is not "
            "known. Add it to the variance of gp.predict(X, return_std=True), in a function for rsens.from_function.",
        )
    alpha = float(alphas[0])
    # The mean and the standard deviation of the training targets: 0 and 1 without `normalize_y`.
    units = float(np.squeeze(gp._y_train_mean)), float(np.squeeze(gp._y_train_std))
    try:
        kernel = _with_smooth_part(gp)
        prior = kernel.smooth.diag(_inputs(gp))
    except NoTranslationError:  # the estimator's own mean and standard deviation, and `alpha` where it is noise
        extra = _as_noise(alpha, gp.kernel_.diag(gp.X_train_)) * units[1] ** 2
        words = f": {extra:.3g} (alpha), and any WhiteKernel" if extra else " if the kernel has WhiteKernel"
        return read_std(gp, extra, noise=f"included{words}", training=_inputs(gp))
    parts = {"WhiteKernel": kernel.white, "alpha": _as_noise(alpha, prior)}
    noise, sources = sum(parts.values()), " + ".join(name for name, part in parts.items() if part > 0.0)
    words = f"included: {noise * units[1] ** 2:.3g} ({sources})" if sources else "none"
    text = f"noise of an observation is {words}." if sources else NO_NOISE
    finding = Finding("noise", "ok" if sources else "warning", text)
    about: dict[str, Any] = {"family": "Normal", "noise": words, "kernel": kernel.smooth, "findings": (finding,)}
    root, response = TriangularRoot(np.asfortranarray(gp.L_, np.float64)), LocationResponse(Normal, 0.0)
    return _latent_gp(gp, kernel, gp.alpha_, root, response, noise, units, **about)


def _inputs(gp: Any) -> Array:
    return np.ascontiguousarray(gp.X_train_, dtype=np.float64)


def _as_noise(alpha: float, prior: Any) -> float:
    return alpha if alpha > JITTER * float(np.mean(prior)) else 0.0


def read_gp_classifier(gp: Any) -> Prediction:
    """The prediction of a fitted GaussianProcessClassifier."""
    if not hasattr(gp, "base_estimator_"):
        raise not_fitted(gp)
    if len(gp.classes_) > 2 and gp.multi_class == "one_vs_one":
        name = type(gp).__name__
        raise InputError(f"{name}(multi_class='one_vs_one') has no probabilities. Fit with multi_class='one_vs_rest'.")
    if overrides(gp, "sklearn", "predict_proba"):
        return read_probabilities(gp)
    members = [gp.base_estimator_] if len(gp.classes_) == 2 else list(gp.base_estimator_.estimators_)
    try:
        kernels = [_with_smooth_part(member) for member in members]
    except (NoTranslationError, AttributeError):  # our kernels do not know it; a class that is not in the data
        return read_probabilities(gp)
    words: dict[str, Any] = {
        "family": "Bernoulli" if len(members) == 1 else "Categorical",
        "noise": OF_CLASSES,
        "classes": gp.classes_,
        "kernel": tuple(kernel.smooth for kernel in kernels),
        "findings": (Finding("link", "ok", "the logistic function is integrated; predict_proba is about 1e-4 off."),),
    }
    closed = []
    for member, kernel in zip(members, kernels, strict=True):
        root = TriangularRoot(np.asfortranarray(member.L_, np.float64), np.ravel(member.W_sr_))
        weights = member.y_train_ - member.pi_
        closed.append(_latent_gp(member, kernel, weights, root, LogitLikelihood(), kernel.white, **words))
    return closed[0] if len(closed) == 1 else _one_against_the_rest(closed)


def _one_against_the_rest(members: list[Prediction]) -> Prediction:
    """A Categorical from one Bernoulli per class, normalised as scikit-learn's OneVsRestClassifier does."""

    def derivatives(X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        return normalized_derivatives([each.derivatives(X, order, inner) for each in members if each.derivatives])

    return replace(
        members[0],
        predict=lambda X: normalized([member.predict(X) for member in members]),
        derivatives=derivatives,
        bytes_per_row=lambda n_columns, order: result_bytes(n_columns, order, 3 * len(members)),
    )


@dataclass(frozen=True)
class Translated:
    """smooth + white·δ, where δ is 1 at a row and itself, and 0 between two rows; None for no smooth part at all.

    A WhiteKernel may be anywhere in the tree:

        (a + w_a δ)(b + w_b δ) = ab + (w_a b(x, x) + w_b a(x, x) + w_a w_b) δ,

    so the white part of a product is one number only where the prior variance of the other factor does not depend on x.
    """

    smooth: Any
    white: float = 0.0

    def __add__(self, other: Translated) -> Translated:
        smooth = [part.smooth for part in (self, other) if part.smooth is not None]
        total = Sum(tuple(smooth)) if len(smooth) == 2 else smooth[0] if smooth else None
        return Translated(total, self.white + other.white)

    def __mul__(self, other: Translated) -> Translated:
        white = self.white * other.white
        for a, b in ((self, other), (other, self)):
            if a.white > 0.0 and b.smooth is not None:
                white += a.white * _prior_variance(b.smooth)
        both = self.smooth is not None and other.smooth is not None
        return Translated(_product(self.smooth, other.smooth) if both else None, white)


def translated(kernel: Any) -> Translated:
    """A fitted kernel of scikit-learn in our terms, or a `NoTranslationError`."""
    native = not overrides(kernel, "sklearn", "__call__", "diag")
    name = next(kind.__qualname__ for kind in type(kernel).__mro__ if "__call__" in vars(kind)) if native else ""
    if name in REFUSED and getattr(kernel, "nu", 0.5) == 0.5:
        raise InputError(f"the kernel is {REFUSED[name]}")
    if name in _COMPOSED:
        return _COMPOSED[name](kernel)
    try:
        return _LEAVES[name](kernel)
    except (KeyError, InputError) as error:  # unknown to us, or a constant of 0: ours are positive
        raise NoTranslationError(repr(kernel)) from error


def _with_smooth_part(gp: Any) -> Translated:
    """The kernel of a fitted GP; white noise alone has no derivatives."""
    kernel = translated(gp.kernel_)
    if kernel.smooth is None:
        raise NoTranslationError("a kernel without a smooth part")
    return kernel


def _lengthscale(kernel: Any) -> float | tuple[float, ...]:
    values = np.squeeze(np.asarray(kernel.length_scale, dtype=np.float64))
    return tuple(values.tolist()) if values.ndim else float(values)


def _power(kernel: Any) -> Translated:
    """k^p as a product of p factors."""
    p = float(kernel.exponent)
    if not 1.0 <= p <= 8.0 or p != int(p):
        raise NoTranslationError(f"Exponentiation(exponent={p:g})")
    return reduce(mul, [translated(kernel.kernel)] * int(p))


#: Kernels without any derivatives: what they are, and what to do; Matern only with nu = 0.5.
REFUSED = {
    "CompoundKernel": "a CompoundKernel, one kernel per class. Explain the fitted GaussianProcessClassifier itself.",
    "Matern": (
        "Matern(nu=0.5), which has no derivatives in x at the training rows. Refit with nu=1.5 or 2.5, or with RBF."
    ),
}
_COMPOSED: dict[str, Callable[[Any], Translated]] = {
    "Sum": lambda k: translated(k.k1) + translated(k.k2),
    "Product": lambda k: translated(k.k1) * translated(k.k2),
    "Exponentiation": _power,
}
_MATERN: dict[float, Callable[..., Kernel]] = {1.5: Matern32, 2.5: Matern52, np.inf: EQ}
_LEAVES: dict[str, Callable[[Any], Translated]] = {
    "RBF": lambda k: Translated(EQ(1.0, _lengthscale(k))),
    "Matern": lambda k: Translated(_MATERN[k.nu](1.0, _lengthscale(k))),
    "RationalQuadratic": lambda k: Translated(RationalQuadratic(1.0, _lengthscale(k), float(k.alpha))),
    "ExpSineSquared": lambda k: Translated(ExpSineSquared(1.0, float(k.periodicity), float(k.length_scale))),
    "DotProduct": lambda k: Translated(
        Sum((Linear(1.0), Constant(float(k.sigma_0) ** 2))) if k.sigma_0 else Linear(1.0)  # σ₀² + x·z
    ),
    "ConstantKernel": lambda k: Translated(Constant(float(k.constant_value))),
    "WhiteKernel": lambda k: Translated(None, float(k.noise_level)),
}


def _product(a: Kernel, b: Kernel) -> Kernel:
    """The product; a constant becomes part of the variances of the other factor, which then has one array less."""
    for factor, other in ((a, b), (b, a)):
        if isinstance(factor, Constant):
            return other.in_units(np.ones(1), factor.variance)
    return Product((a, b))


def _prior_variance(kernel: Kernel) -> float:
    """k(x, x), where it is the same for all x."""
    if isinstance(kernel, Sum):
        return sum(map(_prior_variance, kernel.terms))
    if isinstance(kernel, Product):
        return float(np.prod([_prior_variance(factor) for factor in kernel.factors]))
    if isinstance(kernel, ConstantDiagonal):
        return kernel.variance
    raise NoTranslationError("a product of WhiteKernel and DotProduct")


#: Below this angle the Taylor series of (θ cos θ − sin θ)/θ³ has more digits than the quotient.
SMALL = 1e-2


@dataclass(frozen=True, repr=False)
class ExpSineSquared(Stationary):
    """g(s) = σ² exp(−2 sin²(πr)/w²), r = √s: the length-scale is the period, and w how smooth one period is.

    It is a function of the Euclidean distance, where our `Periodic` is a product over columns.
    With θ = 2πr, h = log(g/σ²): h' = −(2π²/w²) sin θ/θ and h'' = −(4π⁴/w²)(θ cos θ − sin θ)/θ³; g' = gh' and
    g'' = g(h'² + h'').
    """

    variance: float = 1.0
    lengthscale: float | tuple[float, ...] = 1.0
    width: float = 1.0
    dims: tuple[int, ...] | None = None

    def profile(self, s: Array) -> tuple[Array, ...]:
        """g, g' and ∂g/∂log w = g · 4 sin²(πr)/w²."""
        r = np.sqrt(s)
        exponent = 2.0 * np.square(np.sin(np.pi * r)) / self.width**2
        g = self.variance * np.exp(-exponent)
        return g, g * self._slope(r), 2.0 * g * exponent

    def curvature(self, s: Array) -> Array:
        r = np.sqrt(s)
        θ = 2.0 * np.pi * r
        far = np.where(θ < SMALL, 1.0, θ)
        bend = np.where(θ < SMALL, -1.0 / 3.0 + θ**2 / 30.0, (far * np.cos(far) - np.sin(far)) / far**3)
        return self.profile(s)[0] * (self._slope(r) ** 2 - 4.0 * np.pi**4 / self.width**2 * bend)

    def _slope(self, r: Array) -> Array:
        """h'."""
        return -2.0 * np.pi**2 / self.width**2 * np.sinc(2.0 * r)
