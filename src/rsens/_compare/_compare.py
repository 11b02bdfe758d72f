"""`compare`: the call, its table, and how the command shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from rsens._arguments import jobs, seed_sequence
from rsens._compare._comparison import NOUNS, Comparison, ComparisonSettings, MethodResult, legend_of, run
from rsens._document import Column, ShownTable
from rsens._errors import InputError
from rsens._progress import progress_of
from rsens._refits import run_pieces
from rsens._text import Pair, listed, on_one_line
from rsens.black_box import Budget

if TYPE_CHECKING:
    pass


#: How many variables or pairs are shown, by order.
TERMS = {1: 30, 2: 15}


def compare(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    methods: str | list[str] | tuple[str, ...] = "all",
    order: Literal[1, 2] = 1,
    budget: str | Budget = "standard",
    scale: Any = "sd",
    groups: Mapping[str, Sequence[str | int]] | None = None,
    numeric: Iterable[str | int] = (),
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Compare R-sens with other methods, side by side, on the variables or pairs of one model.

    The values of two methods are in different units and cannot be compared; their ranks can. `docs/comparing.md` has
    the meaning of each method, and where it misleads.

    Args:
        model: A fitted model: anything that `explain` takes.
        X: Rows to explain, usually the training data: a data frame or an array.
        y: Targets of these rows, for the methods that look at how well the model predicts (pfi).
        methods: "all", or names. For variables: rsens, ead, aed, apc, shap, pd, pfi, var, kl, ard. For pairs (order
            2): rsens2, eah, aeh, shap, pd, h.
        order: 1 for single variables, 2 for pairs.
        budget: How many predictions the methods may ask for: "paper" for the cheap and noisy estimators that the
            paper used, "standard", "full" for less noise at several times the cost, or a `rsens.black_box.Budget`.
            Derivative methods do not need one.
        scale: The step of a column: "sd", "raw" or one number per column, as in `explain`. It matters for
            derivatives and difference quotients: rsens, ead, aed, kl, apc, ard and rsens2, eah, aeh. The others
            measure how far the prediction or its score moves when a variable runs through the data, and have no step.
        groups: Columns that belong together, {"season": ["sin", "cos"]}: the group takes their place. Derivatives are
            taken in the direction within the group that matters most, black-box methods change all its columns at once
            (one player, one permutation); kl has no value for groups. `docs/comparing.md` has
            each definition.
        numeric: Names or positions of numeric columns with two values that are to have derivatives all the same; by
            default their two values are compared, as in `explain`. Only ard, which is read off the model, takes them
            for numbers in any case.
        random_state: Seed: a whole number, a NumPy Generator, or None. The numbers of a method depend on it alone, not
            on which other methods run.
        n_jobs: How many methods run at once, as in joblib. It changes no value; `seconds` are longer when methods share
            cores.
        progress: A progress bar: True, False, or None for one only in a terminal and only if it takes long.

    Returns:
        A data frame with one row per method and term, methods as asked for, terms by rank. Its columns are `method`,
        `term` ("x0" or "x0:x1"), `value`, `rank` (1 is the largest; equal values share the smallest rank), `seconds`
        that the method took (its first call may have to import shap or shapiq), `evaluations` and `status`.
        `rsens.plots.comparison` draws the ranks.

        `evaluations` are the rows that the model was asked about, for checks too. With closed forms and automatic
        differentiation, a row with its derivatives counts once; differences ask about 2D + 1 copies of it.

        A method that could not answer is one row without term, value and rank, whose status is the reason. `attrs`
        holds order, scale and budget. If no method could answer, that is an `InputError`.

    Example:
        x₁ only moves the uncertainty.

        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(0.5 * X[:, 0], np.exp(2.0 * X[:, 1])))
        >>> table = rsens.compare(model, X, methods=["rsens", "ead", "pd"], random_state=0)
        >>> table[table["rank"] == 1][["method", "term"]].to_dict("list")
        {'method': ['rsens', 'ead', 'pd'], 'term': ['x1', 'x0', 'x0']}
    """
    settings = ComparisonSettings.read(methods, order, budget, scale=scale, numeric=numeric, groups=groups)
    comparison = Comparison.of(model, X, y, settings, seed_sequence(random_state))
    terms = comparison.labels
    results: list[MethodResult] = run_pieces(
        run,
        len(settings.methods),
        lambda number: (settings.methods[number],),
        shared=(comparison,),
        n_jobs=jobs(n_jobs),
        progress=progress_of(progress),
        noun="method",
    )
    if all(result.values is None for result in results):
        raise InputError(f"No method could answer. {results[0].method}: {results[0].status}")
    table = pd.concat([_rows(result, terms) for result in results], ignore_index=True)
    table.attrs = {"order": settings.order, "scale": settings.scale_name, "budget": settings.budget.name}
    return table


