"""R-sens of columns that belong together: the sine and cosine of a season, the coordinates of a place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._typing import Array
from rsens.derivatives import Derivatives, read_for
from rsens.measures._contrasts import contrast_values
from rsens.measures._local import check_alpha, from_derivatives, gathered
from rsens.measures._rows import check_scale

Groups = Mapping[str, Sequence[str | int]]


def group_rsens(model: Any, X: Any, groups: Groups, *, alpha: float = 1.0, scale: Any = None) -> Array:
    """R-sens of groups of columns, shape (n, terms): the largest R-sens over directions within the group.

    `groups` maps a name to the names or positions of its columns. A column in no group is a term of its own;
    `resolve_groups` gives the names of the terms in order. `scale`, one number per column, sets the units in which a
    direction within the group has length 1.

    With G_S the block of G(x) = α Jᵀ I(λ) J that belongs to the columns S, the value is sqrt(λ_max(G_S)): how fast the
    prediction changes when the group moves by one unit in the direction that matters most. For one column this is
    R-sens; it does not change when the columns of the group are rotated into each other (sine and cosine of a shifted
    season); and a column that changes nothing adds nothing. A sum or trace over the group would count once per column
    what is one direction, so that the same information spread over more columns looks more important.

    A categorical column has no directions and must be a term of its own.
    """
    order = check_alpha(alpha)
    root = np.sqrt(order)
    model, table = read_for(model, X)
    units = check_scale(scale, table.names)
    terms = resolve_groups(groups, table.names)
    if table.coding is not None:
        check_groups(terms, table.coding.categorical, table.names)

    def value(derivatives: Derivatives) -> Array:
        """The whitened derivative, with R-sens in place of it in the first entry of categorical columns."""
        whitened = derivatives.distribution.whiten(derivatives.first) * units
        for column, contrast in contrast_values(derivatives, order):
            whitened[..., column] = 0.0
            whitened[:, 0, column] = contrast / root * units[column]
        return whitened

    whitened = from_derivatives(model, X, 1, value, "The whitened derivative")
    return gathered(((rows, root * group_norms(w, terms)) for rows, w in whitened), X)


def group_norms(whitened: Array, terms: Mapping[str, tuple[int, ...]]) -> Array:
    """sqrt(λ_max(W_Sᵀ W_S)) for every term: the largest singular value of the columns S of W (n, R, D), not squared."""
    return np.stack([np.linalg.norm(whitened[..., list(s)], ord=2, axis=(1, 2)) for s in terms.values()], axis=-1)


def check_groups(terms: Mapping[str, tuple[int, ...]], categorical: tuple[int, ...], names: tuple[str, ...]) -> None:
    """An error that names the categorical columns of a group: between levels there is no direction."""
    for term, members in terms.items():
        wrong = [repr(names[d]) for d in members if d in categorical]
        if len(members) > 1 and wrong:
            raise InputError(
                f"groups: {term!r} has the categorical column {', '.join(wrong)}, and a group is moved along a "
                "direction, which levels do not have. Let categorical columns be terms of their own."
            )


def resolve_groups(groups: Groups, names: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """Positions of the columns of every term, groups and single columns, in the order of their first column."""
    if not isinstance(groups, Mapping):
        raise InputError(f"groups must be a dict from a name to its columns; got {type(groups).__name__}.")
    owner: dict[int, str] = {}
    for name, members in groups.items():
        if isinstance(members, str) or not isinstance(members, Sequence | np.ndarray) or len(members) == 0:
            raise InputError(f"groups: {name!r} needs a list of at least one column; got {members!r}.")
        for member in members:
            position = _position(member, names, str(name))
            if position in owner:
                raise InputError(
                    f"groups: column {names[position]!r} is in {owner[position]!r} and again in {str(name)!r}. "
                    "Let every column belong to one group, once."
                )
            owner[position] = str(name)
    terms: dict[str, tuple[int, ...]] = {}
    for d, column in enumerate(names):
        term = owner.get(d, column)
        if d not in owner and column in owner.values():
            raise InputError(
                f"groups: the name {column!r} is also that of a column outside the group. Rename the group."
            )
        terms[term] = (*terms.get(term, ()), d)
    return terms


def _position(member: Any, names: tuple[str, ...], group: str) -> int:
    if isinstance(member, str):
        if member in names:
            return names.index(member)
    elif isinstance(member, int | np.integer) and not isinstance(member, bool) and 0 <= member < len(names):
        return int(member)
    raise InputError(f"groups: {group!r} names the column {member!r}, which is not in X. It has {', '.join(names)}.")
