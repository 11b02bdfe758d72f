"""Variables and pairs as cells of a printed table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from rsens._text import Pair


def term_cells(terms: Sequence[str], columns: Sequence[str], order: int) -> dict[str, str]:
    """Each term as a cell: a pair "a:b" as two names, which can both be shortened."""
    pairs = {f"{a}:{b}": Pair(a, b) for a, b in combinations(columns, 2)} if order == 2 else {}
    return {str(term): pairs.get(str(term), str(term)) for term in terms}
