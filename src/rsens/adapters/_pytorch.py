"""PyTorch: modules whose `forward` returns a distribution; MC dropout; Laplace approximations of laplace-torch.

With MC dropout, a network with some of its units left out, at random but the same for all rows, is a posterior draw.
A Laplace approximation is linearised in the weights of its network, so that f(x) ~ N(m(x), v(x)).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rsens._arguments import seed_sequence, whole_number
from rsens._conversions import as_family, is_a, package_of
from rsens._errors import Argument, InputError
from rsens.adapters._adapter import Adapter, Described, first_line, wrong_kind
from rsens.adapters._linear_predictor import through_response
from rsens.derivatives import Derivatives, Description, Finding, Model, TorchModel, check_evaluation_mode, from_draws
from rsens.distributions import Categorical, Distribution, MultivariateNormal, Normal
from rsens.likelihoods import LogitLikelihood
from rsens.posteriors import Latent

AUTOMATIC = "automatic (PyTorch)"


@dataclass(frozen=True, eq=False)
class ModuleModel(Described, TorchModel):
    """A module as a model, with words about it."""

    label: str = "module"
    about: Description | None = None
    findings: tuple[Finding, ...] = ()


def _adapt(module: Any) -> Model:
    check_evaluation_mode(module)
    label = type(module).__name__
    family, noise = "the distribution that forward returns", "as that distribution has it"
    about = Description(f"{label}, a module of PyTorch", family, noise, AUTOMATIC)
    return ModuleModel(InFloat64(module), label=label, about=about, findings=_findings(module))


TORCH_MODULE = Adapter("modules of PyTorch that return distributions", lambda obj: is_a(obj, "torch.Module"), _adapt)


class InFloat64:
    """A module that takes rows in float64: a copy on the CPU, made at the first call. The module itself is untouched.

    `head` makes a distribution of the output of `forward`; without it `forward` must return one.
    """

    def __init__(self, module: Any, head: Callable[[Any], Any] | None = None) -> None:
        self._module, self._head = module, head
        self._copy: Any = None

    @property
    def module(self) -> Any:
        """The copy."""
        if self._copy is None:
            self._copy = deepcopy(self._module).cpu().double()
        return self._copy

    def __call__(self, X: Any) -> Distribution:
        from torch.distributions import Distribution as TorchDistribution

        # Its checks of arguments cannot be traced, and the family is checked anyway. The setting is put back.
        checks = TorchDistribution._validate_args
        TorchDistribution.set_default_validate_args(False)
        try:
            output = self.module(X)
            return _as_distribution(output if self._head is None else self._head(output), type(self._module).__name__)
        except RuntimeError as error:
            if "shapes cannot be multiplied" in str(error):
                text = f"{type(self._module).__name__} does not take the {X.shape[-1]} columns of "
                raise InputError(text, Argument("X"), f" ({first_line(error)}). Give its training columns.") from error
            raise
        finally:
            TorchDistribution.set_default_validate_args(checks)


def _as_distribution(output: Any, name: str) -> Distribution:
    """The output of a module as a family, or an error with the line to write."""
    if is_a(output, "torch.Tensor") or isinstance(output, tuple | list):
        got = f"tensor of shape {tuple(output.shape)}" if is_a(output, "torch.Tensor") else type(output).__name__
        raise InputError(
            f"{name} returns a {got}, not a distribution. After module.double() make one of it: from_torch(lambda X: "
            "Normal(module(X)[:, 0], variance)), with the variance of y around the output on new rows; for classes "
            "from_torch(lambda X: Bernoulli(logit=module(X)[:, 0])) or Categorical(module(X).softmax(-1))."
        )
    return as_family(output)


def _findings(module: Any) -> tuple[Finding, ...]:
    """The mode and the precision of the module."""
    single = any(str(p.dtype) in ("torch.float32", "torch.float16", "torch.bfloat16") for p in module.parameters())
    text = "float32 weights: predictions are computed in float64, on a copy." if single else "float64."
    return (
        Finding("mode", "ok", "nothing in the module is random or mixes rows in its present mode."),
        Finding("precision", "ok", text),
    )


def from_dropout(
    module: Any,
    head: Callable[[Any], Any] | None = None,
    *,
    n_draws: int = 100,
    random_state: Any = None,
) -> Model:
    """A PyTorch module with dropout as posterior draws (Gal and Ghahramani, 2016): one thinned network per draw.

    The mask of a draw is the same for all rows, so that each draw is a smooth function of x and the predictive is their
    mixture. Everything else in the module is in evaluation mode; the module itself and torch's random numbers are
    left unchanged.

    Args:
        module: A module with layers nn.Dropout, in evaluation mode: `module.eval()`.
        head: A function from the output of `forward` to a distribution of y: ``lambda out: Normal(out[:, 0], 0.04)``
            with the variance of the noise. Leave it out if `forward` returns a distribution.
        n_draws: How many masks.
        random_state: Seed of the masks: a whole number, a NumPy Generator, or None for a new seed.

    Returns:
        A model for `explain`, `rsens` and all other measures.

    Example:
        >>> import rsens
        >>> import torch
        >>> _ = torch.manual_seed(0)
        >>> layers = torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Dropout(0.2), torch.nn.Linear(8, 1)
        >>> module = torch.nn.Sequential(*layers).eval()
        >>> model = rsens.from_dropout(
        ...     module, lambda out: rsens.Normal(out[..., 0], 1.0), n_draws=10, random_state=0
        ... )
        >>> rsens.rsens(model, [[0.0, 1.0]]).shape
        (1, 2)
    """
    name = type(module).__name__
    if not is_a(module, "torch.Module"):
        raise wrong_kind("from_dropout", "module", "a module of PyTorch", module)
    check_evaluation_mode(module)
    draws = whole_number(n_draws, "n_draws", 2)
    predict, tape = InFloat64(module, head), _Tape()
    layers = [part for part in predict.module.modules() if is_a(part, "torch.Dropout") and 0.0 < part.p < 1.0]
    for layer in layers:
        layer.register_forward_hook(partial(_masked, tape))
    if not layers:
        raise InputError(f"from_dropout: {name} has no layer nn.Dropout. Make calls of functional.dropout layers.")
    masks = tape.drawn(predict.module, draws, seed_sequence(random_state))

    def one_draw(parameters: dict[str, Any], X: Any) -> Distribution:
        tape.masks = iter([parameters[name] for name in masks])
        return predict(X)

    family, noise = f"mixture of {draws} thinned networks", "as the distribution of one network has it"
    about = Description(f"{name}, a module of PyTorch with dropout", family, noise, AUTOMATIC)
    fixed = Finding("masks", "ok", f"{draws} masks, the same for all rows, for {len(masks)} uses of dropout.")
    return from_draws(one_draw, masks, backend="torch").described(about, *_findings(module), fixed)


class _Tape:
    """The masks of one draw, in the order in which `forward` uses them; before there are any, it records the uses."""

    def __init__(self) -> None:
        self.masks: Iterator[Any] | None = None
        self._used: list[tuple[tuple[int, ...], float]] = []

    def next(self, shape: tuple[int, ...], p: float) -> Any:
        """A factor for the units of a layer: 0 for those left out, 1/(1 − p) for the others."""
        if self.masks is None:
            self._used.append((shape, p))
            return 1.0
        mask = next(self.masks, None)
        if mask is None:
            raise InputError("from_dropout: forward does not use its dropout layers the same way for all rows.")
        return mask

    def drawn(self, module: Any, n_draws: int, seed: Any) -> dict[str, Any]:
        """Masks for every use of dropout in `forward`, (draws, units) each."""
        import torch

        columns = next((part.in_features for part in module.modules() if isinstance(part, torch.nn.Linear)), None)
        if columns is None:
            raise InputError(f"from_dropout: {type(module).__name__} has no layer nn.Linear that shows its columns.")
        with torch.no_grad():
            module(torch.zeros((2, columns), dtype=torch.float64))
        rng = np.random.default_rng(seed)
        return {
            f"mask {k}": (rng.random((n_draws, *shape)) >= p) / (1.0 - p) for k, (shape, p) in enumerate(self._used)
        }


def _masked(tape: _Tape, layer: Any, inputs: Any, output: Any) -> Any:
    """A hook of a layer in evaluation mode, which passes on its input."""
    return output * tape.next(tuple(output.shape[1:]), layer.p)


# ---- laplace-torch ---------------------------------------------------------------------------------------------------


class _LaplaceMoments:
    """The moments of f in float64: of a copy that lets gradients through. The object itself is untouched."""

    def __init__(self, laplace: Any) -> None:
        self._laplace = laplace
        self._copy: Any = None

    def moments(self, X: Any) -> tuple[Any, Any]:
        """m (n, K) and the covariance (n, K, K)."""
        if self._copy is None:
            self._copy = _laplace_in_float64(self._laplace)
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
class LaplaceModel(ModuleModel):
    """Reverse mode only: laplace-torch differentiates in the weights itself, and forward mode does not go through."""

    def _forward(self, X: Any, order: int) -> tuple[Any, list[bool], Any]:
        raise RuntimeError("not tried")


@dataclass(frozen=True, eq=False)
class LogitModel(LaplaceModel):
    """A latent f, differentiated by PyTorch, through our logistic link."""

    def _derivatives(self, X: Any, order: int) -> Derivatives:
        f = super()._derivatives(X, order)
        m, v = f.distribution.parameters.T
        return through_response(LogitLikelihood(), Latent(m, v, f.first, f.second))

    def predict_distribution(self, X: Any) -> Distribution:
        return LogitLikelihood().predictive(*super().predict_distribution(X).parameters.T)


def _adapt_laplace(laplace: Any) -> Model:
    name = type(laplace).__name__
    if not is_a(laplace, "laplace.ParametricLaplace"):
        raise InputError(f"rsens cannot read {name} of laplace-torch. Use hessian_structure 'full', 'kron' or 'diag'.")
    if not getattr(laplace, "n_data", 0):
        raise InputError(f"{name} is not fitted. Call fit(train_loader) first.")
    check_evaluation_mode(laplace.model)
    kind, outputs = str(getattr(laplace.likelihood, "value", laplace.likelihood)), int(laplace.n_outputs)
    if kind not in ("regression", "classification"):
        raise InputError(f"{name} has the likelihood {kind!r}; rsens reads 'regression' and 'classification'.")
    latent, kept = _LaplaceMoments(laplace), f"{name} of laplace-torch"
    if kind == "classification":
        more, averaged = outputs > 2, "exactly" if outputs <= 2 else "by laplace-torch's probit formula"
        words = f"the classes themselves; link averaged {averaged}"
        about = Description(kept, f"Categorical ({outputs} classes)" if more else "Bernoulli", words, AUTOMATIC)
        if more:
            return LaplaceModel(latent.classes, label=name, about=about)
        return LogitModel(latent.two_classes, label=name, about=about)
    noise = float(laplace.sigma_noise) ** 2
    untouched = " It is 1, the default: fit it, or give Laplace(…, sigma_noise=…)." if noise == 1.0 else ""
    text = f"sigma_noise² = {noise:.3g} is added to the variance of f, which laplace-torch leaves out.{untouched}"
    family = "Normal" if outputs == 1 else f"MultivariateNormal ({outputs} numbers)"
    about = Description(kept, family, f"included: {noise:.3g} (sigma_noise²)", AUTOMATIC)
    finding = Finding("noise", "warning" if untouched else "ok", text)
    return LaplaceModel(partial(latent.numbers, noise), label=name, about=about, findings=(finding,))


LAPLACE = Adapter("Laplace approximations of laplace-torch", lambda o: is_a(o, "laplace.BaseLaplace"), _adapt_laplace)


def _laplace_in_float64(laplace: Any) -> Any:
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
    if package_of(type(obj)) == "laplace" and hasattr(obj, "__dict__") and id(obj) not in seen:
        seen.add(id(obj))
        for name, part in list(vars(obj).items()):
            if name != "model":
                vars(obj)[name] = _to_float64(part, seen)
    return obj
