"""The result of `select_interactions`: scores by number of pairs, the pairs, the answer, and its views."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._arguments import one_of, whole_number
from rsens._document import Column, Document, Sentences, ShownTable
from rsens._errors import Argument, InputError, Sentence
from rsens._results import Part, Result, field_of, stored
from rsens._select_interactions._reduced_models import KernelTerms, fit_kernel
from rsens._text import Pair, aligned, counted, number, on_one_line, percent, plus_minus
from rsens._typing import Array
from rsens.kernels import Kernel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OF_SCORES = (
    "log score: log density of a held-out row, larger is better; ±: one standard error",
    "enough: the fewest pairs within one standard error of the best number of them, if that is within two of all pairs",
)
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores(Part):
    """Scores by number of pairs and split, and the pairs, numbered as `combinations` of the columns are."""

    columns: tuple[str, ...] = stored("The columns.")
    categorical: tuple[int, ...] = stored("Positions of the categorical columns.")
    kind: str = stored("The kernel of the terms of reduced models, one of rsens.kernels.")
    asked: int = stored("The k that was asked for; there may be fewer pairs.")
    train: Numbers = stored("Training rows.", "splits")
    test: Numbers = stored("Held-out rows.", "splits")
    scores: Array = stored("Mean log predictive density per row with 0 … k pairs.", "k + 1", "splits")
    full: Array = stored("Mean log predictive density per row of the full model.", "splits")
    chosen: Numbers = stored("The leading pairs of each split.", "splits", "k")
    pairs: Numbers = stored("The leading pairs on all rows.", "k")
    values: Array = stored("Their R-sens₂.", "k")
    fits: int = stored("Number of GPs that were fitted.")

    @property
    def ratio(self) -> float:
        """Held-out rows per training row."""
        return float(np.mean(self.test / self.train))


class Selection(Result, kind="a selection", of=Scores):
    """The held-out scores of main effects and the leading pairs, against a model with all interactions.

    Made by `rsens.select_interactions`, or read from a file by `Selection.load`. Every attribute gives a new table;
    changing it does not change the result.

    Args:
        numbers: Scores by number of pairs and split, and the pairs.
        estimator: The estimator that `model` fits to X and y; None where the selection comes from a file.
        X: Rows.
        y: Their targets.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(40, 3))
        >>> y = X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=40)
        >>> model = rsens.GPRegressor(n_restarts=0, random_state=0)
        >>> selection = rsens.select_interactions(model, X, y, k=1, cv=2, random_state=0)
        >>> selection.suggested, selection.n_splits
        (1, 4)
        >>> selection.summary()["k"].tolist()  # the last one is the full model
        [0, 1, <NA>]
    """

    _numbers: Scores
    names: tuple[str, ...] = field_of(Scores, "columns")
    n_fits: int = field_of(Scores, "fits")

    def __init__(self, numbers: Scores, *, estimator: Any = None, X: Any = None, y: Any = None) -> None:
        super().__init__(numbers)
        self._estimator, self._X, self._y = estimator, X, y

    @property
    def k(self) -> int:
        """The most pairs that were tried."""
        return len(self._numbers.pairs)

    @property
    def n_splits(self) -> int:
        """Number of splits into training and held-out rows."""
        return len(self._numbers.full)

    @property
    def suggested(self) -> int:
        """The smallest number of pairs whose mean score is within one standard error of the best.

        The standard error is for the difference to the best k, split by split, and allows for shared training rows.
        """
        return smallest_sufficient(self._numbers.scores, self._numbers.ratio)

    @property
    def reaches_full(self) -> bool:
        """Whether the suggested model is about as good as the full one, two standard errors behind at most.

        Where it is not, `suggested` is only the k beyond which more of the ranked pairs do not help.
        """
        behind = self._numbers.full - self._numbers.scores[self.suggested]
        se = np.nan_to_num(standard_error(behind, self._numbers.ratio))  # unknown for a single split
        return bool(behind.mean() <= 2.0 * se)

    @property
    def pairs(self) -> pd.DataFrame:
        """The leading pairs on all rows: rank, first, second, value, and their share of the splits.

        `share` is how often the pair was among the leading k of a split.
        """
        r, named = self._numbers, list(combinations(self.names, 2))
        frame = pd.DataFrame([named[p] for p in r.pairs], columns=["first", "second"])
        frame.insert(0, "rank", np.arange(1, len(frame) + 1))
        return frame.assign(value=r.values, share=[(r.chosen == p).any(axis=-1).mean() for p in r.pairs])

    @property
    def scores(self) -> pd.DataFrame:
        """Mean log predictive density of the held-out rows: k (missing for the full model), split, log_density."""
        k, scores = self._by_model()
        split = np.tile(np.arange(self.n_splits), len(k))
        return pd.DataFrame({"k": k.repeat(self.n_splits), "split": split, "log_density": scores.ravel()})

    def _by_model(self) -> tuple[Any, Array]:
        """The number of pairs of each model, missing for the full one at the end, and scores (models, splits)."""
        k = pd.array([*range(self.k + 1), pd.NA], dtype="Int64")
        return k, np.concatenate([self._numbers.scores, self._numbers.full[None]])

    def summary(self, *, corrected: bool = True) -> pd.DataFrame:
        """Means over splits: k, mean, se, difference to the full model, and its standard error difference_se.

        Args:
            corrected: Whether standard errors allow for training rows that splits share (Nadeau and Bengio 2003).
                Without it, they are s/√S, as in the paper: right for independent scores, and too small here.
        """
        one_of(corrected, "corrected", (True, False))
        ratio = self._numbers.ratio if corrected else 0.0
        k, scores = self._by_model()
        behind = scores - self._numbers.full
        frame = pd.DataFrame({"k": k, "mean": scores.mean(axis=-1), "se": standard_error(scores, ratio)})
        errors = [*standard_error(behind[:-1], ratio), 0.0]
        return frame.assign(difference=behind.mean(axis=-1), difference_se=errors)

    def kernel(self, k: int | None = None) -> Kernel:
        """The kernel of main effects and the k leading pairs (None: `suggested`), where a fit starts."""
        r = self._numbers
        k = self.suggested if k is None else whole_number(k, "k", 0)
        if k > self.k:
            raise InputError(Argument("k"), f" must be at most {self.k}, the number of ranked pairs; got {k}.")
        numbered = list(combinations(range(len(r.columns)), 2))
        return KernelTerms(len(r.columns), r.categorical, r.kind).kernel(frozenset(numbered[p] for p in r.pairs[:k]))

    def model(self, k: int | None = None) -> Any:
        """A GP of main effects and the k leading pairs (None: `suggested`), fitted to all rows when this is called."""
        kernel = self.kernel(k)
        if self._estimator is None:
            raise InputError(
                "This selection was read from a file, which holds no data. Use its kernel: "
                "GPRegressor(kernel=selection.kernel(k)).fit(X, y)."
            )
        return fit_kernel(self._estimator, kernel, self._X, self._y)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Mean log predictive density by number of pairs; see `rsens.plots.selection`."""
        from rsens.plots import selection

        return selection(self, ax=ax, **options)

    def _document(self) -> Document:
        return Document([Sentences([str(answer(self))], "heading"), *score_tables(self)])


