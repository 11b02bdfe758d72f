"""One call of `explain`: its arguments as they were given (`Arguments`), and read (`Context`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from rsens._arguments import fraction, jobs, one_of, seed_sequence
from rsens._contents import OwnOrder, own_order
from rsens._errors import Argument, InputError
from rsens._explain._effects import numeric_columns, steps_of
from rsens._explain._evaluate import Chunks, opened
from rsens._explain._query import Query, Reader, read_first
from rsens._explain._subgroups import division_of
from rsens._files import Checkpoint
from rsens._progress import Progress, progress_of
from rsens._refits import Fit, check_one_per_row, check_refit, read_clusters
from rsens._table import Table, as_pandas
from rsens.derivatives import Model
from rsens.measures import on_link, warn_of_gaps

#: With `pairs="auto"`, the most columns for which pairs are computed.
AUTO_PAIRS_COLUMNS = 30
#: Pairs of this many columns are 45,000; they and their parts take gigabytes above.
MOST_COLUMNS_OF_PAIRS = 300
#: Purposes of the random numbers of `explain`.
PROBES, FOLDS, INTERACTIONS = range(1, 4)


@dataclass(frozen=True, eq=False)
class Arguments:
    """The arguments of `explain`."""

    model: Any
    X: Any
    y: Any = None
    pairs: bool | Literal["auto", "link"] = "auto"
    groups: Any = None
    numeric: Iterable[str | int] = ()
    clusters: Any = None
    by: Any = None
    weights: Any = None
    scale: Any = "sd"
    null: bool | Literal["auto"] = "auto"
    intervals: Any = "auto"
    keep_local: bool | Literal["auto", "pairs"] = "auto"
    random_state: Any = None
    n_jobs: int | None = None
    progress: Any = None
    refit: Any = None
    training: Any = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Context:
    """One call of `explain`: the model, the rows with their targets, the values to compute, and how to work."""

    asked: Arguments
    X: Any  # the table, or the first chunk
    y: Any
    chunks: Chunks | None  # all rows, where X comes in chunks
    source: Model  # before numeric columns of two values are compared,
    plain: Table  # with its rows; of chunks the first ones
    reader: Reader  # reads refits as this model was read
    query: Query  # the values to compute, and where; of chunks at the first ones
    level: float  # of intervals
    intervals: Literal["auto", "refits", "rows"] | bool  # "refits" are required, and "auto" tries them
    null: Literal["auto"] | bool  # True is required
    fit: Fit | None  # how to refit, if it is possible
    own_order: OwnOrder | None  # None where nothing is refitted or tested
    seed: np.random.SeedSequence
    n_jobs: int | None
    progress: Progress
    checkpoint: Checkpoint | None = None  # keeps finished refits

    @property
    def model(self) -> Any:
        """The model that was given."""
        return self.asked.model

    @property
    def order(self) -> OwnOrder:
        """The order of rows, columns and clusters that random numbers are drawn in, however they are sorted."""
        assert self.own_order is not None
        return self.own_order


def read(asked: Arguments) -> Context:
    """Read the model and the rows, and check all arguments."""
    for name, choices in CHOICES.items():
        one_of(getattr(asked, name), name, choices)
    intervals, level = asked.intervals, 0.95
    if isinstance(intervals, tuple) and len(intervals) == 2:
        intervals, level = intervals[0], fraction(intervals[1], "intervals")
    one_of(intervals, "intervals", ("auto", "refits", "rows", False))
    chunks, X, y = opened(asked)
    source, plain, reader, query = read_first(asked, X, in_chunks=chunks is not None)
    n, n_columns = plain.values.shape
    clusters = None if asked.clusters is None else read_clusters(asked.clusters, n)
    warn_of_gaps(asked.model, query.training, query.table)
    same_rows = query.training is None or len(query.training) == n
    fit, null, intervals = _refits_for(asked, y, n, intervals, same_rows=same_rows)
    known, counted = (plain.values, query.weights) if query.training is None else (query.training, None)
    division = None if asked.by is None or chunks is not None else division_of(as_pandas(asked.by, "by"), X, plain)
    if division is not None and division.categories is None:  # the order in one table
        division = replace(division, categories=division.labels)
    query = replace(
        query,
        pairs=_wants_pairs(asked, n_columns),
        link=partial(on_link, asked.model) if asked.pairs == "link" else None,
        steps=steps_of(known, numeric_columns(query.terms, query.table), counted),
        details=True,
        keep="pairs" if asked.keep_local == "pairs" else None if asked.keep_local is False else "main",
        division=division,
    )
    order = None
    if null or intervals in REFITTED:
        order = own_order(query.table.values, y, asked.weights, clusters=clusters, names=query.table.names)
    return Context(
        asked=asked,
        chunks=chunks,
        X=X,
        y=y,
        source=source,
        plain=plain,
        reader=reader,
        query=query,
        level=level,
        intervals=intervals,
        null=null,
        fit=fit,
        own_order=order,
        seed=seed_sequence(asked.random_state),
        n_jobs=jobs(asked.n_jobs),
        progress=progress_of(asked.progress),
    )


#: The values of arguments that take few.
CHOICES: dict[str, tuple[Any, ...]] = {
    "pairs": (True, False, "auto", "link"),
    "null": (True, False, "auto"),
    "keep_local": (True, False, "auto", "pairs"),
}
#: The sources of intervals that need refits.
REFITTED = ("auto", "refits")


def _wants_pairs(asked: Arguments, n_columns: int) -> bool:
    """Whether pairs are computed; an error if they are asked for, and too many."""
    if asked.keep_local == "pairs" and asked.pairs is False:
        got = Argument("pairs", False)
        raise InputError(Argument("keep_local", "pairs"), " needs pairs; got ", got, ". Leave out one of the two.")
    if asked.keep_local == "pairs" or asked.pairs in (True, "link"):
        name = "keep_local" if asked.keep_local == "pairs" else "pairs"
        check_pair_columns(n_columns, Argument(name, getattr(asked, name)))
        return True
    return asked.pairs == "auto" and n_columns <= AUTO_PAIRS_COLUMNS


def _refits_for(
    asked: Arguments, y: Any, n: int, intervals: Any, *, same_rows: bool
) -> tuple[Fit | None, Literal["auto"] | bool, Any]:
    """How to refit, None where that is not possible; whether there are marks; and the source of intervals.

    A model that was fitted to more rows than X varies less than refits to X: these are made only if asked for.
    """
    model, refit, null = asked.model, asked.refit, asked.null
    if refit is not None:
        check_refit(None, refit)
    cloned = callable(getattr(model, "fit", None)) and callable(getattr(model, "get_params", None))
    how = Fit(None, refit) if refit is not None else Fit(model) if cloned else None
    needed: list[tuple[str | Argument, Argument]] = []
    if y is not None:
        check_one_per_row(y, n)
    if null is True or (null == "auto" and y is None and refit is not None):
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
    if intervals == "auto" and (y is None or how is None or not same_rows):
        intervals = "rows"
    return how, False if y is None else null, intervals


def check_pair_columns(n_columns: int, got: Argument) -> None:
    """An error for pairs of too many columns; `got` is the argument that asked for them."""
    if n_columns > MOST_COLUMNS_OF_PAIRS:
        raise InputError(
            got,
            f" asks for pairs, which are computed for at most {MOST_COLUMNS_OF_PAIRS} columns; got {n_columns:,} "
            f"columns, {n_columns * (n_columns - 1) // 2:,} pairs. Rank the columns without pairs first, and keep the "
            "leading ones.",
        )
