"""`explain`, the call that most people make: read, evaluate rows, refit, mark, result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from rsens._errors import warn, warnings_once
from rsens._explain._context import REFITTED, Arguments, Context, read
from rsens._explain._effects import Effects
from rsens._explain._evaluate import over_table
from rsens._explain._explanation import Explanation
from rsens._explain._interaction_marks import find_interaction_marks
from rsens._explain._null_level import find_null_level, probe_plan
from rsens._explain._query import Query
from rsens._explain._refit_intervals import refit_without_folds, with_refits
from rsens._explain._rows import Rows
from rsens._explain._subgroups import Subgroups
from rsens._explain._values import Setup, Sums, Values, row_intervals
from rsens._refits import warn_of_tight_clusters
from rsens._text import quoted
from rsens.adapters import classes_of
from rsens.derivatives import NoSecondDerivativesError
from rsens.measures import adds_up, is_linear


def explain(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    pairs: bool | Literal["auto", "link"] = "auto",
    groups: Mapping[str, Sequence[str | int]] | None = None,
    numeric: Iterable[str | int] = (),
    clusters: Any = None,
    by: Any = None,
    weights: Any = None,
    scale: Any = "sd",
    null: bool | Literal["auto"] = "auto",
    intervals: bool | Literal["auto", "refits", "rows"] | tuple[str, float] = "auto",
    keep_local: bool | Literal["auto", "pairs"] = "auto",
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    refit: Callable[[Any, Any], Any] | None = None,
    training: Any = None,
) -> Explanation:
    """Which variables, and which pairs of them, move the predictive distribution of a model over the rows of X.

    Args:
        model: A fitted model: an estimator of rsens; a model of scikit-learn (pipelines too), statsmodels, GPyTorch,
            BoTorch, NGBoost or PyTorch; posterior draws (`from_draws`, `from_numpyro`, `from_pymc`,
            `from_bambi`); a wrapped function (`from_jax`, `from_torch`, `from_function`); or anything with
            `derivatives(X, order)`. `rsens.check` describes how it was understood.
        X: The rows to explain, usually the training data: a data frame, whose column names appear everywhere, or an
            array. Or rows in chunks, of which one at a time is in memory: the path of a Parquet file or folder, a
            DataFrame of Dask, a LazyFrame of polars, or an iterator of data frames. Chunks need
            a model that knows its training inputs, or `training`, and have no y: for marks, explain the training rows.
        y: The targets of these rows. The null level and the intervals need them, to refit the model, and so does the
            test of pairs, for any model.
        pairs: Whether to compute R-sens₂ of pairs, which needs second derivatives. "auto": for up to 30 columns.
            "link": on the scale where effects may add up, on which a pair that adds up has 0: the mean of the latent f
            for the models of rsens; for other models the logit of a probability, the log of a rate or mean, the mean of
            a Normal. Otherwise pairs are measured on λ of the predictive family, as the paper defines R-sens₂; a
            probability bends there even if nothing interacts.
        groups: Columns that belong together, {"season": ["sin", "cos"]}. The group takes their place in all tables,
            with R-sens in the direction that matters most.
        numeric: Names or positions of numeric columns with two values that shall have derivatives. By default the two
            values are compared, like the levels of a categorical column (`Explanation.categorical`), because a slope at
            the rows does not show how far apart the predictions at the two values are. Whether there are two is decided
            on the training inputs (`training_inputs_`) if the model knows them, else on X.
        clusters: Rows that belong together, one label per row, such as the person. Refits then leave out, and probes
            move, whole clusters; without it, marks and intervals of such rows promise too much.
        by: Subgroups of rows: a column of X, or one label per row. See `Explanation.by` and `Explanation.by_frame`,
            which marks where a subgroup differs from the other rows.
        weights: How much each row counts, at least 0. A weight of 2 is the same as giving the row twice.
        scale: The unit of each column. "sd": its standard deviation (divisor n, under `weights`), in the training
            data if the model knows it (`input_scale_` or `training_inputs_`), else in X. "raw": 1. Or one number per
            column: a Series or dict by name, or numbers in order. A pair is scaled by the product of its two steps.
            Where levels are compared, "raw" is per switch to another level, and "sd" counts a switch √(P(two random
            rows differ)/2): sd² = ½ E[(x − x′)²], and levels are 1 apart or 0. For two levels that is the standard
            deviation of a 0/1 column, so that one ranking can hold categories and numbers.
        null: Whether to find the level that an irrelevant variable passes once in twenty times. The model is refitted
            with probes next to the real columns: columns made like those of X, and collinear like them, that have
            nothing to do with y. The level is the 95 % quantile of the values that probes reach. And whether to test
            pairs: do the data contradict a model in which the two add up (5 % per pair)? "auto": as far as y and the
            model allow; a model that cannot be refitted has the test of pairs only. True: an error if it cannot be
            refitted or tested.
        intervals: The variation that intervals of variables and pairs cover. "refits": which data were drawn. The model
            is refitted ten times, each time without a fifth of the rows (two rounds of five folds; one round for more
            than 2,000 rows), and evaluated on the rows and in the units that it was fitted to; an interval is the
            value ± t times the standard error of the jackknife. "rows": only which rows are explained, the value ± t
            times the standard error of a weighted mean. The model is taken as given, so these are several times too
            narrow for new data. "auto": refits if y is given, the model can be refitted, and X has as many rows as it
            was fitted to; else rows. False: none. Their level is 95 %; ("refits", 0.9) gives another one.
        keep_local: Whether to keep R-sens of every row, n × T numbers, which swarms of points and single rows need.
            "auto": unless X comes in chunks, and has more than 200,000 rows. "pairs": also R-sens₂ of every row,
            n × T × T numbers.
        random_state: Seed of the folds and the probes, and of refits of a model whose own random_state is None: a whole
            number, a NumPy Generator, or None for a new seed.
        n_jobs: How many refits, and blocks of rows, run at once, as in joblib.
        progress: Whether to show a progress bar. None: for long work in terminals and notebooks.

    Rarely needed:
        refit: How to refit: a function (X, y) -> fitted model that accepts extra columns in X. By default an estimator
            (anything with `fit` and `get_params`) is cloned and fitted.
        training: The inputs that the model was fitted to, for a model that does not know them (`training_inputs_`):
            units, levels, columns of two values, steps and extrapolation then come from these rows instead of X.

    Returns:
        An `Explanation`.

    Example:
        The mean is 2 x₀ + x₁ x₂, with a standard deviation of 1.

        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(200, 3))
        >>> model = rsens.from_function(lambda X: rsens.Normal(2.0 * X[:, 0] + X[:, 1] * X[:, 2], 1.0))
        >>> explanation = rsens.explain(model, X, random_state=0)
        >>> explanation.main.round(1).to_dict()
        {'x0': 2.0, 'x1': 0.8, 'x2': 0.8}
        >>> explanation.pairs.round(1).to_dict()
        {('x0', 'x1'): 0.0, ('x0', 'x2'): 0.0, ('x1', 'x2'): 1.0}
    """
    context = read(Arguments(**locals()))
    if y is not None and clusters is None:
        warn_of_tight_clusters(context.plain.values, context.query.categorical)
    *_, explanation = explanations(context, refit_without_folds if context.intervals in REFITTED else None)
    return explanation


#: Takes the values of refits, by round and fold; None if that is not possible.
Refits = Callable[[Context], Sequence[Sequence[Any]] | None]


def explanations(context: Context, refits: Refits | None = None) -> Iterator[Explanation]:
    """The explanation after each step: rows evaluated; with intervals from refits; with marks."""
    context, sums = evaluate(context)
    found = over_rows(context, sums)
    if context.null and context.fit is not None:  # these refits count from now on
        context.progress.expect("refit", "probes", len(probe_plan(context)))
    yield found
    if refits is None and not context.null:
        return
    rounds = None if refits is None else refits(context)
    found = found if rounds is None else with_refits(found, rounds, required=context.intervals == "refits")
    yield found
    found = copy(found)
    if context.null:
        asked = (context.model, context.query.source, context.query.table, context.query.terms)
        additive = adds_up(*asked) if context.query.pairs else None
        if context.fit is not None:
            linear = is_linear(*asked) if additive is None else bool(additive.all())
            found._null_level = find_null_level(context, found._values.main, linear=linear)
        if additive is not None:
            found._interactions = find_interaction_marks(context, additive)
    yield found


def evaluate(context: Context) -> tuple[Context, Sums]:
    """The sums over all rows; without pairs where the model has no second derivatives and pairs are not required."""

    def sums(query: Query) -> Sums:
        if context.chunks is None:
            return over_table(query, context.n_jobs, context.progress)
        return context.chunks.sums(context.source, context.reader.compared, query, context.n_jobs, context.progress)

    with warnings_once():
        try:
            return context, sums(context.query)
        except NoSecondDerivativesError as error:
            if context.asked.pairs in (True, "link") or context.asked.keep_local == "pairs":
                raise
            warn("no pairs: ", error.sentence)
            context = replace(context, query=replace(context.query, pairs=False, link=None))
            return context, sums(context.query)


def over_rows(context: Context, sums: Sums) -> Explanation:
    """The explanation that the sums over rows give, with intervals over rows."""
    asked, query, training = context.asked, context.query, context.query.training
    level = context.level if context.intervals in ("auto", "rows") else None
    values = Values.of(sums, _output_names(context.model, sums.quantities.outputs))
    index: pd.Index | None
    _warn_of_no_mean(values, query)
    if context.chunks is None:
        given = None if asked.weights is None else query.weights
        rows, index = Rows.of_table(context.plain, training, given)
        rows, index = (rows, index) if query.keep else (rows.only_counted(), None)
    else:
        rows, index = Rows.of_chunks(sums)
    described = query.source.description
    return Explanation(
        setup=Setup(
            level=context.level,
            scale=asked.scale if isinstance(asked.scale, str) else "given",
            columns=query.table.names,
            units=query.units,
            categorical=query.categorical,
            two_valued=query.two_valued,
            terms=query.terms.names,
            members=query.terms.members,
            pair_scale="link" if asked.pairs == "link" else "parameters",
            understood="" if described is None else str(described),
        ),
        values=values,
        effects=Effects.of(sums, query, level),
        intervals=None if level is None else row_intervals(sums, level),
        subgroups=None if asked.by is None else Subgroups.of(sums, level),
        rows=rows,
        index=index,
        model=asked.model,
        X=context.X if context.chunks is None else None,
        weights=asked.weights,
    )


def _output_names(model: Any, n_outputs: int) -> tuple[str, ...]:
    """The classes where the model names them, else y0, y1, …"""
    classes = classes_of(model)
    if n_outputs > 1 and classes is not None and len({str(c) for c in classes}) == len(classes) == n_outputs:
        return tuple(str(c) for c in classes)
    return ("y",) if n_outputs == 1 else tuple(f"y{p}" for p in range(n_outputs))


def _warn_of_no_mean(values: Values, query: Query) -> None:
    """An `RsensWarning` that names the columns of numbers that have no direction."""
    without = set(query.categorical) - set(query.two_valued)
    terms = zip(query.terms.names, query.terms.members, values.direction, strict=True)
    names = [name for name, m, way in terms if len(m) == 1 and m[0] not in without and not np.isfinite(way).all()]
    if names:
        warn(
            f"No direction and no effect of {quoted(names)}: the mean of the {values.family} prediction, or its slope, "
            "is not a finite number. R-sens does not need it; if the mean is too large for float64, give y in other "
            "units."
        )
