"""Whether explanations are of parts of the same rows, asked in the same way of the same model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._explain._asked_model import AskedModel
from rsens._explain._comparable import SAME
from rsens._explain._effects import Effects
from rsens._explain._intervals import REFITS
from rsens._explain._query import Setup
from rsens._explain._stretches import Stretches
from rsens._explain._subgroups import SubgroupSums
from rsens._explain._sums import Sums
from rsens._explain._values import Values
from rsens._typing import Array

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation

#: What must be equal, by the argument of `explain` or the word that it goes by.
EQUAL: dict[str, Callable[[Mergeable], Any]] = {
    "the columns of X": lambda part: part.setup.columns,
    "groups": lambda part: (part.setup.terms, part.setup.members),
    "numeric": lambda part: part.setup.two_valued,
    "categorical columns": lambda part: part.setup.categorical,
    "alpha": lambda part: part.setup.alpha,
    "aggregate": lambda part: part.setup.aggregate,
    "level": lambda part: part.setup.level,
    "scale": lambda part: part.setup.scale,
    "pairs": lambda part: part.values.pairs is not None,
    "pair_scale": lambda part: None if part.values.pairs is None else part.setup.pair_scale,
    "by": lambda part: part.subgroups is not None,
}
#: What differs only between models.
OF_THE_MODEL: tuple[Callable[[Mergeable], Any], ...] = (
    lambda part: part.values.family,
    lambda part: part.values.outputs,
    lambda part: (part.values.part_names, part.values.pair_part_names),
    lambda part: part.setup.understood,
    lambda part: None if part.sums.sum_draws is None else len(part.sums.sum_draws),
)
#: What depends on the rows unless the model knows its training inputs.
OF_THE_TRAINING: tuple[Callable[[Mergeable], Any], ...] = (
    lambda part: part.asked.model_levels,
    lambda part: (part.effects.effect_terms, part.effects.effect_levels, part.sums.effect_edges),
)


@dataclass(frozen=True, eq=False)
class Mergeable:
    """An explanation that knows which rows of a whole it is of, and has what it takes to join it with others."""

    explanation: Explanation
    setup: Setup
    values: Values
    effects: Effects
    sums: Sums
    subgroups: SubgroupSums | None
    stretches: Stretches
    asked: AskedModel

    @classmethod
    def of(cls, e: Any) -> Mergeable:
        """An `InputError` for any other explanation."""
        from rsens._explain._explanation import Explanation

        if not isinstance(e, Explanation):
            raise InputError(Argument("explanations"), f" must be made by rsens.explain; got {type(e).__name__}.")
        if e._effects is None or e._sums is None or e._stretches is None or e._asked is None:
            raise InputError(
                "An explanation does not know which rows of a whole it is of, and has not kept what it takes to join "
                "it with others. Make it with explain(..., ",
                Argument("first_row"),
                "=…): the number of its first row in the whole table.",
            )
        return cls(e, e._setup, e._values, e._effects, e._sums, e._subgroup_sums, e._stretches, e._asked)


def read_parts(explanations: Any) -> list[Mergeable]:
    """The explanations, if they can be merged; else an `InputError` that says what differs."""
    if not isinstance(explanations, Iterable):
        raise InputError(
            Argument("explanations"), f" must be a list of explanations; got {type(explanations).__name__}."
        )
    parts = [Mergeable.of(e) for e in explanations]
    if not parts:
        raise InputError(Argument("explanations"), " is empty: give at least one explanation.")
    drawn = sorted({part.sums.n_bootstrap for part in parts if part.explanation.interval_kind != REFITS})
    if len(drawn) > 1:
        raise InputError(
            f"The explanations have {drawn[0]} and {drawn[-1]} bootstrap replicates of the rows. Give all parts the ",
            "same ",
            Argument("n_bootstrap"),
            " and ",
            Argument("intervals"),
            ".",
        )
    for number, part in enumerate(parts[1:], start=1):
        _check_pair(parts[0], part, f"Explanations 0 and {number} cannot be merged")
    return parts


def _check_pair(first: Mergeable, other: Mergeable, start: str) -> None:
    for name, of in EQUAL.items():
        if of(first) != of(other):
            raise InputError(
                f"{start}: they differ in {name} ({_short(of(first))} and {_short(of(other))}). Explain all parts in "
                "the same way."
            )
    if not _same(first.setup.units, other.setup.units):
        column = int((np.abs(first.setup.units - other.setup.units)).argmax())
        raise InputError(
            f"{start}: a step of {first.setup.columns[column]!r} is {first.setup.units[column]:g} in the one and "
            f"{other.setup.units[column]:g} in the other. Pass the same numbers as ",
            Argument("scale"),
            " to both, or the same ",
            Argument("training"),
            ".",
        )
    same_kind = all(of(first) == of(other) for of in OF_THE_MODEL)
    if not same_kind or not first.asked.is_of_same_model(other.asked):
        raise InputError(
            f"{start}: they are of different models, whose predictions or slopes differ. Explain all parts with the "
            "same fitted model, and the same ",
            Argument("training"),
            " if you pass it.",
        )
    same_steps = _same(first.effects.effect_step, other.effects.effect_step)
    if not same_steps or any(of(first) != of(other) for of in OF_THE_TRAINING):
        raise InputError(
            f"{start}: levels, their frequencies or the steps of effects differ. They were found in other rows. Pass "
            "the same ",
            Argument("training"),
            " to both.",
        )


def _same(one: Array, other: Array) -> bool:
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=SAME, atol=0.0, equal_nan=True))


def _short(value: Any) -> str:
    return repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}…"
