"""Warnings of a GP fit: hyperparameters at their limits, counts that the model does not know, copies of rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from rsens._contents import row_keys
from rsens._errors import Argument, RsensWarning, Sentence
from rsens._typing import Array
from rsens.likelihoods import Likelihood
from rsens.posteriors import LatentPosterior

#: A hyperparameter this near to its limit, on the log scale, is at its limit.
NEAR = 1e-6
#: The mean of a count exceeds its median by exp(v/2); above e^10 the mean says nothing about the data.
MOST_EXCESS = 10.0
#: The share of rows from which copies count.
COPIES = 0.05


def warn_at_limits(theta: Array, limits: Array, names: Sequence[str], advice: str) -> None:
    """Name the kernel's hyperparameters that a search with priors left at a limit; `theta` may have further entries.

    The limits are so wide that a prior keeps the search away from them, unless the model does not suit the data. Noise
    is not named: it should go to 0 if y has none.
    """
    at_limit = (theta <= limits[:, 0] + NEAR) | (theta >= limits[:, 1] - NEAR)
    found = [name for name, wrong in zip(names, at_limit, strict=False) if wrong]
    if found:
        warnings.warn(
            RsensWarning(
                f"The search for hyperparameters ended at the limit of {', '.join(found)}: this model does not suit "
                "the data, and its predictions and sensitivities may mean nothing. ",
                advice,
            ),
            stacklevel=5,
        )


def warn_of_unknown_counts(posterior: LatentPosterior, X: Array, y: Array, advice: str) -> None:
    """Name training rows where f is so uncertain that the mean count exp(m + v/2) says nothing about the data."""
    if posterior.kernel.diag(X).max() <= 2.0 * MOST_EXCESS:  # v is never above the prior variance
        return
    latent = posterior.moments(X)
    bad = np.flatnonzero(latent.variance > 2.0 * MOST_EXCESS)
    if not bad.size:
        return
    i = bad[np.argmax(latent.variance[bad])]
    m, v = latent.mean[i], latent.variance[i]
    warnings.warn(
        RsensWarning(
            f"The model does not know the counts of {bad.size} of its {len(y)} training rows: at row {i}, where y is "
            f"{y[i]:g}, the log rate has mean {m:.3g} and variance {v:.3g}, so the predicted count exp(m + v/2) is "
            f"e^{m + 0.5 * v:.3g}. Predictions and sensitivities there mean nothing. ",
            advice,
        ),
        stacklevel=4,
    )


def ways_out(likelihood: Likelihood, inducing: Array | None) -> Sentence:
    """What to do about a GP that does not suit its data."""
    ways: list[tuple[str | Argument, ...]] = []
    if likelihood.overdispersed is not None:
        other = Argument("likelihood", likelihood.overdispersed)
        ways.append(("use ", other, f", which lets counts vary more than {likelihood.name!r} does; or "))
    if inducing is not None:
        ways.append(
            ("raise ", Argument("inducing"), f" above {len(inducing)} (the number of rows makes the GP exact); or ")
        )
    return Sentence("To improve it, ", *(part for way in ways for part in way), "try another kernel.")


def warn_of_copies(rows: Array, y: Array, offset: Array) -> None:
    """Warn of rows that repeat an x with the same y, unless as many repeat an x with another y: these show the noise.

    Coarse data, such as whole numbers, have copies too, but with several y at each x.
    """
    _, x, counts = np.unique(row_keys(rows, offset), return_inverse=True, return_counts=True)
    if len(counts) == len(y):
        return
    repeated = counts - 1
    _, of_each_xy = np.unique(row_keys(x.astype(np.float64), y), return_index=True)
    one_y = np.bincount(x[of_each_xy]) == 1
    copies, noisy = int(repeated[one_y].sum()), int(repeated[~one_y].sum())
    if copies > max(COPIES * len(y), noisy):
        warnings.warn(
            f"{copies} of the {len(y)} rows are exact copies of others, in X and y. The same y at the same x looks "
            "like y without noise: the model learns too little noise, and sensitivities become too large. Drop the "
            "copies, for example with pandas' drop_duplicates. To resample rows, do so without replacement "
            "(docs/stability.md).",
            RsensWarning,
            stacklevel=3,
        )
