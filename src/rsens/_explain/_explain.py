"""`explain`, the call that most people make."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from rsens._arguments import fraction, jobs, one_of, seed_sequence
from rsens._contents import own_order
from rsens._errors import Argument, InputError, RsensWarning
from rsens._explain._effects import Effects, numeric_columns, steps_of
from rsens._explain._evaluate import ChunkOptions, RowEvaluation, RowLoop, opened, output_names
from rsens._explain._explanation import Explanation
from rsens._explain._interaction_marks import find_interaction_marks
from rsens._explain._null_level import find_null_level, probe_plan, refitter
from rsens._explain._posterior import DrawValues
from rsens._explain._query import (
    PAIR_SCALES,
    WITHOUT_REFITS,
    Context,
    Query,
    ReadRows,
    Setup,
    check_difference_columns,
    check_refit_columns,
    query_of,
    read_compared,
    read_keep_local,
    wants_pairs,
)
from rsens._explain._refit_intervals import ValuesOfRefits, refit_without_folds, with_refits
from rsens._explain._rows import Rows
from rsens._explain._subgroups import Subgroups, division_of
from rsens._explain._values import Sums, Values, row_intervals
from rsens._files import Checkpoint
from rsens._frames import as_pandas
from rsens._progress import Progress, progress_of
from rsens._refits import Fit, check_one_per_row, read_clusters, warn_of_tight_clusters, workers
from rsens._text import quoted
from rsens._warnings import warnings_once
from rsens.derivatives import NoSecondDerivativesError
from rsens.measures import adds_up, check_alpha, check_weights, is_linear, on_link, warn_of_gaps


def explain(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    pairs: bool | Literal["auto"] = "auto",
    groups: Mapping[str, Sequence[str | int]] | None = None,
    numeric: Iterable[str | int] = (),
    clusters: Any = None,
    by: Any = None,
    weights: Any = None,
    scale: Any = "sd",
    pair_scale: Literal["parameters", "link"] = "parameters",
    null: bool | Literal["auto"] = "auto",
    intervals: bool | Literal["auto", "refits", "rows"] = "auto",
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    keep_local_pairs: bool = False,
    alpha: float = 1.0,
    level: float = 0.95,
    refit: Callable[[Any, Any], Any] | None = None,
    keep_local: bool | Literal["auto"] = "auto",
    training: Any = None,
) -> Explanation:
    """Which variables, and which pairs of them, move the predictive distribution of a model over the rows of X.

    Args:
        model: A fitted model: an estimator of rsens; a model of scikit-learn (pipelines too), statsmodels, GPyTorch,
            BoTorch, NGBoost or PyTorch as it is; posterior draws (`from_draws`, `from_numpyro`, `from_pymc`,
            `from_bambi`); a wrapped function (`from_jax`, `from_torch`, `from_function`); or anything with
            `derivatives(X, order)`. `rsens.check` says what was understood of it.
        X: The rows to explain, usually the training data: a data frame, whose column names appear everywhere, or an
            array. Or rows in chunks, of which one at a time is in memory: the path of a Parquet file or folder, a
            dataset of pyarrow, a DataFrame of Dask, a LazyFrame of polars, or an iterator of data frames. Chunks need
            a model that knows its training inputs, or `training`, and have no y: for marks, explain the training rows.
        y: The targets of these rows. The null level and the intervals need them, to refit the model, and so does the
            test of pairs, for any model.
        pairs: Whether to compute R-sens₂ of pairs, which needs second derivatives. "auto": for up to 30 columns.
        groups: Columns that belong together, {"season": ["sin", "cos"]}. The group takes their place in all tables,
            with R-sens in the direction that matters most (`rsens.measures.group_rsens`).
        numeric: Names or positions of numeric columns with two values that are to have derivatives all the same. By
            default the two values are compared, like the levels of a categorical column (`Explanation.two_valued`): a
            slope at the rows need not say how far apart the predictions at the two values are. Whether there are two
            is decided on the training inputs (`training_inputs_`) if the model knows them, else on X.
        clusters: Rows that belong together, one label per row: several of one person, say. Refits then leave out, and
            probes move, whole clusters; without it, marks and intervals of such rows promise too much.
        by: Subgroups of rows: a column of X, or one label per row. See `Explanation.by` and `Explanation.by_frame`,
            which says where a subgroup differs from the other rows.
        weights: How much each row counts, at least 0. A weight of 2 is the same as giving the row twice.
        scale: What one step of a column is. "sd": its standard deviation (divisor n, under `weights`), in the training
            data if the model knows it (`input_scale_` or `training_inputs_`), else in X. "raw": 1. Or one number per
            column: a Series or dict by name, or numbers in order. A pair is scaled by the product of its two steps.
            Where levels are compared, "raw" is per switch to another level, and "sd" counts a switch √(P(two random
            rows differ)/2): sd² = ½ E[(x − x′)²], and levels are 1 apart or 0. For two levels that is the standard
            deviation of a 0/1 column, so that categories and numbers can stand in one ranking.
        pair_scale: What pairs are measured on. "parameters": λ of the predictive family, as the paper defines R-sens₂;
            a probability bends there even if nothing interacts. "link": the scale on which effects may add up, where
            a pair that does has 0: the mean of the latent f for the models of rsens; for other models the logit of a
            probability, the log of a rate or mean, the mean of a Normal.
        null: Whether to find the level that an irrelevant variable passes once in twenty times. The model is refitted
            with probes beside the real columns: columns made like those of X, and collinear like them, that have
            nothing to do with y. The level is the 95 % quantile of what the probes reach. And whether to test pairs: do
            the data contradict a model in which the two add up (5 % per pair)? "auto": what y and the model allow; a
            model that cannot be refitted has the test of pairs only. True: an error if it cannot be refitted or tested.
        intervals: What the intervals of variables and pairs hold for. "refits": which data were drawn. The model is
            refitted ten times, each time without a fifth of the rows (two rounds of five folds; one round for more than
            2,000 rows), and evaluated on the rows and in the units that it was fitted to; an interval is the value ± t
            times the standard error of the jackknife. "rows": only which rows are explained, the value ± t times the
            standard error of a weighted mean. The model is taken as it is, so these are several times too narrow for
            new data. "auto": refits if y is given, the model can be refitted, and X has as many rows as it was fitted
            to; else rows. False: none.
        random_state: Seed of the folds and the probes, and of refits of a model whose own random_state is None: a whole
            number, a NumPy Generator, or None for a new seed.
        n_jobs: How many refits, and blocks of rows, run at once, as in joblib.
        progress: Whether to show a progress bar. None: only in a terminal, and only if it takes long.

    Rarely needed:
        keep_local_pairs: Keep R-sens₂ of every row, n × T × T numbers.
        alpha: Order of the Rényi divergence, greater than 0. It multiplies all values by its square root.
        level: Level of the intervals.
        refit: How to refit: a function (X, y) -> fitted model that accepts extra columns in X. By default an estimator
            (anything with `fit` and `get_params`) is cloned and fitted.
        keep_local: Keep R-sens of every row, n × T numbers, which swarms of points and single rows need. "auto": unless
            X comes in chunks, and has more than 200,000 rows.
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
    exponent, share = check_alpha(alpha), fraction(level, "level")
    chunks, X, y = opened(model, X, y, clusters=clusters, training=training)
    by, local, n_jobs = as_pandas(by, "by"), read_keep_local(keep_local, keep_local_pairs, pairs), jobs(n_jobs)
    reading = ReadRows.of(
        model,
        X,
        training=training,
        numeric=numeric,
        groups=groups,
        weights=weights if chunks is None else None,
        in_chunks=chunks is not None,
    )
    source, table, row_weights, inputs = reading.source, reading.table, reading.shares, reading.training
    n, n_columns = table.values.shape
    check_difference_columns(source.by_differences, n_columns)
    seed, follow = seed_sequence(random_state), progress_of(progress)
    together = read_clusters(clusters, n)
    if y is not None and clusters is None:
        warn_of_tight_clusters(reading.plain.values, () if table.coding is None else table.coding.categorical)
    division = None if by is None or chunks is not None else division_of(by, X, reading.plain)
    if division is not None and division.categories is None:
        division = replace(division, categories=division.labels)
    query = query_of(
        model,
        table,
        inputs,
        groups=groups,
        scale=scale,
        weights=row_weights,
        alpha=exponent,
        pairs=wants_pairs(pairs, keep_local_pairs, n_columns),
    )
    warn_of_gaps(model, inputs, table)
    on_link_scale = one_of(pair_scale, "pair_scale", PAIR_SCALES) == "link" and query.pairs
    same_rows = inputs is None or len(inputs) == n
    fit, fit_again = _refits_for(null, intervals, model, y, refit, n, same_rows=same_rows)
    if fit is not None or fit_again is not None:
        check_refit_columns(model, n_columns, *WITHOUT_REFITS)

    known, counted = (reading.plain.values, row_weights) if inputs is None else (inputs, None)
    steps = steps_of(known, numeric_columns(query.terms, table), counted)
    prepared = chunks is not None or training is not None
    evaluation = RowEvaluation(
        reading.prepared() if prepared else source,
        query,
        link=partial(on_link, model) if on_link_scale else None,
        steps=steps,
        details=True,
        keep_local=local is not False,
        keep_local_pairs=keep_local_pairs,
        prepared=prepared,
    )

    def evaluated(evaluation: RowEvaluation) -> Sums:
        loop = RowLoop(evaluation, reading, n_jobs, follow)
        if chunks is not None:
            return loop.over_chunks(chunks, ChunkOptions(local, weights, by))
        return loop.over_table(table, row_weights, division)

    with warnings_once():
        try:
            sums = evaluated(evaluation)
        except NoSecondDerivativesError as error:
            if pairs is True or keep_local_pairs:
                raise
            warnings.warn(RsensWarning("no pairs: ", error.sentence), stacklevel=2)
            query = replace(query, pairs=False)
            sums = evaluated(replace(evaluation, query=query, link=None))
    given = None if weights is None else row_weights
    rows, index = (
        Rows.of_table(reading.plain, inputs, given, local is not False) if chunks is None else Rows.of_chunks(sums)
    )
    over_rows = share if intervals in ("auto", "rows") else None
    values = Values.of(sums, output_names(model, sums.quantities.outputs))
    _warn_of_no_mean(values, query, stacklevel=3)
    found = Explanation(
        setup=Setup(
            alpha=exponent,
            level=share,
            scale=scale if isinstance(scale, str) else "given",
            columns=table.names,
            units=query.units,
            categorical=query.categorical,
            two_valued=query.two_valued,
            terms=query.terms.names,
            members=query.terms.members,
            pair_scale=pair_scale,
            understood="" if source.description is None else str(source.description),
        ),
        values=values,
        effects=Effects.of(sums, query, over_rows),
        posterior=DrawValues.of(sums),
        intervals=None if over_rows is None else row_intervals(sums, over_rows),
        subgroups=Subgroups.of(sums, over_rows),
        rows=rows,
        index=index,
        model=model,
        X=X if chunks is None else None,
        weights=weights,
    )
    tested = null is not False and y is not None
    if fit is None and fit_again is None and not tested:
        return found

    context = Context(
        model=model,
        source=source,
        table=table,
        y=y,
        query=query,
        order=own_order(table.values, y, weights, clusters=together, names=table.names),
        n_jobs=n_jobs,
        seed=seed,
        progress=follow,
    )
    required = null is True or refit is not None
    marking = Marking(context=context, fit=fit, level_required=required, test_required=null is True)
    if fit is not None or tested:
        marking.expect()
    with workers():  # intervals and marks share them
        if fit_again is not None:
            look = partial(
                ValuesOfRefits.of,
                pairs=query.pairs,
                on_link=on_link_scale and query.pairs,
                weights=given,
                compared=reading.compared,
                groups=groups,
                scale=scale if isinstance(scale, str) else query.units,
                alpha=exponent,
                division=division,
                steps=steps,
            )
            required = intervals == "refits"
            rounds = refit_without_folds(context, fit_again, X, look, required=required)
            found = found if rounds is None else with_refits(found, rounds, required=required)
        return with_marks(found, marking) if fit is not None or tested else found


