"""The user's model as GPyTorch runs it: a working copy, exact settings, moments at rows, automatic differentiation."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

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
#: Two values of a column are the same up to this many units: then a distance may be 0.
SAME = 1e-7
#: How far rows are moved for second derivatives, in units of the columns.
ASIDE = 1e-5
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
        text = f"cannot be copied ({first_line(error)}), and rsens works on a copy. Make copy.deepcopy(model) work"
        raise InputError(f"{type(model).__name__} {text}.") from error
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


@dataclass(frozen=True, eq=False)
class Moments:
    """Rows (n, D) as a tensor → mean and variance (n,) each: of f, unless asked for more."""

    model: Any
    #: For the moments of y, as this likelihood has it.
    likelihood: Any = None
    #: For the moments of y as BoTorch's posterior has them, through the transforms of the model.
    posterior: bool = False

    def __call__(self, rows: Any) -> tuple[Any, Any]:
        if self.posterior:
            found = self.model.posterior(rows, observation_noise=True)
            distribution = getattr(found, "distribution", found)
        else:
            latent = self.model(rows)
            distribution = latent if self.likelihood is None else self.likelihood(latent)
        mean, shapes = distribution.mean, ((len(rows),), (len(rows), 1))
        if not hasattr(distribution, "lazy_covariance_matrix") or tuple(mean.shape) not in shapes:
            raise InputError(
                f"{type(self.model).__name__} gives {type(distribution).__name__} of shape {tuple(mean.shape)} for "
                f"{len(rows)} rows; rsens needs a MultivariateNormal of one output. Explain one output at a time, or "
                "write the prediction yourself: from_torch(fn) with fn(X) that returns one of the families."
            )
        mean, variance = mean.reshape(-1), distribution.variance.reshape(-1)
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
    #: How many training rows and inducing points there are, for the memory that they take.
    size: int
    #: The rows that distances are measured from, (N, D); None where they are not known: every row may be one.
    anchors: Array | None = None
    way: ClassVar[str] = "automatic (PyTorch)"

    def moments(self, X: Array) -> Latent:
        import torch

        with torch.no_grad(), exact_settings():
            return Latent(*map(numpy_of, self._called(torch.tensor(X))))

    def derivatives(self, X: Array, order: int) -> Latent:
        self._check_rows_alone(X[:2])
        if order == 1:
            return self._differentiated(X, 1)
        known = self._known(X)
        latent, unit = self._differentiated(X, 2), step_unit(X if known is None else known)
        at = self._at_anchors(X, unit)
        if at.any():
            step = np.maximum(ASIDE * unit, 64.0 * np.spacing(np.abs(X)))[at]
            sides = [self._differentiated(X[at] + sign * step, 2).second for sign in (1.0, -1.0)]
            assert latent.second is not None
            latent.second[at] = np.mean(np.array(sides), axis=0)
        return latent

    def _known(self, X: Array) -> Array | None:
        """The anchors in the columns of X; None if a network comes in between."""
        return None if self.anchors is None or self.anchors.shape[1] != X.shape[1] else self.anchors

    def _at_anchors(self, X: Array, unit: Array) -> Any:
        """Flags rows that share a value with an anchor in some column: a kernel of that column sees a distance of 0."""
        known = self._known(X)
        if known is None:
            return np.ones(len(X), dtype=bool)
        columns = range(X.shape[1])
        return np.any([(np.abs(X[:, [d]] - known[:, d]) <= SAME * unit[d]).any(axis=1) for d in columns], axis=0)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return rows_for(result_bytes(n_columns, order) + 8 * self.size * ARRAYS[order])

    def _differentiated(self, X: Array, order: int) -> Latent:
        """The gradient of Σ_i m(x_i) holds ∂m at every row i, since no row depends on another."""
        import torch

        with torch.enable_grad(), exact_settings():
            rows = torch.tensor(X, requires_grad=True)
            values = self._called(rows)
            firsts = [_gradient(value, rows, order == 2) for value in values]
            found = [*map(numpy_of, values), numpy_of(torch.stack(firsts, 1))]
            if order == 2:
                columns = range(X.shape[1])
                bends = [torch.stack([_gradient(f[:, d], rows, False) for d in columns], 1) for f in firsts]
                second = numpy_of(torch.stack(bends, 1))
                found.append(0.5 * (second + second.swapaxes(-1, -2)))
        return Latent(*found)

    def _check_rows_alone(self, X: Array) -> None:
        """One call serves all rows only if the prediction of a row comes from that row alone."""
        together, alone = self.moments(X), self.moments(X[:1])
        v = float(np.abs(alone.variance[0]))
        same = np.isclose(together.mean[0], alone.mean[0], 1e-6, 1e-6 * np.sqrt(v))
        if not (same and np.isclose(together.variance[0], v, 2e-6, 0.0)):
            raise InputError(
                "the model's prediction of a row changes with the other rows that it is asked about. Scale rows by the "
                "training data, not by the rows of a call."
            )

    def _called(self, rows: Any) -> tuple[Any, Any]:
        try:
            return self.mean_and_variance(rows)
        except InputError:
            raise
        except FAILURES as error:
            raise InputError(
                f"the model cannot predict {len(rows)} rows of {rows.shape[1]} columns in double precision "
                f"({first_line(error)}). Make model.double().eval()(torch.tensor(X)) work first, with its tensors as "
                "buffers or parameters."
            ) from error


def _gradient(values: Any, rows: Any, keep: bool) -> Any:
    """∂Σ values/∂rows; 0 where they do not depend on each other."""
    import torch

    if not values.requires_grad:
        return torch.zeros_like(rows)
    found = torch.autograd.grad(values.sum(), rows, create_graph=keep, retain_graph=True, allow_unused=True)[0]
    return torch.zeros_like(rows) if found is None else found
