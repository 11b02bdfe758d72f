"""`study`: one call from a table to a model, how good it is, and what moves it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import pandas as pd

from rsens._app.study._again import study_again
from rsens._app.study._check import PROBES, check_folds, checked, generator
from rsens._app.study._gather import gather
from rsens._app.study._models import check_model, model_of, n_inducing, row_limit
from rsens._app.study._pairs import Pairs
from rsens._app.study._phases import Phases, collected
from rsens._app.study._result import Study
from rsens._app.study._settings import settings_of
from rsens._app.tables import Note, column_names
from rsens._app.tables._likelihood import LIKELIHOODS
from rsens._app.tables._notes import quoted
from rsens._arguments import jobs, one_of, seed_sequence, whole_number
from rsens._errors import InputError
from rsens._explain import explain


def study(
    data: pd.DataFrame | str | os.PathLike[str],
    target: str | None = None,
    *,
    likelihood: str = "auto",
    model: Literal["gp", "linear"] = "gp",
    missing: Literal["drop", "error"] = "drop",
    drop: Iterable[str] = (),
    columns: Iterable[str] | None = None,
    categorical: Iterable[str] = (),
    rows: int | None = None,
    pairs: int | Literal["auto"] = "auto",
    inducing: int | None = None,
    cv: int = 5,
    null: bool = True,
    model_file: str | os.PathLike[str] | None = None,
    random_state: int | np.random.Generator | None = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Study:
    """Which columns of a table move the prediction of one of them: from the table to a report, in one call.

    Reads and prepares the table by stated rules, fits a model that suits the target, asks how good it is on rows it has
    not seen, and explains it. `docs/command-line.md` has the rules, and the command that does the same.

    Args:
        data: A data frame, or the path of a CSV, TSV or Parquet file ("-" for standard input).
        target: The name of the column to predict; not needed with `model_file`.
        likelihood: "gaussian", "student_t", "poisson", "negative_binomial", "classification", or "auto" for the one
            that suits the target; `Study.likelihood` says which and why.
        model: "gp", a Gaussian process, or "linear", a Bayesian (generalised) linear model.
        missing: "drop" leaves out rows with missing values, "error" refuses them.
        drop: Names of columns to leave out.
        columns: Names of the columns to use; None for all.
        categorical: Names of columns whose numbers are codes. Text, categories and truth values are categorical anyway.
        rows: How many rows to fit and explain, drawn at random; None for all, but at most 1,000 for a Gaussian process
            (fewer if there are more than two classes) and 20,000 with `inducing` or for a linear model.
        pairs: How many pairs of columns to show; 0 for none, which is quicker. "auto": 10, and none if there are more
            than 60 columns.
        inducing: How many inducing inputs a Gaussian process is built on; None: exact up to 3,000 rows.
        cv: Folds of the cross-validation; 0 for none.
        null: Whether to refit the model with shuffled columns for the level that an irrelevant variable reaches.
        model_file: A model that `Study.write` wrote: it explains the rows of `data`, without a fit or a target.
        random_state: Seed: a whole number, a NumPy Generator, or None for a new one.
        n_jobs: How many fits at once, as in joblib. It changes no result.
        progress: Whether to show what is going on: True, False, or None for only in a terminal.

    Returns:
        A `Study`: `print` it, `write` it into a folder, or make a `report`.
    """
    seed = _whole_seed(random_state)
    one_of(likelihood, "likelihood", LIKELIHOODS)
    one_of(null, "null", (True, False))
    check_model(model, inducing)
    n_jobs = jobs(n_jobs)
    rows = None if rows is None else whole_number(rows, "rows", 1 if model_file is not None else 2)
    wanted = Pairs.of(pairs)
    asked: dict[str, Any] = {
        "likelihood": likelihood,
        "model": model,
        "missing": missing,
        "drop": list(_names(drop, "drop")),
        "columns": None if columns is None else list(_names(columns, "columns")),
        "categorical": list(_names(categorical, "categorical")),
        "rows": rows,
        "pairs": pairs,
        "inducing": inducing,
        "cv": whole_number(cv, "cv", 0),
        "null": null,
        "seed": seed,
    }
    if model_file is not None:
        return study_again(data, target, model_file, asked, wanted, progress)
    if target is None:
        raise InputError(f"target is missing: the name of the column to predict.{columns_of(data)}")
    check_folds(cv)
    notes: list[Note] = []
    with Phases(4, progress) as phases, collected(notes):
        phases.begin("reading")
        table = gather(
            data,
            str(target),
            likelihood=likelihood,
            missing=missing,
            drop=asked["drop"],
            columns=asked["columns"],
            categorical=asked["categorical"],
            rows=rows,
            limit=lambda choice: row_limit(model, choice, inducing),
            seed=seed,
        )
        notes += table.notes
        check_folds(cv, len(table.X))
        estimator, choice, about = model_of(model, table.likelihood, inducing, seed)
        notes += about
        settings = settings_of(table, asked)
        phases.read(settings, estimator, choice, notes)
        phases.begin("fitting")
        fitted = estimator.fit(table.X, table.y)
        notes += _of_model(fitted, inducing)
        phases.begin("checking the model")
        assessment, about = checked(fitted, table, cv=cv, seed=seed, n_jobs=n_jobs, progress=progress)
        notes += about
        phases.begin("explaining, and the null level" if null else "explaining")
        notes += wanted.notes(table.X.shape[1])
        explanation = explain(
            fitted,
            table.X,
            table.y if null else None,
            pairs=wanted.computed(table.X.shape[1]),
            null="auto" if null else False,
            n_jobs=n_jobs,
            random_state=generator(seed, PROBES),
            progress=progress,
        )
    return Study(
        model=fitted,
        explanation=explanation,
        assessment=assessment,
        notes=tuple(notes),
        likelihood=choice,
        X=table.X,
        y=table.y,
        settings=settings,
        recipe=table.recipe,
        n_pairs=wanted.shown,
    )


def columns_of(data: Any) -> str:
    """A sentence that names the columns, for those who have not named the target."""
    if isinstance(data, pd.DataFrame):
        return f" There are {quoted(data.columns, 30)}."
    return "" if str(data) == "-" else f" {data} has {quoted(column_names(data), 30)}."


def _whole_seed(random_state: Any) -> int:
    """The seed as a number that can be printed and given again."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool) and random_state >= 0:
        return int(random_state)
    return int(seed_sequence(random_state).generate_state(1)[0])


def _names(names: Any, argument: str) -> Iterable[str]:
    if isinstance(names, str):
        raise InputError(f"{argument} must be a list of names of columns; got the text {names!r}.")
    return (str(name) for name in names)


def _of_model(model: Any, inducing: int | None) -> list[Note]:
    """What the model did that nobody asked for."""
    inputs = n_inducing(model)
    if inputs is None or inducing is not None:
        return []
    text = f"The Gaussian process is built on {inputs:,} of the rows (inducing inputs), as there are many."
    return [Note("model", (), text)]
