"""How many columns are too many: what would take many minutes or gigabytes is refused before any work."""

from __future__ import annotations

from typing import Any

from rsens._errors import Argument, InputError

#: Pairs of this many columns are 45,000; they, their parts and their replicates take gigabytes above.
MOST_COLUMNS_OF_PAIRS = 300
#: The null level and intervals take about twenty refits, with so many columns and 100 rows a minute or two.
MOST_REFIT_COLUMNS = 3_000
#: Differences ask the model about twice as many rows as there are numbers in X, of all columns each.
MOST_COLUMNS_OF_DIFFERENCES = 5_000

#: What to do in `explain`.
WITHOUT_REFITS = (
    "Use fewer columns, or ",
    Argument("null", False),
    " and ",
    Argument("intervals", "rows"),
    ", which take the model as it is.",
)


def check_pair_columns(n_columns: int, got: Argument) -> None:
    """An error for pairs of too many columns; `got` is the argument that asked for them."""
    if n_columns > MOST_COLUMNS_OF_PAIRS:
        raise InputError(
            got,
            f" asks for pairs, which are computed for at most {MOST_COLUMNS_OF_PAIRS} columns; got {n_columns:,} "
            f"columns, {n_columns * (n_columns - 1) // 2:,} pairs. Rank the columns without pairs first, and keep the "
            "leading ones.",
        )


def check_refit_columns(model: Any, n_columns: int, *way_out: str | Argument) -> None:
    """An error for refits to too many columns; `way_out` says what to do instead."""
    if n_columns > MOST_REFIT_COLUMNS:
        raise InputError(
            f"{type(model).__name__} is refitted about twenty times, which takes too long with more than "
            f"{MOST_REFIT_COLUMNS:,} columns; got {n_columns:,}. ",
            *way_out,
        )


def check_difference_columns(by_differences: bool, n_columns: int) -> None:
    """An error for difference quotients in too many columns."""
    if by_differences and n_columns > MOST_COLUMNS_OF_DIFFERENCES:
        raise InputError(
            f"the derivatives of this model are differences of its predictions, which take too long with more than "
            f"{MOST_COLUMNS_OF_DIFFERENCES:,} columns; got {n_columns:,}. Use fewer columns, or a model with "
            "derivatives: from_jax, from_torch, or a model of rsens."
        )
