"""GPyTorch's settings for numbers that can be differentiated: Cholesky whatever the size, and nothing approximate."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

#: More rows than any exact GP has. Above `max_cholesky_size` (800 by default) GPyTorch turns to conjugate gradients,
#: whose tolerance is far too coarse for derivatives: R-sens was off by 14 % at 801 rows.
ANY_SIZE = 10**9


@contextmanager
def exact_settings() -> Iterator[None]:
    """Inside, predictions are exact; afterwards all settings are as they were."""
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
            settings.prior_mode(False),
            settings.trace_mode(False),
            settings.detach_test_caches(True),
            settings.debug(False),  # it warns of rows that are training rows
        ):
            stack.enter_context(context)
        stack.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", module="gpytorch|linear_operator|botorch")
        yield


@contextmanager
def prior_settings() -> Iterator[None]:
    """As above, but the model gives its prior: what `forward` returns."""
    from gpytorch import settings

    with exact_settings(), settings.prior_mode(True):
        yield


def cholesky_limit() -> int:
    """The number of rows above which GPyTorch, as it is set now, turns to conjugate gradients.

    Whoever imports BoTorch has them turned off.
    """
    from gpytorch import settings

    return int(settings.max_cholesky_size.value()) if settings.fast_computations.solves.on() else ANY_SIZE
