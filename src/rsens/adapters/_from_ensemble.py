"""`from_ensemble`: several models as one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numpy.typing import ArrayLike

from rsens._errors import Argument, InputError
from rsens.adapters._door import as_model
from rsens.adapters._ensemble import EnsembleModel
from rsens.derivatives import Model, read_weights


def from_ensemble(models: Iterable[Any], weights: ArrayLike | None = None) -> Model:
    """A model from several of the same columns: its predictive is the mixture of theirs.

    Networks trained from different starts, refits to bootstrap samples, models of different kinds. What they do not
    agree on is part of the prediction's uncertainty; `.parts` and `.posterior` treat the members as posterior draws.

    Args:
        models: Models that `explain` accepts, at least one. They may predict different families of the same kind of y,
            such as Normal and StudentT.
        weights: Weights of the models; equal by default.

    Returns:
        A model for `explain`, `rsens` and all other measures.

    Example:
        >>> from rsens import Normal, from_ensemble, from_function, rsens
        >>> slopes = [from_function(lambda X, b=b: Normal(b * X[:, 0], 0.09)) for b in (2.0, -2.0)]
        >>> rsens(from_ensemble(slopes), [[0.0], [1.5]]).round(2).tolist()
        [[0.0], [6.67]]
    """
    given = list(models) if isinstance(models, Iterable) and not isinstance(models, str | bytes) else []
    if not given:
        raise InputError(
            "from_ensemble: ",
            Argument("models"),
            f" must be a list of models, at least one; got {type(models).__name__}. "
            "For one function with many draws of its parameters use from_draws.",
        )
    members = [as_model(model) for model in given]
    return EnsembleModel(members, read_weights(weights, len(members), "from_ensemble"))
