"""The model that an estimator known by its predictions only becomes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rsens.derivatives import Finding, PredictionModel


@dataclass(frozen=True, eq=False)
class ByDifferences(PredictionModel):
    """A `PredictionModel` that also says what was found when the estimator was read."""

    findings: tuple[Finding, ...] = ()

    def checks(self, X: Any) -> Iterator[Finding]:
        yield from self.findings
        yield from super().checks(X)
