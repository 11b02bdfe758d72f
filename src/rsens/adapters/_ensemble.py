"""`from_ensemble`: several models of the same columns as one, whose predictive is the mixture of theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.adapters._door import as_model
from rsens.derivatives import Counter, Derivatives, Description, Finding, Model, matched_record, read_weights
from rsens.distributions import Distribution, Mixture


@dataclass(eq=False)
class EnsembleModel(Model):
    """The mixture of several models with weights (S,): their disagreement counts as uncertainty.

    With `matched` it is one distribution in place of the mixture, `Mixture.matched`: for pairs.
    """

    members: Sequence[Model]
    weights: Array
    label: str
    about: Description | None = None
    matched: bool = False

    def __post_init__(self) -> None:
        for name in ("coding", "input_scale_", "training_inputs_", "classes_"):
            setattr(self, name, getattr(self.members[0], name))
        self.takes_tables = all(member.takes_tables for member in self.members)
        self.takes_codes = all(member.takes_codes for member in self.members)
        self.by_differences = any(member.by_differences for member in self.members)  # type: ignore[misc]
        self.n_parameters = sum(member.n_parameters for member in self.members)

    @property
    def name(self) -> str:
        return self.label

    @property
    def description(self) -> Description | None:
        return self.about

    def derivatives(self, X: Any, order: int) -> Derivatives:
        records = [member.derivatives(X, order) for member in self.members]
        matched = None
        if self.matched or order == 2:
            matched = matched_record([each.for_pairs for each in records], self.weights)
        if self.matched and matched is not None:
            return matched
        mixture = self._mixture([each.distribution for each in records])
        return Derivatives(mixture, np.concatenate([each.first for each in records], axis=1), matched=matched)

    @property
    def for_pairs(self) -> Model:
        return replace(self, matched=True)

    def predict_distribution(self, X: Any) -> Distribution:
        mixture = self._mixture([member.predict_distribution(X).checked() for member in self.members])
        return mixture.matched() if self.matched else mixture

    def _mixture(self, families: Sequence[Distribution]) -> Mixture:
        if any(isinstance(family, Mixture) for family in families):
            text = "from_ensemble: a member predicts a mixture (posterior draws, an ensemble). Give all draws in one "
            raise InputError(f"{text}from_draws, or all members in one list.")
        return Mixture(list(families), self.weights, draws=True).checked()

    def checks(self, X: Any) -> Iterator[Finding]:
        yield from self.members[0].checks(X)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return max(1, min(m.rows_per_chunk(n_columns, order) for m in self.members) // len(self.members))

    def coded(self, X: Any, weights: Any = None) -> EnsembleModel:
        return self._each(lambda member: member.coded(X, weights))

    def contrasted(self, coding: Coding) -> EnsembleModel:
        return self._each(lambda member: member.contrasted(coding))

    def counted(self, counter: Counter) -> EnsembleModel:
        return self._each(lambda member: member.counted(counter))

    def prepared(self, X: Any) -> EnsembleModel:
        return self._each(lambda member: member.prepared(X))

    def _each(self, change: Callable[[Model], Model]) -> EnsembleModel:
        return replace(self, members=[change(member) for member in self.members])


def from_ensemble(models: Iterable[Any], weights: ArrayLike | None = None) -> Model:
    """A model from several of the same columns: its predictive is the mixture of theirs.

    Networks trained from different starts, refits to bootstrap samples, models of different kinds. Their disagreement
    is part of the prediction's uncertainty; `.parts` treats the members as posterior draws.

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
        text = f" must be a list of models, at least one; got {type(models).__name__}. For one function with draws of "
        raise InputError("from_ensemble: ", Argument("models"), f"{text}its parameters use from_draws.")
    members = [as_model(model) for model in given]
    several, first = f"{len(members)} models", members[0].description
    if first is not None:
        first = replace(first, model=f"{several} such as {first.model}", family=f"mixture of {first.family}")
    return EnsembleModel(members, read_weights(weights, len(members), "from_ensemble"), f"ensemble of {several}", first)
