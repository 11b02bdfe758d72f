"""What `compare` returns: a data frame that can show itself by term and method."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas as pd

from rsens._arguments import one_of
from rsens._compare import _text
from rsens._errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("method", "term", "value", "rank", "seconds", "evaluations", "status")


class ComparisonFrame(pd.DataFrame):
    """One row per method and term: method, term, value, rank, seconds, evaluations and status.

    It is a data frame in every way. Parts of it that keep these columns are of this class too; what has others, such as
    a sum by method, is a plain data frame.
    """

    @property
    def _constructor(self) -> Callable[..., pd.DataFrame]:
        return comparison_or_plain

    def wide(self, what: str = "value") -> pd.DataFrame:
        """Values or ranks, terms × methods: terms by the rank that the first method gives them, methods as asked for.

        Methods that could not answer are left out; `status` says why.

        Args:
            what: "value", or "rank".
        """
        one_of(what, "what", ("value", "rank"))
        lost = [column for column in COLUMNS if column not in self.columns]
        if lost:
            raise InputError(
                f"this table has no column {lost[0]!r} any more. Use the table that rsens.compare returned."
            )
        answered = pd.DataFrame(self[self["status"] == "ok"])
        if answered.duplicated(["method", "term"]).any():
            raise InputError("a method has two rows for one term. Look at one comparison at a time.")
        table = answered.pivot(index="term", columns="method", values=what)
        return table.reindex(index=answered["term"].unique(), columns=answered["method"].unique())

    def plot_ranks(self, ax: Axes | None = None, **options: Any) -> Axes:
        """The ranks by all methods side by side; see `rsens.plots.comparison`."""
        from rsens.plots import comparison

        return comparison(self, ax=ax, **options)

    def _repr_html_(self) -> str | None:
        try:
            return _text.as_html(self)
        except InputError:  # other columns, or several comparisons in one table
            return pd.DataFrame(self)._repr_html_()  # type: ignore[operator]


def comparison_or_plain(*args: Any, **options: Any) -> pd.DataFrame:
    """What pandas makes of a part of a comparison."""
    frame = pd.DataFrame(*args, **options)
    return ComparisonFrame(frame) if set(COLUMNS) <= set(frame.columns) else frame
