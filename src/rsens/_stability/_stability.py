"""`stability`: the call, one sample, and how samples are drawn."""

from __future__ import annotations

import dataclasses
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens import _refits as refits
from rsens._arguments import child, jobs, one_of, whole_number
from rsens._compare import ComparisonSettings, check_terms, method_values, term_labels
from rsens._contents import OwnOrder, inverse, own_order
from rsens._errors import Argument, InputError, RsensWarning, warn
from rsens._files import Checkpoint, fingerprint
from rsens._progress import progress_of
from rsens._stability._result import Rankings, Stability, ranks_of
from rsens._table import is_frame
from rsens._text import first_few
from rsens._threads import one_thread
from rsens._typing import Positions
from rsens.adapters import read_numeric, two_valued_columns
from rsens.black_box import Budget
from rsens.likelihoods import target_of
from rsens.measures import Terms, check_group_columns, read_scale
from rsens.models import GPRegressor

#: Purposes of the random numbers of a sample.
ROWS, ESTIMATOR, METHODS, TIES = range(4)
#: Every class needs this many rows in a sample, or all of its rows.
LEAST_OF_A_CLASS = 2
#: With fewer clusters, half of them are one.
LEAST_CLUSTERS = 3
#: How often a sample is drawn again before a class counts as too rare.
MOST_DRAWS = 1000
N_ROWS = Argument("n_rows")


