"""The result of `explain`: tables in, tables out, nothing that changes under the reader's hands."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._arguments import whole_number
from rsens._errors import InputError
from rsens._explain import _export, _frames, _text
from rsens._explain._plot_methods import PlotMethods
from rsens._explain._record import Record
from rsens._explain._store import FORM
from rsens._explain._subgroups import plain_label


class NotComputedError(InputError, AttributeError):
    """The explanation was made without this; the text names the argument of `explain` that asks for it."""


class Explanation(PlotMethods):
    """Which variables and pairs move the predictive distribution, where, in which direction, and how surely.

    Made by `rsens.explain`, or read from a file by `Explanation.load`. Every attribute gives a new table: what is done
    to it leaves the explanation as it is.
    """

    def __init__(self, record: Record, *, index: pd.Index | None = None, model: Any = None, X: Any = None) -> None:
        self._record = record
        self._index = pd.RangeIndex(record.n) if index is None else index
        self._model = model
        self._X = X

    # ---- what was asked ---------------------------------------------------------------------------------------------

    @property
    def model(self) -> Any:
        """The model that was explained; None after `load`."""
        return self._model

    @property
    def data(self) -> Any:
        """The rows X that were explained, as they were given; None after `load`."""
        return self._X

    @property
    def n(self) -> int:
        """Number of rows."""
        return self._record.n

    @property
    def names(self) -> tuple[str, ...]:
        """The terms: columns of X in their order, a group in the place of its first column."""
        return self._record.terms

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The columns of each group; empty where every term is a column."""
        columns = self._record.columns
        terms = zip(self.names, self._record.members, strict=True)
        return {name: tuple(columns[d] for d in m) for name, m in terms if (name,) != tuple(columns[d] for d in m)}

    @property
    def scale(self) -> pd.Series[float]:
        """The unit in which each column is counted."""
        return pd.Series(self._record.units, index=pd.Index(self._record.columns), name="scale")

    @property
    def scale_kind(self) -> str:
        """Where the units come from: "sd", "raw" or "given"."""
        return self._record.scale

    @property
    def categorical(self) -> tuple[str, ...]:
        """The terms that are categorical columns: their sensitivity is per switch to another level."""
        r = self._record
        return tuple(name for name, m in zip(r.terms, r.members, strict=True) if m[0] in r.categorical)

    @property
    def alpha(self) -> float:
        """Order of the Rényi divergence."""
        return self._record.alpha

    @property
    def family(self) -> str:
        """Name of the predictive family."""
        return self._record.family

    @property
    def aggregate(self) -> str:
        """How rows are summed up: "mean" or "rms"."""
        return self._record.aggregate

    @property
    def level(self) -> float:
        """Share of the bootstrap replicates within the intervals."""
        return self._record.level

    @property
    def order(self) -> int:
        """2 with pairs, else 1."""
        return 1 if self._record.pairs is None else 2

    # ---- variables and pairs ----------------------------------------------------------------------------------------

    @property
    def main(self) -> pd.Series[float]:
        """R-sens of each term, summed up over the rows."""
        return self._by_term(self._record.main, "rsens")

    @property
    def pairs(self) -> pd.Series[float]:
        """R-sens₂ of each pair of terms, summed up over the rows, by (variable, variable) in the order of columns."""
        if self._record.pairs is None:
            raise NotComputedError("This explanation has no pairs. Ask for them with explain(..., pairs=True).")
        return self._by_pair(self._record.pairs, "rsens2")

    @property
    def local_main(self) -> pd.DataFrame:
        """R-sens of each row and term, in the same units, with the index of X."""
        return pd.DataFrame(self._record.local_main, index=self._index, columns=list(self.names))

    @property
    def local_pairs(self) -> NDArray[np.float64]:
        """R-sens₂ of each row and pair, shape (n, T, T), symmetric and read-only; only where it was asked for."""
        if self._record.local_pairs is None:
            raise NotComputedError(
                "This explanation has no local pairs, which take n × T × T numbers. "
                "Ask for them with explain(..., keep_local_pairs=True)."
            )
        return self._record.local_pairs

    @property
    def direction(self) -> pd.Series[float] | pd.DataFrame:
        """Mean derivative of the point prediction, with its sign, in the units of `scale`.

        NaN for groups and for categorical columns.

        A Series by term, or a frame terms × outputs for a prediction of several outputs (class probabilities).
        """
        return self._by_output(self._record.direction, "direction")

    @property
    def consistency(self) -> pd.Series[float] | pd.DataFrame:
        """Whether the prediction always goes the same way: |mean derivative| / mean |derivative|, between 0 and 1.

        1 where the derivative never changes its sign, 0 where ups and downs cancel. Below ½ more than a quarter of all
        movement goes against the rest, and tables and bars show ± in place of ▲ or ▼. NaN where `direction` is, and
        where the prediction does not move. Shaped like `direction`.
        """
        return self._by_output(self._record.consistency, "consistency")

    @property
    def parts(self) -> pd.DataFrame | None:
        """What R-sens is made of, terms × parts: the rows add up to `main`.

        Normal: "mean", moves the prediction, and "variance", moves the uncertainty. A single column "joint" for
        families whose parameters cannot be told apart; None for families of one parameter.
        """
        r = self._record
        return None if r.parts is None else pd.DataFrame(r.parts, index=pd.Index(r.terms), columns=list(r.part_names))

    # ---- how sure ---------------------------------------------------------------------------------------------------

    @property
    def intervals(self) -> pd.DataFrame | None:
        """Bootstrap intervals of `main` over the rows: columns lower, upper. The model is taken as it is."""
        return None if self._record.intervals is None else self._bounds(self._record.intervals, pd.Index(self.names))

    @property
    def pair_intervals(self) -> pd.DataFrame | None:
        """Bootstrap intervals of `pairs` over the rows: columns lower, upper."""
        bounds = self._record.pair_intervals
        return None if bounds is None else self._bounds(bounds, self._pair_index())

    @property
    def null(self) -> float | pd.Series[float] | None:
        """The level that an irrelevant variable passes once in twenty times; None for a model that was not refitted.

        It is the 95 % quantile over probes: see `explain`, and `reached` for how certain it is. In standard deviations
        it is one number for all columns; in other units, and with groups, it differs between terms and is a Series, as
        `null_levels` always is.
        """
        levels = self._record.null
        if levels is None:
            return None
        return float(levels[0]) if (levels == levels[0]).all() else self._by_term(levels, "null")

    @property
    def null_levels(self) -> pd.Series[float] | None:
        """`null` by term."""
        return None if self._record.null is None else self._by_term(self._record.null, "null")

    @property
    def null_pairs(self) -> pd.Series[float] | None:
        """The level that a pair reaches when one of its two variables is irrelevant, by pair."""
        return None if self._record.null_pairs is None else self._by_pair(self._record.null_pairs, "null")

    @property
    def reached(self) -> pd.Series[float] | None:
        """The share of probes, which are irrelevant, that reach the value of a term: 0 for one that is clearly not."""
        return None if self._record.reached is None else self._by_term(self._record.reached, "reached")

    @property
    def reached_pairs(self) -> pd.Series[float] | None:
        """The share of probes that reach the value of a pair when they take the place of one of its two variables."""
        return None if self._record.reached_pairs is None else self._by_pair(self._record.reached_pairs, "reached")

    @property
    def probes(self) -> pd.DataFrame | None:
        """Every probe behind `null`: the term it is a shuffled copy of, and the value it reached."""
        r = self._record
        return None if r.probe_terms is None else pd.DataFrame({"term": r.probe_terms, "value": r.probe_values})

    @property
    def extrapolation(self) -> pd.Series[bool]:
        """True for rows outside the cloud of the training inputs (or, where the model does not know them, of X)."""
        return pd.Series(self._record.extrapolation, index=self._index, name="extrapolation")

    # ---- subgroups --------------------------------------------------------------------------------------------------

    @property
    def by(self) -> pd.DataFrame | None:
        """R-sens summed up within each subgroup, subgroups × terms; None without `by`."""
        values = self._record.subgroup_values
        return None if values is None else pd.DataFrame(values, index=self._subgroups(), columns=list(self.names))

    @property
    def by_counts(self) -> pd.Series[int] | None:
        """Number of rows in each subgroup."""
        counts = self._record.subgroup_counts
        return None if counts is None else pd.Series(counts, index=self._subgroups(), name="rows")

    # ---- tables -----------------------------------------------------------------------------------------------------

    def to_frame(self, order: int = 1) -> pd.DataFrame:
        """One line per term (order 1) or pair (order 2), largest first.

        Columns: term, value, lower, upper, rank, direction, consistency, null, above_null, reached, part_… ; for pairs
        term ("x0:x1"), first, second, value, lower, upper, rank, null, above_null, reached. What is not known is
        missing (NaN).
        """
        if isinstance(order, bool) or order not in (1, 2):
            raise InputError(f"order must be 1 (variables) or 2 (pairs); got {order!r}.")
        return _frames.of_terms(self) if order == 1 else _frames.of_pairs(self)

    def top(self, k: int = 5, order: int = 1) -> pd.Series[float]:
        """The k largest values of `main` (order 1) or `pairs` (order 2)."""
        k = whole_number(k, "k", 1)
        if isinstance(order, bool) or order not in (1, 2):
            raise InputError(f"order must be 1 (variables) or 2 (pairs); got {order!r}.")
        values = self.main if order == 1 else self.pairs
        return values.sort_values(ascending=False, kind="stable").head(k)

    def __repr__(self) -> str:
        return _text.text(self)

    def _repr_html_(self) -> str:
        return _text.as_html(self)

    # ---- files and other libraries ----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the model and X to a JSON file, whole or not at all.

        Row labels that are neither numbers nor text (dates, say) are stored, and come back, as text.
        """
        labels = None if self._index.equals(pd.RangeIndex(self.n)) else tuple(plain_label(v) for v in self._index)
        name = None if self._index.name is None else str(self._index.name)
        FORM.write(dataclasses.replace(self._record, row_labels=labels, row_label_name=name), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file written by `save`."""
        record = FORM.read(path, Record)
        index = pd.RangeIndex(record.n) if record.row_labels is None else pd.Index(list(record.row_labels))
        return cls(record, index=index.rename(record.row_label_name))

    def to_shap(self) -> Any:
        """The local values as `shap.Explanation`, for shap's bar, beeswarm and scatter plots.

        R-sens has no sign and does not add up to the prediction, so plots that add up (waterfall, force) mean nothing.
        """
        return _export.to_shap(self._record, self._model, self._X)

    def to_interaction_values(self) -> Any:
        """`main` and `pairs` as `shapiq.InteractionValues`, keyed by tuples of positions: (0,), (0, 1)."""
        return _export.to_interaction_values(self._record)

    # ---- helpers ----------------------------------------------------------------------------------------------------

    def _by_term(self, values: NDArray[np.float64], name: str) -> pd.Series[float]:
        return pd.Series(values, index=pd.Index(self.names), name=name)

    def _by_output(self, values: NDArray[np.float64], name: str) -> pd.Series[float] | pd.DataFrame:
        """A Series where there is one output, else a frame terms × outputs."""
        outputs = self._record.outputs
        if len(outputs) == 1:
            return self._by_term(values[:, 0], name)
        return pd.DataFrame(values, index=pd.Index(self.names), columns=list(outputs))

    def _by_pair(self, values: NDArray[np.float64], name: str) -> pd.Series[float]:
        return pd.Series(values, index=self._pair_index(), name=name)

    def _pair_index(self) -> pd.MultiIndex:
        first, second = np.triu_indices(len(self.names), 1)
        names = np.array(self.names, dtype=object)
        return pd.MultiIndex.from_arrays([names[first], names[second]], names=["first", "second"])

    def _bounds(self, bounds: NDArray[np.float64], index: pd.Index) -> pd.DataFrame:
        return pd.DataFrame({"lower": bounds[0], "upper": bounds[1]}, index=index)

    def _subgroups(self) -> pd.Index:
        return pd.Index(list(self._record.subgroups or ()), name="subgroup")
