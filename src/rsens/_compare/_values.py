"""The values of methods without a table around them: what `compare` shows, and what repetitions of it need."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rsens._compare._methods import resolved
from rsens._compare._running import MethodResult, Question, run
from rsens._compare._targets import scores
from rsens._errors import InputError
from rsens.adapters import read_for
from rsens.black_box import Budget, budget_of
from rsens.measures import check_alpha, check_weights, column_units, per_switch, standard_deviations, training_inputs


@dataclass(frozen=True)
class Asking:
    """Checked arguments: what is asked, and by which methods."""

    methods: list[str]
    question: Question
    terms: list[str]


def asking(
    model: Any,
    X: Any,
    y: Any,
    *,
    methods: Any,
    order: Any,
    budget: str | Budget,
    scale: Any,
    alpha: Any,
    scoring: Any,
    seed: np.random.SeedSequence,
    stacklevel: int = 4,
) -> Asking:
    """The arguments of `compare`, checked. `stacklevel` counts the calls up to the line that a warning is about."""
    names = resolved(methods, order)
    source, table = read_for(model, X)
    n, columns = table.values.shape
    if order == 2 and columns < 2:
        raise InputError("Pairs need at least two columns; X has one. Use order=1.")
    deviations = standard_deviations(table.values, check_weights(None, n), model, training_inputs(model, columns))
    if table.coding is not None:
        deviations = per_switch(deviations, table.coding)
    units = column_units(scale, deviations, table.names, stacklevel=stacklevel).copy()
    question = Question(
        model=model,
        source=source,
        X=X,
        table=table,
        scores=scores(model, source, y, n, scoring),
        order=order,
        units=units,
        constant=(units == 0.0) & (isinstance(scale, str) and scale == "sd"),
        budget=budget_of(budget),
        alpha=check_alpha(alpha),
        seed=seed,
    )
    return Asking(names, question, terms(table.names, order))


def method_values(
    model: Any,
    X: Any,
    y: Any,
    *,
    methods: Any,
    order: int,
    budget: str | Budget,
    scale: Any,
    alpha: float,
    scoring: Any,
    seed: np.random.SeedSequence,
) -> list[MethodResult]:
    """One result per method, in the order asked, its values in the order of `terms`. The arguments of `compare`."""
    asked_for = asking(
        model,
        X,
        y,
        methods=methods,
        order=order,
        budget=budget,
        scale=scale,
        alpha=alpha,
        scoring=scoring,
        seed=seed,
    )
    return [run(name, asked_for.question) for name in asked_for.methods]


def terms(names: tuple[str, ...], order: int) -> list[str]:
    """What is scored: the columns, or for order 2 the pairs "x0:x1", in the order of the upper triangle."""
    if order == 1:
        return list(names)
    pairs = [f"{first}:{second}" for first, second in combinations(names, 2)]
    repeated = [pair for pair, times in Counter(pairs).items() if times > 1]
    if repeated:
        raise InputError(f"{repeated[0]!r} stands for more than one pair, as ':' is part of names. Rename a column.")
    return pairs