def stability(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_boot: int = 100,
    methods: str | Sequence[str] = "cheap",
    order: Literal[1, 2] = 1,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    clusters: Any = None,
    replace: bool | Literal["auto"] = "auto",
    n_rows: int | None = None,
    at: Literal["sample", "data"] = "sample",
    budget: str | Budget = "paper",
    scale: Any = "sd",
    groups: Mapping[str, Sequence[str | int]] | None = None,
    numeric: Iterable[str | int] = (),
    alpha: float = 1.0,
    refit: Callable[[Any, Any], Any] | None = None,
    progress: bool | None = None,
) -> Stability:
    """How the rankings of variables or pairs vary when the model is fitted to other samples of the data.

    The whole analysis is repeated on samples of the rows: a model is fitted, every method scores the terms, and the
    scores are ranked. `docs/stability.md` explains the result and its limits.

    Args:
        estimator: The model to fit: an estimator with `fit` and `get_params`, fitted or not. It is cloned; where its
            `random_state` is None, it gets one from the seed of the sample. None with `refit`.
        X: Rows: a data frame or an array.
        y: Their targets. For a classifier, or with targets that are labels, samples are drawn again until every class
            has two rows (or its only row, if it has one).
        n_boot: The number of samples.
        methods: "cheap", "all", or names as in `compare`. "cheap" leaves out h (which asks about all pairs of rows),
            ard (for Gaussian processes only) and the methods that need an optional package at this budget.
        order: 1 for variables, 2 for pairs.
        random_state: Seed: a whole number, a NumPy Generator, or None for a new one (with a folder, for the kept one).
        n_jobs: How many refits run at once, as in joblib. Every refit has one thread, so that the result does not
            depend on it.
        folder: Where finished samples are kept, each in its own JSON file. A run that was stopped continues from there,
            and one with a larger n_boot adds to it. Failures are kept too. A folder with work on another question
            (data, estimator, arguments, release of rsens) is an `InputError`.
        clusters: Rows that belong together (of one person, one field): a label for each row. Samples are then made of
            whole clusters, as the next sample of persons would be.

    Rarely needed:
        replace: Whether rows are drawn with replacement: the bootstrap, as in the paper. A repeated row is harmless to
            a model with few parameters, but a Gaussian process that learns its noise takes equal rows as proof that
            noise is absent, and its rankings suffer. Half of the rows without replacement vary about as much and repeat
            no row. "auto" is False for such a `GPRegressor` and True for all other models.
        n_rows: Rows in a sample; by default as many as X has, or half of them without `replace`. With
            `clusters`, about as many rows are drawn, in whole clusters.
        at: The rows at which a model is scored: "sample", the rows it was fitted to, as in any analysis; or "data", all
            of X, so that only the model varies.
        budget: How many predictions the methods may ask for; see `compare`.
        scale: "sd", "raw" or one number per column, as in `explain`. "sd" uses the deviations in the sample.
        groups: Columns that belong together, {"season": ["sin", "cos"]}: the group takes their place, as in `compare`.
            "cheap" then leaves out kl, which has no value for groups.
        numeric: Names or positions of numeric columns with two values that are to have derivatives all the same; by
            default the two values are compared, as in `explain`. All samples compare the columns with two values in X.
        alpha: Order of the Rényi divergence.
        refit: A function (X, y) -> fitted model, in place of an estimator. It must see to its own random numbers.
        progress: A progress bar: True, False, or None for one only in a terminal and only if it takes long.

    Returns:
        A `Stability`. Refits and methods that fail are left out, listed in `Stability.failures` and reported in one
        warning; if nothing succeeds, that is an `InputError`.

    Example:
        >>> from sklearn.datasets import load_diabetes
        >>> import rsens
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> linear = rsens.BayesianLinearRegression()
        >>> result = rsens.stability(linear, X, y, n_boot=5, methods="rsens", random_state=0)
        >>> result.mean_rank["rsens"].idxmin()
        's5'
    """
    from sklearn.base import is_classifier

    n_boot, n_jobs, follow = whole_number(n_boot, "n_boot", 1), jobs(n_jobs), progress_of(progress)
    one_of(at, "at", ("sample", "data"))
    one_of(replace, "replace", ("auto", True, False))
    refits.check_refit(estimator, refit)
    size = None if n_rows is None else whole_number(n_rows, "n_rows", 2)
    X = refits.as_rows(X)
    y = refits.read_targets(y, len(X), several=True)
    names = column_names(X)
    terms = Terms.of(groups, names)
    found = refits.read_for_estimator(estimator, X)
    if found is not None:
        coding = found[0]
        read_numeric(numeric, names, coding.categorical)
        check_group_columns(terms, names, coding.categorical)
        # Scored at all rows, a model needs all levels, and a sample may lack some. Scored at the rows it was fitted to,
        # it needs the levels that occur there, and no others.
        estimator = refits.with_levels(estimator, coding, only_given=at == "sample")
    settings = ComparisonSettings.read(
        methods,
        order,
        budget,
        scale=read_scale(scale, names),
        alpha=alpha,
        two_valued=tuple(d for d in two_valued_columns(X, numeric, names) if d not in terms.grouped_columns),
        groups=None if groups is None else dict(zip(terms.names, terms.members, strict=True)),
        cheap=True,
    )
    check_terms(terms, order)
    settings = _with_groups(settings, methods, terms)
    own = own_order(X, y, clusters=refits.read_clusters(clusters, len(X)))
    classifies = refit is None and is_classifier(estimator)
    drawing = sampling(len(X), size, _replaces(replace, estimator), y, classifies, own.clusters, own.rows)
    fit = refits.Fit(estimator) if refit is None else refits.Fit(None, refit)
    analysis = SampleAnalysis(fit, X, y, drawing, at, settings)
    if clusters is None:
        refits.warn_of_tight_clusters(refits.numbers_of(X))
    checkpoint = Checkpoint.open(folder, {} if folder is None else _question(analysis), random_state)
    pieces = refits.run_pieces(
        SampleAnalysis.run,
        n_boot,
        lambda number: (child(checkpoint.seed, number),),
        shared=(analysis,),
        n_jobs=n_jobs,
        progress=follow,
        noun="sample",
        kept=refits.Kept(checkpoint, "sample"),
    )
    rankings = _rankings(analysis, pieces, terms, own, checkpoint.seed)
    if rankings.reasons:
        failed = [f"{name or 'the refit'} in {times}" for name, times in Counter(rankings.failed_methods).items()]
        warn(
            f"Failures in {n_boot} samples: {', '.join(failed)}. The first reason: {rankings.reasons[0]} "
            "See Stability.failures."
        )
    return Stability(rankings)


def _with_groups(settings: ComparisonSettings, methods: Any, terms: Terms) -> ComparisonSettings:
    """Without methods that have no value for groups; an error if they were named: they would fail in every sample."""
    without = [method for method in settings.methods if terms.grouped and not method.groups]
    if without and methods not in ("cheap", "all"):
        without[0].check_groups(terms)
    return dataclasses.replace(settings, methods=tuple(each for each in settings.methods if each not in without))


