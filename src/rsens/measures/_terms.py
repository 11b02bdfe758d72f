"""The terms of an explanation: single columns, and groups of columns that are moved together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.measures._groups import group_norms, resolve_groups


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

    def __len__(self) -> int:
        return len(self.names)

    def extended(self, names: tuple[str, ...], members: tuple[tuple[int, ...], ...]) -> Terms:
        """These terms and some more."""
        return Terms(self.names + names, self.members + members)

    @cached_property
    def grouped(self) -> tuple[int, ...]:
        """Positions of the terms of several columns."""
        return tuple(t for t, members in enumerate(self.members) if len(members) > 1)

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

    def steepest(self, first: Array, whitened: Array) -> Array:
        """∂λ (n, M, T) along each term: its column, or the direction within the group in which λ moves most.

        That direction is the first right singular vector of the columns of W that belong to the group; the Fisher norm
        along it is the group norm of `rsens.measures.group_rsens`.
        """
        along = first[..., self._first]
        for t in self.grouped:
            columns = list(self.members[t])
            _, _, directions = np.linalg.svd(whitened[..., columns], full_matrices=False)
            along[..., t] = np.einsum("nmd,nd->nm", first[..., columns], directions[:, 0])
        return along

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
                links = tuple(a * d + b for a in self.members[s] for b in self.members[t])
                by_term[:, s, t] = by_term[:, t, s] = group_norms(flat, {"pair": links})[:, 0]
        return by_term
