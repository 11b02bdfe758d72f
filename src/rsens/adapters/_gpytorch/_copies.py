"""A copy to work on: in evaluation mode, float64, on the CPU, without gradients and without what was cached before."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._typing import Array

#: Attributes in which GPyTorch keeps results of earlier predictions, perhaps made with other settings.
CACHES = ("prediction_strategy", "_memoize_cache", "_cached_kernel_mat", "_cached_kernel_inv_root", "_mean_cache")

#: What other people's code raises when it is given something that it was not written for.
FAILURES = (RuntimeError, ValueError, TypeError, AttributeError, LookupError, AssertionError)


def working_copy(model: Any) -> Any:
    """The model as it is to predict; the user's own keeps its mode, precision, gradients and caches."""
    import torch

    try:
        copy = deepcopy(model, _left_out(model))
    except FAILURES as error:
        raise InputError(
            f"{type(model).__name__} cannot be copied ({first_line(error)}). rsens works on a copy, so that your "
            "model stays as it is: make copy.deepcopy(model) work, or detach the tensors that the model keeps."
        ) from error
    for part in copy.modules():
        for name in CACHES:
            if name != "prediction_strategy" and name in vars(part):
                delattr(part, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # BoTorch warns of its own transforms while it changes the mode
        copy.eval()
        copy.to(device="cpu", dtype=torch.float64)
    for name, part in model.named_modules():
        if hasattr(type(part), "jitter_val"):  # of a variational strategy: its default depends on the precision
            copy.get_submodule(name).jitter_val = part.jitter_val
    for parameter in copy.parameters():
        parameter.requires_grad_(False)
    return copy


def is_single(model: Any) -> bool:
    """Whether the model, or the data it was fitted to, is in single precision."""
    given = [*model.parameters(), *(getattr(model, "train_inputs", None) or ())]
    return any(str(values.dtype) in ("torch.float32", "torch.float16", "torch.bfloat16") for values in given)


def numpy_of(tensor: Any) -> Array:
    """A detached float64 copy on the CPU."""
    return np.array(tensor.detach().cpu().numpy(), dtype=np.float64)


def _left_out(model: Any) -> dict[int, Any]:
    """What `deepcopy` finds done already: caches are dropped, tensors come without their history.

    It would spend most of its time on tensors, and on the dozen empty mappings for hooks that every module has.
    """
    memo: dict[int, Any] = {}
    for part in model.modules():
        for name, value in vars(part).items():
            if name in CACHES and value is not None:
                memo[id(value)] = {} if isinstance(value, dict) else None
            elif type(value) in (dict, OrderedDict) and not value:
                memo[id(value)] = type(value)()
            elif name in ("_parameters", "_buffers"):
                memo.update(_copied(value.values()))
            else:
                memo.update(_copied(value if isinstance(value, tuple | list) else (value,)))
    return memo


def _copied(values: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """A copy without history of each tensor; what users derive from tensors may have more to copy."""
    import torch

    for each in values:
        if type(each) is torch.nn.Parameter:
            yield id(each), torch.nn.Parameter(each.detach().clone(), requires_grad=False)
        elif type(each) is torch.Tensor or (isinstance(each, torch.Tensor) and each.grad_fn is not None):
            yield id(each), each.detach().clone()


def first_line(error: Exception) -> str:
    """What an error says first."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__
