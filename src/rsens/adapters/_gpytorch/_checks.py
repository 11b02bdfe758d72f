"""What can go wrong with a GP of GPyTorch or BoTorch, checked: noise, mode, precision, solver and its caches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rsens._typing import Array
from rsens.adapters._adapter import is_a
from rsens.adapters._gpytorch._copies import is_single
from rsens.adapters._gpytorch._settings import cholesky_limit
from rsens.adapters._gpytorch._source import LatentSource
from rsens.derivatives import Finding


@dataclass(frozen=True)
class State:
    """How the object was found: what it is, and what about it could mislead."""

    name: str
    title: str
    training: bool
    single: bool
    n_rows: int | None
    n_columns: int | None
    cached: bool
    noise_finding: Finding
    columns: str

    @classmethod
    def of(cls, model: Any, n_columns: int | None, noise: Finding) -> State:
        """The state of the user's own object, before anything is done with it."""
        inputs = getattr(model, "train_inputs", None)
        library = "BoTorch" if is_a(model, "botorch.Model") else "GPyTorch"
        name, base = type(model).__name__, _base(model)
        return cls(
            name,
            f"{name} of {library}" if name == base else f"{name} ({base} of {library})",
            bool(model.training),
            is_single(model),
            int(inputs[0].shape[-2]) if inputs else None,
            n_columns,
            getattr(model, "prediction_strategy", None) is not None,
            noise,
            _columns(model),
        )


def findings(state: State, source: LatentSource, X: Array) -> Iterator[Finding]:
    """All that is worth saying about this model, beyond what is checked of every model."""
    yield state.noise_finding
    yield _mode(state)
    yield _precision(state)
    if state.n_rows is not None:
        yield _solver(state, state.n_rows)
    yield from source.checks(X)


def _mode(state: State) -> Finding:
    if not state.training:
        return Finding("mode", "ok", "The model is in evaluation mode.")
    text = "The model is in training mode; rsens predicts with a copy in evaluation mode."
    return Finding("mode", "ok", text)


def _precision(state: State) -> Finding:
    if not state.single:
        return Finding("precision", "ok", "The model is in double precision (float64).")
    return Finding("precision", "warning", SINGLE)


#: Said when a model is in single precision.
SINGLE = (
    "The model is in single precision (float32): its data and hyperparameters have 7 digits. rsens predicts from them "
    "in double precision. Before the fit, call model.double() and give float64 data if small derivatives matter."
)


def _solver(state: State, n_rows: int) -> Finding:
    limit = cholesky_limit()
    if n_rows <= limit:
        return Finding("solver", "ok", f"{n_rows} training rows: GPyTorch and rsens both use Cholesky factors.")
    cached = " It has kept such predictions." if state.cached else ""
    return Finding(
        "solver",
        "ok",
        f"{n_rows} training rows: rsens uses a Cholesky factor, GPyTorch itself approximate conjugate gradients above "
        f"{limit}.{cached} To compare, predict under gpytorch.settings.max_cholesky_size({n_rows}) with "
        "model.prediction_strategy = None.",
    )


def _columns(model: Any) -> str:
    transform = getattr(model, "input_transform", None)
    return "columns of X as given" + ("" if transform is None else f", before {type(transform).__name__}")


def _base(model: Any) -> str:
    """The nearest ancestor that comes from the library."""
    for kind in type(model).__mro__:
        if kind.__module__.partition(".")[0] in ("gpytorch", "botorch"):
            return kind.__qualname__
    return type(model).__name__
