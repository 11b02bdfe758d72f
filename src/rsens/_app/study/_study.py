"""`study`: one call from a table to a model, how good it is, and what moves it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal

import numpy as np
import pandas as pd

from rsens._app.study._explain_task import explain_task
from rsens._app.study._pipeline import analyse
from rsens._app.study._result import Study
from rsens._app.study._settings import Settings


def study(
    data: pd.DataFrame | str | os.PathLike[str],
    target: str | None = None,
    *,
    drop: Iterable[str] = (),
    categorical: Iterable[str] = (),
    numeric: Iterable[str] = (),
    cluster: str | None = None,
    likelihood: str = "auto",
    model: Literal["gp", "linear"] = "gp",
    rows: int | None = None,
    pairs: int | Literal["auto"] = "auto",
    random_state: int | np.random.Generator | None = 0,
    n_jobs: int | None = None,
    model_file: str | os.PathLike[str] | None = None,
    columns: Iterable[str] | None = None,
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
        data: A data frame, or the path of a CSV, TSV or Parquet file ("-" for standard input).
        target: The name of the column to predict; not needed with `model_file`.
        drop: Names of columns to leave out.
        categorical: Names of columns whose numbers are codes. Text, categories and truth values are categorical anyway.
        numeric: Names of columns with two numbers, such as 0 and 1, that are to have slopes; by default the two are
            compared, like the levels of a category.
        cluster: The name of a column that says which rows belong together (of one person, one field). It is not used
            to predict, and rows with the same value stay together wherever the model is fitted to a part of the rows.
        likelihood: "gaussian", "student_t", "poisson", "negative_binomial", "classification", or "auto" for the one
            that suits the target; `Study.likelihood` says which and why.
        model: "gp", a Gaussian process, or "linear", a Bayesian (generalised) linear model.
        rows: How many rows to fit and explain, drawn at random; None for all, but at most 1,000 for a Gaussian process
            (fewer if there are more than two classes) and 20,000 with `inducing` or for a linear model.
        pairs: How many pairs of columns to show; 0 for none, which is quicker. "auto": 10, and none if there are more
            than 60 columns.
        random_state: Seed: a whole number, a NumPy Generator, or None for a new one.
        n_jobs: How many fits at once, as in joblib: None for one after the other, -1 for one per core. It changes no
            result.

    Rarely needed:
        model_file: A model that `Study.write` wrote: it explains the rows of `data`, without a fit or a target.
        columns: Names of the columns to use; None for all.
        missing: "drop" leaves out rows with missing values, "error" refuses them.
        inducing: How many inducing inputs a Gaussian process is built on; None: exact up to 3,000 rows.
        cv: Folds of the cross-validation; 0 for none.
        null: Whether to find the level that irrelevant variables stay below, by refits with irrelevant columns, and to
            test pairs for interaction.
        progress: Whether to show what is going on: True, False, or None for only in a terminal.

    Returns:
        A `Study`: `print` it, `write` it into a folder, or make a `report`.
    """
    settings = Settings(
        data=data,
        target=target,
        drop=drop,
        categorical=categorical,
        numeric=numeric,
        cluster=cluster,
        likelihood=likelihood,
        model=model,
        rows=rows,
        pairs=pairs,
        seed=random_state,
        n_jobs=n_jobs,
        model_file=model_file,
        columns=columns,
        missing=missing,
        inducing=inducing,
        cv=cv,
        null=null,
        progress=progress,
    )
    return analyse(settings, explain_task(settings))