def _refits_for(
    null: Any, intervals: Any, model: Any, y: Any, refit: Any, n: int, *, same_rows: bool
) -> tuple[Fit | None, Fit | None]:
    """How to refit for the null level, and for intervals; None where nothing is refitted.

    A model that was fitted to more rows than X varies less than refits to X: these are made only if asked for.
    """
    one_of(null, "null", (True, False, "auto"))
    one_of(intervals, "intervals", ("auto", "refits", "rows", False))
    how = refitter(model, refit)
    if y is not None:
        check_one_per_row(y, n)
    for_level = null is True or (null == "auto" and not (y is None and refit is None))
    for_intervals = intervals == "refits" or (intervals == "auto" and y is not None and same_rows)
    needed: list[tuple[str | Argument, Argument]] = []
    if null is True or (for_level and y is None):
        needed.append(("The null level", Argument("null", False)))
    if intervals == "refits":
        needed.append((Argument("intervals", "refits"), Argument("intervals", "rows")))
    for what, instead in needed:
        if y is None:
            raise InputError(what, " needs the targets, for refits. Use explain(model, X, y), or ", instead, ".")
        if how is None:
            raise InputError(
                what,
                f" needs a model that can be refitted, with fit and get_params; got {type(model).__name__}. Pass ",
                Argument("refit"),
                ", a function (X, y) -> fitted model, or ",
                instead,
                ".",
            )
    return how if for_level else None, how if for_intervals else None


