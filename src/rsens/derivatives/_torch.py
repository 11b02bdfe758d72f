"""Derivatives of a function written in PyTorch: forward mode where its operations allow it, else reverse mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rsens._coding import Coding
from rsens._errors import InputError, MissingExtraError
from rsens._typing import Array
from rsens.derivatives._model import (
    CACHE_BYTES,
    FEW_ROWS,
    MAX_BYTES,
    DifferentiatedFunction,
    Model,
    result_bytes,
    rows_for,
)
from rsens.derivatives._output import check_function, family_from, parameters_of
from rsens.distributions import Distribution

#: Types with fewer digits than float64.
SINGLE = ("torch.float32", "torch.float16", "torch.bfloat16")


def from_torch(fn: Callable[[Any], Any], *, categorical: Any = None) -> Model:
    """A model from a function written in PyTorch.

    The function takes rows X, a float64 tensor of shape (n, D), and returns a family built from tensors, or a
    distribution that `as_family` knows (torch.distributions, GPyTorch), each row of it from the same row of X only.
    Modules must be in float64 (`module.double()`) and in evaluation mode (`module.eval()`); they are not changed, and
    no gradients are left on their parameters.

    Args:
        fn: The function.
        categorical: Columns that are categorical, as in `from_function`.

    Returns:
        A model for `explain`, `rsens` and all other measures.

    Example:
        With a network of two outputs: ``from_torch(lambda X: Normal(net(X)[:, 0], net(X)[:, 1].exp()))``.

        >>> from rsens import Normal, from_torch, rsens
        >>> model = from_torch(lambda X: Normal(mean=X[:, 0].sin(), variance=X[:, 1].exp()))
        >>> rsens(model, [[0.0, 0.0]]).round(6).tolist()
        [[1.0, 0.707107]]
    """
    check_function(fn, "from_torch")
    try:
        import torch
    except ImportError:
        raise MissingExtraError("torch", "torch") from None
    if isinstance(fn, torch.nn.Module):
        check_evaluation_mode(fn)
    return TorchModel(fn, categorical=categorical)


@dataclass(frozen=True, eq=False)
class TorchModel(DifferentiatedFunction):
    """The model that `from_torch` makes."""

    fn: Callable[[Any], Distribution]
    probe: Array | None = None
    categorical: Any = None
    coding: Coding | None = None

    made: ClassVar[str] = "automatic (PyTorch)"

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        """From the tensors made for 2 and for 4 rows; each grows like a power of the number of rows."""
        most = rows_for(result_bytes(n_columns, order))
        if self.probe is None or not self.continuous(n_columns):
            return min(FEW_ROWS, most)
        few, more = (self._sizes(np.resize(self.probe, (rows, n_columns)), order) for rows in (2, 4))
        if len(few) != len(more):
            few, more = few.max(keepdims=True), more.max(keepdims=True)
        few, more = few[more > few], more[more > few]
        power = np.maximum(np.log2(more / few), 1.0)  # less is rows that are added to something larger

        def rows_with(largest: float) -> int:
            """How many rows make tensors of at most `largest` bytes."""
            return int(np.min(4.0 * (largest / more) ** (1.0 / power), initial=most))

        # About four of the largest tensors are alive at a time: a value, its two first derivatives and its second.
        return max(1, rows_with(CACHE_BYTES / 4), min(FEW_ROWS, rows_with(MAX_BYTES / 4)))

    def prepared(self, X: Any) -> TorchModel:
        model = self.coded(X)
        return replace(model, probe=model.numbers(X)[:4])

    def _results(self, X: Array, order: int) -> tuple[Distribution, Array, list[bool], Any, Any, Any]:
        import torch

        with torch.no_grad():
            family, λ, _ = self._values(torch.tensor(X))
        leaves = family.leaves()
        single = [str(getattr(leaf, "dtype", "")) in SINGLE for leaf in leaves]
        moved, first, second = (None, None, None) if order == 0 else self._differentiate(X, order)
        return family.rebuilt(iter(map(_numpy, leaves))), _numpy(λ), single, moved, first, second

    def _values(self, X: Any) -> tuple[Distribution, Any, list[Any]]:
        """The family, λ, shape (n, M), and the family's leaves in float64."""
        import torch

        try:
            family = family_from(self.fn, X)
        except RuntimeError as error:
            if "dtype" in str(error) or {"Double", "Float"} <= set(str(error).replace(",", " ").split()):
                raise InputError(
                    f"the function mixes float64 rows with single precision ({str(error).splitlines()[0]}). "
                    "Convert its modules with .double() and its tensors with .to(torch.float64)."
                ) from error
            raise
        try:
            leaves = [_as_tensor(leaf).to(X) for leaf in family.leaves()]
        except (TypeError, ValueError, RuntimeError) as error:
            raise InputError(f"{type(family).__name__} is not built from tensors: {error}") from None
        λ = torch.as_tensor(parameters_of(family.rebuilt(iter(leaves)), len(X))).to(X)
        return family, λ.broadcast_to(len(X), λ.shape[-1]), leaves

    def _differentiate(self, X: Array, order: int) -> tuple[list[bool], Array, Array | None]:
        """Whether each leaf depends on x, ∂λ, and ∂²λ."""
        import torch

        try:
            with torch.no_grad():
                moved, first, second = self._forward(torch.tensor(X), order)
        except RuntimeError:  # an operation without a forward rule, or one that vmap cannot batch
            try:
                moved, first, second = self._reverse(torch.tensor(X), order)
            except RuntimeError as error:
                raise InputError(
                    f"PyTorch cannot differentiate the function ({str(error).splitlines()[0]}). "
                    "Keep to torch operations without .numpy() or .item(), or use from_function."
                ) from error
        return moved, _numpy(first), None if second is None else _numpy(second)

    def _forward(self, X: Any, order: int) -> tuple[list[bool], Any, Any]:
        import torch

        columns = slice(None) if self.coding is None else list(self.coding.continuous)

        def along_columns(f: Callable[[Any], list[Any]]) -> Callable[[Any], list[Any]]:
            """∂f/∂x_d for every continuous d, on a new last axis; one tangent, e_d on every row, serves all rows."""

            def derivative(X: Any) -> list[Any]:
                def along(e: Any) -> list[Any]:
                    tangents: list[Any] = torch.func.jvp(f, (X,), (e.expand(X.shape),))[1]
                    return tangents

                # Moved by hand: vmap's own out_dims=-1 reads past the end of results that do not depend on x.
                directions = torch.eye(X.shape[1], dtype=X.dtype)[columns]
                return [part.movedim(0, -1) for part in torch.func.vmap(along)(directions)]

            return derivative

        def values(Z: Any) -> list[Any]:
            _, λ, leaves = self._values(Z)
            return [λ, *leaves]

        first, *leaves = along_columns(values)(X)
        moved = [bool((leaf != 0.0).any()) for leaf in leaves]
        second = along_columns(along_columns(lambda Z: values(Z)[:1]))(X)[0] if order == 2 else None
        return moved, first, second

    def _reverse(self, X: Any, order: int) -> tuple[list[bool], Any, Any]:
        """The gradient of Σ_i λ_m(x_i) holds ∂λ_m/∂x at every row i; the gradients of its columns hold ∂²λ_m."""
        import torch

        columns = slice(None) if self.coding is None else list(self.coding.continuous)

        def gradient(values: Any) -> Any:
            """∂values/∂x in the continuous columns, row by row; zero where the values do not depend on x."""
            if not values.requires_grad:
                return torch.zeros_like(X)[:, columns]
            options = {"retain_graph": True, "create_graph": order == 2, "allow_unused": True}
            (result,) = torch.autograd.grad(values.sum(), X, **options)
            return (torch.zeros_like(X) if result is None else result)[:, columns]

        with torch.enable_grad():
            X.requires_grad_()
            _, λ, leaves = self._values(X)
            firsts = [gradient(column) for column in λ.unbind(-1)]
            moved = [bool((gradient(leaf) != 0.0).any()) for leaf in leaves]
            first, second = torch.stack(firsts, 1).detach(), None
            if order == 2:
                rows = [torch.stack([gradient(column).detach() for column in each.unbind(-1)], 1) for each in firsts]
                second = torch.stack(rows, 1)
        return moved, first, second

    def _sizes(self, X: Array, order: int) -> Array:
        """The bytes of every tensor made while X is differentiated, in order."""
        from torch.utils._python_dispatch import TorchDispatchMode
        from torch.utils._pytree import tree_leaves

        sizes = [1]

        class Recorder(TorchDispatchMode):  # type: ignore[misc]
            def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                result = func(*args, **(kwargs or {}))
                sizes.extend(t.untyped_storage().nbytes() for t in tree_leaves(result) if hasattr(t, "untyped_storage"))
                return result

        with Recorder():
            self._differentiate(X, order)
        return np.maximum(np.array(sizes, dtype=np.float64), 1.0)


def _as_tensor(leaf: Any) -> Any:
    """A leaf as one tensor; a list of tensors keeps its graph, which torch.as_tensor would cut off."""
    import torch

    listed = isinstance(leaf, list | tuple) and any(isinstance(part, torch.Tensor) for part in leaf)
    tensor = torch.stack([torch.as_tensor(part) for part in leaf]) if listed else torch.as_tensor(leaf)
    if tensor.is_complex():
        raise TypeError("an argument is complex; it must be real.")
    return tensor


def _numpy(tensor: Any) -> Array:
    """A detached float64 copy on the CPU; numbers and NumPy arrays pass."""
    return np.asarray(tensor.detach().cpu() if hasattr(tensor, "detach") else tensor, dtype=np.float64)


def check_evaluation_mode(module: Any) -> None:
    """Dropout is random and batch normalisation mixes rows (and changes the module) while they are in training mode."""
    import torch

    kinds = (torch.nn.modules.dropout._DropoutNd, torch.nn.modules.batchnorm._BatchNorm)
    wrong = sorted({type(part).__name__ for part in module.modules() if isinstance(part, kinds) and part.training})
    if wrong:
        raise InputError(f"the module is in training mode and has {', '.join(wrong)}. Call .eval() first.")
