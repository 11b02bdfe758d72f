"""`explain`, the call that most people make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._arguments import child, fraction, jobs, megabytes, one_of, progress_bar, seed_sequence, whole_number
from rsens._errors import InputError
from rsens._explain._explanation import Explanation
from rsens._explain._extrapolation import outside
from rsens._explain._null_level import Null, null_levels, refitter
from rsens._explain._record import Record, WithinSubgroups
from rsens._explain._subgroups import Subgroups, labels_or_rows, subgroups
from rsens._explain._summary import Question, summarize
from rsens._refits import Fit
from rsens._table import Table
from rsens._typing import Array
from rsens.adapters import read_for
from rsens.measures import (
    Terms,
    check_alpha,
    check_groups,
    check_weights,
    column_units,
    per_switch,
    standard_deviations,
    training_inputs,
)

#: With `pairs="auto"`, the most columns for which pairs are computed.
AUTO_PAIRS_COLUMNS = 30


def explain(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    alpha: float = 1.0,
    scale: Any = "sd",
    pairs: bool | Literal["auto"] = "auto",
    keep_local_pairs: bool = False,
    groups: Mapping[str, Sequence[str | int]] | None = None,
    weights: Any = None,
    aggregate: Literal["mean", "rms"] = "mean",
    by: Any = None,
    null: bool | Literal["auto"] = "auto",
    n_probes: int = 60,
    refit: Callable[[Any, Any], Any] | None = None,
    n_jobs: int | None = None,
    n_bootstrap: int = 500,
    level: float = 0.95,
    random_state: int | np.random.Generator | None = None,
    max_memory_mb: float = 256.0,
    progress: bool | None = None,
) -> Explanation:
    """Which variables and which pairs of them move the predictive distribution of a model, over the rows of X.

    Args:
        model: A fitted model: an estimator of rsens, a wrapped function (`from_jax`, `from_torch`, `from_function`), or
            anything with `derivatives(X, order)`.
        X: Rows to explain, usually the training data: a data frame, whose column names appear everywhere, or an array.
        y: Targets of these rows. They are needed only to refit the model for `Explanation.null`.
        alpha: Order of the Rényi divergence, greater than 0. It multiplies all values by its square root.
        scale: What one step of a column is. "sd": its standard deviation (divisor n, under `weights`), in the training
            data where the model knows it (`input_scale_` or `training_inputs_`) and else in X. "raw": 1. Or one number
            per column: a Series or dict by name, or numbers in order. Pairs are scaled by the product of the two. In
            a categorical column a step is a switch to another level, 1 under "sd" and "raw"; as a fair binary column
            has the standard deviation ½, a switch of it is as far as two standard deviations.
        pairs: Whether to compute R-sens₂ of pairs, which needs second derivatives. "auto": for up to 30 columns.
        keep_local_pairs: Keep R-sens₂ of every row, n × T × T numbers.
        groups: Columns that belong together, {"season": ["sin", "cos"]}; in all tables the group takes their place,
            with its R-sens in the direction that matters most (`rsens.measures.group_rsens`).
        weights: How much each row counts, at least 0. A weight of 2 is a row given twice.
        aggregate: How local values are summed up: "mean", or "rms", the root mean square, which gives more to rows with
            high values.
        by: Subgroups of rows: a column of X or one label per row. See `Explanation.by`.
        null: Whether to find the level that an irrelevant variable passes once in twenty times: the model is refitted
            with probes, shuffled copies of columns of X, beside the real ones, and the level is the 95 % quantile of
            what they reach. "auto": if y is given and the model can be refitted. True: an error if it cannot.
        n_probes: How many probes, and as many again for every group. With fewer than 59 even a value above all of them
            is not above the level with 95 % confidence (`Explanation.reached`). Each refit has about half as many
            further columns as X has, and at most 5, unless a group is larger.
        refit: How to refit: a function (X, y) -> fitted model that takes X with further columns. By default an
            estimator (anything with `fit` and `get_params`) is cloned and fitted.
        n_jobs: How many refits at once, as in joblib.
        n_bootstrap: Bootstrap replicates of the rows for the intervals; 0 for none. They say how far the result depends
            on which rows are explained, not how far it depends on the data the model was fitted to. All replicates of
            all pairs are held in memory: 80 MB for 200 columns.
        level: Share of the replicates within the intervals.
        random_state: Seed of the bootstrap, of the probes, and of refits of a model whose own random_state is None: a
            whole number, a NumPy Generator, or None for a new one.
        max_memory_mb: Working memory for chunks of rows, in megabytes; results not included. It changes rounding only.
        progress: A progress bar: True, False, or None for one only in a terminal and only if it takes long.

    Returns:
        An `Explanation`.
    """
    order = check_alpha(alpha)
    source, table = read_for(model, X)
    n, n_columns = table.values.shape
    seed = seed_sequence(random_state)
    replicates, share = whole_number(n_bootstrap, "n_bootstrap", 0), fraction(level, "level")
    n_probes = whole_number(n_probes, "n_probes", 1)
    n_jobs = jobs(n_jobs)
    one_of(aggregate, "aggregate", ("mean", "rms"))
    row_weights = check_weights(weights, n)
    if weights is not None and table.coding is not None:  # a function's levels are counted under the weights
        source, table = read_for(model, X, row_weights)
    rows_by = None if by is None else subgroups(by, labels_or_rows(by, X, table), table.names, table.values)
    training = training_inputs(model, n_columns)
    deviations = standard_deviations(table.values, row_weights, model, training)
    terms = Terms.of(groups, table.names)
    if table.coding is not None:
        check_groups(terms, table)
        deviations = per_switch(deviations, table.coding)
    question = Question(
        terms=terms,
        categorical=() if table.coding is None else table.coding.categorical,
        units=column_units(scale, deviations, table.names).copy(),
        weights=row_weights,
        alpha=order,
        aggregate=aggregate,
        pairs=_wants_pairs(pairs, keep_local_pairs, n_columns),
        max_bytes=megabytes(max_memory_mb, "max_memory_mb"),
    )
    bar = progress_bar(progress)
    refitted_by = _wants_null(null, model, y, refit, n)

    with bar(total=n, desc="rows", unit="row") as rows_done:
        summary = summarize(
            source,
            table,
            question,
            keep_local_pairs=keep_local_pairs,
            n_bootstrap=replicates,
            level=share,
            seed=child(seed, 0),
            advance=rows_done.update,
        )
    levels: Null | None = None
    if refitted_by is not None:
        levels = null_levels(
            refitted_by,
            table,
            y,
            question,
            deviations,
            summary,
            n_probes=n_probes,
            n_jobs=n_jobs,
            seed=child(seed, 1),
            required=null is True or refit is not None,
            progress=bar,
        )
    within = None if rows_by is None else _by_subgroup(summary.local_main, rows_by, row_weights, aggregate)
    record = Record(
        **vars(summary),
        **({} if levels is None else vars(levels)),
        **({} if within is None else vars(within)),
        alpha=order,
        aggregate=aggregate,
        level=share,
        scale=scale if isinstance(scale, str) else "given",
        columns=table.names,
        units=question.units,
        categorical=question.categorical,
        terms=question.terms.names,
        members=question.terms.members,
        outputs=_output_names(model, summary.direction.shape[1]),
        extrapolation=_extrapolation(table, training),
    )
    return Explanation(record, index=_index(table), model=model, X=X)


def _wants_pairs(pairs: Any, keep_local_pairs: Any, n_columns: int) -> bool:
    one_of(pairs, "pairs", (True, False, "auto"))
    one_of(keep_local_pairs, "keep_local_pairs", (True, False))
    if pairs is False and keep_local_pairs:
        raise InputError("keep_local_pairs=True needs pairs; got pairs=False. Leave out one of the two.")
    return bool(keep_local_pairs or pairs is True or (pairs == "auto" and n_columns <= AUTO_PAIRS_COLUMNS))


def _wants_null(null: Any, model: Any, y: Any, refit: Any, n: int) -> Fit | None:
    """How to refit for the null level, or None for no null level."""
    one_of(null, "null", (True, False, "auto"))
    how = refitter(model, refit)
    if y is not None and (not hasattr(y, "__len__") or len(y) != n):
        got = f"{len(y)}" if hasattr(y, "__len__") else type(y).__name__
        raise InputError(f"y must have one entry for each of the {n} rows of X; got {got}.")
    if null is False or (null == "auto" and y is None and refit is None):
        return None
    if y is None:
        raise InputError(
            "The null level is found by refitting, which needs the targets. Use explain(model, X, y), or null=False."
        )
    if how is None and null is True:
        raise InputError(
            f"The null level needs a model that can be refitted, with fit and get_params; got {type(model).__name__}. "
            "Pass refit=, a function (X, y) -> fitted model, or null=False."
        )
    return how


def _by_subgroup(local: Array, rows_by: Subgroups, weights: Array, aggregate: str) -> WithinSubgroups:
    """Weighted mean or root mean square of the local values within each subgroup."""
    counts = np.bincount(rows_by.codes, minlength=len(rows_by.labels))
    values = np.empty((len(counts), local.shape[1]))
    for g, label in enumerate(rows_by.labels):
        rows = rows_by.codes == g
        w = weights[rows]
        if not w.any():
            raise InputError(f"by: all rows of the subgroup {label!r} have the weight 0. Leave them out of X.")
        share = w / w.sum()
        values[g] = np.sqrt(share @ local[rows] ** 2) if aggregate == "rms" else share @ local[rows]
    return WithinSubgroups(rows_by.labels, counts, values)


def _extrapolation(table: Table, training: Array | None) -> NDArray[np.bool_]:
    """Rows outside the cloud of data, in the continuous columns: levels that are unknown are errors."""
    if table.coding is None:
        return outside(table.values, training)
    columns = list(table.coding.continuous)
    if not columns:
        return np.zeros(len(table.values), dtype=np.bool_)
    return outside(table.values[:, columns], None if training is None else training[:, columns])


def _output_names(model: Any, n_outputs: int) -> tuple[str, ...]:
    """The classes where the model names them, else y0, y1, …"""
    classes = getattr(model, "classes_", None)
    if n_outputs > 1 and classes is not None and len({str(c) for c in classes}) == len(classes) == n_outputs:
        return tuple(str(c) for c in classes)
    return ("y",) if n_outputs == 1 else tuple(f"y{p}" for p in range(n_outputs))


def _index(table: Table) -> pd.Index:
    """The row labels of a data frame, else 0, 1, …"""
    return table.source.index if isinstance(table.source, pd.DataFrame) else pd.RangeIndex(len(table.values))