def _warn_of_no_mean(values: Values, query: Query, *, stacklevel: int) -> None:
    """An `RsensWarning` that names the columns of numbers that have no direction."""
    without = set(query.categorical) - set(query.two_valued)
    terms = zip(query.terms.names, query.terms.members, values.direction, strict=True)
    names = [name for name, m, way in terms if len(m) == 1 and m[0] not in without and not np.isfinite(way).all()]
    if names:
        text = (
            f"No direction and no effect of {quoted(names)}: the mean of the {values.family} prediction, or its slope, "
            "is no finite number. R-sens does not need it; if the mean is too large for float64, give y in other units."
        )
        warnings.warn(RsensWarning(text), stacklevel=stacklevel)


@dataclass(frozen=True, eq=False, kw_only=True)
class Marking:
    """The marks that are asked for; the work is done by `with_marks`."""

    context: Context
    fit: Fit | None  # how to refit for the null level; None for no level
    level_required: bool = False  # whether what is not possible is an error; else it is a warning
    test_required: bool = False

    def expect(self) -> None:
        """Let the refits count from now on, whatever is refitted before them."""
        if self.fit is not None:
            self.context.progress.expect("refit", "probes", len(probe_plan(self.context)))


def marking_of(
    explanation: Explanation,
    y: Any,
    *,
    clusters: Any,
    n_jobs: int | None,
    random_state: Any,
    progress: Progress,
    keep: Checkpoint | None = None,
) -> Marking:
    """How `explain` would mark what it found without marks, with all else as it was; for rows that count the same."""
    model, setup = explanation.model, explanation._setup
    source, table, training = read_compared(model, explanation.data, setup.two_valued)
    n = len(table)
    query = query_of(
        model,
        table,
        training,
        groups=explanation.groups,
        scale=setup.units if setup.scale == "given" else setup.scale,
        weights=check_weights(None, n),
        alpha=setup.alpha,
        pairs=explanation.order == 2,
    )
    context = Context(
        model=model,
        source=source,
        table=table,
        y=y,
        query=query,
        order=own_order(table.values, y, clusters=read_clusters(clusters, n), names=table.names),
        n_jobs=n_jobs,
        seed=seed_sequence(random_state),
        progress=progress,
        keep=keep,
    )
    return Marking(context=context, fit=refitter(model, None))


def with_marks(explanation: Explanation, marking: Marking) -> Explanation:
    """The explanation with a null level and tests of pairs, as far as that is possible."""
    same, c = copy(explanation), marking.context
    asked = (c.model, c.source, c.table, c.query.terms)
    additive = adds_up(*asked) if c.query.pairs else None
    same._null_level = same._interactions = None
    if marking.fit is not None:
        linear = is_linear(*asked) if additive is None else bool(additive.all())
        required = marking.level_required
        same._null_level = find_null_level(c, marking.fit, same._values.main, linear=linear, required=required)
    if additive is not None:
        same._interactions = find_interaction_marks(c, additive, required=marking.test_required)
    return same
