"""The result of `select_interactions`: scores by number of pairs, the pairs, the answer, and its views."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._arguments import one_of, whole_number
from rsens._compare import legend_of
from rsens._document import Column, Document, Sentences, ShownTable
from rsens._errors import Argument, InputError, Sentence
from rsens._results import Part, Result, field_of, stored
from rsens._select_interactions._reduced_models import KernelTerms, fit_kernel
from rsens._text import Pair, aligned, counted, number, on_one_line, percent, plus_minus
from rsens._typing import Array
from rsens.kernels import Kernel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FULL = "full"
OF_SCORES = (
    "log score: log density of a held-out row, larger is better; ±: one standard error",
    "enough: the fewest pairs within one standard error of the best number of them, if that is within two of all pairs",
)
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores(Part):
    """Scores by method, number of pairs and split, and the pairs, numbered as `combinations` of the columns are."""

    columns: tuple[str, ...] = stored("The columns.")
    categorical: tuple[int, ...] = stored("Positions of the categorical columns.")
    kind: str = stored("The kernel of the terms of reduced models, one of rsens.kernels.")
    methods: tuple[str, ...] = stored("The methods that ranked the pairs, in the order asked for.")
    asked: int = stored("The k that was asked for; there may be fewer pairs.")
    train: Numbers = stored("Training rows.", "splits")
    test: Numbers = stored("Held-out rows.", "splits")
    scores: Array = stored("Mean log predictive density per row with 0 … k pairs.", "methods", "k + 1", "splits")
    full: Array = stored("Mean log predictive density per row of the full model.", "splits")
    chosen: Numbers = stored("The leading pairs of each split.", "methods", "splits", "k")
    pairs: Numbers = stored("The leading pairs on all rows.", "methods", "k")
    values: Array = stored("Their values by the method.", "methods", "k")
    fits: int = stored("Number of GPs that were fitted.")

    @property
    def k(self) -> int:
        """The most pairs."""
        return self.pairs.shape[1]

    @property
    def named_pairs(self) -> list[tuple[str, str]]:
        """All pairs, by number."""
        return list(combinations(self.columns, 2))

    @property
    def ratio(self) -> float:
        """Held-out rows per training row."""
        return float(np.mean(self.test / self.train))

    @property
    def by_model(self) -> tuple[pd.DataFrame, Array]:
        """The method and the number of pairs of each model, with the full one last, and its scores (models, splits)."""
        models: list[tuple[str, Any]] = [(method, k) for method in self.methods for k in range(self.k + 1)]
        frame = pd.DataFrame([*models, (FULL, pd.NA)], columns=["method", "k"])
        scores = np.concatenate([self.scores.reshape(len(models), -1), self.full[None]])
        return frame.astype({"method": object, "k": "Int64"}), scores


class Selection(Result, kind="a selection", of=Scores):
    """The held-out scores of main effects and the leading pairs, against a model with all interactions.

    Made by `rsens.select_interactions`, or read from a file by `Selection.load`. Every attribute gives a new table;
    changing it does not change the result.

    Args:
        numbers: Scores by method, number of pairs and split, and the pairs.
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
        >>> selection.suggestions.to_dict(), selection.n_splits
        ({'rsens2': 1}, 4)
        >>> selection.summary()["k"].tolist()  # the last one is the full model
        [0, 1, <NA>]
    """

    _numbers: Scores
    methods: tuple[str, ...] = field_of(Scores, "methods")
    names: tuple[str, ...] = field_of(Scores, "columns")
    n_fits: int = field_of(Scores, "fits")

    def __init__(self, numbers: Scores, *, estimator: Any = None, X: Any = None, y: Any = None) -> None:
        super().__init__(numbers)
        self._estimator, self._X, self._y = estimator, X, y

    @property
    def k(self) -> int:
        """The most pairs that were tried."""
        return self._numbers.k

    @property
    def n_splits(self) -> int:
        """Number of splits into training and held-out rows."""
        return len(self._numbers.full)

    @property
    def suggested(self) -> int:
        """The number of pairs that is enough, by the first method; see `suggestions`."""
        return int(self.suggestions.iloc[0])

    @property
    def suggestions(self) -> pd.Series[int]:
        """By method, the smallest k whose mean is within one standard error of the best.

        The standard error is for the difference to the best k, split by split, and allows for shared training rows.
        """
        r = self._numbers
        found = [smallest_sufficient(scores, r.ratio) for scores in r.scores]
        return pd.Series(found, index=pd.Index(r.methods, name="method"), name="k")

    @property
    def reaches_full(self) -> pd.Series[bool]:
        """By method, whether the suggested model is about as good as the full one, two standard errors behind at most.

        Where it is not, `suggestions` is only the k beyond which more of the ranked pairs do not help.
        """
        r = self._numbers
        behind = np.array([r.full - scores[k] for scores, k in zip(r.scores, self.suggestions, strict=True)])
        se = np.nan_to_num(standard_error(behind, r.ratio))  # unknown for a single split
        return pd.Series(behind.mean(axis=-1) <= 2.0 * se, index=self.suggestions.index, name="reaches_full")

    @property
    def pairs(self) -> pd.DataFrame:
        """The leading pairs on all rows: method, rank, first, second, value, and their share of the splits.

        `share` is how often the pair was among the leading k of a split.
        """
        r = self._numbers
        lines = []
        for m, method in enumerate(r.methods):
            for rank, (pair, value) in enumerate(zip(r.pairs[m], r.values[m], strict=True), start=1):
                share = float(np.mean((r.chosen[m] == pair).any(axis=-1)))
                lines.append((method, rank, *r.named_pairs[pair], float(value), share))
        return pd.DataFrame(lines, columns=["method", "rank", "first", "second", "value", "share"])

    @property
    def frequency(self) -> pd.DataFrame:
        """The share of splits in which a pair was among the leading j, for j = 1 … k (columns).

        By (method, first, second); the most frequent pairs come first, and pairs that never led are left out.
        """
        r = self._numbers
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

    @property
    def scores(self) -> pd.DataFrame:
        """Mean log predictive density of the held-out rows: method, k, split, log_density.

        The full model has the method "full" and no k.
        """
        models, scores = self._numbers.by_model
        frame = models.loc[models.index.repeat(self.n_splits)].reset_index(drop=True)
        return frame.assign(split=np.tile(np.arange(self.n_splits), len(models)), log_density=scores.ravel())

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
        ratio = self._numbers.ratio if corrected else 0.0
        frame, scores = self._numbers.by_model
        behind = scores - self._numbers.full
        return frame.assign(
            mean=scores.mean(axis=-1),
            se=standard_error(scores, ratio),
            difference=behind.mean(axis=-1),
            difference_se=[*standard_error(behind[:-1], ratio), 0.0],
        )

    def kernel(self, k: int | None = None, method: str | None = None) -> Kernel:
        """The kernel of main effects and the k leading pairs (None: `suggested`), where a fit starts."""
        r = self._numbers
        m = 0 if method is None else self.methods.index(one_of(method, "method", self.methods))
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

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Mean log predictive density by number of pairs; see `rsens.plots.selection`."""
        from rsens.plots import selection

        return selection(self, ax=ax, **options)

    def _document(self) -> Document:
        return Document([Sentences(list(map(str, answers(self))), "heading"), *score_tables(self)])


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


