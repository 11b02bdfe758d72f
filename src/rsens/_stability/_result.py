"""The result of `stability`: ranks by sample, method and term, and what they add up to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from rsens._arguments import fraction, whole_number
from rsens._errors import Argument, InputError
from rsens._stability import _text
from rsens._stability._notebook import as_html
from rsens._stability._rankings import FORM, Rankings
from rsens._stability._ranks import Ranks, entropy, rank_shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _field(name: str) -> Any:
    """An attribute that shows a field of the rankings; its meaning is the documentation."""
    return property(lambda self: getattr(self._rankings, name), doc=Rankings.fields()[name].meaning)


class Stability:
    """How the ranking of variables or pairs varies between models that were fitted to different samples of the data.

    Made by `rsens.stability`, or read from a file by `Stability.load`. Every attribute gives a new table; changing it
    leaves the result as it is.

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

    # ---- what was asked ---------------------------------------------------------------------------------------------

    order: int = _field("order")
    terms: tuple[str, ...] = _field("terms")
    methods: tuple[str, ...] = _field("methods")

    @property
    def n_boot(self) -> int:
        """Number of samples."""
        return self._rankings.values.shape[1]

    @property
    def settings(self) -> dict[str, Any]:
        """How samples were drawn and scored: n_rows, clusters, replace, at, scale, budget, alpha.

        `clusters` is how many were drawn, None where rows were drawn one by one.
        """
        r = self._rankings
        return {
            "n_rows": r.rows,
            "clusters": r.clusters,
            "replace": r.replace,
            "at": r.at,
            "scale": r.scale,
            "budget": r.budget,
            "alpha": r.alpha,
        }

    # ---- rankings ---------------------------------------------------------------------------------------------------

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
        ranks = self._by_method()[self._position(method)]
        if not len(ranks):
            raise InputError(f"{self._name(method)} failed in every sample; see Stability.failures for the reasons.")
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
        """What failed: sample, method (missing where the refit itself failed) and reason. Empty if nothing did."""
        r = self._rankings
        return pd.DataFrame(
            {
                "sample": np.array(r.failed_samples, dtype=np.int64),
                "method": pd.Series(r.failed_methods, dtype=object),
                "reason": pd.Series(r.reasons, dtype=object),
            }
        )

    def __repr__(self) -> str:
        return _text.text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    # ---- files and pictures -----------------------------------------------------------------------------------------

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

    # ---- helpers ----------------------------------------------------------------------------------------------------

    def _by_method(self, *, missing: bool = False) -> list[Any]:
        """Ranks (samples, T) of each method; of one that never has any, no rows, or with `missing` a row of NaN."""
        r = self._rankings
        tables: list[Ranks] = [ranks[known] for ranks, known in zip(r.ranks, r.ranked, strict=True)]
        return [table if len(table) or not missing else np.full((1, len(r.terms)), np.nan) for table in tables]

    def _frame(self, columns: list[Any]) -> pd.DataFrame:
        return pd.DataFrame(dict(zip(self.methods, columns, strict=True)), index=self._index())

    def _index(self) -> pd.Index:
        return pd.Index(self.terms, name="term")

    def _name(self, method: str | None) -> str:
        return self.methods[self._position(method)]

    def _position(self, method: str | None) -> int:
        if method is None:
            return 0
        if method not in self.methods:
            raise InputError(
                Argument("method"), f" must be one of {', '.join(map(repr, self.methods))}; got {method!r}."
            )
        return self.methods.index(method)