def _replaces(replace: bool | str, estimator: Any) -> bool:
    if replace != "auto":
        return bool(replace)
    if not isinstance(estimator, GPRegressor):
        return True
    noisy = target_of(estimator.likelihood) == "numbers"  # counts vary by themselves
    return not (noisy and estimator.optimize)


def _rankings(
    analysis: SampleAnalysis, pieces: list[Any], terms: Terms, own: OwnOrder, seed: np.random.SeedSequence
) -> Rankings:
    """Values and ranks of all samples, and the failures."""
    settings = analysis.settings
    labels = tuple(term_labels(terms.names, settings.order))
    places = inverse(own.of_terms(terms.members) if settings.order == 1 else own.of_pairs(terms.members))
    values = np.full((len(settings.methods), len(pieces), len(labels)), np.nan)
    ranks = np.zeros(values.shape, dtype=np.int64)
    failures: list[tuple[int, str | None, str]] = []
    for number, piece in enumerate(pieces):
        if "error" in piece:
            failures.append((number, None, piece["error"]))
            continue
        # Equal values are ranked at random, in the same order for all methods.
        ties = np.random.default_rng(child(seed, number, TIES)).permutation(len(labels))[places]
        for m, method in enumerate(settings.names):
            if piece["values"][method] is None:
                failures.append((number, method, piece["reasons"][method]))
            else:
                values[m, number] = piece["values"][method]
                ranks[m, number] = ranks_of(values[m, number], ties)
    if not ranks.any():
        first, by, reason = failures[0]
        where = f"Sample {first}" if by is None else f"Sample {first}, {by}"
        raise InputError(f"None of {len(pieces)} samples could be ranked. {where}: {reason}")
    return Rankings(
        order=settings.order,
        terms=labels,
        methods=settings.names,
        rows=analysis.sampling.n_rows,
        replace=analysis.sampling.replace,
        at=analysis.at,
        scale=settings.scale_name,
        budget=settings.budget.name,
        alpha=settings.alpha,
        values=values,
        ranks=ranks,
        failed_samples=tuple(number for number, _, _ in failures),
        failed_methods=tuple(method for _, method, _ in failures),
        reasons=tuple(reason for _, _, reason in failures),
        clusters=None if analysis.sampling.clusters is None else analysis.sampling.size,
    )


def _question(analysis: SampleAnalysis) -> dict[str, Any]:
    """Everything that the result of a sample depends on, apart from its number."""
    fit, settings = analysis.fit, analysis.settings
    return {
        "work": "stability",
        "X": fingerprint(analysis.X),
        "y": fingerprint(analysis.y),
        "estimator": fingerprint(fit.estimator),
        "refit": None if fit.refit is None else fingerprint(fit.refit),
        "methods": settings.names,
        "order": settings.order,
        "n_rows": analysis.sampling.size,
        "replace": analysis.sampling.replace,
        "clusters": None if analysis.sampling.clusters is None else fingerprint(analysis.sampling.clusters),
        "at": analysis.at,
        "budget": str(settings.budget),
        "scale": settings.scale if isinstance(settings.scale, str) else settings.scale.tolist(),
        "alpha": settings.alpha,
        "two_valued": settings.two_valued,
        "groups": settings.groups,
    }


@dataclass(frozen=True, eq=False)
class SampleAnalysis:
    """The analysis that is repeated on every sample of the rows. `at`, "sample" or "data", has the rows to score."""

    fit: refits.Fit
    X: Any
    y: Any
    sampling: Sampling
    at: str
    settings: ComparisonSettings

    def run(self, seed: np.random.SeedSequence) -> dict[str, Any]:
        """{"values": {method: numbers or None}, "reasons": {method: why they are missing}}, or {"error": reason}."""
        with one_thread(), warnings.catch_warnings():
            # A column may be constant in one sample and not in another: it scores 0 there.
            warnings.simplefilter("ignore", RsensWarning)
            rows = self.sampling.draw(child(seed, ROWS))
            X, y = refits.take_rows(self.X, rows), refits.take_rows(self.y, rows)
            scored = (X, y) if self.at == "sample" else (self.X, self.y)
            try:
                model = self.fit(X, y, child(seed, ESTIMATOR))
                results = method_values(model, *scored, self.settings, child(seed, METHODS))
            except refits.FAILURES as error:
                return {"error": refits.reason_of(error)}
        return {
            "values": {r.method: None if r.values is None else r.values.tolist() for r in results},
            "reasons": {r.method: r.status for r in results if r.values is None},
        }


