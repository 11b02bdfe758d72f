"""Which terms of two explanations can be compared, and in which units.

R-sens is linear in the unit of a column, and R-sens₂ in the product of two. So values per standard deviation of one
sample become values per any other unit by a factor, exactly; the same goes for a switch between levels, which counts
√(P(two rows differ)/2) of a standard deviation in each sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rsens._errors import InputError
from rsens._text import quoted
from rsens._typing import Array, Positions

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation

#: Units that differ by less than this share are the same.
SAME = 1e-9
#: Why a term of both explanations is not compared.
OTHER_COLUMNS = "it has other columns in the one than in the other"
OTHER_KIND = "its levels are compared in the one, and it has a slope in the other"
CONSTANT = "it does not vary in one of the two, so it has no unit there"
TWO_FACTORS = "the units of its columns differ by different factors; give both explanations the same numbers as scale"


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two: where the terms stand in it, and what turns its values into the common units."""

    explanation: Explanation
    positions: Positions  # of the terms that are compared
    factors: Array

    def values(self, order: int) -> Array | None:
        """R-sens of the terms, or R-sens₂ of their pairs, in the common units."""
        found = self.explanation._values
        if order == 1:
            return self.of_terms(found.main)
        return None if found.pairs is None else self.of_pairs(found.pairs)

    @property
    def is_converted(self) -> bool:
        """Whether some unit is another one than in the explanation."""
        return bool((self.factors != 1.0).any())

    def of_terms(self, values: Array) -> Array:
        """Values (…, all terms) of the explanation as values (…, terms) in the common units."""
        return np.asarray(values[..., self.positions] * self.factors)

    def of_pairs(self, values: Array) -> Array:
        """Values (…, all pairs) of the explanation as values (…, pairs) in the common units."""
        first, second = np.triu_indices(len(self.positions), 1)
        return np.asarray(values[..., self.pair_positions] * self.factors[first] * self.factors[second])

    @property
    def pair_positions(self) -> Positions:
        """Where the pairs of the terms stand among the pairs of the explanation."""
        n = len(self.explanation.names)
        place = np.zeros((n, n), dtype=np.intp)
        place[np.triu_indices(n, 1)] = np.arange(n * (n - 1) // 2)
        place = place + place.T
        first, second = np.triu_indices(len(self.positions), 1)
        return np.asarray(place[self.positions[first], self.positions[second]])

    def factors_of_refits(self, units: Array) -> Array:
        """What turns values of refits, in units (refits, columns) of their own, into the common units.

        The common unit is a number. How far the standard deviation of a column varies between samples is no part of how
        far a value per that number does. A group has no unit of its own: its factor stays that of all rows.
        """
        setup = self.explanation._setup
        found = np.tile(self.factors, (len(units), 1))
        for t, position in enumerate(self.positions):
            if len(columns := setup.members[position]) == 1:
                own = units[:, columns[0]]
                common = self.factors[t] * setup.units[columns[0]]
                found[:, t] = np.divide(common, own, out=np.zeros(len(own)), where=own > 0.0)
        return found


@dataclass(frozen=True, eq=False)
class Comparable:
    """The terms that two explanations share, in common units."""

    terms: tuple[str, ...]
    first: Side
    second: Side
    units: Array  # of each term; NaN for a group
    left_out: dict[str, str]  # terms of both that are not compared, and why

    @property
    def is_converted(self) -> bool:
        """Whether the units of the two differ."""
        return self.first.is_converted or self.second.is_converted


def comparable(a: Explanation, b: Explanation) -> Comparable:
    """The terms that both have, in units halfway between theirs; an `InputError` if the two measure other things."""
    _check_same(a, b)
    terms, positions, factors, units = [], [], [], []
    left_out: dict[str, str] = {}
    for name in (name for name in a.names if name in b.names):
        found = _common_unit(a, b, name)
        if isinstance(found, str):
            left_out[name] = found
            continue
        unit, factor_a, factor_b = found
        terms.append(name)
        positions.append((a.names.index(name), b.names.index(name)))
        factors.append((factor_a, factor_b))
        units.append(unit)
    if not terms:
        why = "".join(f" {name!r}: {reason}." for name, reason in list(left_out.items())[:3])
        raise InputError(
            f"The two explanations have no variable that can be compared: one has {quoted(a.names)}, the other "
            f"{quoted(b.names)}.{why} Use the same names for the same columns."
        )
    where, by = np.array(positions, dtype=np.intp), np.array(factors)
    first, second = (Side(e, where[:, k], by[:, k]) for k, e in enumerate((a, b)))
    return Comparable(tuple(terms), first, second, np.array(units), left_out)


def _check_same(a: Explanation, b: Explanation) -> None:
    names = {"alpha": "alpha", "scale_kind": "scale", "level": "level"}
    if a.order == b.order == 2:
        names["pair_scale"] = "pair_scale"
    for attribute, argument in names.items():
        one, other = getattr(a, attribute), getattr(b, attribute)
        if one != other:
            raise InputError(
                f"The two explanations cannot be compared: one was made with {argument}={one!r}, the other with "
                f"{argument}={other!r}. Explain both with the same."
            )


def _common_unit(a: Explanation, b: Explanation, name: str) -> tuple[float, float, float] | str:
    """The unit of a term and what turns the values of each side into it; or why it cannot be compared.

    The unit is the root mean square of the two, as in a pooled standard deviation. So a − b is −(b − a).
    """
    columns = [_columns(e, name) for e in (a, b)]
    if columns[0].keys() != columns[1].keys():
        return OTHER_COLUMNS
    if (name in a.categorical) != (name in b.categorical):
        return OTHER_KIND
    one, other = (np.array([of[column] for column in columns[0]]) for of in columns)
    if not one.any() and not other.any():
        return 0.0, 1.0, 1.0
    if (one == 0.0).any() or (other == 0.0).any():
        return CONSTANT
    ratio = other / one
    if np.ptp(ratio) > SAME * ratio[0]:
        return TWO_FACTORS
    if abs(ratio[0] - 1.0) <= SAME:
        return float(one[0]) if len(one) == 1 else np.nan, 1.0, 1.0
    factor = float(np.sqrt((1.0 + ratio[0] ** 2) / 2.0))  # the common unit, in units of a
    return float(one[0]) * factor if len(one) == 1 else np.nan, factor, factor / float(ratio[0])


def _columns(explanation: Explanation, name: str) -> dict[str, float]:
    """The units of the columns of a term."""
    setup = explanation._setup
    return {setup.columns[d]: float(setup.units[d]) for d in setup.members[explanation.names.index(name)]}
