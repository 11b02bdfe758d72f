"""Networks with a Laplace approximation of laplace-torch: linearised in their weights, f(x) ~ N(m(x), v(x))."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens.adapters._adapter import Adapter, is_a
from rsens.adapters._torch_module import ModuleModel
from rsens.derivatives import Derivatives, Description, Finding, Model, check_evaluation_mode
from rsens.distributions import Categorical, Distribution, MultivariateNormal, Normal
from rsens.likelihoods import LogitLikelihood, through_likelihood


class _Latent:
    """The moments of f in float64: of a copy that lets gradients through. The object itself is untouched."""

    def __init__(self, laplace: Any) -> None:
        self._laplace = laplace
        self._copy: Any = None

    def moments(self, X: Any) -> tuple[Any, Any]:
        """m (n, K) and the covariance (n, K, K)."""
        if self._copy is None:
            self._copy = _in_float64(self._laplace)
        m, V = self._copy._glm_predictive_distribution(X)
        return m, V

    def numbers(self, noise: float, X: Any) -> Normal | MultivariateNormal:
        """One number or several at once, with the variance of their noise."""
        import torch

        m, V = self.moments(X)
        if m.shape[1] == 1:
            return Normal(m[:, 0], V[:, 0, 0] + noise)
        return MultivariateNormal(m, V + noise * torch.eye(m.shape[1], dtype=m.dtype))

    def two_classes(self, X: Any) -> Normal:
        """The logit: f of a network with one output, or with two the second against the first."""
        m, V = self.moments(X)
        if m.shape[1] == 1:
            return Normal(m[:, 0], V[:, 0, 0])
        return Normal(m[:, 1] - m[:, 0], V[:, 0, 0] + V[:, 1, 1] - 2.0 * V[:, 0, 1])

    def classes(self, X: Any) -> Categorical:
        """More than two classes: softmax(m/√(1 + π v/8)), the "probit" prediction of laplace-torch."""
        m, V = self.moments(X)
        v = V.diagonal(dim1=-2, dim2=-1)
        return Categorical((m / (1.0 + np.pi / 8.0 * v).sqrt()).softmax(-1))


@dataclass(frozen=True, eq=False)
class ReverseModel(ModuleModel):
    """Reverse mode only: laplace-torch differentiates in the weights itself, and forward mode does not go through."""

    def _forward(self, X: Any, order: int) -> tuple[Any, list[bool], Any]:
        raise RuntimeError("not tried")


@dataclass(frozen=True, eq=False)
class LogitModel(ReverseModel):
    """A latent f, differentiated by PyTorch, through our logistic link."""

    def _derivatives(self, X: Any, order: int) -> Derivatives:
        f = super()._derivatives(X, order)
        m, v = f.distribution.parameters.T
        return through_likelihood(LogitLikelihood(), m, v, f.first, f.second)

    def predict_distribution(self, X: Any) -> Distribution:
        return LogitLikelihood().predictive(*super().predict_distribution(X).parameters.T)


def _adapt(laplace: Any) -> Model:
    name = type(laplace).__name__
    if not is_a(laplace, "laplace.ParametricLaplace"):
        raise InputError(
            f"{name} of laplace-torch is not one that rsens can read. Use Laplace(…) with hessian_structure 'full', "
            "'kron', 'diag' or 'lowrank'."
        )
    if not getattr(laplace, "n_data", 0):
        raise InputError(f"{name} is not fitted. Call fit(train_loader) first.")
    check_evaluation_mode(laplace.model)
    kind, outputs = str(getattr(laplace.likelihood, "value", laplace.likelihood)), int(laplace.n_outputs)
    if kind not in ("regression", "classification"):
        raise InputError(f"{name} has the likelihood {kind!r}; rsens reads 'regression' and 'classification'.")
    latent = _Latent(laplace)

    def about(family: str, noise: str) -> Description:
        return Description(f"{name} of laplace-torch", family, noise, "automatic (PyTorch)")

    if kind == "classification" and outputs > 2:
        words = "the classes themselves; link averaged by laplace-torch's probit formula"
        return ReverseModel(latent.classes, label=name, about=about(f"Categorical ({outputs} classes)", words))
    if kind == "classification":
        words = "the classes themselves; logistic link averaged exactly"
        return LogitModel(latent.two_classes, label=name, about=about("Bernoulli", words))
    noise = float(laplace.sigma_noise) ** 2
    untouched = " It is 1, as nobody has set it: fit it, or give Laplace(…, sigma_noise=…)." if noise == 1.0 else ""
    finding = Finding(
        "noise",
        "warning" if untouched else "ok",
        f"sigma_noise² = {noise:.3g} is added to the variance of f, which laplace-torch leaves out.{untouched}",
    )
    family = "Normal" if outputs == 1 else f"MultivariateNormal ({outputs} numbers)"
    described = about(family, f"included: {noise:.3g} (sigma_noise²)")
    return ReverseModel(partial(latent.numbers, noise), label=name, about=described, findings=(finding,))


def _in_float64(laplace: Any) -> Any:
    """A copy whose tensors are in float64 and whose moments can be differentiated in x."""
    copy = deepcopy(laplace)
    copy.model.cpu().double()
    _to_float64(copy, set())
    copy.enable_backprop = True
    if is_a(copy.model, "laplace.FeatureExtractor"):  # last layer only: its hook still writes to the original
        copy.model.enable_backprop = True
        copy.model.last_layer._forward_hooks.clear()
        copy.model.set_last_layer(copy.model._last_layer_name)
    copy._backend = None  # made again, for the copy
    return copy


def _to_float64(obj: Any, seen: set[int]) -> Any:
    """Every tensor inside an object of laplace-torch, in place; modules have been converted before."""
    import torch

    if isinstance(obj, torch.nn.Module):
        return obj
    if isinstance(obj, torch.Tensor):
        return obj.cpu().double() if obj.is_floating_point() and not isinstance(obj, torch.nn.Parameter) else obj
    if isinstance(obj, torch.dtype):
        return torch.float64
    if isinstance(obj, list | tuple):
        return type(obj)(_to_float64(part, seen) for part in obj)
    if isinstance(obj, dict):
        return {name: _to_float64(part, seen) for name, part in obj.items()}
    if type(obj).__module__.partition(".")[0] == "laplace" and hasattr(obj, "__dict__") and id(obj) not in seen:
        seen.add(id(obj))
        for name, part in list(vars(obj).items()):
            if name != "model":
                vars(obj)[name] = _to_float64(part, seen)
    return obj


LAPLACE = Adapter("Laplace approximations of laplace-torch", lambda obj: is_a(obj, "laplace.BaseLaplace"), _adapt)
