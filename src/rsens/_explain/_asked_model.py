"""What tells one model from another: its predictions and slopes at a few of its training inputs, and its levels.

Explanations of parts of the rows are joined only if they are of the same model. A model comes as an object, a copy in
another process or one that was read from a file, so what it says is compared, not what it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._explain._effects import Stated
from rsens._files import fingerprint, number, text
from rsens._results import Part, stored
from rsens._table import Table
from rsens._typing import Array
from rsens._warned import heard
from rsens.derivatives import Model, iterate

#: How many training inputs are looked at, evenly spaced.
LOOKED_AT = 3
#: Other machines and other libraries of linear algebra round differently.
SAME = 1e-5


@dataclass(frozen=True, eq=False, kw_only=True)
class AskedModel(Part):
    """What the model said."""

    model_answers: Array = stored(
        "Predictions, their spread, and the slopes of both in the units of the scale, at a few training inputs; empty "
        "for a model that is random.",
        number, "model_answers", default=None,
    )  # fmt: skip
    model_levels: str = stored(
        "A fingerprint of the levels that are compared, and of how often each occurs.", text, default=None
    )

    @classmethod
    def of(cls, source: Model, training: Table, units: Array) -> AskedModel:
        """Ask the model, which is prepared for its training inputs."""
        some = np.unique(np.linspace(0, len(training) - 1, LOOKED_AT).astype(np.intp))
        rows = Table(training.names, training.values[some], training.like(training.values[some]), training.coding)
        with heard():  # what the model warns of was said where all rows were evaluated
            first, again = _answers(source, rows, units), _answers(source, rows, units)
        coding = () if training.coding is None else training.coding.columns
        levels: list[Any] = [(c.name, [str(label) for label in c.labels], c.frequencies.tolist()) for c in coding]
        return cls(
            model_answers=first if np.array_equal(first, again) and np.isfinite(first).all() else np.empty(0),
            model_levels=fingerprint(repr(levels)),
        )

    def is_of_same_model(self, other: AskedModel) -> bool:
        """False if the two say different things; one that is random cannot be told from another."""
        mine, theirs = self.model_answers, other.model_answers
        if not len(mine) or not len(theirs):
            return True
        if mine.shape != theirs.shape:
            return False
        size = max(float(np.abs(mine).max()), float(np.abs(theirs).max()))
        return bool(np.allclose(mine, theirs, rtol=SAME, atol=1e-9 * size))


def _answers(source: Model, rows: Table, units: Array) -> Array:
    """What effects are stated of (the prediction, its spread) and the slopes, in one array."""
    found = []
    for _, record in iterate(source, rows, 1, watch=False, prepared=True):
        stated = Stated.of(record.distribution)
        with np.errstate(over="ignore", invalid="ignore"):
            found += [stated.values(record.distribution).ravel(), (stated.slopes(record) * units).ravel()]
    return np.concatenate(found)
