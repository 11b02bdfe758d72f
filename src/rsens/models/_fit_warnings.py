"""What the fit of a GP warns of: hyperparameters at their limits, counts that are not known, rows that are copies."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from rsens._errors import RsensWarning
from rsens._typing import Array
from rsens.likelihoods import Likelihood
from rsens.models._posterior import LatentPosterior

#: A hyperparameter this near to its limit, on the log scale, is at its limit.
NEAR = 1e-6
#: exp(v/2), by which the mean of a count exceeds its median: above e^10 the mean says nothing about the data.
MOST_EXCESS = 10.0
#: The share of rows from which copies count.
COPIES = 0.05


def warn_at_limits(theta: Array, limits: Array, names: Sequence[str], advice: str) -> None:
    """The kernel's hyperparameters that a search with priors left at a limit; further ones of `theta` are not named.

    The limits are so wide that a prior keeps a search away from them, unless the model does not suit the data. Noise is
    not named: it is right to go to 0 where y has none.
    """
    at_limit = (theta <= limits[:, 0] + NEAR) | (theta >= limits[:, 1] - NEAR)
    found = [name for name, wrong in zip(names, at_limit, strict=False) if wrong]
    if found:
        warnings.warn(
            f"The search for hyperparameters ended at the limit of {', '.join(found)}: this model does not suit the "
            f"data, and its predictions and sensitivities may mean nothing. {advice}",
            RsensWarning,
            stacklevel=5,
        )


def warn_of_unknown_counts(posterior: LatentPosterior, X: Array, y: Array, advice: str) -> None:
    """Training rows at which f is known so badly that the mean count exp(m + v/2) says nothing about the data."""
    if posterior.kernel.diag(X).max() <= 2.0 * MOST_EXCESS:  # v is never above the prior variance
        return
    latent = posterior.moments(X)
    bad = np.flatnonzero(latent.variance > 2.0 * MOST_EXCESS)
    if not bad.size:
        return
    i = bad[np.argmax(latent.variance[bad])]
    m, v = latent.mean[i], latent.variance[i]
    warnings.warn(
        f"The model does not know the counts of {bad.size} of its {len(y)} training rows: at row {i}, where y is "
        f"{y[i]:g}, the log rate has mean {m:.3g} and variance {v:.3g}, so that the predicted count exp(m + v/2) is "
        f"e^{m + 0.5 * v:.3g}. Predictions and sensitivities there mean nothing. {advice}",
        RsensWarning,
        stacklevel=4,
    )


def ways_out(likelihood: Likelihood, inducing: Array | None) -> str:
    """What to do about a GP that does not suit its data."""
    ways = []
    if likelihood.name == "poisson":
        ways.append("use likelihood='negative_binomial' for counts that vary more than a Poisson model allows")
    if inducing is not None:
        ways.append(f"give more than {len(inducing)} inducing inputs, or inducing=math.inf")
    ways.append("try another kernel")
    text = "; or ".join(ways)
    return f"{text[0].upper()}{text[1:]}."


def warn_of_copies(rows: Array, y: Array, offset: Array) -> None:
    """Rows that repeat an x with the same y, unless as many repeat one with another y: these show the noise.

    Coarse data, whole numbers say, have copies too, but each x with several y.
    """
    _, x = np.unique(np.column_stack([rows, offset]), axis=0, return_inverse=True)
    repeated = np.bincount(x) - 1
    one_y = np.bincount(np.unique(np.column_stack([x, y]), axis=0)[:, 0].astype(np.intp)) == 1
    copies, noisy = int(repeated[one_y].sum()), int(repeated[~one_y].sum())
    if copies > max(COPIES * len(y), noisy):
        warnings.warn(
            f"{copies} of the {len(y)} rows are exact copies of others, in X and y. The same y at the same x looks "
            "like y without noise: the noise that is learned is too small, and sensitivities are too large. Drop the "
            "copies, for example with pandas' drop_duplicates. To resample rows, do so without replacement "
            "(docs/stability.md).",
            RsensWarning,
            stacklevel=3,
        )
