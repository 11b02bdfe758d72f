"""Terms, which are ranked: single columns, and groups of columns that move together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._table import Table, column_positions
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
        """A term for each group, and for each column outside them."""
        resolved = resolve_groups({} if groups is None else groups, columns)
        return cls(tuple(resolved), tuple(resolved.values()))

    @classmethod
    def single(cls, n_columns: int) -> Terms:
        """A term for each column, named x0, x1, …"""
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
        """Values (…, D) by column as values (…, T) by term; a group gets `fill`."""
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
    """Units and terms as given; None means the units of the columns, and single columns."""
    n_columns = derivatives.first.shape[-1]
    return np.ones(n_columns) if units is None else units, terms or Terms.single(n_columns)


def check_groups(terms: Terms, table: Table) -> None:
    """An error that names the categorical columns of a group, which cannot be moved along a direction."""
    check_group_columns(terms, table.names, () if table.coding is None else table.coding.categorical)


def check_group_columns(terms: Terms, names: Sequence[str], categorical: Collection[int]) -> None:
    """The same for columns by name, with the positions of the categorical ones."""
    for t in terms.grouped:
        wrong = [repr(names[d]) for d in terms.members[t] if d in categorical]
        if wrong:
            raise InputError(
                Argument("groups"),
                f": {terms.names[t]!r} has the categorical column {', '.join(wrong)}, and a group is moved along a "
                "direction, which levels do not have. Leave categorical columns out of groups.",
            )


def resolve_groups(groups: Groups, names: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """Positions of the columns of every term, groups and single columns, in the order of their first column."""
    if not isinstance(groups, Mapping):
        raise InputError(
            Argument("groups"), f" must be a dict from a name to its columns; got {type(groups).__name__}."
        )
    owner: dict[int, str] = {}
    for name, members in groups.items():
        positions = column_positions(members, names, "groups")
        if not positions:
            raise InputError(Argument("groups"), f": {name!r} needs a list of at least one column; got {members!r}.")
        twice = [names[d] for d in positions if d in owner]
        if twice:
            raise InputError(
                Argument("groups"), f": column {twice[0]!r} is in two groups. Let every column belong to one at most."
            )
        owner |= dict.fromkeys(positions, str(name))
    terms: dict[str, tuple[int, ...]] = {}
    for d, column in enumerate(names):
        if d not in owner and column in owner.values():
            raise InputError(
                Argument("groups"),
                f": the name {column!r} belongs to a column outside the group too. Rename the group.",
            )
        term = owner.get(d, column)
        terms[term] = (*terms.get(term, ()), d)
    return terms
