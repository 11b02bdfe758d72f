"""`compare`: the call, its table, and how notebooks show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from rsens import _html as html
from rsens._arguments import jobs, one_of, seed_sequence
from rsens._compare._comparison import KINDS, Comparison, ComparisonSettings, MethodResult, known, run
from rsens._errors import InputError
from rsens._progress import progress_of
from rsens._refits import run_pieces
from rsens._text import counted, number
from rsens.black_box import Budget

if TYPE_CHECKING:
    from matplotlib.axes import Axes


COLUMNS = ("method", "term", "value", "rank", "seconds", "evaluations", "status")
#: How many terms a notebook shows.
TERMS = 30


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
    alpha: float = 1.0,
    scoring: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> ComparisonFrame:
    """Compare R-sens with other methods, side by side, on the variables or pairs of one model.

    The values of two methods are in different units and cannot be compared; their ranks can. `docs/comparing.md` says
    what each method measures, and where each of them misleads.

    Args:
        model: A fitted model: whatever `explain` takes.
        X: Rows to explain, usually the training data: a data frame or an array.
        y: Targets of these rows, for the methods that look at how well the model predicts (pfi).
        methods: "all", or names. For variables: rsens, ead, aed, apc, shap, pd, pfi, var, kl, ard. For pairs (order
            2): rsens2, eah, aeh, shap, pd, h; also fourth_derivative, which only works for a function in JAX.
        order: 1 for single variables, 2 for pairs.
        budget: How many predictions the methods may ask for: "paper" for the cheap and noisy estimators that the
            paper used, "standard", "full" for less noise at several times the cost, or a `rsens.black_box.Budget`.
            Derivative methods do not need one.
        scale: What one step of a column is: "sd", "raw" or one number per column, as in `explain`. It matters for
            derivatives and difference quotients: rsens, ead, aed, kl, apc, ard and rsens2, eah, aeh. The others say
            how far the prediction or its score moves when a variable runs through the data, and have no step.
        groups: Columns that belong together, {"season": ["sin", "cos"]}: the group takes their place. Derivatives are
            taken in the direction within the group that matters most, black-box methods change all its columns at once
            (one player, one permutation); kl and fourth_derivative have no value for groups. `docs/comparing.md` has
            each definition.
        numeric: Names or positions of numeric columns with two values that are to have derivatives all the same; by
            default their two values are compared, as in `explain`. Only ard, which is read off the model, takes them
            for numbers in any case.
        random_state: Seed: a whole number, a NumPy Generator, or None. The numbers of a method depend on it alone, not
            on which other methods run.

    Rarely needed:
        alpha: Order of the Rényi divergence, for rsens, rsens2, kl and fourth_derivative.
        scoring: What pfi compares: None for the log predictive density, the name of a scikit-learn scorer, or a
            function (model, X, y) that gives one number, or one per row; more is better.
        n_jobs: How many methods run at once, as in joblib. It changes no value; `seconds` are longer when methods share
            cores.
        progress: A progress bar: True, False, or None for one only in a terminal and only if it takes long.

    Returns:
        A data frame with one row per method and term, methods as asked for, terms by rank. Its columns are `method`,
        `term` ("x0" or "x0:x1"), `value`, `rank` (1 is the largest; equal values share the smallest rank), `seconds`
        that the method took (its first call may have to import shap or shapiq), `evaluations` and `status`. `wide()`
        makes it terms × methods, and `plot_ranks()` draws it.

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
    n_jobs, follow = jobs(n_jobs), progress_of(progress)
    settings = ComparisonSettings.read(
        methods, order, budget, scale=scale, alpha=alpha, scoring=scoring, numeric=numeric, groups=groups
    )
    comparison = Comparison.of(model, X, y, settings, seed_sequence(random_state))
    terms = comparison.labels
    results: list[MethodResult] = run_pieces(
        run,
        len(settings.methods),
        lambda number: (settings.methods[number],),
        shared=(comparison,),
        n_jobs=n_jobs,
        progress=follow,
        noun="method",
    )
    if all(result.values is None for result in results):
        raise InputError(f"No method could answer. {results[0].method}: {results[0].status}")
    table = ComparisonFrame(pd.concat([_rows(result, terms) for result in results], ignore_index=True))
    table.attrs = {"order": order, "scale": settings.scale_name, "budget": settings.budget.name}
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


