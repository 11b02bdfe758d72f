"""The result of `select_interactions`: scores by number of pairs, the pairs, and the answer."""

from __future__ import annotations

import os
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from rsens._arguments import one_of, whole_number
from rsens._errors import Argument, InputError
from rsens._select_interactions import _text
from rsens._select_interactions._notebook import as_html
from rsens._select_interactions._reduced_models import KernelTerms, fit_kernel
from rsens._select_interactions._scores import FORM, Scores
from rsens._select_interactions._sufficient import smallest_sufficient, standard_error
from rsens.kernels import Kernel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FULL = "full"


def _field(name: str) -> Any:
    """An attribute that shows a field of the scores; its meaning is the documentation."""
    return property(lambda self: getattr(self._scores, name), doc=Scores.fields()[name].meaning)


class Selection:
    """How well main effects and the leading pairs predict, against a model with all interactions.

    Made by `rsens.select_interactions`, or read from a file by `Selection.load`. Every attribute gives a new table;
    changing it leaves the result as it is.

    Args:
        scores: Scores by method, number of pairs and split, and the pairs.
        estimator: What `model` fits, to X and y; None where the selection comes from a file.
        X: Rows.
        y: Their targets.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(40, 3))
        >>> y = X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=40)
        >>> model = rsens.GPRegressor(n_restarts=0, random_state=0)
        >>> selection = rsens.select_interactions(model, X, y, k=1, cv=2, repeats=1, random_state=0)
        >>> selection.suggestions.to_dict(), selection.n_splits
        ({'rsens2': 1}, 2)
        >>> selection.summary()["k"].tolist()  # the last one is the full model
        [0, 1, <NA>]
    """

    def __init__(self, scores: Scores, *, estimator: Any = None, X: Any = None, y: Any = None) -> None:
        self._scores = scores
        self._estimator, self._X, self._y = estimator, X, y

    # ---- the answer -------------------------------------------------------------------------------------------------

    @property
    def suggested(self) -> int:
        """The number of pairs that is enough, by the first method; see `suggestions`."""
        return int(self.suggestions.iloc[0])

    @property
    def suggestions(self) -> pd.Series[int]:
        """By method, the smallest k whose mean is within one standard error of the best.

        The standard error is for the difference to the best k, split by split, and allows for shared training rows.
        """
        r = self._scores
        found = [smallest_sufficient(scores, r.ratio) for scores in r.scores]
        return pd.Series(found, index=pd.Index(r.methods, name="method"), name="k")

    @property
    def reaches_full(self) -> pd.Series[bool]:
        """By method, whether the suggested model is about as good as the full one, two standard errors behind at most.

        Where it is not, `suggestions` only says beyond which k more of the ranked pairs do not help.
        """
        r = self._scores
        behind = np.array([r.full - scores[k] for scores, k in zip(r.scores, self.suggestions, strict=True)])
        se = np.nan_to_num(standard_error(behind, r.ratio))  # unknown for a single split
        return pd.Series(behind.mean(axis=-1) <= 2.0 * se, index=self.suggestions.index, name="reaches_full")

    @property
    def pairs(self) -> pd.DataFrame:
        """The leading pairs on all rows: method, rank, first, second, value, and their share of the splits.

        `share` is how often the pair was among the leading k of a split.
        """
        r = self._scores
        lines = []
        for m, method in enumerate(r.methods):
            for rank, (number, value) in enumerate(zip(r.pairs[m], r.values[m], strict=True), start=1):
                share = float(np.mean((r.chosen[m] == number).any(axis=-1)))
                lines.append((method, rank, *r.named_pairs[number], float(value), share))
        return pd.DataFrame(lines, columns=["method", "rank", "first", "second", "value", "share"])

    @property
    def frequency(self) -> pd.DataFrame:
        """The share of splits in which a pair was among the leading j, for j = 1 … k (columns).

        By (method, first, second); the most frequent pairs come first, and pairs that never led are left out.
        """
        r = self._scores
        keys, shares = [], []
        for m, method in enumerate(r.methods):
            # (pairs, S, k): whether the pair has this rank in this split; added up over ranks, whether it leads by then
            at_rank = r.chosen[m] == np.arange(len(r.named_pairs))[:, None, None]
            by_rank = at_rank.cumsum(axis=-1).mean(axis=1)
            seen = [p for p in np.lexsort(-by_rank.T, axis=-1) if by_rank[p].any()] if r.k else []
            keys += [(method, *r.named_pairs[p]) for p in seen]
            shares += [by_rank[p] for p in seen]
        index = pd.MultiIndex.from_tuples(keys, names=["method", "first", "second"]) if keys else None
        columns = pd.RangeIndex(1, r.k + 1, name="k")
        return pd.DataFrame(np.reshape(shares, (len(keys), r.k)), index=index, columns=columns)

    # ---- the scores -------------------------------------------------------------------------------------------------

    @property
    def scores(self) -> pd.DataFrame:
        """Mean log predictive density of the held-out rows: method, k, split, log_density.

        The full model has the method "full" and no k.
        """
        r = self._scores
        M, n_k, S = r.scores.shape
        reduced = pd.DataFrame(
            {
                "method": np.repeat(np.array(r.methods, dtype=object), n_k * S),
                "k": pd.array(np.tile(np.repeat(np.arange(n_k), S), M), dtype="Int64"),
                "split": np.tile(np.arange(S), M * n_k),
                "log_density": r.scores.ravel(),
            }
        )
        k = pd.array([pd.NA] * S, dtype="Int64")
        full = pd.DataFrame({"method": FULL, "k": k, "split": np.arange(S), "log_density": r.full})
        return pd.concat([reduced, full], ignore_index=True)

    @property
    def table(self) -> pd.DataFrame:
        """`summary()`."""
        return self.summary()

    def summary(self, *, corrected: bool = True) -> pd.DataFrame:
        """Means over splits: method, k, mean, se, difference to the full model, and its standard error difference_se.

        Args:
            corrected: Whether standard errors allow for training rows that splits share (Nadeau and Bengio 2003).
                Without it, they are s/√S, as in the paper: right for independent scores, and too small here.
        """
        one_of(corrected, "corrected", (True, False))
        r = self._scores
        ratio = r.ratio if corrected else 0.0
        behind = r.scores - r.full
        lines = {
            "method": np.repeat(np.array(r.methods, dtype=object), r.k + 1),
            "k": np.tile(np.arange(r.k + 1), len(r.methods)),
            "mean": r.scores.mean(axis=-1).ravel(),
            "se": standard_error(r.scores, ratio).ravel(),
            "difference": behind.mean(axis=-1).ravel(),
            "difference_se": standard_error(behind, ratio).ravel(),
        }
        of_full = pd.DataFrame(
            {
                "method": [FULL],
                "k": pd.array([pd.NA], dtype="Int64"),
                "mean": r.full.mean(),
                "se": standard_error(r.full, ratio),
                "difference": 0.0,
                "difference_se": 0.0,
            }
        )
        return pd.concat([pd.DataFrame(lines).astype({"k": "Int64"}), of_full], ignore_index=True)

    # ---- models -----------------------------------------------------------------------------------------------------

    def kernel(self, k: int | None = None, method: str | None = None) -> Kernel:
        """The kernel of main effects and the k leading pairs (None: `suggested`), where a fit starts."""
        r = self._scores
        m = self._number(method)
        k = int(self.suggestions.iloc[m]) if k is None else whole_number(k, "k", 0)
        if k > r.k:
            raise InputError(Argument("k"), f" must be at most {r.k}, the number of ranked pairs; got {k}.")
        numbered = list(combinations(range(len(r.columns)), 2))
        terms = KernelTerms(len(r.columns), r.categorical, r.kind)
        return terms.kernel(frozenset(numbered[p] for p in r.pairs[m, :k]))

    def model(self, k: int | None = None, method: str | None = None) -> Any:
        """A GP of main effects and the k leading pairs (None: `suggested`), fitted to all rows when this is called."""
        kernel = self.kernel(k, method)
        if self._estimator is None:
            raise InputError(
                "This selection was read from a file, which holds no data. Use its kernel: "
                "GPRegressor(kernel=selection.kernel(k)).fit(X, y)."
            )
        return fit_kernel(self._estimator, kernel, self._X, self._y)

    def _number(self, method: str | None) -> int:
        methods = self._scores.methods
        if method is not None and method not in methods:
            raise InputError(Argument("method"), f" must be one of {', '.join(map(repr, methods))}; got {method!r}.")
        return 0 if method is None else methods.index(method)

    # ---- what was asked ---------------------------------------------------------------------------------------------

    methods: tuple[str, ...] = _field("methods")
    names: tuple[str, ...] = _field("columns")
    n_fits: int = _field("fits")

    @property
    def k(self) -> int:
        """The most pairs that were tried."""
        return self._scores.k

    @property
    def n_splits(self) -> int:
        """Number of splits into training and held-out rows."""
        return len(self._scores.full)

    # ---- files and pictures -----------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the estimator and the data to a JSON file, whole or not at all."""
        FORM.write({"scores": self._scores}, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file written by `save`."""
        return cls(**FORM.read(path))

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Mean log predictive density by number of pairs; see `rsens.plots.selection`."""
        from rsens.plots import selection

        return selection(self, ax=ax, **options)

    def __repr__(self) -> str:
        return _text.text(self)

    def _repr_html_(self) -> str:
        return as_html(self)
