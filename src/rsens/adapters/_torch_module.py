"""Modules of PyTorch whose `forward` returns a distribution: explained as they are, by automatic differentiation."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from rsens._conversions import as_family
from rsens._errors import Argument, InputError
from rsens.adapters._adapter import Adapter, Described, is_a
from rsens.derivatives import Description, Finding, Model, TorchModel, check_evaluation_mode
from rsens.distributions import Distribution


class InFloat64:
    """A module that takes rows in float64: a copy on the CPU, made at the first call. The module itself is untouched.

    `head` makes a distribution of what `forward` returns; without it `forward` must return one.
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
            return as_distribution(output if self._head is None else self._head(output), type(self._module).__name__)
        except RuntimeError as error:
            if "shapes cannot be multiplied" in str(error):
                raise InputError(
                    f"{type(self._module).__name__} does not take the {X.shape[-1]} columns of ",
                    Argument("X"),
                    f" ({str(error).splitlines()[0]}). Give the columns that it was trained on.",
                ) from error
            raise
        finally:
            TorchDistribution.set_default_validate_args(checks)


def as_distribution(output: Any, name: str) -> Distribution:
    """What a module returned as a family, or an error with the lines to write."""
    if is_a(output, "torch.Tensor"):
        column = "[:, 0]" if output.ndim == 2 else ""
        raise InputError(
            f"{name} returns a tensor of shape {tuple(output.shape)}, a point and no distribution. Say what it is: "
            f"from_torch(lambda X: Normal(module(X){column}, noise_variance)) for numbers, with the variance of y "
            f"around the output on rows that it was not trained on; from_torch(lambda X: Bernoulli(logit=module(X)"
            f"{column})) or from_torch(lambda X: Categorical(module(X).softmax(-1))) for classes. The module must be "
            "in float64 then: module.double()."
        )
    if isinstance(output, tuple | list):
        raise InputError(
            f"{name} returns a {type(output).__name__} of {len(output)}, which does not say what is what. Write it, "
            "such as from_torch(lambda X: Normal(mean, variance)) with the parts of module(X): a variance, neither a "
            "standard deviation nor its logarithm. The module must be in float64 then: module.double()."
        )
    return as_family(output)


@dataclass(frozen=True, eq=False)
class ModuleModel(Described, TorchModel):
    """A module as a model, with words about it."""

    label: str = "module"
    about: Description | None = None
    findings: tuple[Finding, ...] = ()


def module_findings(module: Any) -> tuple[Finding, ...]:
    """Mode and precision, as they are."""
    single = any(str(p.dtype) in ("torch.float32", "torch.float16", "torch.bfloat16") for p in module.parameters())
    text = "float32 weights: predictions are computed in float64, on a copy." if single else "float64."
    return (
        Finding("mode", "ok", "nothing in the module is random or mixes rows in its present mode."),
        Finding("precision", "ok", text),
    )


def _adapt(module: Any) -> Model:
    check_evaluation_mode(module)
    label = type(module).__name__
    about = Description(
        f"{label}, a module of PyTorch",
        "the distribution that forward returns",
        "as that distribution has it",
        "automatic (PyTorch)",
    )
    return ModuleModel(InFloat64(module), label=label, about=about, findings=module_findings(module))


TORCH_MODULE = Adapter("modules of PyTorch that return distributions", lambda obj: is_a(obj, "torch.Module"), _adapt)


def checked_module(module: Any, call: str) -> None:
    """The argument of a call must be a module."""
    if not is_a(module, "torch.Module"):
        raise InputError(f"{call}: ", Argument("module"), f" must be a module of PyTorch; got {type(module).__name__}.")
