"""What was asked: the terms, their units, and how rows are summed up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rsens._errors import InputError
from rsens._explain._query import Query
from rsens._results import Part, stored
from rsens._typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Setup(Part):
    """D columns, and T terms: columns, or groups in their place."""

    alpha: float = stored("Order of the Rényi divergence.")
    aggregate: str = stored('How rows are summed up: "mean" or "rms".')
    level: float = stored("Level of the intervals.")
    scale: str = stored('Where the units come from: "sd", "raw" or "given".')
    columns: tuple[str, ...] = stored("The columns of X.")
    units: Array = stored("The unit in which each column is counted.", "columns")
    categorical: tuple[int, ...] = stored("Positions of the columns whose levels are compared.")
    two_valued: tuple[int, ...] = stored("Positions of the numeric ones among them, which have two values.")
    terms: tuple[str, ...] = stored("The terms: columns of X in their order, a group in the place of its first column.")
    members: tuple[tuple[int, ...], ...] = stored("Positions of the columns of each term.")
    pair_scale: str = stored(
        'What pairs are measured on: "parameters", or "link", the scale on which the model adds up.',
    )  # fmt: skip
    understood: str = stored(
        "What was understood of a model of another library: family, noise, how derivatives are made. Else empty.",
        default="",
    )  # fmt: skip

    @classmethod
    def of(
        cls, query: Query, columns: tuple[str, ...], scale: Any, pair_scale: str, level: float, understood: str
    ) -> Setup:
        """From what was asked of the model."""
        return cls(
            alpha=query.alpha,
            aggregate=query.aggregate,
            level=level,
            scale=scale if isinstance(scale, str) else "given",
            columns=columns,
            units=query.units,
            categorical=query.categorical,
            two_valued=query.two_valued,
            terms=query.terms.names,
            members=query.terms.members,
            pair_scale=pair_scale,
            understood=understood,
        )


def check_different(name: str, values: tuple[str, ...]) -> None:
    """An `InputError` if a value occurs twice."""
    if len(set(values)) != len(values):
        raise InputError(f"{name} are not all different")