def answers(selection: Selection) -> list[str]:
    """A sentence for each method, with its name if there are several."""
    if len(selection.methods) == 1:
        return [answer(selection, selection.methods[0])]
    return [Sentence(f"{method}: ", answer(selection, method)) for method in selection.methods]


def answer(selection: Selection, method: str) -> str:
    """How many pairs are enough, which ones (by their full names), and how far that is from the full model."""
    enough = int(selection.suggestions[method])
    table, pairs = selection.summary(), selection.pairs
    line = table[(table["method"] == method) & (table["k"] == enough)].iloc[0]
    chosen = pairs[(pairs["method"] == method) & (pairs["rank"] <= enough)]
    names = ", ".join(on_one_line(f"{a}:{b}") for a, b in zip(chosen["first"], chosen["second"], strict=True))
    gap, se = float(line["difference"]), float(line["difference_se"])
    size = f"{abs(gap):.2g}" + ("" if pd.isna(se) else f" ± {se:.2g}")
    if not selection.reaches_full[method]:
        return _not_enough(selection, enough, names, size)
    if enough == 0:
        what = "No interaction is needed"
    else:
        what = f"{enough} interaction{'s are' if enough > 1 else ' is'} enough: {names}"
    side = "below" if gap < 0.0 else "above"
    meant = ": within two standard errors, so there may be no difference" if gap < 0.0 else ""
    return f"{what}. Per row, that is {size} {side} the model with all interactions{meant}."


def _not_enough(selection: Selection, enough: int, names: str, size: str) -> str:
    tried = {0: "Main effects alone are", 1: "One interaction is"}.get(
        selection.k, f"Up to {selection.k} interactions are"
    )
    helpful = f" Only the first {enough} of them ({names}) help." if enough else " They do not help."
    at = helpful if enough < selection.k else ""
    more = selection.k < len(selection._numbers.named_pairs)
    return Sentence(
        f"{tried} not enough: per row, the model with all interactions is {size} better.{at} ",
        Sentence("Raise ", Argument("k"), ", or keep") if more else "More than two columns act together: keep",
        " the full model.",
    )


def score_tables(selection: Selection) -> list[ShownTable]:
    """The scores by number of pairs, and the leading pairs; by method if there are several."""
    r, several = selection._numbers, len(selection.methods) > 1
    summary, leading = selection.summary(), selection.pairs
    write = aligned(float(summary["difference_se"].max()), 2)
    gaps = zip(summary["difference"], summary["difference_se"], summary["k"], strict=True)
    scores = [
        Column("method", [str(method) if several else "" for method in summary["method"]], "words"),
        Column("pairs", ["all" if pd.isna(k) else str(k) for k in summary["k"]]),
        Column("log score", [plus_minus(mean, se) for mean, se in zip(summary["mean"], summary["se"], strict=True)]),
        Column("against all pairs", ["" if pd.isna(k) else f"{write(gap)} ± {write(se)}" for gap, se, k in gaps]),
    ]
    rows = f"{_range(r.train)} training rows, {_range(r.test)} held out"
    title = f"Log score per held-out row, {counted(selection.n_splits, 'split')} ({rows})"
    fewer = [f"there are only {selection.k} pairs; k = {r.asked} was asked for"] if r.asked > selection.k else []
    tables = [ShownTable(title, scores, [*OF_SCORES, *fewer])]
    if len(leading):
        pairs = [
            Column("method", [str(method) if several else "" for method in leading["method"]], "words"),
            Column("", [str(rank) for rank in leading["rank"]]),
            Column("pair", list(map(Pair, leading["first"], leading["second"])), "name"),
            Column("value", [number(value) for value in leading["value"]]),
            Column("in splits", [percent(share) for share in leading["share"]]),
        ]
        by = "the method" if several else selection.methods[0]
        legend = [
            f"value: by {by}, on all rows ({legend_of(selection.methods, 2)})",
            f"in splits: how often the pair was among the first {selection.k}",
        ]
        tables.append(ShownTable("Leading pairs", pairs, legend))
    return tables


def _range(rows: NDArray[np.int64]) -> str:
    low, high = int(rows.min()), int(rows.max())
    return str(low) if low == high else f"{low} to {high}"
