"""The result of `explain`, which never changes: every attribute is a new table."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._arguments import whole_number
from rsens._document import Document, Shown
from rsens._errors import Argument, InputError, MissingExtraError
from rsens._explain._difference import Difference, difference_of
from rsens._explain._document import document
from rsens._explain._effects import Effects, effect_table
from rsens._explain._interaction_marks import Interactions
from rsens._explain._null_level import NullLevel
from rsens._explain._posterior import DrawValues, Posterior
from rsens._explain._rows import Rows
from rsens._explain._subgroups import Subgroups, by_frame
from rsens._explain._tables import FORM, Inference, frame_of, ranked_by, read_order, shown_field, uncertainty_only
from rsens._explain._values import Intervals, KeptRefits, Setup, Values
from rsens._results import Field, Part
from rsens.adapters import read_for
from rsens.measures import Terms

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
        >>> explanation.top(1).round(3).to_dict(), explanation.local_main.shape
        ({'x1': 2.0}, (200, 2))
        >>> explanation.effects[["term", "step", "effect"]].round(1)  # per standard deviation
          term          step  effect
        0   x1   1 sd (1.01)    -2.0
        1   x0  1 sd (0.979)     1.0
    """

    _setup: Setup
    _values: Values
    _rows: Rows
    _effects: Effects | None
    _posterior: DrawValues | None
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
        terms = zip(self.names, self._setup.members, strict=True)
        return {name: tuple(columns[d] for d in m) for name, m in terms if (name,) != tuple(columns[d] for d in m)}

    @property
    def categorical(self) -> tuple[str, ...]:
        """The terms whose levels are compared: categorical columns, and numeric ones with two values."""
        terms = zip(self.names, self._setup.members, strict=True)
        return tuple(name for name, m in terms if m[0] in self._setup.categorical)

    @property
    def two_valued(self) -> tuple[str, ...]:
        """The numeric ones among `categorical`: `numeric` in `explain` asks for their derivatives instead."""
        terms = zip(self.names, self._setup.members, strict=True)
        return tuple(name for name, m in terms if m[0] in self._setup.two_valued)

    @property
    def order(self) -> int:
        """2 with pairs, else 1."""
        return 1 if self._values.pairs is None else 2

    names: tuple[str, ...] = shown_field("setup", "terms")
    scale: pd.Series[float] = shown_field("setup", "units", name="scale")
    scale_kind: str = shown_field("setup", "scale")
    pair_scale: str = shown_field("setup", "pair_scale")
    understood: str = shown_field("setup", "understood")
    level: float = shown_field("setup", "level")
    family: str = shown_field("values", "family")

    main: pd.Series[float] = shown_field("values", "main", name="rsens")
    pairs: pd.Series[float] = shown_field(
        "values", "pairs", name="rsens2", missing=("has no pairs. Ask for them", "pairs", ".")
    )
    local_main: pd.DataFrame = shown_field(
        "values",
        "local_main",
        missing=(
            "has no values of single rows, only their averages. Keep them",
            "keep_local",
            ", or explain the rows in question.",
        ),
    )
    local_pairs: NDArray[np.float64] = shown_field(
        "values",
        "local_pairs",
        missing=(
            "has no local pairs, which take n × T × T numbers. Ask for them",
            Argument("keep_local", "pairs"),
            ".",
        ),
    )
    direction: pd.Series[float] | pd.DataFrame = shown_field("values", "direction")
    consistency: pd.Series[float] | pd.DataFrame = shown_field("values", "consistency")
    parts: pd.DataFrame | None = shown_field("values", "parts")
    pair_parts: pd.DataFrame | None = shown_field("values", "pair_parts")

    @property
    def posterior(self) -> Posterior | None:
        """R-sens of each draw's own predictive, for models of posterior draws: another question than `main`."""
        if (found := self._posterior) is None:
            return None
        draws = pd.DataFrame(found.posterior_values.copy(), columns=list(self.names))
        return Posterior(draws, pd.Series(found.posterior_weights.copy(), name="weight"))

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

        Groups have no effect: they have no single direction. Empty for files of releases that had no effects.
        """
        return effect_table(self)

    @property
    def uncertainty_only(self) -> list[tuple[str, str]]:
        """Pairs with less than 5 % of their R-sens₂ in the prediction, in the order of columns.

        They change how uncertain the prediction is, as where rows are collinear, and barely the prediction itself: do
        not read them as interactions of the prediction. Empty where `pair_parts` has no two parts.
        """
        found = uncertainty_only(self._values)
        return [] if found is None else [pair for pair, only in zip(self.pairs.index, found, strict=True) if only]

    intervals: pd.DataFrame | None = shown_field("intervals", "intervals")
    pair_intervals: pd.DataFrame | None = shown_field("intervals", "pair_intervals")
    interval_kind: str | None = shown_field("intervals", "interval_kind")
    extrapolation: pd.Series[bool] = shown_field(
        "rows",
        "extrapolation",
        missing=("knows how many rows extrapolate, and not which. Keep single rows", "keep_local", "."),
    )

    @property
    def inference(self) -> Inference:
        """All about intervals, the null level and the tests of pairs: p-values, marks, and how they were found."""
        return Inference(self)

    @property
    def null(self) -> pd.Series[float] | None:
        """The level that an irrelevant variable passes once in twenty times; None for a model that was not refitted.

        It is the 95 % quantile over probes, on the scale of each value: see `explain`; `inference.p_value` and
        `inference.reached` tell how certain it is.
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

    @property
    def probes(self) -> pd.DataFrame | None:
        """Every probe behind `null`: the term it is made like, and the value it reached (scaled, see `fields`)."""
        level = self._null_level
        return None if level is None else pd.DataFrame({"term": level.probe_terms, "value": level.probe_values})

    def row(
        self, label: Any = None, *, position: int | None = None, model: Any = None, X: Any = None
    ) -> RowExplanation:
        """Explain the prediction of one row: contributions of first order, its strongest pairs, changes that move it.

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
        discovery, familywise, null_kind, reached, part_… ; for pairs term ("x0:x1"), first, second, value, lower,
        upper, interval_kind, rank, above_null, p_value, discovery, null_kind, part_…, uncertainty_only. Unknown
        values are missing.

        Args:
            order: 1 for terms, 2 for pairs.
            by: The column to rank and sort by: "value", a part of it by its name ("mean", …), "prediction" for the
                first part and "uncertainty" for the second, in any family. The column value is not changed.
        """
        return frame_of(self, read_order(order), by)

    def top(self, k: int = 5, order: int = 1, by: str = "value") -> pd.Series[float]:
        """The k largest values of `main` (order 1) or `pairs` (order 2), or of a part of them: see `to_frame`."""
        k = whole_number(k, "k", 1)
        values = self.main if read_order(order) == 1 else self.pairs
        column, ranked = ranked_by(self._values, order, by)
        if column != "value":
            values = pd.Series(ranked, index=values.index, name=column)
        return values.sort_values(ascending=False, kind="stable").head(k)

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
        """Heat map of `pairs`, or with by="prediction" of that part of them; see `rsens.plots.heatmap`."""
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

    def to_shap(self) -> Any:
        """The local values as `shap.Explanation`, for shap's bar, beeswarm and scatter plots.

        R-sens has no sign and does not add up to the prediction, so plots that add up (waterfall, force) mean nothing.
        Plots are coloured by value or level code, if the explanation has X.
        """
        try:
            import shap
        except ImportError:
            raise MissingExtraError("shap", "compare") from None
        local, terms, data = self.local_main.to_numpy(copy=True), Terms(self._setup.terms, self._setup.members), None
        if self._X is not None:
            data = terms.of_columns(read_for(self._model, self._X)[1].values, np.nan)
        return shap.Explanation(
            values=local, base_values=np.zeros(len(local)), data=data, feature_names=list(self.names)
        )  # fmt: skip

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the model and X to a JSON file, whole or not at all.

        Row labels that are neither numbers nor text, such as dates, are stored, and come back, as text.
        """
        FORM.write({name: self._part(name) for name in FORM.parts}, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file written by `save`."""
        return cls(**FORM.read(path))

    def without_rows(self) -> Self:
        """The same without the values of single rows, which make a file large if there are many rows."""
        same = copy(self)
        same._values = replace(self._values, local_main=None, local_pairs=None)
        same._rows = self._rows.only_counted()
        same._index = same._rows.index
        return same

    def to_json(self) -> str:
        """The content of the file that `save` writes: for queues, data bases and tables of text, as in Spark."""
        return FORM.text({name: self._part(name) for name in FORM.parts})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The explanation in a text that `to_json` made."""
        if not isinstance(text, str):
            raise InputError(Argument("text"), f" must be text made by to_json; got {type(text).__name__}.")
        return cls(**FORM.read_text(text))

    @staticmethod
    def fields() -> Iterator[tuple[str, Field]]:
        """All fields of an explanation with their shapes and meanings, each with the name of its part."""
        return FORM.fields()

    def _part(self, name: str) -> Part | None:
        part: Part | None = getattr(self, f"_{name}")
        return part


def _plots() -> Any:
    """The module of plots, imported when it is needed."""
    from rsens import plots

    return plots
