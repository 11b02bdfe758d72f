"""What is compared: settings that serve many models, and one model with its rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Self

import numpy as np

from rsens._compare._methods import find_methods
from rsens._compare._row_scores import RowScores, row_scores
from rsens._contents import OwnOrder, own_order
from rsens._errors import Argument, InputError
from rsens._frames import as_pandas
from rsens._table import Table
from rsens._typing import Array, Flags
from rsens.adapters import as_contrasts, read_for, two_valued
from rsens.black_box import Budget, budget_of
from rsens.derivatives import Model
from rsens.measures import (
    ComparedMethod,
    Terms,
    check_alpha,
    check_groups,
    check_weights,
    column_units,
    deviations_of,
    training_inputs,
    warn_of_gaps,
)


@dataclass(frozen=True, eq=False)
class ComparisonSettings:
    """Which methods, and how they are to answer: the arguments of `compare`, checked, apart from model and data."""

    methods: tuple[ComparedMethod, ...]
    order: int
    budget: Budget
    scale: Any = "sd"
    alpha: float = 1.0
    scoring: Any = None
    #: Columns that stay numbers even if they have two values; see `explain`.
    numeric: Any = ()
    #: Positions of the columns whose two values are compared; None to decide for every model.
    two_valued: tuple[int, ...] | None = None
    #: Columns that belong together, as in `explain`.
    groups: Any = None

    @classmethod
    def read(
        cls,
        methods: Any,
        order: Any,
        budget: Any,
        *,
        scale: Any = "sd",
        alpha: Any = 1.0,
        scoring: Any = None,
        numeric: Any = (),
        two_valued: tuple[int, ...] | None = None,
        groups: Any = None,
        cheap: bool = False,
    ) -> Self:
        """The arguments as users give them. With `cheap`, methods may be "cheap"."""
        sizes = budget_of(budget)
        found = find_methods(methods, order, sizes if cheap else None)
        return cls(tuple(found), order, sizes, scale, check_alpha(alpha), scoring, numeric, two_valued, groups)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the methods."""
        return tuple(method.name for method in self.methods)

    @property
    def scale_name(self) -> str:
        """What the scale is called in results."""
        return self.scale if isinstance(self.scale, str) else "given"


@dataclass(frozen=True, eq=False)
class Comparison:
    """What every method is asked about: a model, rows, targets, and what one step of each column is."""

    settings: ComparisonSettings
    seed: np.random.SeedSequence
    model: Any
    #: The model as rsens reads it.
    source: Model
    X: Any
    table: Table
    #: What is scored: columns, and groups of columns.
    terms: Terms
    scores: RowScores | None
    units: Array
    #: The same where a two-valued column is a number like others, for methods that are read off the model.
    number_units: Array
    #: Columns that do not vary, where standard deviations are the units; they score 0.
    constant: Flags
    y: Any = None

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any,
        y: Any,
        settings: ComparisonSettings,
        seed: np.random.SeedSequence,
        stacklevel: int = 4,
    ) -> Self:
        """A model and data as users give them. `stacklevel` counts the calls up to the line that a warning is about."""
        X, y = as_pandas(X), as_pandas(y, "y")
        source, table = read_for(model, X)
        n, columns = table.values.shape
        terms = Terms.of(settings.groups, table.names)
        check_terms(terms, settings.order)
        check_groups(terms, table)
        training, weights = training_inputs(model, columns), check_weights(None, n)
        of_numbers = deviations_of(model, table, training, weights)
        compared = settings.two_valued
        if compared is None:
            compared = two_valued(table, training, numeric=settings.numeric, grouped=terms.grouped_columns)
        source, table = as_contrasts(source, table, compared, training=training)
        deviations = deviations_of(model, table, training, weights)
        units = column_units(settings.scale, deviations, table.names, stacklevel=stacklevel).copy()
        number_units = of_numbers if settings.scale_name == "sd" else units
        warn_of_gaps(model, training, table, stacklevel=stacklevel)
        scores = row_scores(model, source, y, n, settings.scoring)
        constant = (units == 0.0) & (settings.scale_name == "sd")
        return cls(settings, seed, model, source, X, table, terms, scores, units, number_units, constant, y)

    @cached_property
    def order(self) -> OwnOrder:
        """An order of rows and columns that does not depend on how they come."""
        return own_order(self.table.values, self.y, names=self.table.names)

    @property
    def labels(self) -> list[str]:
        """What is scored, in the order of the values of every method."""
        return term_labels(self.terms.names, self.settings.order)


def term_labels(names: tuple[str, ...], order: int) -> list[str]:
    """What is scored: columns and groups, or for order 2 the pairs "x0:x1", in the order of the upper triangle."""
    if order == 1:
        return list(names)
    pairs = [f"{first}:{second}" for first, second in combinations(names, 2)]
    repeated = [pair for pair, times in Counter(pairs).items() if times > 1]
    if repeated:
        raise InputError(f"{repeated[0]!r} stands for more than one pair, as ':' is part of names. Rename a column.")
    return pairs


def check_terms(terms: Terms, order: int) -> None:
    """An `InputError` for pairs of a single column or group."""
    if order == 2 and len(terms) < 2:
        what = "X has one" if not terms.grouped else "all are in one group"
        raise InputError(f"Pairs need at least two columns; {what}. Use ", Argument("order", 1), ".")
