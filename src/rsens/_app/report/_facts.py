"""What the report needs of a study, read once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._app.report._format import LABEL_LENGTH, for_plotly, printable, shortened
from rsens._table import Table
from rsens._typing import Array
from rsens.adapters import read_for
from rsens.derivatives import Model
from rsens.distributions import Distribution
from rsens.plots import SurfaceValues, is_event, pair_surface

#: The most rows that can be looked at one by one, and that are points of the swarms.
MOST_ROWS = 500
#: How many variables have a profile, and how many pairs a surface.
PROFILES, SURFACES = 6, 4
#: Points along each side of a surface.
SURFACE_GRID = 30


@dataclass(frozen=True)
class Name:
    """A name as text shows it, and whole."""

    short: str
    full: str

    @property
    def elided(self) -> bool:
        """Whether there is more than is shown."""
        return self.short != self.full


@dataclass(frozen=True, eq=False)
class Facts:
    """A study: what was explained, how good the model is, and the rows."""

    explanation: Any
    assessment: Any
    notes: list[Any]
    likelihood: Any
    settings: dict[str, Any]
    model: Any
    X: Any
    y: pd.Series[Any] | None
    source: Model = field(repr=False)
    table: Table = field(repr=False)
    _surfaces: dict[tuple[str, str], SurfaceValues] = field(default_factory=dict, repr=False)

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

    @property
    def severe(self) -> list[str]:
        """What is so wrong with the data that the answer is in doubt."""
        return [note.text for note in self.notes if getattr(note, "severe", False)]

    # ---- names -------------------------------------------------------------------------------------------------------

    @cached_property
    def names(self) -> dict[str, Name]:
        """The terms."""
        terms = self.explanation.names
        return {t: Name(short, printable(t)) for t, short in zip(terms, shortened(terms), strict=True)}

    @cached_property
    def labels(self) -> dict[str, str]:
        """The terms as figures of plotly show them."""
        terms = self.explanation.names
        return {t: for_plotly(short) for t, short in zip(terms, shortened(terms, LABEL_LENGTH), strict=True)}

    @property
    def target(self) -> Name:
        """What is predicted."""
        given = getattr(self.y, "name", None) if self.y is not None else None
        name = self.settings.get("target") if given is None else given
        text = "the target" if name is None else name
        return Name(shortened([text])[0], printable(text))

    @property
    def model_name(self) -> str:
        """The class of the model, in plain words where it is ours."""
        kind = type(self.model).__name__
        if kind.startswith("GP"):
            return "Gaussian process"
        if kind.startswith("Bayesian"):
            return "Bayesian generalised linear model" if "Linear" not in kind else "Bayesian linear model"
        return kind

    @property
    def outputs_are_probabilities(self) -> bool:
        """Whether the model predicts classes."""
        return self.family.support == "classes" or is_event(self.family)

    # ---- what is shown -----------------------------------------------------------------------------------------------

    @cached_property
    def ranked(self) -> list[str]:
        """The terms, the one that matters most first."""
        return list(self.explanation.main.sort_values(ascending=False, kind="stable").index)

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """The table of pairs, the strongest first; empty where there are none."""
        if self.explanation.order == 1 or len(self.explanation.names) < 2:
            return pd.DataFrame()
        return self.explanation.to_frame(order=2)

    @property
    def profiled(self) -> list[str]:
        """The leading terms that are single columns which vary."""
        return [term for term in self.ranked if self._varies(term)][:PROFILES]

    @property
    def surfaced(self) -> list[tuple[str, str]]:
        """The leading pairs of single columns which vary, the variable that matters more first."""
        frame, main = self.pairs, self.explanation.main
        found = []
        for first, second, value in zip(*(frame.get(c, []) for c in ("first", "second", "value")), strict=True):
            if value > 0.0 and self._varies(first) and self._varies(second):
                found.append((first, second) if main[first] >= main[second] else (second, first))
        return found[:SURFACES]

    def surface(self, pair: tuple[str, str]) -> SurfaceValues:
        """The model over two variables; computed once, for both ways of drawing it."""
        if pair not in self._surfaces:
            known = pair_surface(self.explanation, *pair, SURFACE_GRID, model=self.model, X=self.X)
            self._surfaces[pair] = known
        return self._surfaces[pair]

    def _varies(self, term: str) -> bool:
        if term not in self.table.names:  # a group
            return False
        return bool(np.ptp(self.table.values[:, self.table.names.index(term)]) > 0.0)

    # ---- rows --------------------------------------------------------------------------------------------------------

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
    def shown_rows(self) -> NDArray[np.intp]:
        """Positions of the rows that can be looked at: all, or some, evenly over the ranks of the prediction."""
        n = self.explanation.n
        if n <= MOST_ROWS:
            return np.arange(n)
        order = np.argsort(self.point, kind="stable")
        return np.sort(order[np.linspace(0, n - 1, MOST_ROWS).round().astype(np.intp)])

    @cached_property
    def row_labels(self) -> list[str]:
        """The labels of the rows as text."""
        return [printable(label) for label in self.explanation.local_main.index]

    def value(self, row: int, term: str) -> str:
        """What a row has in a column, as text; a group has no value of its own."""
        if term not in self.table.names:
            return ""
        column = self.table.names.index(term)
        value = self.table.values[row, column]
        coding = self.table.coding
        if coding is not None and column in coding.categorical:
            return shortened([coding[column].labels[int(value)]], LABEL_LENGTH)[0]
        digits = 4 if abs(value) < 1e4 else 7  # a count or a date stays whole
        return f"{value:.{digits}g}".replace("-", "−")
