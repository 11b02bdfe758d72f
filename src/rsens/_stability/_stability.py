"""`stability`: the call, one sample, and how samples are drawn."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from typing import Any, Literal

import numpy as np

from rsens import _refits as refits
from rsens._arguments import child, jobs, one_of, whole_number
from rsens._compare import ComparisonSettings, check_terms, method_values, term_labels
from rsens._contents import inverse, own_order
from rsens._errors import Argument, InputError, RsensWarning, warn
from rsens._files import Checkpoint, fingerprint
from rsens._progress import progress_of
from rsens._stability._result import Rankings, Stability, ranks_of
from rsens._table import is_frame
from rsens._threads import one_thread
from rsens._typing import Positions
from rsens.adapters import read_numeric, two_valued_columns
from rsens.likelihoods import target_of
from rsens.measures import Terms, check_group_columns, read_scale
from rsens.models import GPRegressor

#: Purposes of the random numbers of a sample.
ROWS, ESTIMATOR, METHODS, TIES = range(4)
#: With fewer clusters, half of them are one.
LEAST_CLUSTERS = 3


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
    scale: Any = "sd",
    groups: Mapping[str, Sequence[str | int]] | None = None,
    numeric: Iterable[str | int] = (),
    progress: bool | None = None,
) -> Stability:
    """Measure how the ranking of variables or pairs varies between models fitted to other samples of the data.

    The whole analysis is repeated on samples of the rows: a model is fitted, every method scores the terms, and the
    scores are ranked. `docs/stability.md` explains the result and its limits.

    Args:
        estimator: The model to fit: an estimator with `fit` and `get_params`, fitted or not. It is cloned; where its
            `random_state` is None, it gets one from the seed of the sample. Or a function (X, y) -> fitted model, which
            must see to its own random numbers.
        X: Rows: a data frame or an array.
        y: Their targets. A sample may lack a rare class, and is ranked without it.
        n_boot: The number of samples.
        methods: "cheap", "all", or names as in `compare`. "cheap" leaves out h (which asks about all pairs of rows)
            and ard (for Gaussian processes only).
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
        replace: Whether as many rows as X has are drawn with replacement: the bootstrap, as in the paper. A repeated
            row is harmless to a model with few parameters, but a Gaussian process that learns its noise takes equal
            rows as proof that noise is absent, and its rankings suffer. Half of the rows without replacement vary about
            as much and repeat no row. "auto" is False for such a `GPRegressor` and True for all other models.
        scale: "sd", "raw" or one number per column, as in `explain`. "sd" uses the deviations in the sample.
        groups: Columns that belong together, {"season": ["sin", "cos"]}: the group takes their place, as in `compare`.
            "cheap" then leaves out kl, which has no value for groups.
        numeric: Names or positions of numeric columns with two values that are to have derivatives all the same; by
            default their two values are compared, as in `explain`.
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
    n_boot, n_jobs, follow = whole_number(n_boot, "n_boot", 1), jobs(n_jobs), progress_of(progress)
    one_of(replace, "replace", ("auto", True, False))
    is_function = callable(estimator) and not isinstance(estimator, type) and not hasattr(estimator, "fit")
    fit = refits.Fit(None, estimator) if is_function else refits.Fit(estimator)
    refits.check_refit(fit.estimator, fit.refit)
    X = refits.as_rows(X)
    y = refits.read_targets(y, len(X), several=True)
    names = tuple(map(str, X.columns)) if is_frame(X) else tuple(f"x{d}" for d in range(X.shape[1]))
    terms = Terms.of(groups, names)
    found = refits.read_for_estimator(fit.estimator, X)
    if found is not None:
        coding = found[0]
        read_numeric(numeric, names, coding.categorical)
        check_group_columns(terms, names, coding.categorical)
        # Scored at the rows it was fitted to, a model needs the levels that occur there, and no others.
        fit = refits.Fit(refits.with_levels(fit.estimator, coding, only_given=True))
    settings = ComparisonSettings.read(
        methods,
        order,
        "paper",
        scale=read_scale(scale, names),
        two_valued=tuple(d for d in two_valued_columns(X, numeric, names) if d not in terms.grouped_columns),
        groups=None if groups is None else dict(zip(terms.names, terms.members, strict=True)),
        cheap=True,
    )
    check_terms(terms, order)
    without = [method for method in settings.methods if terms.grouped and not method.groups]
    if without and methods not in ("cheap", "all"):
        without[0].check_groups(terms)  # it was named, and would fail in every sample
    settings = replaced(settings, methods=tuple(each for each in settings.methods if each not in without))
    if clusters is None:
        refits.warn_of_tight_clusters(X)
    own = own_order(X, y, clusters=refits.read_clusters(clusters, len(X)))
    plan = sampling(len(X), _replaces(replace, fit.estimator), own.clusters, own.rows)
    analysis = SampleAnalysis(fit, X, y, plan, settings)
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
    # Equal values are ranked at random, in an order that does not depend on that of the columns.
    places = inverse(own.of_terms(terms.members) if order == 1 else own.of_pairs(terms.members))
    labels = tuple(term_labels(terms.names, order))
    ties = [
        np.random.default_rng(child(checkpoint.seed, number, TIES)).permutation(len(labels))[places]
        for number in range(n_boot)
    ]
    rankings = _rankings(analysis, labels, pieces, ties)
    if rankings.failures:
        by_method = Counter(method for _, method, _ in rankings.failures)
        failed = ", ".join(f"{method or 'the refit'} in {times}" for method, times in by_method.items())
        reason = rankings.failures[0][-1]
        warn(f"Failures in {n_boot} samples: {failed}. The first reason: {reason} See Stability.failures.")
    return Stability(rankings)


