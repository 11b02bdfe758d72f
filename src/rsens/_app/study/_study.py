"""`study`: one call from a table to a model, its quality, and the variables that move it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from rsens._app.study._pipeline import analyse, explain_task
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
    date: Mapping[str, str | Iterable[str]] | None = None,
    where: str | Sequence[str] | None = None,
    cluster: str | None = None,
    by: str | None = None,
    likelihood: str = "auto",
    model: str | os.PathLike[str] = "gp",
    rows: int | None = None,
    pairs: int | Literal["auto"] = "auto",
    cv: int = 5,
    null: bool = True,
    random_state: int | np.random.Generator | None = 0,
    n_jobs: int | None = None,
) -> Study:
    """Which columns of a table move the prediction of one of them: from the table to a report, in one call.

    Reads and prepares the table by documented rules (see `TableReader`), fits a model that suits the target, measures
    how good it is on unseen rows, and explains it. `docs/command-line.md` has the rules, and the command that does the
    same.

    Args:
        data: A data frame, also of polars or Arrow, or the path of a CSV, TSV or Parquet file ("-" for standard
            input).
        target: The name of the column to predict; not needed with a saved model.
        drop: Names of columns to leave out.
        categorical: Names of columns whose numbers are codes. Text, categories and truth values are categorical anyway.
        numeric: Names of columns with two numbers, such as 0 and 1, that are to have slopes; by default the two are
            compared, like the levels of a category.
        groups: Columns that belong together, {"season": ["sin", "cos"]}. The group takes their place in all tables,
            with R-sens in the direction that matters most; see `explain`.
        date: How the dates of a column are written, if its cells leave that open: {"when": "%d/%m/%Y"}, a format of
            `strptime`, or "day-first", "month-first" or "year-first". Also the columns to make of them, alone or after
            the format, {"when": "days,year"}: some of "days", "year" (time of year), "weekday" and "hour". By default
            days, and the others where they pay; together they are one variable.
        where: Which rows to use: "open=yes", or a list of such conditions, all of which must hold. The signs are =, !=,
            <, <=, > and >=; a value is read as the cells of the column are, as a number, a date or text.
        cluster: The name of a column that tells which rows belong together (of one person, one field). It is not used
            to predict, and rows with the same value stay together in every fold and sample.
        by: The name of a column that divides the rows into subgroups; numbers are cut into ranges.
            `Explanation.by_frame` then shows where a subgroup differs from the other rows. The column is used to
            predict too, unless it is in `drop`.
        likelihood: "gaussian", "student_t", "poisson", "negative_binomial", "classification", or "auto" for one that
            suits the target; `Study.likelihood` has the choice and its reason.
        model: "gp", a Gaussian process; "linear", a Bayesian (generalised) linear model; or the file of a model that
            `Study.write` wrote, "model.rsens": it explains the rows of `data` without a fit.
        rows: How many rows to fit and explain, drawn at random; None for all, up to a million (or 30 million cells).
        pairs: How many pairs of columns to show; 0 for no pairs, which is quicker. "auto": 10, and 0 if there are more
            than 60 columns.
        cv: Folds of the cross-validation; 0 for no check.
        null: Whether to find the level that irrelevant variables stay below, by refits with irrelevant columns, and to
            test pairs for interaction.
        random_state: Seed: a whole number, a NumPy Generator, or None for a new one.
        n_jobs: How many fits at once, as in joblib: None for one after the other, -1 for one per core. It changes no
            result.

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
        >>> study.explanation.main.nlargest(3).round(1).to_dict()
        {'s5': 0.6, 's1': 0.6, 'bmi': 0.5}
    """
    asked: dict[str, Any] = {name: value for name, value in locals().items() if name not in ("data", "random_state")}
    if isinstance(model, os.PathLike) or str(model).endswith(".rsens"):
        asked["model_file"] = asked.pop("model")
    settings = Settings(**asked, data=as_pandas(data, "data"), seed=random_state)
    return analyse(settings, explain_task(settings))
