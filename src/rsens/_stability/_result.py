"""The result of `stability`: ranks by sample, method and term, what they add up to, and its document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import entr

from rsens._arguments import fraction, one_of, whole_number
from rsens._compare import NOUNS, legend_of, term_cells
from rsens._document import Column, Document, Notes, Sentences, ShownTable
from rsens._errors import InputError
from rsens._results import Part, Result, field_of, stored
from rsens._text import counted, listed, on_one_line
from rsens._typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Ranks = NDArray[np.int64]
#: How many of the first terms are shown, how many the answer is about, and the most failures that are listed.
SHOWN, LEADING, MOST_FAILURES = 30, 3, 5


@dataclass(frozen=True, eq=False, kw_only=True)
class Rankings(Part):
    """Values and ranks by method, sample and term. Where a method failed, its values are NaN and its ranks are 0."""

    order: int = stored("1 for variables, 2 for pairs.")
    terms: tuple[str, ...] = stored('The variables, "x0", or pairs, "x0:x1", in the order of the columns.')
    methods: tuple[str, ...] = stored("The methods, in the order asked for.")
    rows: int = stored("Rows in a sample; about as many where whole clusters were drawn.")
    replace: bool = stored("Whether rows were drawn with replacement.")
    scale: str = stored('The step of a column: "sd", "raw" or "given".')
    values: Array = stored("The value of a term by a method.", "methods", "samples", "terms")
    ranks: Ranks = stored("The rank of a term, 1 for the largest value.", "methods", "samples", "terms")
    failures: tuple[tuple[int, str | None, str], ...] = stored(
        "The sample, the method that failed in it (None is the refit itself), and the reason."
    )
    clusters: int | None = stored("Clusters in a sample; None where rows were drawn one by one.", default=None)


class Stability(Result, kind="a stability result", of=Rankings):
    """How the ranking of variables or pairs varies between models that were fitted to different samples of the data.

    Made by `rsens.stability`, or read from a file by `Stability.load`. Every attribute gives a new table; changing it
    does not change the result.

    Args:
        numbers: Values and ranks by method, sample and term.

    Example:
        >>> from sklearn.datasets import load_diabetes
        >>> import rsens
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> linear = rsens.BayesianLinearRegression()
        >>> result = rsens.stability(linear, X, y, n_boot=5, methods="rsens", random_state=0)
        >>> result.n_boot, result.to_frame()["term"].iloc[0]
        (5, 's5')
        >>> result.rank_shares("rsens").shape  # how often each variable has each rank
        (10, 10)
    """

    _numbers: Rankings
    order: int = field_of(Rankings, "order")
    terms: tuple[str, ...] = field_of(Rankings, "terms")
    methods: tuple[str, ...] = field_of(Rankings, "methods")

    @property
    def n_boot(self) -> int:
        """Number of samples."""
        return self._numbers.values.shape[1]

    @property
    def settings(self) -> dict[str, Any]:
        """How samples were drawn and scored: n_rows, clusters (None for samples of rows), replace, scale."""
        r = self._numbers
        return {"n_rows": r.rows, "clusters": r.clusters, "replace": r.replace, "scale": r.scale}

    @property
    def ranks(self) -> pd.DataFrame:
        """One line per sample, method and term: sample, method, term, value, rank (1 is the largest value)."""
        r = self._numbers
        method, sample, term = np.nonzero(r.ranks > 0)
        methods, terms = np.array(r.methods, dtype=object)[method], np.array(r.terms, dtype=object)[term]
        frame = pd.DataFrame({"sample": sample, "method": methods, "term": terms, "value": r.values[r.ranks > 0]})
        return frame.assign(rank=r.ranks[r.ranks > 0]).sort_values("sample", kind="stable", ignore_index=True)

    @property
    def entropy(self) -> pd.Series[float]:
        """Entropy of the ranks by method, in natural units: 0 if all rankings are the same, log T if they are random.

        The mean over the ranks 1 … T of the entropy of the distribution of terms at that rank (paper, Table 2). NaN for
        a method that failed in every sample.
        """
        values = [entropy(rank_shares(ranks)) if len(ranks) else np.nan for ranks in self._answered("ranks")]
        return pd.Series(values, index=pd.Index(self.methods, name="method"), name="entropy")

    @property
    def mean_rank(self) -> pd.DataFrame:
        """The mean rank, terms × methods."""
        return self._means(self._answered("ranks"))

    def top(self, k: int) -> pd.DataFrame:
        """The share of samples in which a term is among the first k, terms × methods."""
        k = whole_number(k, "k", 1)
        return self._means([ranks <= k for ranks in self._answered("ranks")])

    def rank_shares(self, method: str | None = None) -> pd.DataFrame:
        """The share of samples in which a term (rows) has a rank (columns); for the first method unless one is named.

        Rows and columns add up to 1.
        """
        m = 0 if method is None else self.methods.index(one_of(method, "method", self.methods))
        ranks = self._answered("ranks")[m]
        if not len(ranks):
            raise InputError(f"{self.methods[m]} failed in every sample; see Stability.failures for the reasons.")
        columns = pd.RangeIndex(1, len(self.terms) + 1, name="rank")
        return pd.DataFrame(rank_shares(ranks), index=pd.Index(self.terms, name="term"), columns=columns)

    def to_frame(self, level: float = 0.9) -> pd.DataFrame:
        """One line per method and term, best mean rank first: method, term, value, mean_rank, lower, upper, samples.

        `value` is the mean over samples; ranks from `lower` to `upper` are the central ones that hold at least `level`
        of the samples. Methods that failed in every sample are left out.
        """
        tail = (1.0 - fraction(level, "level")) / 2.0
        frames = []
        for name, ranks, values in zip(self.methods, self._answered("ranks"), self._answered("values"), strict=True):
            if len(ranks):
                bounds = np.quantile(ranks, [tail, 1.0 - tail], axis=0, method="inverted_cdf").astype(np.int64)
                frame = pd.DataFrame({"method": name, "term": np.array(self.terms, dtype=object)})
                frame = frame.assign(value=values.mean(axis=0), mean_rank=ranks.mean(axis=0))
                frame = frame.assign(lower=bounds[0], upper=bounds[1], samples=len(ranks))
                frames.append(frame.sort_values("mean_rank", kind="stable"))
        return pd.concat(frames, ignore_index=True)

    @property
    def failures(self) -> pd.DataFrame:
        """Failures: sample, method (missing where the refit itself failed) and reason. Empty if nothing did."""
        frame = pd.DataFrame(self._numbers.failures, columns=["sample", "method", "reason"], dtype=object)
        return frame.astype({"sample": np.int64})

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """How often each term has each rank; see `rsens.plots.rank_stability`."""
        from rsens.plots import rank_stability

        return rank_stability(self, ax=ax, **options)

    def _document(self) -> Document:
        failures = [f"sample {sample}: {reason}" for sample, _, reason in self._numbers.failures]
        notes = Notes(f"Failures: {len(failures)}", failures[:MOST_FAILURES])
        return Document([Sentences([answer(self)], "heading"), mean_ranks(self), notes])

    def _answered(self, name: str) -> list[Any]:
        """The values or ranks by each method, in the samples in which it did not fail: (samples, T)."""
        r = self._numbers
        return [table[ranks[:, 0] > 0] for table, ranks in zip(getattr(r, name), r.ranks, strict=True)]

    def _means(self, tables: list[Any]) -> pd.DataFrame:
        """Means over samples, terms × methods; NaN for a method that failed in every sample."""
        means = [table.mean(axis=0) if len(table) else np.full(len(self.terms), np.nan) for table in tables]
        return pd.DataFrame(dict(zip(self.methods, means, strict=True)), index=pd.Index(self.terms, name="term"))


def ranks_of(values: Array, ties: NDArray[np.int64]) -> Ranks:
    """Ranks 1 … T of the last axis, 1 for the largest value; among equal values the lower `ties` (T,) leads."""
    order = np.lexsort((np.broadcast_to(ties, values.shape), -values), axis=-1)
    return np.asarray(np.argsort(order, axis=-1) + 1, dtype=np.int64)


def rank_shares(ranks: Ranks) -> Array:
    """The share of samples in which each term (rows) has each rank (columns), (T, T), from ranks (S, T)."""
    samples, terms = ranks.shape
    counts = np.zeros((terms, terms))
    np.add.at(counts, (np.broadcast_to(np.arange(terms), ranks.shape), ranks - 1), 1.0)
    return counts / samples


def entropy(shares: Array) -> float:
    """The mean over ranks of −Σ_t p_t log p_t, with p_t the share of samples in which term t has that rank."""
    return float(entr(shares).sum() / len(shares))


def answer(stability: Stability) -> str:
    """Whether the first terms are the same in all samples, by the first method that ranked any; with full names."""
    method, ranks = next(
        pair for pair in zip(stability.methods, stability._answered("ranks"), strict=True) if len(pair[1])
    )
    leading = np.argsort(ranks.mean(axis=0), kind="stable")[:LEADING]
    names = [on_one_line(stability.terms[term]) for term in leading]
    first, same, total = (ranks[:, leading[0]] == 1).sum(), (ranks[:, leading] <= LEADING).all(axis=1).sum(), len(ranks)
    winner = f"By {method}, {names[0]} is first in {first} of {total} samples"
    if len(stability.terms) <= LEADING:
        return f"{winner}."
    return f"{winner}, and the first {LEADING} are {listed(names)} in {same} of {total}."


def mean_ranks(stability: Stability, names: Sequence[str] = (), *, where: str = "in to_frame()") -> ShownTable:
    """Mean ranks by method, the range of ranks by the first of them, and the entropy of each method."""
    methods, order = ranking_methods(stability), stability.order
    mean = stability.mean_rank[methods].sort_values(methods[0], kind="stable")
    shown = mean.head(SHOWN)
    frame = stability.to_frame()
    bounds = frame[frame["method"] == methods[0]].head(SHOWN)[["lower", "upper"]].itertuples(index=False)
    share = f"90 % by {methods[0]}"
    columns = [
        Column("", [*term_cells(map(str, shown.index), names, order), "entropy"], "name"),
        Column(share, [*(str(low) if low == high else f"{low}–{high}" for low, high in bounds), ""]),
    ]
    for k, m in enumerate(methods):  # in a narrow terminal, the last methods leave first
        cells = [*(f"{value:.1f}" for value in shown[m]), f"{stability.entropy[m]:.2f}"]
        columns.append(Column(m, cells, leaves=len(methods) - k if k else 0))
    legend = [
        f"… and {len(mean) - SHOWN} more {where}" if len(mean) > SHOWN else "",
        f"{share}: the ranks by {methods[0]} in the middle 90 % of the samples",
        f"entropy: 0 if all rankings are the same, {np.log(len(stability.terms)):.2f} if they are random",
        legend_of(methods, order),
    ]
    rows, clusters, replace = (stability.settings[name] for name in ("n_rows", "clusters", "replace"))
    size = f"{rows:,} rows" if clusters is None else f"{counted(clusters, 'cluster')} (about {rows:,} rows)"
    samples = f"{stability.n_boot} samples of {size}, drawn {'with' if replace else 'without'} replacement"
    title = f"Mean ranks of {NOUNS[order]}s by models fitted to {samples}, 1 for the largest value"
    return ShownTable(title, columns, legend, file=where.removeprefix("in "))


def ranking_methods(stability: Stability) -> list[str]:
    """The methods that ranked at least one sample."""
    return [str(name) for name in stability.entropy.dropna().index]
