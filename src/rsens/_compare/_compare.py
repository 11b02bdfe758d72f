"""`compare`, the call, and its table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from rsens._arguments import jobs, seed_sequence
from rsens._compare._comparison import Comparison, ComparisonSettings
from rsens._compare._frame import ComparisonFrame
from rsens._compare._method_values import MethodResult, run
from rsens._errors import InputError
from rsens._progress import progress_of
from rsens._refits import run_pieces
from rsens.black_box import Budget


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
    """What R-sens and other methods say about the variables or pairs of one model, side by side.

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
    options = {"scale": scale, "alpha": alpha, "scoring": scoring, "numeric": numeric, "groups": groups}
    settings = ComparisonSettings.read(methods, order, budget, **options)
    comparison = Comparison.of(model, X, y, settings, seed_sequence(random_state))
    terms = comparison.labels
    methods_asked = settings.methods
    results: list[MethodResult] = run_pieces(
        run,
        len(methods_asked),
        lambda number: (methods_asked[number],),
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
