"""The result of `explain`, which never changes: every attribute is a new table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from rsens._document import Document, Shown
from rsens._errors import Argument
from rsens._explain._difference import Difference, difference_of
from rsens._explain._document import document
from rsens._explain._effects import Effects, effect_table
from rsens._explain._interaction_marks import Interactions
from rsens._explain._null_level import NullLevel
from rsens._explain._rows import Rows
from rsens._explain._subgroups import Subgroups, by_frame
from rsens._explain._tables import FORM, Inference, frame_of, shown_field
from rsens._explain._values import Intervals, KeptRefits, Setup, Values
from rsens._typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rsens._explain._row_explanation import RowExplanation


class Explanation(Shown):
    """Which variables and pairs move the predictive distribution, where, in which direction, and how surely.

    Made by `rsens.explain`, or read from a file by `Explanation.load`. Every attribute gives a new table, so changes to
    it do not reach the explanation.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] - 2.0 * X[:, 1], 1.0))
        >>> explanation = rsens.explain(model, X, scale="raw", random_state=0)
        >>> explanation.to_frame()[["term", "value", "direction"]].round(3)
          term  value  direction
        0   x1    2.0       -2.0
        1   x0    1.0        1.0
        >>> explanation.effects[["term", "step", "effect"]].round(1)  # per standard deviation
          term          step  effect
        0   x1   1 sd (1.01)    -2.0
        1   x0  1 sd (0.979)     1.0
    """

    _setup: Setup
    _values: Values
    _rows: Rows
    _effects: Effects | None
    _intervals: Intervals | None
    _null_level: NullLevel | None
    _interactions: Interactions | None
    _subgroups: Subgroups | None
    _refits: KeptRefits | None

    def __init__(
        self, *, index: pd.Index | None = None, model: Any = None, X: Any = None, weights: Any = None, **parts: Any
    ) -> None:
        """`parts` are those of `FORM`, without the ones that were not computed."""
        for name in FORM.parts:
            setattr(self, f"_{name}", parts.get(name))
        self._index = self._rows.index if index is None else index
        self._model, self._X, self._weights = model, X, weights

    @property
    def model(self) -> Any:
        """The model that was explained; None after `load`."""
        return self._model

    @property
    def data(self) -> Any:
        """The rows X that were explained, in the type that was given; None after `load`."""
        return self._X

    @property
    def weights(self) -> Any:
        """The weights that were given; None if all rows counted the same, and after `load`."""
        return self._weights

    @property
    def n(self) -> int:
        """Number of rows."""
        return self._rows.n

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The columns of each group; empty where every term is a column."""
        columns = self._setup.columns
        terms = {name: tuple(columns[d] for d in m) for name, m in zip(self.names, self._setup.members, strict=True)}
        return {name: members for name, members in terms.items() if members != (name,)}

    @property
    def categorical(self) -> tuple[str, ...]:
        """The terms whose levels are compared: categorical columns, and numeric ones with two values."""
        return self._setup.terms_of(self._setup.categorical)

    @property
    def _two_valued(self) -> tuple[str, ...]:
        """The numeric ones among `categorical`."""
        return self._setup.terms_of(self._setup.two_valued)

    @property
    def order(self) -> int:
        """2 with pairs, else 1."""
        return 1 if self._values.pairs is None else 2

    names: tuple[str, ...] = shown_field("setup", "terms")
    scale: pd.Series[float] = shown_field("setup", "units", name="scale")
    scale_kind: str = shown_field("setup", "scale")
    level: float = shown_field("setup", "level")
    family: str = shown_field("values", "family")

    main: pd.Series[float] = shown_field("values", "main", name="rsens")
    pairs: pd.Series[float] = shown_field("values", "pairs", name="rsens2", needs=Argument("pairs", True))
    local_main: pd.DataFrame = shown_field("values", "local_main", needs=Argument("keep_local", True))
    local_pairs: Array = shown_field("values", "local_pairs", needs=Argument("keep_local", "pairs"))
    direction: pd.Series[float] | pd.DataFrame = shown_field("values", "direction")
    consistency: pd.Series[float] | pd.DataFrame = shown_field("values", "consistency")
    parts: pd.DataFrame | None = shown_field("values", "parts")
    pair_parts: pd.DataFrame | None = shown_field("values", "pair_parts")

    @property
    def effects(self) -> pd.DataFrame:
        """Change of the prediction with each variable, in the units of the target; the leading one first.

        One line for each number and for each level of a category (and for each class, if there are several). The
        change is averaged over the rows, in which the other columns keep their values. Columns:

        * term, level, output; kind: "slope", "step" or "level".
        * step: what changes, as text. "slope": one standard deviation, times the mean slope of the prediction. "step":
          from one value to another, for two-valued columns and those in which a standard deviation is not a
          sensible change (mostly 0, or with a long tail); the model is asked near the rows in between. "level": this
          level against the mean over the other ones, weighted by their frequencies.
        * effect, lower, upper: the change of the prediction (of a probability, for classes), and its interval.
        * unit, per_unit, per_unit_lower, per_unit_upper: the same for a change by `unit`, 1 or a power of ten.
        * percent, percent_lower, percent_upper: the relative change, 100 (exp(change of the log) − 1), for counts and
          other positive numbers.
        * spread, spread_lower, spread_upper: the change of the predictive standard deviation; not for classes.
        * interval_kind: what the intervals hold for, as `interval_kind`.

        Groups have no effect: they have no single direction.
        """
        return effect_table(self)

    intervals: pd.DataFrame | None = shown_field("intervals", "intervals")
    pair_intervals: pd.DataFrame | None = shown_field("intervals", "pair_intervals")
    interval_kind: str | None = shown_field("intervals", "interval_kind")
    extrapolation: pd.Series[bool] = shown_field("rows", "extrapolation", needs=Argument("keep_local", True))

    @property
    def inference(self) -> Inference:
        """All about intervals, the null level and the tests of pairs: p-values, marks, and how they were found."""
        return Inference(self)

    @property
    def null(self) -> pd.Series[float] | None:
        """The level that an irrelevant variable passes once in twenty times; None for a model that was not refitted.

        It is the 95 % quantile over probes, on the scale of each value: see `explain`. `inference.p_value` has the
        p-values.
        """
        level: pd.Series[float] | None = self.inference.null
        return level

    @property
    def intervals_hold(self) -> bool:
        """False where a null level is known and no variable is above it.

        Then the intervals do not hold at their level: among values that could all be noise, the jackknife does not show
        how far they would move with other data.
        """
        star = self.inference.above_null
        return bool(star.any() or star.isna().all())

    def row(
        self, label: Any = None, *, position: int | None = None, model: Any = None, X: Any = None
    ) -> RowExplanation:
        """Explain the prediction of one row: the contribution of each variable, of first order, and its slope there.

        Asks the model, which is remembered from `explain` but not stored in files.

        Args:
            label: The label of the row, as in `local_main`.
            position: Its position instead, counted from 0.
            model: The model; needed after `load`.
            X: All rows that were explained; needed after `load`.
        """
        from rsens._explain._row_explanation import row_of

        return row_of(self, label, position, model, X)

    by: pd.DataFrame | None = shown_field("subgroups", "subgroup_values")

    def to_frame(self, order: int = 1, by: str = "value") -> pd.DataFrame:
        """One line per term (order 1) or pair (order 2), largest first.

        Columns: term, value, lower, upper, interval_kind, rank, direction, consistency, null, above_null, p_value,
        discovery, familywise, null_kind, part_… ; for pairs term ("x0:x1"), first, second, value, lower,
        upper, interval_kind, rank, above_null, p_value, discovery, null_kind, part_…, uncertainty_only. Unknown
        values are missing.

        Args:
            order: 1 for terms, 2 for pairs.
            by: The column to rank and sort by: "value", a part of it by its name ("mean", …), "prediction" for the
                first part and "uncertainty" for the second, in any family. The column value is not changed.
        """
        return frame_of(self, order, by)

    def difference(self, other: Any, *, names: Sequence[str] = ("a", "b")) -> Difference:
        """This explanation minus another one, term by term, with intervals: two models, two samples, before and after.

        Terms go by their names. Both sides are in the same units: where these differ, as standard deviations of two
        samples do, values are converted, exactly, to the root mean square of the two. Intervals hold for new data where
        both explanations have intervals from refits; for two models of the same rows, explain both with the same
        `random_state`, so that their refits leave out the same rows and can be compared in pairs.

        Args:
            other: Another explanation, with the same `scale` and level of intervals.
            names: Names of the two in tables and plots, this one first.

        Returns:
            A `Difference`: `print` it, `plot` it, or take its tables.
        """
        return difference_of(self, other, names)

    def by_frame(self) -> pd.DataFrame | None:
        """Each subgroup next to all other rows, one line per subgroup and term; None without `by`.

        Columns: subgroup, rows, term, value, lower, upper, rest (R-sens over all other rows), difference (value −
        rest), difference_lower, difference_upper, p_value, differs, interval_kind. Unknown values are missing.
        """
        return None if self._subgroups is None else by_frame(self, self._subgroups)

    def _document(self) -> Document:
        return document(self)

    # Each method calls the function of `rsens.plots` that it names, with its options.

    def plot_bars(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Ranked bars of `main`, or with order=2 of `pairs`; see `rsens.plots.bars`."""
        return _plots().bars(self, ax=ax, **options)

    def plot_effects(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Change of the prediction with each variable, with intervals; see `rsens.plots.effects`."""
        return _plots().effects(self, ax=ax, **options)

    def plot_beeswarm(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Every row of `local_main` as a point, coloured by the value of the variable; see `rsens.plots.beeswarm`."""
        return _plots().beeswarm(self, ax=ax, **options)

    def plot_pairs(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Heat map of `pairs`; see `rsens.plots.heatmap`."""
        return _plots().heatmap(self, ax=ax, **options)

    def plot_by(self, ax: Axes | None = None, **options: Any) -> Axes:
        """R-sens within the subgroups of `by`, next to the other rows; see `rsens.plots.subgroups`."""
        return _plots().subgroups(self, ax=ax, **options)

    def plot_profile(self, variable: str | int, ax: Any = None, **options: Any) -> Any:
        """Prediction and R-sens along one column of X, in the units of this explanation; see `rsens.plots.profile`.

        Evaluates the model, which is remembered from `explain` but not stored in files: after `load`, give it and X as
        model=..., X=...
        """
        return _plots().profile_of(self, variable, ax=ax, **options)

    def plot_surface(self, first: str | int, second: str | int, ax: Axes | None = None, **options: Any) -> Axes:
        """Prediction and R-sens₂ over two columns of X, in the units of this explanation; see `rsens.plots.surface`.

        Evaluates the model, which is remembered from `explain` but not stored in files: after `load`, give it and X as
        model=..., X=...
        """
        return _plots().surface(self, first, second, ax=ax, **options)

    def save(self, path: str | os.PathLike[str], *, rows: bool = True) -> None:
        """Write everything but the model and X to a JSON file, whole or not at all.

        Row labels that are neither numbers nor text, such as dates, are stored, and come back, as text.

        Args:
            path: The file.
            rows: Whether to write the values of single rows, which make a file large if there are many rows.
        """
        parts = {name: getattr(self, f"_{name}") for name in FORM.parts}
        if not rows:
            parts["values"] = replace(self._values, local_main=None, local_pairs=None)
            parts["rows"] = self._rows.only_counted()
        FORM.write(parts, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file written by `save`."""
        return cls(**FORM.read(path))


def _plots() -> Any:
    """The module of plots, imported when it is needed."""
    from rsens import plots

    return plots