def standard_error(scores: Array, ratio: float) -> Array:
    """s √(1/S + ratio), as splits share training rows (Nadeau and Bengio 2003, section 3); NaN for a single split."""
    S = scores.shape[-1]
    if S < 2:
        return np.full(scores.shape[:-1], np.nan)
    return np.asarray(np.std(scores, axis=-1, ddof=1) * np.sqrt(1.0 / S + ratio))


def smallest_sufficient(scores: Array, ratio: float) -> int:
    """The smallest number of pairs within one standard error of the best, from scores (k + 1, S)."""
    best = int(scores.mean(axis=-1).argmax())
    behind = scores[best] - scores[:best]
    enough = behind.mean(axis=-1) <= standard_error(behind, ratio)
    return int(enough.argmax()) if enough.any() else best


def answer(selection: Selection) -> str:
    """How many pairs are enough, which ones (by their full names), and how far that is from the full model."""
    enough, k = selection.suggested, selection.k
    gap, se = (float(selection.summary()[name].iloc[enough]) for name in ("difference", "difference_se"))
    size = f"{abs(gap):.2g}" + ("" if np.isnan(se) else f" ± {se:.2g}")
    if not selection.reaches_full:
        more = k < comb(len(selection.names), 2)
        tried = f"{counted(k, 'interaction')} {'is' if k == 1 else 'are'} not enough"
        return Sentence(
            f"{tried}: per row, the model with all interactions is {size} better. ",
            Sentence("Raise ", Argument("k"), ", or keep") if more else "More than two columns act together: keep",
            " the full model.",
        )
    pairs = selection.pairs.head(enough)
    names = ", ".join(on_one_line(f"{a}:{b}") for a, b in zip(pairs["first"], pairs["second"], strict=True))
    what = f"{counted(enough, 'interaction')} {'is' if enough == 1 else 'are'} enough: {names}"
    side = "below" if gap < 0.0 else "above"
    meant = ": within two standard errors, so there may be no difference" if gap < 0.0 else ""
    what = what if enough else "No interaction is needed"
    return f"{what}. Per row, that is {size} {side} the model with all interactions{meant}."


def score_tables(selection: Selection) -> list[ShownTable]:
    """The scores by number of pairs, and the leading pairs."""
    r, summary, leading = selection._numbers, selection.summary(), selection.pairs
    write = aligned(float(summary["difference_se"].max()), 2)
    gaps = zip(summary["difference"], summary["difference_se"], summary["k"], strict=True)
    scores = [
        Column("pairs", ["all" if pd.isna(k) else str(k) for k in summary["k"]]),
        Column("log score", [plus_minus(mean, se) for mean, se in zip(summary["mean"], summary["se"], strict=True)]),
        Column("against all pairs", ["" if pd.isna(k) else f"{write(gap)} ± {write(se)}" for gap, se, k in gaps]),
    ]
    rows = f"{_range(r.train)} training rows, {_range(r.test)} held out"
    title = f"Log score per held-out row, {counted(selection.n_splits, 'split')} ({rows})"
    fewer = f"there are only {selection.k} pairs; k = {r.asked} was asked for" if r.asked > selection.k else ""
    tables = [ShownTable(title, scores, [*OF_SCORES, fewer])]
    if len(leading):
        pairs = [
            Column("", [str(rank) for rank in leading["rank"]]),
            Column("pair", list(map(Pair, leading["first"], leading["second"])), "name"),
            Column("R-sens₂", [number(value) for value in leading["value"]]),
            Column("in splits", [percent(share) for share in leading["share"]]),
        ]
        legend = [f"R-sens₂: on all rows; in splits: how often the pair was among the first {selection.k}"]
        tables.append(ShownTable("Leading pairs", pairs, legend))
    return tables


def _range(rows: NDArray[np.int64]) -> str:
    low, high = int(rows.min()), int(rows.max())
    return str(low) if low == high else f"{low} to {high}"
