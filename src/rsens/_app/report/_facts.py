"""The study as sentences, tables and figures of the report need it, read once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables import Choice, Note
from rsens._assess import Assessment
from rsens._explain import Explanation, value_of
from rsens._table import Table
from rsens._text import as_label, distinct, shorten
from rsens._typing import Array, Positions
from rsens.adapters import read_for
from rsens.derivatives import Model
from rsens.distributions import Distribution, is_event
from rsens.plots import PLOTS, Plot

#: The most rows that can be looked at one by one, and that are points of the swarms.
MOST_ROWS = 500
#: The most characters of a name in text and tables, and in figures.
NAME_LENGTH, LABEL_LENGTH = 80, 32


@dataclass(frozen=True)
class Name:
    """A name as text shows it, and whole."""

    short: str
    full: str

    @classmethod
    def of(cls, name: object) -> Name:
        """A name on its own."""
        full = as_label(name)
        return cls(shorten(full, NAME_LENGTH), full)

    @property
    def is_cut(self) -> bool:
        """Whether there is more than is shown."""
        return self.short != self.full


@dataclass(frozen=True, eq=False)
class Facts:
    """A study: the explanation, how good the model is, and the rows."""

    explanation: Explanation
    assessment: Assessment | None
    notes: list[Note]
    likelihood: Choice | None
    settings: dict[str, Any]
    model: Any  # anything that `explain` takes
    X: Any  # a data frame or an array
    y: pd.Series[Any] | None
    source: Model = field(repr=False)
    table: Table = field(repr=False)

    @classmethod
    def of(cls, study: Any) -> Facts:
        """Read a study, or anything that has its attributes."""
        explanation = study.explanation
        model = study.model if explanation.model is None else explanation.model
        X = study.X if explanation.data is None else explanation.data
        source, table = read_for(model, X)
        y = getattr(study, "y", None)
        return cls(
            explanation=explanation,
            assessment=getattr(study, "assessment", None),
            notes=list(getattr(study, "notes", None) or []),
            likelihood=getattr(study, "likelihood", None),
            settings=dict(getattr(study, "settings", None) or {}),
            model=model,
            X=X,
            y=pd.Series(y) if y is not None and len(y) == explanation.n else None,
            source=source,
            table=table,
        )

    @cached_property
    def names(self) -> dict[str, Name]:
        """The terms."""
        whole = [as_label(term) for term in self.explanation.names]
        cut = distinct(whole, NAME_LENGTH)
        return {term: Name(*both) for term, *both in zip(self.explanation.names, cut, whole, strict=True)}

    @property
    def target(self) -> Name:
        """The name of the target."""
        given = getattr(self.y, "name", None)
        name = self.settings.get("target") if given is None else given
        return Name.of("the target" if name is None else name)

    @property
    def outputs_are_probabilities(self) -> bool:
        """Whether the model predicts classes."""
        return self.family.support == "classes" or is_event(self.family)

    @cached_property
    def ranked(self) -> list[str]:
        """The terms, largest R-sens first."""
        return list(self.explanation.main.sort_values(ascending=False, kind="stable").index)

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """The table of pairs, the strongest first; empty without pairs."""
        if self.explanation.order == 1 or len(self.explanation.names) < 2:
            return pd.DataFrame()
        return self.explanation.to_frame(order=2)

    @cached_property
    def columns_that_vary(self) -> list[str]:
        """The terms that are single columns which vary, largest R-sens first."""
        vary = np.ptp(self.table.values, axis=0) > 0.0
        names = {name for name, varies in zip(self.table.names, vary, strict=True) if varies}
        return [term for term in self.ranked if term in names]

    @cached_property
    def marked_pairs(self) -> list[tuple[str, str]]:
        """The pairs in which the test found an interaction, the strongest first."""
        above = self.explanation.inference.pair_above if len(self.pairs) else None
        return [] if above is None else [pair for pair in self.ranked_pairs if above[pair]]

    @cached_property
    def ranked_pairs(self) -> list[tuple[str, str]]:
        """The names in the pairs, the strongest first."""
        return list(zip(self.pairs.get("first", []), self.pairs.get("second", []), strict=True))

    @cached_property
    def pairs_that_vary(self) -> list[tuple[str, str]]:
        """The pairs of such columns above 0, interacting ones first, and the strongest first among them."""
        vary, marked = set(self.columns_that_vary), set(self.marked_pairs)
        values = dict(zip(self.ranked_pairs, self.pairs.get("value", []), strict=True))
        pairs = sorted(values, key=lambda pair: pair not in marked)
        return [pair for pair in pairs if vary.issuperset(pair) and values[pair] > 0.0]

    def drawings(self, variables: int, pairs: int) -> Iterator[tuple[Plot, Any, int, tuple[str, ...]]]:
        """Each plot and its result, with the number and the name of a variable, or the names of a pair; () for all."""
        subjects: dict[str, list[tuple[str, ...]]] = {
            "variable": [(term,) for term in self.columns_that_vary[:variables]],
            "pair": [*self.pairs_that_vary[:pairs]],
        }
        for plot in PLOTS:
            result = self._result_of(plot)
            if result is not None:
                for number, terms in enumerate(subjects.get(plot.of, [()])):
                    yield plot, result, number, terms

    def _result_of(self, plot: Plot) -> Explanation | Assessment | None:
        """The result that a plot draws; None where the study has none."""
        if plot.of == "assessment":
            return self.assessment
        if plot.of in ("pairs", "pair") and not len(self.pairs):
            return None
        if plot.of == "effects" and not len(self.explanation.effects):
            return None
        if plot.of == "subgroups" and self.explanation.by is None:
            return None
        of_explanations = ("explanation", "effects", "pairs", "subgroups", "variable", "pair")
        return self.explanation if plot.of in of_explanations else None

    @cached_property
    def family(self) -> Distribution:
        """The predictive distribution of all rows."""
        return self.source.prepared(self.X).predict_distribution(self.table.source)

    @cached_property
    def point(self) -> Array:
        """One number per row to sort rows by: the point prediction, of several classes the largest probability."""
        mean = np.asarray(self.family.mean, dtype=np.float64).reshape(self.explanation.n, -1)
        return np.asarray(mean.max(axis=1) if self.outputs_are_probabilities else mean[:, 0])

    @cached_property
    def shown_rows(self) -> Positions:
        """Positions of the rows that can be looked at: all, or some, evenly over the ranks of the prediction."""
        n = self.explanation.n
        if n <= MOST_ROWS:
            return np.arange(n)
        order = np.argsort(self.point, kind="stable")
        return np.sort(order[np.linspace(0, n - 1, MOST_ROWS).round().astype(np.intp)])

    def value(self, row: int, term: str) -> str:
        """The value of a row in a column, as text; empty for a group."""
        if term not in self.table.names:
            return ""
        return shorten(as_label(value_of(self.table, row, self.table.names.index(term))), LABEL_LENGTH)
