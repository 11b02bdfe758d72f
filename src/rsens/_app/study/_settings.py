"""The settings: everything that `study` and the commands can be asked, checked once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.study._subgroups import check_by
from rsens._app.tables import (
    column_names,
    likelihood_choices,
    name_list,
    name_lists,
    read_all_parts,
    read_formats,
    read_where,
)
from rsens._arguments import jobs, one_of, seed_sequence, whole_number
from rsens._compare import resolved
from rsens._errors import Argument, InputError
from rsens._text import quoted
from rsens.black_box import BUDGETS

#: The folds of the check of a model, unless the user says otherwise.
FOLDS = 5
MODELS = ("gp", "linear")
#: About how many fits a study makes: the check, and what shows what an irrelevant variable reaches.
STUDY_FITS = 25
#: With pairs="auto": how many pairs are shown, and the most columns for which they are computed. `explain` stops at
#: fewer columns, as it cannot know what a pair costs; the models of a study have second derivatives in closed form.
AUTO_PAIRS, AUTO_PAIRS_COLUMNS = 10, 60
#: Methods that `stability` chooses by what they cost.
CHEAP = "cheap"
#: What a model file settles, and the value that leaves it to the file.
SETTLED: dict[str, Any] = {
    "likelihood": "auto",
    "model": "gp",
    "drop": (),
    "columns": None,
    "categorical": (),
    "date": {},
    "date_parts": {},
    "cluster": None,
    "inducing": None,
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What was asked, by the names of arguments and options; an `InputError` if a value makes no sense.

    `study` documents the arguments that it has. The commands have more; see their help.
    """

    # The table.
    data: Any
    target: str | None = None
    name: str | None = None  # of the data; by default the name of the file
    header: bool = True
    missing: str = "drop"
    drop: Iterable[str] = ()
    columns: Iterable[str] | None = None
    categorical: Iterable[str] = ()
    numeric: Iterable[str] = ()
    groups: Mapping[str, Iterable[str]] | None = None  # a dict of tuples once it is checked
    where: str | Sequence[str] | None = ()  # a tuple of texts once it is checked
    date: Mapping[str, str] | None = None  # a dict once it is checked
    date_parts: Mapping[str, str | Iterable[str]] | None = None  # a dict of tuples once it is checked
    cluster: str | None = None
    by: str | None = None
    rows: int | None = None
    # The model, and how it is checked.
    likelihood: str = "auto"
    model: str = "gp"
    inducing: int | None = None
    model_file: str | os.PathLike[str] | None = None
    cv: int = FOLDS
    # What is asked of it: explain, then compare, stability and select.
    pairs: int | str = "auto"
    null: bool = True
    methods: str = "all"  # names with commas between
    order: int = 1
    budget: str = "standard"
    samples: int = 50
    folds: int = 5
    repeats: int = 2
    # How.
    seed: int | np.random.Generator | None = 0  # a whole number once it is checked
    n_jobs: int | None = None
    all_cores: bool = False  # unless n_jobs is given; where the work, about so many `fits`, is worth it
    fits: int = STUDY_FITS
    dask: str | None = None  # the address of a cluster, or "local"
    progress: bool | None = None
    # What the commands write and print.
    out: Path | None = None
    overwrite: bool = False
    report: bool = True
    as_json: bool = False
    quiet: bool = False

    def __post_init__(self) -> None:
        self._check_table()
        self._check_model()
        self._check_questions()
        one_of(self.progress, "progress", (True, False, None))
        self._set("seed", _whole_seed(self.seed))
        self._set("n_jobs", jobs(self.n_jobs))
        if self.model_file is not None:
            self._check_left_to_the_file(self.model_file)
        elif self.target is None:
            raise InputError(
                Argument("target"), f" is missing: the name of the column to predict.{_columns(self.data, self.header)}"
            )

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_table(self) -> None:
        if not isinstance(self.data, pd.DataFrame | str | os.PathLike):
            got = type(self.data).__name__
            raise InputError(Argument("data"), f" must be a data frame or the path of a file; got {got}.")
        if self.target is not None:
            self._set("target", str(self.target))
        one_of(self.header, "header", (True, False))
        if not self.header and not isinstance(self.data, str | os.PathLike):
            raise InputError(Argument("header"), " is for files; a data frame has names. Leave it out.")
        one_of(self.missing, "missing", ("drop", "error"))
        for name in ("drop", "columns", "categorical", "numeric"):
            value = getattr(self, name)
            self._set(name, None if value is None else tuple(name_list(value, name)))
        self._set("where", read_where(self.where))
        self._set("groups", name_lists(self.groups, "groups"))
        self._set("date", read_formats(self.date))
        self._set("date_parts", read_all_parts(self.date_parts))
        if self.cluster is not None:
            if isinstance(self.cluster, list | tuple | set | dict | np.ndarray | pd.Series):
                got = type(self.cluster).__name__
                raise InputError(Argument("cluster"), f" must be the name of one column; got a {got}.")
            self._set("cluster", str(self.cluster))
        self._set("by", check_by(self.by, self.target, self.cluster))
        if self.rows is not None:
            self._set("rows", whole_number(self.rows, "rows", 2 if self.model_file is None else 1))

    def _check_model(self) -> None:
        one_of(self.likelihood, "likelihood", likelihood_choices())
        one_of(self.model, "model", MODELS)
        if self.inducing is not None:
            self._set("inducing", whole_number(self.inducing, "inducing", 1))
            if self.model == "linear":
                raise InputError(
                    Argument("inducing"),
                    " is for Gaussian processes: a linear model has no inducing inputs. Leave it out.",
                )
        self._set("cv", whole_number(self.cv, "cv", 0))
        if self.cv == 1:
            raise InputError(Argument("cv"), " must be at least 2 folds, or 0 for no cross-validation; got 1.")

    def _check_questions(self) -> None:
        if not (isinstance(self.pairs, str) and self.pairs == "auto"):
            self._set("pairs", whole_number(self.pairs, "pairs", 0))
        one_of(self.null, "null", (True, False))
        one_of(self.order, "order", (1, 2))
        one_of(self.budget, "budget", tuple(BUDGETS))
        for name, least in (("samples", 2), ("folds", 2), ("repeats", 1)):
            self._set(name, whole_number(getattr(self, name), name, least))
        if self.methods != CHEAP:
            resolved(self.method_names, self.order)

    def _check_left_to_the_file(self, model_file: str | os.PathLike[str]) -> None:
        for name, value in SETTLED.items():
            if getattr(self, name) != value:
                raise InputError(
                    Argument(name),
                    f" is settled in {model_file} and cannot be given with ",
                    Argument("model_file"),
                    ". Leave it out.",
                )
        if self.cv not in (FOLDS, 0):
            raise InputError(
                Argument("cv"),
                " is for models that are fitted; a model that is read from a file is not checked again. Leave it out.",
            )

    # ---- what follows from them --------------------------------------------------------------------------------------

    @property
    def data_name(self) -> str:
        """What the data are called."""
        return name_of(self.data) if self.name is None else self.name

    @property
    def method_names(self) -> str | list[str]:
        """One name, or a list of them."""
        names = [name.strip() for name in self.methods.split(",") if name.strip()]
        return names[0] if len(names) == 1 else names

    @property
    def n_pairs(self) -> int:
        """How many pairs are shown."""
        return AUTO_PAIRS if isinstance(self.pairs, str) else self.pairs

    def computes_pairs(self, n_columns: int) -> bool:
        """Whether R-sens₂ is computed for a table with this many columns."""
        return n_columns > 1 and (n_columns <= AUTO_PAIRS_COLUMNS if self.pairs == "auto" else self.n_pairs > 0)

    def plain(self, *names: str) -> dict[str, Any]:
        """These settings as plain values, ready for JSON."""
        return {name: _plain(getattr(self, name)) for name in names}


def name_of(data: Any) -> str:
    """What a table is called: the name of its file without folder and ending."""
    if isinstance(data, pd.DataFrame):
        return "data"
    if str(data) == "-":
        return "stdin"
    name = Path(data).name
    for ending in (".gz", ".csv", ".tsv", ".txt", ".parquet"):
        name = name[: -len(ending)] if name.lower().endswith(ending) and len(name) > len(ending) else name
    return name


def _plain(value: Any) -> Any:
    """Tuples as lists, also inside a dict."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return list(value) if isinstance(value, tuple) else value


def _whole_seed(random_state: Any) -> int:
    """The seed as a number that can be printed and given again."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool) and random_state >= 0:
        return int(random_state)
    return int(seed_sequence(random_state).generate_state(1)[0])


def _columns(data: Any, header: bool) -> str:
    """A sentence that lists the columns, for users who did not name the target."""
    if isinstance(data, pd.DataFrame):
        return f" There are {quoted(data.columns, 30)}."
    return "" if str(data) == "-" else f" {data} has {quoted(column_names(data, header), 30)}."
