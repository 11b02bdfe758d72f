"""What was asked: the terms, their units, and how rows are summed up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rsens._errors import InputError
from rsens._explain._query import Query
from rsens._files import number, text, tuple_of, whole
from rsens._results import Part, stored
from rsens._typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Setup(Part):
    """D columns, and T terms: columns, or groups in their place."""

    alpha: float = stored("Order of the Rényi divergence.", number)
    aggregate: str = stored('How rows are summed up: "mean" or "rms".', text)
    level: float = stored("Level of the intervals.", number)
    scale: str = stored('Where the units come from: "sd", "raw" or "given".', text)
    columns: tuple[str, ...] = stored("The columns of X.", tuple_of(text))
    units: Array = stored("The unit in which each column is counted.", number, "columns")
    categorical: tuple[int, ...] = stored("Positions of the columns whose levels are compared.", tuple_of(whole))
    two_valued: tuple[int, ...] = stored(
        "Positions of the numeric ones among them, which have two values.", tuple_of(whole)
    )
    terms: tuple[str, ...] = stored(
        "The terms: columns of X in their order, a group in the place of its first column.", tuple_of(text)
    )
    members: tuple[tuple[int, ...], ...] = stored("Positions of the columns of each term.", tuple_of(tuple_of(whole)))
    pair_scale: str = stored(
        'What pairs are measured on: "parameters", or "link", the scale on which the model adds up.',
        text,
    )  # fmt: skip
    understood: str = stored(
        "What was understood of a model of another library: family, noise, how derivatives are made. Else empty.",
        text, default="",
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

    def check(self) -> None:
        if len(self.members) != len(self.terms):
            raise InputError(f"members has {len(self.members)} entries, expected {len(self.terms)}")
        if sorted(d for member in self.members for d in member) != list(range(len(self.columns))):
            raise InputError("members do not name every column once")
        if any(d >= len(self.columns) for d in self.categorical) or len(set(self.categorical)) < len(self.categorical):
            raise InputError("categorical does not name columns, each once")
        if not {*self.two_valued} <= {*self.categorical}:
            raise InputError("two_valued names columns that categorical does not")
        if not self.columns:
            raise InputError("there are no columns")
        if not (self.alpha > 0.0 and 0.0 < self.level < 1.0):
            raise InputError(f"alpha is {self.alpha:g} and level is {self.level:g}")
        if (self.units < 0.0).any():
            raise InputError("units has negative values")
        if self.aggregate not in ("mean", "rms") or self.scale not in ("sd", "raw", "given"):
            raise InputError(f"aggregate is {self.aggregate!r:.40} and scale is {self.scale!r:.40}")
        if self.pair_scale not in ("parameters", "link"):
            raise InputError(f"pair_scale is {self.pair_scale!r:.40}")
        for name in ("columns", "terms"):
            check_different(name, getattr(self, name))


def check_different(name: str, values: tuple[str, ...]) -> None:
    """An `InputError` if a value occurs twice."""
    if len(set(values)) != len(values):
        raise InputError(f"{name} are not all different")