def _rows(result: MethodResult, terms: list[str]) -> pd.DataFrame:
    """The rows of one method, terms by rank and then in their own order."""
    values = pd.Series([np.nan] if result.values is None else result.values, dtype=np.float64)
    rows = pd.DataFrame(
        {
            "method": result.method,
            "term": pd.Series([None] if result.values is None else terms, dtype="str"),
            "value": values,
            "rank": values.rank(method="min", ascending=False).astype("Int64"),
            "seconds": result.seconds,
            "evaluations": result.evaluations,
            "status": result.status,
        }
    )
    return rows.sort_values("rank", kind="stable")


def ranks_table(frame: pd.DataFrame, names: Sequence[str] = ()) -> ShownTable:
    """Ranks, terms in the order of the first method that answered; `names` of columns divide the names of pairs."""
    order, answered = _order(frame), frame[frame["status"] == "ok"]
    ranks = answered.pivot(index="term", columns="method", values="rank")
    ranks = ranks.reindex(index=answered["term"].unique(), columns=answered["method"].unique())
    shown, methods = ranks.head(TERMS[order]), list(map(str, ranks.columns))
    cells = {m: ["" if pd.isna(rank) else str(int(rank)) for rank in shown[m]] for m in methods}
    terms = term_cells(map(str, shown.index), names, order)
    more = f"… and {len(ranks) - len(shown)} more in compare.csv" if len(ranks) > len(shown) else ""
    legend = [more, legend_of(methods, order)]
    if len(ranks) > 1 and len(methods) > 1:
        agreement = ranks.astype(float).corr(method="spearman")[methods[0]]
        terms.append(f"agreement with {methods[0]}")
        cells = {m: [*cells[m], f"{agreement[m]:.2f}".replace("-", "−")] for m in methods}
        legend.append("agreement: rank correlation, 1 for the same order, 0 for none, −1 for the reverse")
    failed = frame.loc[frame["status"] != "ok", ["method", "status"]]
    legend += [f"{method} could not answer: {why}" for method, why in failed.itertuples(index=False)]
    # In a narrow terminal, the last methods leave first.
    columns = [Column(m, cells[m], leaves=len(methods) - k if k else 0) for k, m in enumerate(methods)]
    title = f"Ranks of {NOUNS[order]}s by method, 1 for the largest value"
    return ShownTable(title, [Column("", terms, "name"), *columns], legend, file="compare.csv")


def answer(frame: pd.DataFrame) -> str:
    """The first variable or pair by each method."""
    by_term: dict[str, list[str]] = {}
    for method, lines in frame[frame["status"] == "ok"].groupby("method", sort=False):
        leading = lines.loc[lines["rank"] == 1, "term"]
        first = on_one_line(leading.iloc[0]) if len(leading) == 1 else f"no {NOUNS[_order(frame)]}"
        by_term.setdefault(first, []).append(str(method))
    count = sum(map(len, by_term.values()))
    if len(by_term) == 1 and count > 1:
        return f"All {count} methods put {next(iter(by_term))} first."
    parts = [f"{listed(by)} {'puts' if len(by) == 1 else 'put'} {term} first" for term, by in by_term.items()]
    return f"{'; '.join(parts)}."


def term_cells(terms: Iterable[str], names: Sequence[str], order: int) -> list[str]:
    """Each term as a cell: a pair "a:b" of columns with these names as two names, which can both be shortened."""
    pairs = {f"{a}:{b}": Pair(a, b) for a, b in combinations(names, 2)} if order == 2 else {}
    return [pairs.get(term, term) for term in terms]


def _order(frame: pd.DataFrame) -> int:
    return int(frame.attrs.get("order", 1))