@dataclass(frozen=True, eq=False)
class SampleAnalysis:
    """The analysis that is repeated on every sample of the rows."""

    fit: refits.Fit
    X: Any
    y: Any
    sampling: Sampling
    settings: ComparisonSettings

    def run(self, seed: np.random.SeedSequence) -> dict[str, Any]:
        """{"values": {method: numbers or None}, "reasons": {method: why they are missing}}, or {"error": reason}."""
        with one_thread(), warnings.catch_warnings():
            # A column may be constant in one sample and not in another: it scores 0 there.
            warnings.simplefilter("ignore", RsensWarning)
            rows = self.sampling.draw(child(seed, ROWS))
            X, y = refits.take_rows(self.X, rows), refits.take_rows(self.y, rows)
            try:
                model = self.fit(X, y, child(seed, ESTIMATOR))
                results = method_values(model, X, y, self.settings, child(seed, METHODS))
            except refits.FAILURES as error:
                return {"error": refits.reason_of(error)}
        return {
            "values": {r.method: None if r.values is None else r.values.tolist() for r in results},
            "reasons": {r.method: r.status for r in results if r.values is None},
        }


def _question(analysis: SampleAnalysis) -> dict[str, Any]:
    """Everything that the result of a sample depends on, apart from its number."""
    fit, plan, settings = analysis.fit, analysis.sampling, analysis.settings
    return {
        "work": "stability",
        "X": fingerprint(analysis.X),
        "y": fingerprint(analysis.y),
        "estimator": fingerprint(fit.estimator if fit.refit is None else fit.refit),
        "methods": settings.names,
        "order": settings.order,
        "n_rows": plan.size,
        "replace": plan.replace,
        "clusters": None if plan.clusters is None else fingerprint(plan.clusters),
        "scale": settings.scale if isinstance(settings.scale, str) else settings.scale.tolist(),
        "two_valued": settings.two_valued,
        "groups": settings.groups,
    }


def _replaces(replace: bool | str, estimator: Any) -> bool:
    """Whether to draw with replacement: not for a Gaussian process that learns the noise of numbers."""
    if replace != "auto":
        return bool(replace)
    return not (
        isinstance(estimator, GPRegressor) and estimator.optimize and target_of(estimator.likelihood) == "numbers"
    )


def _rankings(analysis: SampleAnalysis, labels: tuple[str, ...], pieces: list[Any], ties: list[Positions]) -> Rankings:
    """Values and ranks of all samples, and the failures."""
    settings = analysis.settings
    values = np.full((len(settings.methods), len(pieces), len(labels)), np.nan)
    ranks = np.zeros(values.shape, dtype=np.int64)
    failures: list[tuple[int, str | None, str]] = []
    for number, piece in enumerate(pieces):
        if "error" in piece:
            failures.append((number, None, piece["error"]))
            continue
        failures += [(number, method, reason) for method, reason in piece["reasons"].items()]
        for m, of_method in enumerate(piece["values"][method] for method in settings.names):
            if of_method is not None:
                values[m, number] = of_method
                ranks[m, number] = ranks_of(values[m, number], ties[number])
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
        scale=settings.scale_name,
        values=values,
        ranks=ranks,
        failures=tuple(failures),
        clusters=None if analysis.sampling.clusters is None else analysis.sampling.size,
    )


@dataclass(frozen=True, eq=False)
class Sampling:
    """Draws `size` of `n` rows, or `size` clusters with all their rows; `rows` are sorted by content."""

    n: int
    size: int
    replace: bool
    clusters: Positions | None = None
    rows: Positions | None = None

    def draw(self, seed: np.random.SeedSequence) -> Positions:
        """The rows of one sample."""
        rng, rows = np.random.default_rng(child(seed, 0)), np.arange(self.n) if self.rows is None else self.rows
        if self.clusters is None:
            return rows[rng.choice(self.n, self.size, replace=self.replace)]
        drawn = rng.choice(int(self.clusters.max()) + 1, self.size, replace=self.replace)
        return np.concatenate([rows[self.clusters[rows] == cluster] for cluster in drawn])

    @property
    def n_rows(self) -> int:
        """The rows of a sample; their mean where clusters are drawn, as these may differ in size."""
        return self.size if self.clusters is None else round(self.size * self.n / (int(self.clusters.max()) + 1))


def sampling(n: int, replace: bool, clusters: Positions | None = None, rows: Positions | None = None) -> Sampling:
    """How to draw: n rows with replacement, or half of them without; clusters in the same share."""
    if n < 2:
        raise InputError("stability needs at least two rows to draw from; X has one.")
    total = n if clusters is None else int(clusters.max()) + 1
    if clusters is not None and total < LEAST_CLUSTERS:
        what = f" must have at least {LEAST_CLUSTERS} different labels, to draw some of them; got {total}."
        raise InputError(Argument("clusters"), what)
    drawn = n if replace else -(-n // 2)
    return Sampling(n, -(-drawn * total // n), replace, clusters, rows)  # of clusters about as many rows
