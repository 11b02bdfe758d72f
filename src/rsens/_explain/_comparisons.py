"""What an explanation is compared with, as its methods: another one, and its own subgroups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from rsens._explain._subgroups import by_frame

if TYPE_CHECKING:
    from rsens._explain._difference import Difference


class Comparisons:
    """The methods of an `Explanation` that compare."""

    def difference(self, other: Any, *, names: Sequence[str] = ("a", "b")) -> Difference:
        """This explanation minus another one, term by term, with intervals: two models, two samples, before and after.

        Terms go by their names. Both sides are in the same units: where these differ, as standard deviations of two
        samples do, values are converted, exactly, to the root mean square of the two. Intervals hold for new data where
        both explanations have intervals from refits; for two models of the same rows, explain both with the same
        `random_state`, so that their refits leave out the same rows and can be compared in pairs.

        Args:
            other: Another explanation, with the same `scale`, `alpha` and `level`.
            names: What the two are called in tables and plots, this one first.

        Returns:
            A `Difference`: `print` it, `plot` it, or take its tables.
        """
        from rsens._explain._difference_of import difference_of

        return difference_of(self, other, names)  # type: ignore[arg-type] # it is one

    def by_frame(self) -> pd.DataFrame | None:
        """Each subgroup beside all other rows, one line per subgroup and term; None without `by`.

        Columns: subgroup, rows, term, value, lower, upper, rest (R-sens over all other rows), difference (value −
        rest), difference_lower, difference_upper, p_value, differs, interval_kind. What is not known is missing.
        """
        return by_frame(self)  # type: ignore[arg-type] # it is one
