"""The result of `stability`: ranks by sample, method and term, what they add up to, and its views."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import entr

from rsens._arguments import fraction, one_of, whole_number
from rsens._compare import NOUNS, legend_of, term_cells
from rsens._document import Column, Document, Notes, Sentences, Shown, ShownTable
from rsens._errors import InputError
from rsens._results import Form, Part, stored
from rsens._text import counted, listed, on_one_line
from rsens._typing import Array, Flags

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
    ranks: NDArray[np.int64] = stored("The rank of a term, 1 for the largest value.", "methods", "samples", "terms")
    failed_samples: tuple[int, ...] = stored("The samples in which something failed.")
    failed_methods: tuple[str | None, ...] = stored("The method that failed; None is the refit itself.")
    reasons: tuple[str, ...] = stored("Why it failed.")
    clusters: int | None = stored("Clusters in a sample; None where rows were drawn one by one.", default=None)

    @property
    def ranked(self) -> Flags:
        """Whether a method has values in a sample, (methods, samples)."""
        return np.asarray(self.ranks[..., 0] > 0)


FORM = Form("a stability result", "Stability.save", {"rankings": Rankings})


def _field(name: str) -> Any:
    """An attribute that shows a field of the rankings; its meaning is the documentation."""
    return property(lambda self: getattr(self._rankings, name), doc=Rankings.fields()[name].meaning)


class Stability(Shown):
    """How the ranking of variables or pairs varies between models that were fitted to different samples of the data.

    Made by `rsens.stability`, or read from a file by `Stability.load`. Every attribute gives a new table; changing it
    does not change the result.

    Args:
        rankings: Values and ranks by method, sample and term.

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

    def __init__(self, rankings: Rankings) -> None:
        self._rankings = rankings

    order: int = _field("order")
    terms: tuple[str, ...] = _field("terms")
    methods: tuple[str, ...] = _field("methods")

    @property
    def n_boot(self) -> int:
        """Number of samples."""
        return self._rankings.values.shape[1]

    @property
    def settings(self) -> dict[str, Any]:
        """How samples were drawn and scored: n_rows, clusters, replace, scale.

        `clusters` is how many were drawn, None where rows were drawn one by one.
        """
        r = self._rankings
        names = ("clusters", "replace", "scale")
        return {"n_rows": r.rows} | {name: getattr(r, name) for name in names}

    @property
    def ranks(self) -> pd.DataFrame:
        """One line per sample, method and term: sample, method, term, value, rank (1 is the largest value)."""
        r = self._rankings
        method, sample, term = np.nonzero(r.ranks > 0)
        frame = pd.DataFrame(
            {
                "sample": sample,
                "method": np.array(r.methods, dtype=object)[method],
                "term": np.array(r.terms, dtype=object)[term],
                "value": r.values[method, sample, term],
                "rank": r.ranks[method, sample, term],
            }
        )
        return frame.sort_values("sample", kind="stable", ignore_index=True)

    @property
    def entropy(self) -> pd.Series[float]:
        """Entropy of the ranks by method, in natural units: 0 if all rankings are the same, log T if they are random.

        The mean over the ranks 1 … T of the entropy of the distribution of terms at that rank (paper, Table 2). NaN for
        a method that failed in every sample.
        """
        values = [entropy(rank_shares(ranks)) if len(ranks) else np.nan for ranks in self._by_method()]
        return pd.Series(values, index=pd.Index(self.methods, name="method"), name="entropy")

    @property
    def mean_rank(self) -> pd.DataFrame:
        """The mean rank, terms × methods."""
        return self._frame([ranks.mean(axis=0) for ranks in self._by_method(missing=True)])

    def top(self, k: int) -> pd.DataFrame:
        """The share of samples in which a term is among the first k, terms × methods."""
        k = whole_number(k, "k", 1)
        return self._frame(
            [np.where(np.isnan(ranks), np.nan, ranks <= k).mean(axis=0) for ranks in self._by_method(missing=True)]
        )

    def rank_shares(self, method: str | None = None) -> pd.DataFrame:
        """The share of samples in which a term (rows) has a rank (columns); for the first method unless one is named.

        Rows and columns add up to 1.
        """
        m = 0 if method is None else self.methods.index(one_of(method, "method", self.methods))
        ranks = self._by_method()[m]
        if not len(ranks):
            raise InputError(f"{self.methods[m]} failed in every sample; see Stability.failures for the reasons.")
        columns = pd.RangeIndex(1, len(self.terms) + 1, name="rank")
        return pd.DataFrame(rank_shares(ranks), index=self._index(), columns=columns)

    def to_frame(self, level: float = 0.9) -> pd.DataFrame:
        """One line per method and term, best mean rank first: method, term, value, mean_rank, lower, upper, samples.

        `value` is the mean over samples; ranks from `lower` to `upper` are the central ones that hold at least `level`
        of the samples. Methods that failed in every sample are left out.
        """
        tail = (1.0 - fraction(level, "level")) / 2.0
        frames = []
        for name, ranks, values in zip(self.methods, self._by_method(), self._rankings.values, strict=True):
            if len(ranks):
                bounds = np.quantile(ranks, [tail, 1.0 - tail], axis=0, method="inverted_cdf")
                columns = {
                    "method": name,
                    "term": np.array(self.terms, dtype=object),
                    "value": np.nanmean(values, axis=0),
                    "mean_rank": ranks.mean(axis=0),
                    "lower": bounds[0].astype(np.int64),
                    "upper": bounds[1].astype(np.int64),
                    "samples": len(ranks),
                }
                frames.append(pd.DataFrame(columns).sort_values("mean_rank", kind="stable"))
        return pd.concat(frames, ignore_index=True)

    @property
    def failures(self) -> pd.DataFrame:
        """Failures: sample, method (missing where the refit itself failed) and reason. Empty if nothing did."""
        r = self._rankings
        return pd.DataFrame(
            {
                "sample": np.array(r.failed_samples, dtype=np.int64),
                "method": pd.Series(r.failed_methods, dtype=object),
                "reason": pd.Series(r.reasons, dtype=object),
            }
        )

    def _document(self) -> Document:
        failures = [f"sample {sample}: {reason}" for sample, _, reason in self.failures.itertuples(index=False)]
        title = f"Failures in {self.failures['sample'].nunique()} of {self.n_boot} samples"
        return Document(
            [Sentences([answer(self)], "heading"), mean_ranks(self), Notes(title, failures[:MOST_FAILURES])]
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a JSON file, whole or not at all."""
        FORM.write({"rankings": self._rankings}, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file written by `save`."""
        return cls(**FORM.read(path))

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """How often each term has each rank; see `rsens.plots.rank_stability`."""
        from rsens.plots import rank_stability

        return rank_stability(self, ax=ax, **options)

    def _by_method(self, *, missing: bool = False) -> list[Any]:
        """Ranks (samples, T) of each method; of one that never has any, no rows, or with `missing` a row of NaN."""
        r = self._rankings
        tables: list[Ranks] = [ranks[known] for ranks, known in zip(r.ranks, r.ranked, strict=True)]
        return [table if len(table) or not missing else np.full((1, len(r.terms)), np.nan) for table in tables]

    def _frame(self, columns: list[Any]) -> pd.DataFrame:
        return pd.DataFrame(dict(zip(self.methods, columns, strict=True)), index=self._index())

    def _index(self) -> pd.Index:
        return pd.Index(self.terms, name="term")


def ranks_of(values: Array, ties: NDArray[np.int64]) -> Ranks:
    """Ranks 1 … T of the last axis, 1 for the largest value; among equal values the lower `ties` (T,) leads."""
    order = np.lexsort((np.broadcast_to(ties, values.shape), -values), axis=-1)
    ranks = np.empty(values.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(1, values.shape[-1] + 1), values.shape), axis=-1)
    return ranks


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
    method = stability.to_frame()["method"].iloc[0]
    ranks = stability.ranks
    table = ranks[ranks["method"] == method].pivot(index="sample", columns="term", values="rank")
    leading = list(table.mean().reindex(stability.terms).sort_values(kind="stable").index[:LEADING])
    total = len(table)
    first = int((table[leading[0]] == 1).sum())
    winner = f"By {method}, {on_one_line(leading[0])} is first in {first} of {total} samples"
    if len(stability.terms) <= LEADING:
        return f"{winner}."
    same = int((table[leading] <= LEADING).all(axis=1).sum())
    return (
        f"{winner}, and the first {LEADING} are {listed([on_one_line(term) for term in leading])} in {same} of {total}."
    )