class ComparisonFrame(pd.DataFrame):
    """One row per method and term: method, term, value, rank, seconds, evaluations and status.

    It is a data frame in every way. Parts of it that keep these columns are of this class too; what has others, such as
    a sum by method, is a plain data frame.
    """

    @property
    def _constructor(self) -> Callable[..., pd.DataFrame]:
        return comparison_or_plain

    def wide(self, what: str = "value") -> pd.DataFrame:
        """Values or ranks, terms × methods: terms by the rank that the first method gives them, methods as asked for.

        Methods that could not answer are left out; `status` says why.

        Args:
            what: "value", or "rank".
        """
        one_of(what, "what", ("value", "rank"))
        lost = [column for column in COLUMNS if column not in self.columns]
        if lost:
            raise InputError(
                f"this table has no column {lost[0]!r} any more. Use the table that rsens.compare returned."
            )
        answered = pd.DataFrame(self[self["status"] == "ok"])
        if answered.duplicated(["method", "term"]).any():
            raise InputError("a method has two rows for one term. Look at one comparison at a time.")
        table = answered.pivot(index="term", columns="method", values=what)
        return table.reindex(index=answered["term"].unique(), columns=answered["method"].unique())

    def plot_ranks(self, ax: Axes | None = None, **options: Any) -> Axes:
        """The ranks by all methods side by side; see `rsens.plots.comparison`."""
        from rsens.plots import comparison

        return comparison(self, ax=ax, **options)

    def _repr_html_(self) -> str | None:
        plain, order = pd.DataFrame(self), self.attrs.get("order", 0)
        try:
            ranks = _ranks(self, order)
        except InputError:  # other columns, or several comparisons in one table
            return plain._repr_html_()  # type: ignore[operator]
        failed = plain.loc[plain["status"] != "ok", ["method", "status"]].itertuples(index=False)
        failures = [html.warning(f"{method} could not answer: {why}") for method, why in failed]
        return html.view(*ranks, *failures, _methods(self, order))


def comparison_or_plain(*args: Any, **options: Any) -> pd.DataFrame:
    """Make a part of a comparison, for pandas."""
    frame = pd.DataFrame(*args, **options)
    return ComparisonFrame(frame) if set(COLUMNS) <= set(frame.columns) else frame


def _ranks(frame: ComparisonFrame, order: int) -> list[html.Html]:
    ranks, values = frame.wide("rank"), frame.wide("value")
    shown = ranks.head(TERMS)
    hidden = len(ranks) - len(shown)
    cells = {
        str(method): [_cell(rank, value) for rank, value in zip(shown[method], values[method], strict=False)]
        for method in shown.columns
    }
    title = f"{counted(len(ranks.columns), 'method')} on {len(ranks)} {KINDS.get(order, 'terms')}"
    below = [f"… and {hidden} more in wide()"] if hidden else []
    below.append("values of two methods have different units: compare their ranks, 1 for the largest")
    table = html.table("Rank (value)", [str(term) for term in shown.index], cells, below=below)
    return [html.heading(title), table] if len(ranks) else []


def _methods(frame: ComparisonFrame, order: int) -> html.Html:
    each = pd.DataFrame(frame).drop_duplicates("method")
    there = known(order) if order in KINDS else {}
    names = [str(method) for method in each["method"]]
    columns = {
        "seconds": [number(float(seconds)) for seconds in each["seconds"]],
        "evaluations": [f"{int(rows):,}" for rows in each["evaluations"]],
        "measures": [there[name].meaning if name in there else "" for name in names],
    }
    below = ["evaluations: rows that the model was asked about"]
    return html.table("Methods", names, columns, left=["measures"], below=below)


def _cell(rank: Any, value: float) -> str:
    return "" if pd.isna(rank) else f"{int(rank)} ({number(value)})"