@dataclass(frozen=True, eq=False)
class Sampling:
    """Draws `size` of `n` rows, or `size` clusters with all their rows; `rows` are sorted by content."""

    n: int
    size: int
    replace: bool
    classes: Positions | None = None
    labels: tuple[Any, ...] = ()
    clusters: Positions | None = None
    rows: Positions | None = None

    def draw(self, seed: np.random.SeedSequence) -> Positions:
        """The rows of one sample. It is drawn again, each time from another seed, until every class has enough rows."""
        for attempt in range(MOST_DRAWS):
            rows = self._draw(np.random.default_rng(child(seed, attempt)))
            if self.classes is None or (self._counts(rows) >= self.needed).all():
                return rows
        counts = self._counts(np.arange(self.n))
        rare = int(counts.argmin())
        unit = "rows" if self.clusters is None else "clusters"
        raise InputError(
            f"samples of {self.size} {unit} rarely have enough rows of every class; {self.labels[rare]!r} "
            f"has {counts[rare]} of {self.n}. Raise ",
            N_ROWS,
            ", or merge rare classes.",
        )

    def _draw(self, rng: np.random.Generator) -> Positions:
        rows = np.arange(self.n) if self.rows is None else self.rows
        if self.clusters is None:
            return rows[rng.choice(self.n, self.size, replace=self.replace)]
        drawn = rng.choice(int(self.clusters.max()) + 1, self.size, replace=self.replace)
        return np.concatenate([rows[self.clusters[rows] == cluster] for cluster in drawn])

    @property
    def n_rows(self) -> int:
        """The rows of a sample; their mean where clusters are drawn, as these may differ in size."""
        return self.size if self.clusters is None else round(self.size * self.n / (int(self.clusters.max()) + 1))

    @property
    def needed(self) -> NDArray[np.int64]:
        """The rows that a sample needs of each class."""
        return np.minimum(self._counts(np.arange(self.n)), LEAST_OF_A_CLASS)

    def _counts(self, rows: Positions) -> NDArray[np.int64]:
        assert self.classes is not None
        return np.bincount(self.classes[rows], minlength=len(self.labels)).astype(np.int64)


def sampling(
    n: int,
    n_rows: int | None,
    replace: bool,
    y: Any,
    classifies: bool,
    clusters: Positions | None = None,
    rows: Positions | None = None,
) -> Sampling:
    """How to draw from n rows: by default n with replacement, or half of them without; the same share of clusters."""
    if n < 2:
        raise InputError("stability needs at least two rows to draw from; X has one.")
    if n_rows is None:
        n_rows = n if replace else -(-n // 2)
    if not replace and n_rows > n:
        raise InputError(
            N_ROWS, f" must be at most {n}, the rows of X, when rows are drawn without replacement; got {n_rows}."
        )
    size = n_rows
    if clusters is not None:
        total = int(clusters.max()) + 1
        if total < LEAST_CLUSTERS:
            raise InputError(
                Argument("clusters"),
                f" must have at least {LEAST_CLUSTERS} different labels, to draw some of them; got {total}.",
            )
        size = max(2, -(-n_rows * total // n))  # about as many rows: half of the rows are half of the clusters
    y = np.asarray(y)
    if not (classifies or refits.are_labels(y)):
        return Sampling(n, size, replace, clusters=clusters, rows=rows)
    codes, labels = pd.factorize(y.ravel())
    plan = Sampling(n, size, replace, np.asarray(codes, dtype=np.intp), tuple(labels.tolist()), clusters, rows)
    if plan.n_rows < plan.needed.sum():
        raise InputError(
            N_ROWS,
            f" must be at least {int(plan.needed.sum())}, for {LEAST_OF_A_CLASS} rows of each of the {len(labels)} "
            f"classes; got {n_rows}.",
        )
    return plan


def column_names(X: Any) -> tuple[str, ...]:
    """The names of the columns; x0, x1, … if they have none."""
    names = tuple(map(str, X.columns)) if is_frame(X) else tuple(f"x{d}" for d in range(X.shape[1]))
    repeated = [repr(name) for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise InputError(f"X has columns of the same name: {first_few(repeated)}. Rename them so that each is unique.")
    return names