def mean_ranks(stability: Stability, names: Sequence[str] = (), *, where: str = "in to_frame()") -> ShownTable:
    """Mean ranks by method, the range of ranks by the first of them, and the entropy of each method."""
    methods = ranking_methods(stability)
    mean = stability.mean_rank[methods].sort_values(methods[0], kind="stable")
    summary: Any = stability.to_frame().set_index(["method", "term"]).loc[methods[0]]
    shown = mean.head(SHOWN)
    ranges = [(int(summary.at[term, "lower"]), int(summary.at[term, "upper"])) for term in shown.index]
    share = f"90 % by {methods[0]}"
    known = [str(low) if low == high else f"{low}–{high}" for low, high in ranges]
    columns = [
        Column("", [*term_cells(map(str, shown.index), names, stability.order), "entropy"], "name"),
        Column(share, [*known, ""]),
    ]
    for k, m in enumerate(methods):  # in a narrow terminal, the last methods leave first
        cells = [*(f"{value:.1f}" for value in shown[m]), f"{stability.entropy[m]:.2f}"]
        columns.append(Column(m, cells, leaves=len(methods) - k if k else 0))
    legend = [
        f"… and {len(mean) - SHOWN} more {where}" if len(mean) > SHOWN else "",
        f"{share}: the ranks by {methods[0]} in the middle 90 % of the samples",
        f"entropy: 0 if all rankings are the same, {np.log(len(stability.terms)):.2f} if they are random",
        legend_of(methods, stability.order),
    ]
    how = "with" if stability.settings["replace"] else "without"
    samples = f"{stability.n_boot} samples of {drawn(stability)}, drawn {how} replacement"
    title = f"Mean ranks of {NOUNS[stability.order]}s by models fitted to {samples}, 1 for the largest value"
    return ShownTable(title, columns, legend, file=where.removeprefix("in "))


def ranking_methods(stability: Stability) -> list[str]:
    """The methods that ranked at least one sample."""
    return [str(name) for name in stability.entropy.dropna().index]


def drawn(stability: Stability) -> str:
    """The size of a sample: "200 rows", or "20 clusters (about 80 rows)"."""
    rows, clusters = (stability.settings[name] for name in ("n_rows", "clusters"))
    return f"{rows:,} rows" if clusters is None else f"{counted(clusters, 'cluster')} (about {rows:,} rows)"
