"""The settings: everything that `study` and the commands can be asked, checked once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables import (
    Note,
    column_names,
    likelihood_choices,
    name_list,
    name_lists,
    read_all_parts,
    read_formats,
    read_where,
)
from rsens._arguments import jobs, one_of, seed_sequence, whole_number
from rsens._compare import find_methods
from rsens._errors import Argument, InputError
from rsens._explain import Division
from rsens._text import counted, number, quoted
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
#: What a model file settles: only the default, or nothing, can be given with it.
SETTLED = ("likelihood", "model", "drop", "columns", "categorical", "date", "date_parts", "cluster", "inducing")


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
        for name in ("cluster", "by"):
            column = getattr(self, name)
            if isinstance(column, list | tuple | set | dict | np.ndarray | pd.Series):
                raise InputError(Argument(name), f" must be the name of one column; got a {type(column).__name__}.")
            self._set(name, None if column is None else str(column))
        if self.by is not None and self.by == self.target:
            raise InputError(f"{self.by!r} is the target and cannot divide the rows. Name another ", BY, ".")
        if self.by is not None and self.by == self.cluster:
            why = "says which rows belong together, and each would be a subgroup of its own"
            raise InputError(f"{self.by!r} {why}. Name another ", BY, ".")
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
            find_methods(self.method_names, self.order)

    def _check_left_to_the_file(self, model_file: str | os.PathLike[str]) -> None:
        defaults = {each.name: each.default for each in fields(self)}
        for name in SETTLED:
            if getattr(self, name) not in (defaults[name], {}):
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

    @property
    def data_name(self) -> str:
        """What the data are called: by default as their file is, without folder and ending."""
        if self.name is not None:
            return self.name
        if isinstance(self.data, pd.DataFrame):
            return "data"
        if str(self.data) == "-":
            return "stdin"
        name = Path(self.data).name
        for ending in (".gz", ".csv", ".tsv", ".txt", ".parquet"):
            name = name[: -len(ending)] if name.lower().endswith(ending) and len(name) > len(ending) else name
        return name

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


# ---- Subgroups of rows for `by`: the values of a column, numbers cut into ranges, small subgroups put together -------


BY = Argument("by")
#: A subgroup with fewer rows says too little; such subgroups are put together.
LEAST_ROWS = 10
#: Numbers with more different values are cut into ranges: four, or three if there are fewer rows than this.
MOST_VALUES, ROWS_FOR_FOUR = 6, 80
#: The most subgroups that anybody can read.
MOST_SUBGROUPS = 20
OTHERS, MISSING = "(others)", "(missing)"


def division_of(column: Any, name: str) -> tuple[Division, list[Note]]:
    """The subgroup of each row, with notes on what was cut or put together; an error if the column divides nothing."""
    labels, how = _labels(column)
    counts = labels.value_counts(sort=False)
    small = [label for label in counts.index if counts[label] < LEAST_ROWS]
    names = [str(label) for label in _ordered(labels) if label not in small]
    texts = labels.astype(str)
    notes = [Note("by", (name,), f"{name!r} was cut into {how}.")] if how else []
    if small:
        few = int(counts[small].sum())
        what = f"{counted(len(small), 'value')} of {name!r} with fewer than {LEAST_ROWS} rows each"
        if few >= LEAST_ROWS:
            names.append(OTHERS)
            texts = texts.mask(labels.isin(small), OTHERS)
            notes.append(Note("by", (name,), f"{what} are one subgroup, {OTHERS}: {few:,} rows."))
        else:
            text = f"{what} ({counted(few, 'row')}) are in no subgroup; they count among the other rows."
            notes.append(Note("by", (name,), text))
    if len(names) < 2:
        found = quoted([str(label) for label in counts.index], 3)
        few_rows = f"has no two subgroups of at least {LEAST_ROWS} rows; its values are {found}"
        raise InputError(BY, f": {name!r} {few_rows}. Name a column that divides the rows.")
    if len(names) > MOST_SUBGROUPS:
        raise InputError(
            BY,
            f": {name!r} has {len(names)} subgroups, more than {MOST_SUBGROUPS}. Name a column with fewer values, or "
            "put some together first.",
        )
    codes = np.asarray(pd.Index(names).get_indexer(texts), dtype=np.intp)  # −1 for rows in no subgroup
    return Division(tuple(names), codes), notes


def _labels(column: Any) -> tuple[Any, str]:
    """A label for each row, and how numbers were cut, if they were."""
    values = pd.Series(column).reset_index(drop=True)
    truth = pd.api.types.infer_dtype(values, skipna=True) == "boolean"  # with missing cells these are objects
    if not truth and (values.dtype == object or isinstance(values.dtype, pd.StringDtype)):
        numbers = pd.to_numeric(values, errors="coerce")
        if numbers[values.notna()].notna().all() and values.notna().any():
            values = numbers
    if values.dtype.kind in "iuf" and values.nunique() > MOST_VALUES:
        return _cut(values)
    missing = values.isna()
    if values.dtype.kind == "f":  # as numbers are written, in their order: 5 before 10
        texts = {value: f"{value:.6g}" for value in sorted(values.dropna().unique())}
        categories = list(dict.fromkeys(texts.values()))
        values = pd.Series(pd.Categorical(values.map(texts), categories=categories, ordered=True))
    if not isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(object)
    elif missing.any():
        values = values.cat.add_categories(MISSING)
    return values.mask(missing, MISSING), ""


def _cut(values: Any) -> tuple[Any, str]:
    """Ranges of about as many rows: the quarters or the thirds of the rows, as far as equal values allow."""
    count = 4 if len(values) >= ROWS_FOR_FOUR else 3
    edges = np.unique(np.quantile(values.dropna(), np.arange(1, count) / count))
    edges = edges[edges < values.max()]
    if not len(edges):  # most rows have the largest value
        edges = np.array([values[values < values.max()].max()])
    texts = next(
        found for digits in range(3, 18) if len(set(found := [number(edge, digits) for edge in edges])) == len(edges)
    )
    names = [f"up to {texts[0]}", *(f"{a} to {b}" for a, b in pairwise(texts))]
    names.append(f"above {texts[-1]}")
    known = pd.cut(values, [-np.inf, *edges, np.inf], labels=names)
    if values.isna().any():
        known = known.cat.add_categories(MISSING).mask(values.isna(), MISSING)
    return known, f"{counted(len(edges) + 1, 'range')} of about as many rows, at {', '.join(texts)}"


def _ordered(labels: Any) -> list[Any]:
    """The labels that occur: categories in their order, others sorted where they can be; missing ones last."""
    if isinstance(labels.dtype, pd.CategoricalDtype):
        return [label for label in labels.cat.categories if (labels == label).any()]
    found = list(labels.unique())
    try:
        return sorted(found, key=lambda label: (label == MISSING, label))
    except TypeError:
        return sorted(found, key=str)
