"""The user's model as GPyTorch runs it: a working copy, exact settings, moments at rows, automatic differentiation."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._adapter import first_line
from rsens.derivatives import result_bytes, rows_for, step_unit
from rsens.posteriors import Latent

#: Attributes in which GPyTorch keeps results of earlier predictions, perhaps made with other settings.
CACHES = ("prediction_strategy", "_memoize_cache", "_cached_kernel_mat", "_cached_kernel_inv_root", "_mean_cache")
#: Errors of foreign code that gets something it was not written for.
FAILURES = (RuntimeError, ValueError, TypeError, AttributeError, LookupError, AssertionError)
#: More rows than any exact GP has. Above `max_cholesky_size` (800 by default) GPyTorch turns to conjugate gradients,
#: whose tolerance is far too coarse for derivatives: R-sens was off by 14 % at 801 rows.
ANY_SIZE = 10**9
#: How far rows are moved where GPyTorch's second derivatives are wrong, in units of the columns.
ASIDE = 1e-5
#: Two values of a column are the same up to this many units: then a distance may be 0.
SAME = 1e-7
#: Arrays of shape (rows, training rows) that live at a time, by order: the kernel, and the graph of its derivatives.
ARRAYS = {1: 28, 2: 56}


def numpy_of(tensor: Any) -> Array:
    """A detached float64 copy on the CPU."""
    return np.array(tensor.detach().cpu().numpy(), dtype=np.float64)


def is_single(model: Any) -> bool:
    """Whether the model, or the data it was fitted to, is in single precision."""
    given = [*model.parameters(), *(getattr(model, "train_inputs", None) or ())]
    return any(str(values.dtype) in ("torch.float32", "torch.float16", "torch.bfloat16") for values in given)


def working_copy(model: Any) -> Any:
    """A copy in evaluation mode, float64, on the CPU, without gradients and caches; the model itself is untouched."""
    import torch

    try:
        copy = deepcopy(model, _left_out(model))
    except FAILURES as error:
        raise InputError(
            f"{type(model).__name__} cannot be copied ({first_line(error)}), and rsens works on a copy. Make "
            "copy.deepcopy(model) work, or detach the tensors that the model keeps."
        ) from error
    for part in copy.modules():
        for name in CACHES[1:]:
            if name in vars(part):
                delattr(part, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # BoTorch warns of its transforms while it changes the mode
        copy.eval()
        copy.to(device="cpu", dtype=torch.float64)
    for name, part in model.named_modules():
        if hasattr(type(part), "jitter_val"):  # of a variational strategy: its default depends on the precision
            copy.get_submodule(name).jitter_val = part.jitter_val
    for parameter in copy.parameters():
        parameter.requires_grad_(False)
    return copy


def _left_out(model: Any) -> dict[int, Any]:
    """A memo in which `deepcopy` finds work done already: caches are dropped, tensors come without their history."""
    memo: dict[int, Any] = {}
    for part in model.modules():
        for name, value in vars(part).items():
            if name in CACHES and value is not None:
                memo[id(value)] = {} if isinstance(value, dict) else None
            held = value.values() if isinstance(value, dict) else value
            for each in held if isinstance(value, dict | tuple | list) else (value,):
                if getattr(each, "grad_fn", None) is not None:
                    memo[id(each)] = each.detach().clone()
    return memo


@contextmanager
def exact_settings(*, prior: bool = False) -> Iterator[None]:
    """Inside, predictions are exact, or with `prior` those before any data; afterwards all settings are as before."""
    import torch
    from gpytorch import settings

    with ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng(devices=()))  # a model may draw numbers
        for context in (
            settings.max_cholesky_size(ANY_SIZE),
            settings.fast_computations(covar_root_decomposition=False, log_prob=False, solves=False),
            # Multiplies by the inverse of the Cholesky factor, made once. Without it every backward pass factorises the
            # covariance of the training rows again: 22 times for the second derivatives in 10 columns.
            settings.fast_pred_var(True),
            settings.skip_posterior_variances(False),
            settings.prior_mode(prior),
            settings.trace_mode(False),
            settings.detach_test_caches(True),
            settings.debug(False),  # it warns of rows that are training rows
        ):
            stack.enter_context(context)
        stack.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", module="gpytorch|linear_operator|botorch")
        yield


def cholesky_limit() -> int:
    """The number of rows above which GPyTorch now turns to conjugate gradients; BoTorch never does."""
    from gpytorch import settings

    return int(settings.max_cholesky_size.value()) if settings.fast_computations.solves.on() else ANY_SIZE


@dataclass(frozen=True, eq=False)
class Moments:
    """Rows (n, D) as a tensor → mean and variance (n,) each: of f, unless asked for more."""

    model: Any
    #: The draw, where the model has several.
    draw: int | None = None
    #: For the moments of y, as this likelihood has it; with `noise_of_rows` its noise depends on x.
    likelihood: Any = None
    noise_of_rows: bool = False
    #: For moments of BoTorch's posterior, through the transforms that the model has: "f" or, with noise, "y".
    posterior: str | None = None

    def __call__(self, rows: Any) -> tuple[Any, Any]:
        name = type(self.model).__name__
        if self.posterior is not None:
            found = self.model.posterior(rows, observation_noise=self.posterior == "y")
            distribution = getattr(found, "distribution", found)
        else:
            distribution = self.model(rows)
            if self.likelihood is not None:
                distribution = self.likelihood(distribution, *([rows] if self.noise_of_rows else []))
        if not hasattr(distribution, "lazy_covariance_matrix"):
            raise InputError(
                f"{name} gives {type(distribution).__name__} for rows; rsens needs a MultivariateNormal. Write the "
                "prediction yourself: from_torch(fn) with fn(X) that returns one of the families."
            )
        mean, variance = distribution.mean, distribution.variance
        if self.draw is not None:
            mean, variance = mean[self.draw], variance[self.draw]
        if tuple(mean.shape) == (len(rows), 1):
            mean, variance = mean[:, 0], variance[:, 0]
        if tuple(mean.shape) != (len(rows),):
            raise InputError(
                f"{name} predicts an array of shape {tuple(mean.shape)} for {len(rows)} rows: several outputs, or a "
                "batch of GPs. Explain one output at a time, with a model of that output."
            )
        if getattr(self.model, "prediction_strategy", None) is not None:  # it keeps a covariance, with its whole graph
            self.model.prediction_strategy._last_test_train_covar = None
        return mean, variance


@dataclass(frozen=True, eq=False)
class Autograd:
    """The latent mean and variance of a model without a closed form at rows X (n, D), as PyTorch differentiates them.

    GPyTorch cuts squared distances off at 0, and their derivatives too. So where a row is also an anchor (a training
    row, an inducing point), second derivatives in one column are wrong, for smooth kernels too. There we take the mean
    of the derivatives a little to either side, which differs from the truth by the square of that little.
    """

    mean_and_variance: Moments
    #: The rows that distances are measured from, (N, D); None where they are not known: every row may be one.
    anchors: Array | None
    #: The training inputs, where they are known.
    inputs: Array | None
    #: How many anchors there are, for the memory that they take.
    size: int
    #: Columns that hold categories: a step aside would be none of them.
    levels: tuple[int, ...] = ()
    way: ClassVar[str] = "automatic (PyTorch)"

    @cached_property
    def unit(self) -> Array:
        """The unit of each column, (D,)."""
        return np.ones(1) if self._known is None else step_unit(self._known)

    @property
    def _known(self) -> Array | None:
        return self.anchors if self.inputs is None else self.inputs

    def moments(self, X: Array) -> Latent:
        import torch

        with torch.no_grad(), exact_settings():
            mean, variance = self._called(torch.tensor(X))
        return Latent(numpy_of(mean), numpy_of(variance))

    def derivatives(self, X: Array, order: int) -> Latent:
        if self._known is not None and self._known.shape[1] == X.shape[1] and not self._rows_are_alone:
            raise InputError(
                "the model's prediction of a row changes with the other rows that it is asked about. Scale rows by the "
                "training data, not by the rows of a call."
            )
        if order == 1:
            return self._differentiated(X, 1)
        anchored = self._at_anchors(X)
        if anchored.all():
            return self._differentiated_aside(X)
        if not anchored.any():
            return self._differentiated(X, 2)
        parts = self._differentiated(X[~anchored], 2), self._differentiated_aside(X[anchored])
        place = np.argsort(np.concatenate([np.flatnonzero(~anchored), np.flatnonzero(anchored)]))
        return Latent(*(np.concatenate([getattr(part, f.name) for part in parts])[place] for f in fields(Latent)))

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return rows_for(result_bytes(n_columns, order) + 8 * self.size * ARRAYS[order])

    def _differentiated(self, X: Array, order: int) -> Latent:
        """The gradient of Σ_i m(x_i) holds ∂m at every row i, since no row depends on another."""
        import torch

        with torch.enable_grad(), exact_settings():
            rows = torch.tensor(X, requires_grad=True)
            values = self._called(rows)
            firsts = [_gradient(value, rows, order == 2) for value in values]
            seconds = (
                [torch.stack([_gradient(f[:, d], rows, False) for d in range(X.shape[1])], 1) for f in firsts]
                if order == 2
                else None
            )
        mean, variance = map(numpy_of, values)
        first = np.stack([numpy_of(each) for each in firsts], 1)
        if seconds is None:
            return Latent(mean, variance, first)
        second = np.stack([numpy_of(each) for each in seconds], 1)
        return Latent(mean, variance, first, 0.5 * (second + second.swapaxes(-1, -2)))

    def _differentiated_aside(self, X: Array) -> Latent:
        """Values at the rows, derivatives from either side of them."""
        unit = self.unit if self.unit.shape == X.shape[1:] else step_unit(X)  # anchors may lie in another space
        step = np.maximum(ASIDE * unit, 64.0 * np.spacing(np.abs(X)))
        step[:, list(self.levels)] = 0.0
        at, above, below = self.moments(X), self._differentiated(X + step, 2), self._differentiated(X - step, 2)
        middle = [0.5 * (getattr(above, name) + getattr(below, name)) for name in ("first", "second")]
        return Latent(at.mean, at.variance, *middle)

    def _at_anchors(self, X: Array) -> NDArray[np.bool_]:
        """Flags rows that share a value with an anchor in some column: a kernel of that column sees a distance of 0."""
        if self.anchors is None or self.anchors.shape[1] != X.shape[1]:
            return np.ones(len(X), dtype=bool)
        shared = np.zeros(len(X), dtype=bool)
        for d in set(range(X.shape[1])) - set(self.levels):
            x, known, same = X[:, d], np.unique(self.anchors[:, d]), SAME * self.unit[d]
            place = np.searchsorted(known, x)
            below, above = known[np.maximum(place - 1, 0)], known[np.minimum(place, len(known) - 1)]
            shared |= np.minimum(np.abs(x - below), np.abs(x - above)) <= same
        return shared

    @cached_property
    def _rows_are_alone(self) -> bool:
        """One call serves all rows only if the prediction of a row comes from that row alone."""
        if self._known is None or len(self._known) < 2:
            return True
        together, alone = self.moments(self._known[:2]), self.moments(self._known[:1])
        near = 1e-6 * np.sqrt(np.abs(alone.variance[0]))
        return bool(
            abs(together.mean[0] - alone.mean[0]) <= 1e-6 * abs(alone.mean[0]) + near
            and abs(together.variance[0] - alone.variance[0]) <= near**2 + 1e-6 * alone.variance[0]
        )

    def _called(self, rows: Any) -> tuple[Any, Any]:
        try:
            return self.mean_and_variance(rows)
        except InputError:
            raise
        except FAILURES as error:
            if "dtype" in str(error) or {"Double", "Float"} <= set(str(error).replace(",", " ").split()):
                raise InputError(
                    f"the model mixes float64 rows with single precision ({first_line(error)}). Keep its tensors as "
                    "buffers or parameters, so that model.double() reaches them."
                ) from error
            raise InputError(
                f"the model cannot predict {len(rows)} rows of {rows.shape[1]} columns in double precision "
                f"({first_line(error)}). Make model.double().eval()(torch.tensor(X)) work first."
            ) from error


def _gradient(values: Any, rows: Any, keep: bool) -> Any:
    """∂Σ values/∂rows; 0 where they do not depend on each other."""
    import torch

    if not values.requires_grad:
        return torch.zeros_like(rows)
    found = torch.autograd.grad(values.sum(), rows, create_graph=keep, retain_graph=True, allow_unused=True)[0]
    return torch.zeros_like(rows) if found is None else found
