"""`study`: one call from a table to a model, how good it is, and what moves it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from rsens._app.study._explain_task import explain_task
from rsens._app.study._pipeline import analyse
from rsens._app.study._result import Study
from rsens._app.study._settings import Settings
from rsens._table import as_pandas


def study(
    data: Any,
    target: str | None = None,
    *,
    drop: Iterable[str] = (),
    categorical: Iterable[str] = (),
    numeric: Iterable[str] = (),
    groups: Mapping[str, Iterable[str]] | None = None,
    date: Mapping[str, str] | None = None,
    date_parts: Mapping[str, str | Iterable[str]] | None = None,
    where: str | Sequence[str] | None = None,
    cluster: str | None = None,
    by: str | None = None,
    likelihood: str = "auto",
    model: Literal["gp", "linear"] = "gp",
    rows: int | None = None,
    pairs: int | Literal["auto"] = "auto",
    random_state: int | np.random.Generator | None = 0,
    n_jobs: int | None = None,
    model_file: str | os.PathLike[str] | None = None,
    columns: Iterable[str] | None = None,
    header: bool = True,
    missing: Literal["drop", "error"] = "drop",
    inducing: int | None = None,
    cv: int = 5,
    null: bool = True,
    progress: bool | None = None,
) -> Study:
    """Which columns of a table move the prediction of one of them: from the table to a report, in one call.

    Reads and prepares the table by stated rules, fits a model that suits the target, asks how good it is on rows it has
    not seen, and explains it. `docs/command-line.md` has the rules, and the command that does the same.

    Args:
        data: A data frame, also of polars or Arrow, or the path of a CSV, TSV or Parquet file ("-" for standard
            input).
        target: The name of the column to predict; not needed with `model_file`.
        drop: Names of columns to leave out.
        categorical: Names of columns whose numbers are codes. Text, categories and truth values are categorical anyway.
        numeric: Names of columns with two numbers, such as 0 and 1, that are to have slopes; by default the two are
            compared, like the levels of a category.
        groups: Columns that belong together, {"season": ["sin", "cos"]}. The group takes their place in all tables,
            with R-sens in the direction that matters most; see `explain`.
        date: How the dates of a column are written, if that cannot be told from them: {"when": "%d/%m/%Y"}, a format of
            `strptime`, or "day-first", "month-first" or "year-first".
        date_parts: What to make of the dates of a column: {"when": ["days", "year"]}, some of "days", "year" (time of
            year), "weekday" and "hour". By default days, and of the others what pays; together they are one variable.
        where: Which rows to use: "open=yes", or a list of such conditions, all of which must hold. The signs are =, !=,
            <, <=, > and >=; values are read as those of the column are, as numbers, dates or text.
        cluster: The name of a column that says which rows belong together (of one person, one field). It is not used
            to predict, and rows with the same value stay together wherever the model is fitted to a part of the rows.
        by: The name of a column that divides the rows into subgroups; numbers are cut into ranges.
            `Explanation.by_frame` then says where a subgroup differs from the other rows. The column is used to predict
            too, unless it is in `drop`.
        likelihood: "gaussian", "student_t", "poisson", "negative_binomial", "classification", or "auto" for the one
            that suits the target; `Study.likelihood` says which and why.
        model: "gp", a Gaussian process, or "linear", a Bayesian (generalised) linear model.
        rows: How many rows to fit and explain, drawn at random; None for all, up to a million (or 30 million cells).
        pairs: How many pairs of columns to show; 0 for none, which is quicker. "auto": 10, and none if there are more
            than 60 columns.
        random_state: Seed: a whole number, a NumPy Generator, or None for a new one.
        n_jobs: How many fits at once, as in joblib: None for one after the other, -1 for one per core. It changes no
            result.

    Rarely needed:
        model_file: A model that `Study.write` wrote: it explains the rows of `data`, without a fit or a target.
        columns: Names of the columns to use; None for all.
        header: False for a text file whose first line is a row: its columns are then called x0, x1 and so on.
        missing: "drop" leaves out rows with missing values, "error" refuses them.
        inducing: How many inducing inputs a Gaussian process is built on; None: exact up to 1,000 rows (fewer if there
            are more than two classes), inducing inputs above.
        cv: Folds of the cross-validation; 0 for none.
        null: Whether to find the level that irrelevant variables stay below, by refits with irrelevant columns, and to
            test pairs for interaction.
        progress: Whether to show what is going on: True, False, or None for only in a terminal.

    Returns:
        A `Study`: `print` it, `write` it into a folder, or make a `report`.

    Example:
        >>> from sklearn.datasets import load_diabetes
        >>> import rsens
        >>> table = load_diabetes(as_frame=True).frame
        >>> study = rsens.study(table, "target", model="linear", null=False, pairs=0)
        >>> print(study.text().split(";")[0])
        The prediction of target depends most on s5 (▲ 33 per sd), s1 (▼ 30 per sd) and bmi (▲ 25 per
        sd)
        >>> study.explanation.top(3).round(1).to_dict()
        {'s5': 0.6, 's1': 0.6, 'bmi': 0.5}
    """
    asked: dict[str, Any] = {name: value for name, value in locals().items() if name not in ("data", "random_state")}
    settings = Settings(**asked, data=as_pandas(data, "data"), seed=random_state)
    return analyse(settings, explain_task(settings))
