"""MC dropout: a network with some of its units left out, at random but the same for all rows, is a posterior draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rsens._arguments import seed_sequence, whole_number
from rsens._errors import InputError
from rsens.adapters._torch_module import InFloat64, checked_module, module_findings
from rsens.derivatives import Description, Finding, Model, check_evaluation_mode, from_draws
from rsens.distributions import Distribution


def from_dropout(
    module: Any,
    head: Callable[[Any], Any] | None = None,
    *,
    n_draws: int = 100,
    random_state: Any = None,
) -> Model:
    """A PyTorch module with dropout as posterior draws (Gal and Ghahramani, 2016): one thinned network per draw.

    The mask of a draw is the same for all rows, so that each draw is a smooth function of x and the predictive is their
    mixture. Everything else in the module is in evaluation mode; the module itself and torch's random numbers stay
    as they are.

    Args:
        module: A module with layers nn.Dropout, in evaluation mode: `module.eval()`.
        head: What the output of `forward` says about y, as a distribution: ``lambda out: Normal(out[:, 0], 0.04)`` with
            the variance of the noise. Leave it out if `forward` returns a distribution.
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
    checked_module(module, "from_dropout")
    check_evaluation_mode(module)
    draws = whole_number(n_draws, "n_draws", 2)
    predict, tape = InFloat64(module, head), _Tape()
    if not _replace_dropout(predict.module, tape):
        raise InputError(
            f"from_dropout: {type(module).__name__} has no layer nn.Dropout. Calls of torch.nn.functional.dropout "
            "inside forward cannot be held fixed: make them layers."
        )
    masks = tape.drawn(predict.module, draws, seed_sequence(random_state))

    def one_draw(parameters: dict[str, Any], X: Any) -> Distribution:
        tape.play([parameters[name] for name in masks])
        return predict(X)

    about = Description(
        f"{type(module).__name__}, a module of PyTorch with dropout",
        f"mixture of {draws} thinned networks",
        "as the distribution of one network has it",
        "automatic (PyTorch)",
    )
    fixed = Finding("masks", "ok", f"{draws} masks, the same for all rows, for {len(masks)} uses of dropout.")
    return from_draws(one_draw, masks, backend="torch").described(about, *module_findings(module), fixed)


class _Tape:
    """The masks of one draw, in the order in which `forward` asks for them; while recording, what it asks for."""

    def __init__(self) -> None:
        self._masks: list[Any] | None = None
        self._position = 0
        self._asked: list[tuple[tuple[int, ...], float]] = []

    def play(self, masks: list[Any]) -> None:
        self._masks, self._position = masks, 0

    def next(self, shape: tuple[int, ...], p: float) -> Any:
        """A factor for the units of a layer: 0 for those left out, 1/(1 − p) for the others."""
        if self._masks is None:
            self._asked.append((shape, p))
            return 1.0
        if self._position == len(self._masks):
            raise InputError("from_dropout: forward does not use its dropout layers the same way for all rows.")
        self._position += 1
        return self._masks[self._position - 1]

    def drawn(self, module: Any, n_draws: int, seed: Any) -> dict[str, Any]:
        """Masks for every use of dropout in `forward`, (draws, units) each."""
        import numpy as np
        import torch

        columns = next((part.in_features for part in module.modules() if isinstance(part, torch.nn.Linear)), None)
        if columns is None:
            raise InputError(
                f"from_dropout: {type(module).__name__} has no layer nn.Linear, so the number of columns is not known."
            )
        with torch.no_grad():
            module(torch.zeros((2, columns), dtype=torch.float64))
        rng = np.random.default_rng(seed)
        return {
            f"mask {k}": (rng.random((n_draws, *shape)) >= p) / (1.0 - p) for k, (shape, p) in enumerate(self._asked)
        }


def _replace_dropout(module: Any, tape: _Tape) -> bool:
    """Put layers with fixed masks in the place of dropout; whether there was any that leaves something out."""
    import torch

    class FixedDropout(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, p: float, whole_channels: bool) -> None:
            super().__init__()
            self.p, self.whole_channels = p, whole_channels

        def forward(self, X: Any) -> Any:
            shape = tuple(X.shape[1:])
            shape = (shape[0], *(1 for _ in shape[1:])) if self.whole_channels else shape
            return X * tape.next(shape, self.p)

    found = False
    for name, part in list(module.named_modules(remove_duplicate=False)):
        if isinstance(part, torch.nn.modules.dropout._DropoutNd) and 0.0 < part.p < 1.0:
            parent = module.get_submodule(name.rpartition(".")[0])
            setattr(parent, name.rpartition(".")[2], FixedDropout(part.p, not isinstance(part, torch.nn.Dropout)))
            found = True
    return found
