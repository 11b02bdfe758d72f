"""`explain`, the call that most people make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from rsens._arguments import child, fraction, jobs, one_of, progress_bar, seed_sequence, whole_number
from rsens._errors import Argument, InputError
from rsens._explain._explanation import Explanation
from rsens._explain._link_pairs import PAIR_SCALES, evaluate_on_link
from rsens._explain._null_level import NullLevel, find_null_level, refitter
from rsens._explain._query import query_of
from rsens._explain._rows import Rows, extrapolates, index_of
from rsens._explain._setup import Setup
from rsens._explain._subgroups import division_of, within_subgroups
from rsens._explain._values import evaluate
from rsens._refits import Fit
from rsens.adapters import read_for
from rsens.measures import (
    check_alpha,
    check_weights,
    training_inputs,
)


def explain(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    pairs: bool | Literal["auto"] = "auto",
    groups: Mapping[str, Sequence[str | int]] | None = None,
    by: Any = None,
    weights: Any = None,
    scale: Any = "sd",
    pair_scale: Literal["parameters", "link"] = "parameters",
    null: bool | Literal["auto"] = "auto",
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    keep_local_pairs: bool = False,
    aggregate: Literal["mean", "rms"] = "mean",
    alpha: float = 1.0,
    n_bootstrap: int = 500,
    level: float = 0.95,
    n_probes: int = 60,
    refit: Callable[[Any, Any], Any] | None = None,
    max_memory_mb: float = 256.0,
) -> Explanation:
    """Which variables, and which pairs of them, move the predictive distribution of a model over the rows of X.

    Args:
        model: A fitted model: an estimator of rsens, a wrapped function (`from_jax`, `from_torch`, `from_function`), or
            anything with `derivatives(X, order)`.
        X: The rows to explain, usually the training data: a data frame, whose column names appear everywhere, or an
            array.
        y: The targets of these rows. Only the null level needs them, to refit the model.
        pairs: Whether to compute R-sens₂ of pairs, which needs second derivatives. "auto": for up to 30 columns.
        groups: Columns that belong together, {"season": ["sin", "cos"]}. The group takes their place in all tables,
            with R-sens in the direction that matters most (`rsens.measures.group_rsens`).
        by: Subgroups of rows: a column of X, or one label per row. See `Explanation.by`.
        weights: How much each row counts, at least 0. A weight of 2 is the same as giving the row twice.
        scale: What one step of a column is. "sd": its standard deviation (divisor n, under `weights`), in the training
            data if the model knows it (`input_scale_` or `training_inputs_`), else in X. "raw": 1. Or one number per
            column: a Series or dict by name, or numbers in order. A pair is scaled by the product of its two steps. In
            a categorical column a step is a switch to another level, and counts 1 under "sd" and "raw"; since a fair
            binary column has the standard deviation ½, a switch goes as far as two standard deviations.
        pair_scale: What pairs are measured on. "parameters": λ of the predictive family, as the paper defines R-sens₂;
            a probability bends there even if nothing interacts. "link": the scale on which effects may add up, where
            a pair that does has 0: the mean of the latent f for the models of rsens; for other models the logit of a
            probability, the log of a rate or mean, the mean of a Normal.
        null: Whether to find the level that an irrelevant variable passes once in twenty times. The model is refitted
            with probes, shuffled copies of columns of X, beside the real columns; the level is the 95 % quantile of
            what the probes reach. "auto": if y is given and the model can be refitted. True: an error if it cannot.
        random_state: Seed of the bootstrap, of the probes, and of refits of a model whose own random_state is None: a
            whole number, a NumPy Generator, or None for a new seed.
        n_jobs: How many refits run at once, as in joblib.
        progress: Whether to show a progress bar. None: only in a terminal, and only if it takes long.

    Rarely needed:
        keep_local_pairs: Keep R-sens₂ of every row, n × T × T numbers.
        aggregate: How local values are averaged: "mean", or "rms", the root mean square, which gives more to rows with
            high values.
        alpha: Order of the Rényi divergence, greater than 0. It multiplies all values by its square root.
        n_bootstrap: Bootstrap replicates of the rows for the intervals; 0 for none. They say how far the result depends
            on which rows are explained, not on which data the model was fitted to. All replicates of all pairs are held
            in memory: 80 MB for 200 columns.
        level: Share of the replicates within the intervals.
        n_probes: How many probes, and as many again for every group. With fewer than 59, even a value above all of them
            is not above the level with 95 % confidence (`Explanation.reached`). A refit has about half as many extra
            columns as X has, at most 5, unless a group is larger.
        refit: How to refit: a function (X, y) -> fitted model that accepts extra columns in X. By default an estimator
            (anything with `fit` and `get_params`) is cloned and fitted.
        max_memory_mb: Working memory for chunks of rows, in megabytes, results not included. It only changes rounding.

    Returns:
        An `Explanation`.
    """
    order = check_alpha(alpha)
    source, table = read_for(model, X)
    n, n_columns = table.values.shape
    seed, bar = seed_sequence(random_state), progress_bar(progress)
    replicates, share = whole_number(n_bootstrap, "n_bootstrap", 0), fraction(level, "level")
    n_probes, n_jobs = whole_number(n_probes, "n_probes", 1), jobs(n_jobs)
    row_weights = check_weights(weights, n)
    if weights is not None and table.coding is not None:  # a function's levels are counted under the weights
        source, table = read_for(model, X, row_weights)
    division = None if by is None else division_of(by, X, table)
    training = training_inputs(model, n_columns)
    query = query_of(
        model,
        table,
        training,
        groups=groups,
        scale=scale,
        weights=row_weights,
        alpha=order,
        aggregate=aggregate,
        pairs=pairs,
        keep_local_pairs=keep_local_pairs,
        max_memory_mb=max_memory_mb,
    )
    fit = _fit_for_null_level(null, model, y, refit, n)
    on_link = one_of(pair_scale, "pair_scale", PAIR_SCALES) == "link" and query.pairs
    evaluated = partial(evaluate_on_link, model) if on_link else partial(evaluate, split_pairs=True)

    with bar(total=n, desc="rows", unit="row") as rows_done:
        values, intervals = evaluated(
            source,
            table,
            query,
            output_names=partial(_output_names, model),
            keep_local_pairs=keep_local_pairs,
            n_bootstrap=replicates,
            level=share,
            seed=child(seed, 0),
            advance=rows_done.update,
        )
    null_level: NullLevel | None = None
    if fit is not None:
        null_level = find_null_level(
            fit,
            table,
            y,
            replace(query, pairs=False) if on_link else query,  # levels of pairs are on the scale of parameters
            values,
            n_probes=n_probes,
            n_jobs=n_jobs,
            seed=child(seed, 1),
            required=null is True or refit is not None,
            progress=bar,
        )
    return Explanation(
        setup=replace(Setup.of(query, table.names, scale, share), pair_scale=pair_scale),
        values=values,
        intervals=intervals,
        null_level=null_level,
        subgroups=None if division is None else within_subgroups(values.local_main, division, row_weights, aggregate),
        rows=Rows.of(index_of(table), extrapolates(table, training)),
        index=index_of(table),
        model=model,
        X=X,
    )


def _fit_for_null_level(null: Any, model: Any, y: Any, refit: Any, n: int) -> Fit | None:
    """How to refit for the null level, or None for no null level."""
    one_of(null, "null", (True, False, "auto"))
    how = refitter(model, refit)
    if y is not None and (not hasattr(y, "__len__") or len(y) != n):
        got = f"{len(y)}" if hasattr(y, "__len__") else type(y).__name__
        raise InputError(Argument("y"), f" must have one entry for each of the {n} rows of X; got {got}.")
    if null is False or (null == "auto" and y is None and refit is None):
        return None
    if y is None:
        raise InputError(
            "The null level is found by refitting, which needs the targets. Use explain(model, X, y), or ",
            Argument("null", False),
            ".",
        )
    if how is None and null is True:
        raise InputError(
            f"The null level needs a model that can be refitted, with fit and get_params; got {type(model).__name__}. ",
            "Pass ",
            Argument("refit"),
            ", a function (X, y) -> fitted model, or ",
            Argument("null", False),
            ".",
        )
    return how


def _output_names(model: Any, n_outputs: int) -> tuple[str, ...]:
    """The classes where the model names them, else y0, y1, …"""
    classes = getattr(model, "classes_", None)
    if n_outputs > 1 and classes is not None and len({str(c) for c in classes}) == len(classes) == n_outputs:
        return tuple(str(c) for c in classes)
    return ("y",) if n_outputs == 1 else tuple(f"y{p}" for p in range(n_outputs))
