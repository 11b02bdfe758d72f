"""`stability`, the call."""

from __future__ import annotations

import dataclasses
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from rsens._arguments import child, jobs, one_of, whole_number
from rsens._compare import ComparisonSettings, check_terms, term_labels
from rsens._contents import OwnOrder, inverse, own_order
from rsens._errors import InputError, RsensWarning
from rsens._files import Checkpoint, fingerprint
from rsens._progress import Progress, progress_of
from rsens._refits import (
    Fit,
    Kept,
    as_rows,
    check_refit,
    numbers_of,
    read_clusters,
    read_for_estimator,
    read_targets,
    run_pieces,
    warn_of_tight_clusters,
    with_levels,
)
from rsens._stability._one_sample import TIES, SampleAnalysis
from rsens._stability._rankings import Rankings
from rsens._stability._ranks import ranks_of
from rsens._stability._result import Stability
from rsens._stability._sampling import column_names, sampling
from rsens.adapters import read_numeric, two_valued_columns
from rsens.black_box import Budget
from rsens.likelihoods import target_of
from rsens.measures import Terms, check_group_columns, read_scale
from rsens.models import GPRegressor


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
    scores are ranked. `docs/stability.md` says what that shows and what it does not.

    Args:
        estimator: What to fit: an estimator with `fit` and `get_params`, fitted or not. It is cloned; where its
            `random_state` is None, it gets one from the seed of the sample. None with `refit`.
        X: Rows: a data frame or an array.
        y: Their targets. For a classifier, or with targets that are labels, samples are drawn again until every class
            has two rows (or its only row, if it has one).
        n_boot: The number of samples.
        methods: "cheap", "all", or names as in `compare`. "cheap" leaves out h (which asks about all pairs of rows),
            ard (for Gaussian processes only) and the methods that need an optional package at this budget.
        order: 1 for variables, 2 for pairs.
        random_state: Seed: a whole number, a NumPy Generator, or None for a new one or the one kept in the folder.
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
            there is none, and its rankings suffer. Half of the rows without replacement vary about as much and repeat
            no row. "auto" is False for such a `GPRegressor` and True for all other models.
        n_rows: Rows in a sample; by default as many as X has, or half of them without `replace`. With
            `clusters`, as many clusters are drawn as have about so many rows.
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
    n_boot, n_jobs = whole_number(n_boot, "n_boot", 1), jobs(n_jobs)
    one_of(at, "at", ("sample", "data"))
    one_of(replace, "replace", ("auto", True, False))
    check_refit(estimator, refit)
    follow = progress_of(progress)
    size = None if n_rows is None else whole_number(n_rows, "n_rows", 2)
    X = as_rows(X)
    y = read_targets(y, len(X), several=True)
    names = column_names(X)
    of_names = Terms.of(groups, names)
    settings = ComparisonSettings.read(
        methods,
        order,
        budget,
        scale=read_scale(scale, names),
        alpha=alpha,
        two_valued=_two_valued(estimator, X, numeric, names, of_names),
        groups=None if groups is None else dict(zip(of_names.names, of_names.members, strict=True)),
        cheap=True,
    )
    check_terms(of_names, order)
    settings = _with_groups(settings, methods, of_names)
    own = own_order(X, y, clusters=read_clusters(clusters, len(X)))
    analysis = SampleAnalysis(
        fit=Fit(None, refit) if refit is not None else Fit(_with_levels(estimator, X, at)),
        X=X,
        y=y,
        sampling=sampling(
            len(X),
            size,
            _replaces(replace, estimator),
            y,
            refit is None and _is_classifier(estimator),
            own.clusters,
            own.rows,
        ),
        at=at,
        settings=settings,
    )
    if clusters is None:
        warn_of_tight_clusters(numbers_of(X))
    checkpoint = Checkpoint.open(folder, {} if folder is None else _question(analysis), random_state)
    pieces = _run(analysis, checkpoint, n_boot, n_jobs, follow)
    rankings = _rankings(analysis, pieces, of_names, own, checkpoint.seed)
    _warn_of_failures(rankings)
    return Stability(rankings)


def _with_levels(estimator: Any, X: Any, at: str) -> Any:
    """An estimator that knows the categorical columns of X.

    Scored at all rows, it needs all levels, and a sample may lack some. Scored at the rows it was fitted to, it needs
    the levels that occur there, and no others.
    """
    found = read_for_estimator(estimator, X)
    return estimator if found is None else with_levels(estimator, found[0], only_given=at == "sample")


def _two_valued(estimator: Any, X: Any, numeric: Any, names: tuple[str, ...], terms: Terms) -> tuple[int, ...]:
    """The columns whose two values are compared in all samples. A model may find some of them categorical."""
    found = read_for_estimator(estimator, X)
    if found is not None:
        read_numeric(numeric, names, found[0].categorical)
        check_group_columns(terms, names, found[0].categorical)
    return tuple(d for d in two_valued_columns(X, numeric, names) if d not in terms.grouped_columns)


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


def _is_classifier(estimator: Any) -> bool:
    from sklearn.base import is_classifier

    return bool(is_classifier(estimator))


def _run(
    analysis: SampleAnalysis, checkpoint: Checkpoint, n_boot: int, n_jobs: int | None, progress: Progress
) -> list[Any]:
    """What every sample gives, by number. Samples finish in any order, and each is kept as soon as it is done."""
    return run_pieces(
        SampleAnalysis.run,
        n_boot,
        lambda number: (child(checkpoint.seed, number),),
        shared=(analysis,),
        n_jobs=n_jobs,
        progress=progress,
        noun="sample",
        kept=Kept(checkpoint, "sample"),
    )


def _rankings(
    analysis: SampleAnalysis, pieces: list[Any], terms: Terms, own: OwnOrder, seed: np.random.SeedSequence
) -> Rankings:
    """Values and ranks of all samples, and what failed."""
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


def _warn_of_failures(rankings: Rankings) -> None:
    if not rankings.reasons:
        return
    names = rankings.failed_methods
    failed = [f"{name or 'the refit'} in {names.count(name)}" for name in dict.fromkeys(names)]
    warnings.warn(
        f"Failures in {rankings.values.shape[1]} samples: {', '.join(failed)}. The first reason: {rankings.reasons[0]} "
        "See Stability.failures.",
        RsensWarning,
        stacklevel=3,
    )


def _question(analysis: SampleAnalysis) -> dict[str, Any]:
    """Everything that the result of a sample depends on, besides its number."""
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
