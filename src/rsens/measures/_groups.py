"""R-sens of columns that belong together: the sine and cosine of a season, the coordinates of a place."""

from __future__ import annotations

from typing import Any

from rsens._typing import Array
from rsens.adapters import read_for
from rsens.measures._local import check_alpha, gathered
from rsens.measures._rows import check_scale
from rsens.measures._rsens import rsens_by_terms
from rsens.measures._terms import Groups, Terms, check_groups


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

    Example:
        A mean of 3 s + 4 c is steepest in the direction (0.6, 0.8), where its slope is 5.

        >>> from rsens import Normal, from_function
        >>> from rsens.measures import group_rsens
        >>> model = from_function(lambda X: Normal(3.0 * X[:, 0] + 4.0 * X[:, 1] + X[:, 2], 1.0))
        >>> X = [[0.0, 5.0, 1.0], [1.0, 6.0, 2.0]]
        >>> group_rsens(model, X, {"season": [0, 1]})[0].round(4).tolist()
        [5.0, 1.0]
    """
    order = check_alpha(alpha)
    source, table = read_for(model, X)
    units = check_scale(scale, table.names)
    terms = Terms.of(groups, table.names)
    check_groups(terms, table)
    return gathered(rsens_by_terms(source, table, order, units, terms), len(table.values))
