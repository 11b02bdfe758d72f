"""`stability`, the call."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from rsens._arguments import child, jobs, one_of, progress_bar, whole_number
from rsens._compare import ALL, ARD, resolved, terms
from rsens._errors import InputError, RsensWarning
from rsens._files import Checkpoint, fingerprint
from rsens._refits import check_refit, read_targets, sliceable
from rsens._stability._one_sample import TIES, Task, with_levels
from rsens._stability._rankings import Record
from rsens._stability._ranks import ranks_of
from rsens._stability._result import Stability
from rsens._stability._sampling import column_names, sampling
from rsens.black_box import BLACK_BOX, Budget, budget_of
from rsens.likelihoods import target_of
from rsens.measures import check_alpha, read_scale
from rsens.models import GPRegressor

#: Not among the cheap methods: h asks about all pairs of rows, and ard is for Gaussian processes only.
NOT_CHEAP = ("h", ARD)


def stability(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_boot: int = 100,
    methods: str | Sequence[str] = "cheap",
    order: Literal[1, 2] = 1,
    n_rows: int | None = None,
    replace: bool | Literal["auto"] = "auto",
    at: Literal["sample", "data"] = "sample",
    budget: str | Budget = "paper",
    scale: Any = "sd",
    alpha: float = 1.0,
    refit: Callable[[Any, Any], Any] | None = None,
    folder: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.Generator | None = None,
    progress: bool | None = None,
) -> Stability:
    """How the rankings of variables or pairs vary when the model is fitted to other samples of the data.

    The whole analysis is repeated on samples of the rows: a model is fitted, every method scores the terms, and the
    scores are ranked. `docs/stability.md` says what that shows and what it does not.

    Args:
        estimator: What to fit: an estimator with `fit` and `get_params`, fitted or not. It is cloned; where its
            `random_state` is None, it gets one from the seed of the sample. None with `refit`.
        X: Rows: a data frame or an array.
        y: Their targets. Samples for a classifier, or with targets that are labels, are drawn again until every class
            has two rows (or all that it has, if it has one).
        n_boot: How many samples.
        methods: "cheap", "all", or names as in `compare`. "cheap" is all of them but h (which asks about all pairs of
            rows), ard (for Gaussian processes only) and those that need an optional package at this budget.
        order: 1 for variables, 2 for pairs.
        n_rows: Rows in a sample; by default as many as X has, or without `replace` half of them.
        replace: Whether rows are drawn with replacement: the bootstrap, as in the paper. A repeated row is harmless to
            a model with few parameters, but a Gaussian process that learns its noise takes equal rows as proof that
            there is none, and its rankings suffer. Half of the rows without replacement vary about as much and repeat
            no row. "auto": False for such a `GPRegressor`, True for all other models.
        at: The rows at which a model is scored: "sample", those it was fitted to, as in any analysis; or "data", all
            of X, so that only the model varies.
        budget: How many predictions the methods that ask for predictions may use; see `compare`.
        scale: "sd", "raw" or one number per column, as in `explain`. "sd" is that of the sample.
        alpha: Order of the Rényi divergence.
        refit: A function (X, y) -> fitted model, in place of an estimator. Its random numbers are its own affair.
        folder: Where finished samples are kept, each in a JSON file of its own. A run that was stopped goes on from
            there, and one with a larger n_boot adds to it. What failed is kept as failed. A folder with another
            question (data, estimator, arguments, release of rsens) is an `InputError`.
        n_jobs: How many refits at once, as in joblib. Every refit has one thread of its own, so that the result does
            not depend on it.
        random_state: Seed: a whole number, a NumPy Generator, or None for a new one or the one kept in the folder.
        progress: A progress bar: True, False, or None for one only in a terminal and only if it takes long.

    Returns:
        A `Stability`. Refits and methods that fail are left out, listed in `Stability.failures` and told in one
        warning; if nothing succeeds, that is an `InputError`.
    """
    n_boot, n_jobs = whole_number(n_boot, "n_boot", 1), jobs(n_jobs)
    one_of(at, "at", ("sample", "data"))
    one_of(replace, "replace", ("auto", True, False))
    check_refit(estimator, refit)
    bar = progress_bar(progress)
    size = None if n_rows is None else whole_number(n_rows, "n_rows", 2)
    X = sliceable(X)
    y = read_targets(y, len(X), several=True)
    names = column_names(X)
    sizes = budget_of(budget)
    chosen = _methods(methods, order, sizes)
    if order == 2 and len(names) < 2:
        raise InputError("Pairs need at least two columns; X has one. Use order=1.")
    labels = tuple(terms(names, order))
    scale = read_scale(scale, names)
    task = Task(
        estimator=with_levels(estimator, X, at) if refit is None else None,
        refit=refit,
        X=X,
        y=y,
        sampling=sampling(len(X), size, _replaces(replace, estimator), y, refit is None and _is_classifier(estimator)),
        at=at,
        methods=chosen,
        order=order,
        budget=sizes,
        scale=scale,
        alpha=check_alpha(alpha),
    )
    kept = Checkpoint.open(folder, {} if folder is None else _question(task), random_state)
    pieces = _run(task, kept, n_boot, n_jobs, bar)
    record = _record(task, pieces, labels, kept.seed)
    _report_failures(record)
    return Stability(record)


def _replaces(replace: bool | str, estimator: Any) -> bool:
    if replace != "auto":
        return bool(replace)
    if not isinstance(estimator, GPRegressor):
        return True
    noisy = target_of(estimator.likelihood) == "numbers"  # counts vary by themselves
    return not (noisy and estimator.optimize)


def _run(task: Task, kept: Checkpoint, n_boot: int, n_jobs: int | None, bar: Callable[..., Any]) -> list[Any]:
    """What every sample gives, in order. Each is kept as soon as it is there, in whatever order they come."""
    from joblib import Parallel, delayed

    pieces = [kept.get(_key(number)) for number in range(n_boot)]
    missing = [number for number, piece in enumerate(pieces) if piece is None]
    work = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    results = work(delayed(_numbered)(task, number, child(kept.seed, number)) for number in missing)
    for number, piece in bar(results, total=n_boot, initial=n_boot - len(missing), desc="refits", unit="fit"):
        kept.put(_key(number), piece)
        pieces[number] = piece
    return pieces


def _numbered(task: Task, number: int, seed: np.random.SeedSequence) -> tuple[int, dict[str, Any]]:
    return number, task.run(seed)


def _key(number: int) -> str:
    return f"sample-{number:05d}"


def _record(task: Task, pieces: list[Any], labels: tuple[str, ...], seed: np.random.SeedSequence) -> Record:
    """Values and ranks of all samples, and what failed."""
    values = np.full((len(task.methods), len(pieces), len(labels)), np.nan)
    ranks = np.zeros(values.shape, dtype=np.int64)
    failures: list[tuple[int, str | None, str]] = []
    for number, piece in enumerate(pieces):
        if "error" in piece:
            failures.append((number, None, piece["error"]))
            continue
        # One order for all methods: equal values are ranked at random, and each method alike.
        ties = np.random.default_rng(child(seed, number, TIES)).permutation(len(labels))
        for m, method in enumerate(task.methods):
            if piece["values"][method] is None:
                failures.append((number, method, piece["reasons"][method]))
            else:
                values[m, number] = piece["values"][method]
                ranks[m, number] = ranks_of(values[m, number], ties)
    if not ranks.any():
        first, by, reason = failures[0]
        where = f"Sample {first}" if by is None else f"Sample {first}, {by}"
        raise InputError(f"None of {len(pieces)} samples could be ranked. {where}: {reason}")
    return Record(
        order=task.order,
        terms=labels,
        methods=task.methods,
        rows=task.sampling.size,
        replace=task.sampling.replace,
        at=task.at,
        scale=task.scale if isinstance(task.scale, str) else "given",
        budget=task.budget.name,
        alpha=task.alpha,
        values=values,
        ranks=ranks,
        failed_samples=tuple(number for number, _, _ in failures),
        failed_methods=tuple(method for _, method, _ in failures),
        reasons=tuple(reason for _, _, reason in failures),
    )


def _report_failures(record: Record) -> None:
    if not record.reasons:
        return
    failed = [
        f"{name or 'the refit'} in {record.failed_methods.count(name)}" for name in dict.fromkeys(record.failed_methods)
    ]
    warnings.warn(
        f"Of {record.values.shape[1]} samples failed: {', '.join(failed)}. The first reason: {record.reasons[0]} "
        "See Stability.failures.",
        RsensWarning,
        stacklevel=3,
    )


def _methods(methods: Any, order: Any, budget: Budget) -> tuple[str, ...]:
    if not (isinstance(methods, str) and methods == "cheap"):
        return tuple(resolved(methods, order))
    one_of(order, "order", (1, 2))

    def cheap(name: str) -> bool:
        method = BLACK_BOX.get((name, order))
        return name not in NOT_CHEAP and (method is None or method.needs_extra is None or budget.paper)

    return tuple(name for name in ALL[order] if cheap(name))


def _is_classifier(estimator: Any) -> bool:
    from sklearn.base import is_classifier

    return bool(is_classifier(estimator))


def _question(task: Task) -> dict[str, Any]:
    """Everything that the result of a sample depends on, besides its number."""
    return {
        "work": "stability",
        "X": fingerprint(task.X),
        "y": fingerprint(task.y),
        "estimator": fingerprint(task.estimator),
        "refit": None if task.refit is None else fingerprint(task.refit),
        "methods": task.methods,
        "order": task.order,
        "n_rows": task.sampling.size,
        "replace": task.sampling.replace,
        "at": task.at,
        "budget": str(task.budget),
        "scale": task.scale if isinstance(task.scale, str) else task.scale.tolist(),
        "alpha": task.alpha,
    }
