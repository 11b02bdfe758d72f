"""Terms: what is ranked. Single columns, and groups of columns that move together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._table import Table
from rsens._text import first_few
from rsens._typing import Array
from rsens.derivatives import Derivatives
from rsens.distributions import Distribution

Groups = Mapping[str, Sequence[str | int]]


@dataclass(frozen=True)
class Terms:
    """Names of the terms, and the positions of their columns."""

    names: tuple[str, ...]
    members: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, groups: Any, columns: tuple[str, ...]) -> Terms:
        """Every column a term of its own, except where a group takes its place."""
        resolved = resolve_groups({} if groups is None else groups, columns)
        return cls(tuple(resolved), tuple(resolved.values()))

    @classmethod
    def single(cls, n_columns: int) -> Terms:
        """Every column a term of its own, named x0, x1, …"""
        return cls(tuple(f"x{d}" for d in range(n_columns)), tuple((d,) for d in range(n_columns)))

    def __len__(self) -> int:
        return len(self.names)

    def extended(self, names: tuple[str, ...], members: tuple[tuple[int, ...], ...]) -> Terms:
        """The same terms followed by more."""
        return Terms(self.names + names, self.members + members)

    @cached_property
    def grouped(self) -> tuple[int, ...]:
        """Positions of the terms of several columns."""
        return tuple(t for t, members in enumerate(self.members) if len(members) > 1)

    @property
    def grouped_columns(self) -> tuple[int, ...]:
        """Positions of the columns that belong to these."""
        return tuple(d for t in self.grouped for d in self.members[t])

    @cached_property
    def _first(self) -> list[int]:
        return [members[0] for members in self.members]

    def of_column(self, column: int) -> int:
        """The term that a column belongs to."""
        return next(t for t, members in enumerate(self.members) if column in members)

    def of_columns(self, values: Array, fill: float) -> Array:
        """Values (…, D) by column as values (…, T) by term; a group has none of its own and gets `fill`."""
        by_term = values[..., self._first]
        by_term[..., list(self.grouped)] = fill
        return by_term

    def along(self, first: Array, family: Distribution) -> Array:
        """∂λ (n, M, T) along each term: its column, or the direction within the group in which λ moves most.

        That direction is the first right singular vector of the columns of W = B ∂λ, Bᵀ B = I(λ), that belong to the
        group; the Fisher norm along it is the group norm, sqrt(λ_max(W_Sᵀ W_S)).
        """
        if not self.grouped:
            return first
        whitened, along = family.whiten(first), first[..., self._first]
        for t in self.grouped:
            columns = list(self.members[t])
            _, _, directions = np.linalg.svd(whitened[..., columns], full_matrices=False)
            along[..., t] = np.einsum("nmd,nd->nm", first[..., columns], directions[:, 0])
        return along

    def norms(self, change: Array, family: Distribution) -> Array:
        """The Fisher norms (n, T) of changes of λ (n, M, D): of a group, in the direction that matters most."""
        return family.fisher_norm(self.along(change, family))

    def lengths(self, values: Array) -> Array:
        """Sizes (…, T) of signed values (…, D): of a group, the length of the vector of its columns' values."""
        by_term = np.abs(values[..., self._first])
        for t in self.grouped:
            by_term[..., t] = np.linalg.norm(values[..., list(self.members[t])], axis=-1)
        return by_term

    def pair_lengths(self, values: Array) -> Array:
        """Sizes (…, T, T) of signed values (…, D, D): with a group in the pair, as `pair_norms` of one function."""
        by_term = np.abs(values[..., self._first, :][..., self._first])
        for s in self.grouped:
            for t in range(len(self)):
                block = values[..., list(self.members[s]), :][..., list(self.members[t])]
                by_term[..., s, t] = by_term[..., t, s] = np.linalg.norm(block, axis=(-2, -1))
        return by_term

    def pair_norms(self, norms: Array, whitened: Array) -> Array:
        """R-sens₂ (n, T, T) of pairs of terms, from the norms (n, D, D) of columns and the whitened ∂²λ (n, R, D, D).

        With a group in the pair it is the largest norm over unit combinations of the second derivatives that link its
        terms: for a column and a group, the largest R-sens₂ of that column with a direction within the group.
        """
        by_term = norms[:, self._first][:, :, self._first]
        d = whitened.shape[-1]
        flat = whitened.reshape(*whitened.shape[:2], d * d)
        for s in self.grouped:
            for t in range(len(self)):
                links = [a * d + b for a in self.members[s] for b in self.members[t]]
                by_term[:, s, t] = by_term[:, t, s] = np.linalg.norm(flat[..., links], ord=2, axis=(1, 2))
        return by_term


def units_and_terms(derivatives: Derivatives, units: Array | None, terms: Terms | None) -> tuple[Array, Terms]:
    """Units and terms as given; None stands for the units of the columns, and for every column by itself."""
    n_columns = derivatives.first.shape[-1]
    return np.ones(n_columns) if units is None else units, terms or Terms.single(n_columns)


def check_groups(terms: Terms, table: Table) -> None:
    """An error that names the categorical columns of a group: between levels there is no direction."""
    check_group_columns(terms, table.names, () if table.coding is None else table.coding.categorical)


def check_group_columns(terms: Terms, names: Sequence[str], categorical: Collection[int]) -> None:
    """The same for columns by name, with the positions of the categorical ones."""
    for term, members in zip(terms.names, terms.members, strict=True):
        wrong = [repr(names[d]) for d in members if d in categorical]
        if len(members) > 1 and wrong:
            raise InputError(
                Argument("groups"),
                f": {term!r} has the categorical column {', '.join(wrong)}, and a group is moved along a "
                "direction, which levels do not have. Let categorical columns be terms of their own.",
            )


def resolve_groups(groups: Groups, names: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """Positions of the columns of every term, groups and single columns, in the order of their first column."""
    if not isinstance(groups, Mapping):
        raise InputError(
            Argument("groups"), f" must be a dict from a name to its columns; got {type(groups).__name__}."
        )
    owner: dict[int, str] = {}
    for name, members in groups.items():
        if isinstance(members, str) or not isinstance(members, Sequence | np.ndarray) or len(members) == 0:
            raise InputError(Argument("groups"), f": {name!r} needs a list of at least one column; got {members!r}.")
        for member in members:
            position = _position(member, names, str(name))
            if position in owner:
                raise InputError(
                    Argument("groups"),
                    f": column {names[position]!r} is in {owner[position]!r} and again in {str(name)!r}. "
                    "Let every column belong to one group, once.",
                )
            owner[position] = str(name)
    terms: dict[str, tuple[int, ...]] = {}
    for d, column in enumerate(names):
        term = owner.get(d, column)
        if d not in owner and column in owner.values():
            raise InputError(
                Argument("groups"),
                f": the name {column!r} belongs to a column outside the group too. Rename the group.",
            )
        terms[term] = (*terms.get(term, ()), d)
    return terms


def _position(member: Any, names: tuple[str, ...], group: str) -> int:
    if isinstance(member, str):
        if member in names:
            return names.index(member)
    elif isinstance(member, int | np.integer) and not isinstance(member, bool) and 0 <= member < len(names):
        return int(member)
    raise InputError(
        Argument("groups"),
        f": {group!r} names the column {member!r}, which is not in X. It has {first_few(list(names))}.",
    )
