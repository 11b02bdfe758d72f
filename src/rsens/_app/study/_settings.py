"""The settings: the arguments of `study` and of the questions that commands ask, checked once."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables import Roles, column_names, likelihood_choices, name_list, name_lists, read_dates, read_where
from rsens._arguments import jobs, one_of, seed_sequence, whole_number
from rsens._compare import find_methods
from rsens._errors import Argument, InputError
from rsens._text import quoted
from rsens.black_box import BUDGETS

MODELS = ("gp", "linear")
#: With pairs="auto": how many pairs are shown, and the most columns for which they are computed. `explain` stops at
#: fewer columns, as it cannot know what a pair costs; the models of a study have second derivatives in closed form.
AUTO_PAIRS, AUTO_PAIRS_COLUMNS = 10, 60
#: Methods that `stability` chooses by their cost.
CHEAP = "cheap"
#: Arguments that a model file fixes: only the default, 0 or an empty value can be given with it.
FIXED_BY_FILE = ("likelihood", "model", "drop", "columns", "categorical", "date", "cluster", "inducing", "cv")
BY = Argument("by")

#: Check of one setting, given its value and name; the result is stored.
Check = Callable[[Any, str], Any]


def _choice(*choices: Any) -> Check:
    return lambda value, name: one_of(value, name, choices)


def _least(least: int) -> Check:
    return lambda value, name: whole_number(value, name, least)


def _names(value: Any, name: str) -> tuple[str, ...]:
    return () if value is None else tuple(name_list(value, name))


def _one_column(value: Any, name: str) -> str:
    if isinstance(value, list | tuple | set | dict | np.ndarray | pd.Series):
        raise InputError(Argument(name), f" must be the name of one column; got a {type(value).__name__}.")
    return str(value)


def _whole_seed(random_state: Any, name: str) -> int:
    """The seed as a number that can be printed and given again."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool) and random_state >= 0:
        return int(random_state)
    return int(seed_sequence(random_state).generate_state(1)[0])


#: The checks of single settings; None is not checked where it is the default.
CHECKS: dict[str, Check] = {
    "target": lambda value, name: str(value),
    "header": _choice(True, False),
    "missing": _choice("drop", "error"),
    **dict.fromkeys(("drop", "columns", "categorical", "numeric"), _names),
    "groups": name_lists,
    "where": lambda value, name: read_where(value),
    "date": lambda value, name: read_dates(value),
    **dict.fromkeys(("cluster", "by"), _one_column),
    "likelihood": lambda value, name: one_of(value, name, likelihood_choices()),
    "model": _choice(*MODELS),
    "inducing": _least(1),
    "cv": _least(0),
    "pairs": lambda value, name: "auto" if isinstance(value, str) and value == "auto" else whole_number(value, name, 0),
    "null": _choice(True, False),
    "order": _choice(1, 2),
    "budget": lambda value, name: one_of(value, name, tuple(BUDGETS)),
    **dict.fromkeys(("samples", "folds"), _least(2)),
    "repeats": _least(1),
    "seed": _whole_seed,
    "n_jobs": lambda value, name: jobs(value),
}
#: Settings whose default is None, which stays; for the others None is a value like any other.
MAY_BE_NONE = ("target", "columns", "cluster", "by", "inducing")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The values of all arguments and options, by name; an `InputError` if a value makes no sense.

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
    date: Mapping[str, str | Iterable[str]] | None = None  # a dict of texts once it is checked
    cluster: str | None = None
    by: str | None = None
    rows: int | None = None
    roles: Roles = field(init=False, repr=False)
    # The model, and how it is checked.
    likelihood: str = "auto"
    model: str = "gp"
    inducing: int | None = None
    model_file: str | os.PathLike[str] | None = None
    cv: int = 5
    # The questions: explain, then compare, stability and select.
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
    fits: int = 0  # about how many there are: without `n_jobs`, all cores share them where that saves time

    def __post_init__(self) -> None:
        if not isinstance(self.data, pd.DataFrame | str | os.PathLike):
            got = type(self.data).__name__
            raise InputError(Argument("data"), f" must be a data frame or the path of a file; got {got}.")
        for name, check in CHECKS.items():
            value = getattr(self, name)
            if value is not None or name not in MAY_BE_NONE:
                object.__setattr__(self, name, check(value, name))
        if self.rows is not None:
            object.__setattr__(self, "rows", whole_number(self.rows, "rows", 2 if self.model_file is None else 1))
        object.__setattr__(self, "roles", Roles(**{each.name: getattr(self, each.name) for each in fields(Roles)}))
        if self.inducing is not None and self.model == "linear":
            wrong = " is for Gaussian processes: a linear model has no inducing inputs. Leave it out."
            raise InputError(Argument("inducing"), wrong)
        if self.cv == 1:
            raise InputError(Argument("cv"), " must be at least 2 folds, or 0 for no cross-validation; got 1.")
        if self.methods != CHEAP:
            find_methods(self.method_names, self.order)
        if self.model_file is not None:
            defaults = {each.name: each.default for each in fields(self)}
            for name in FIXED_BY_FILE:
                if getattr(self, name) not in (defaults[name], {}, 0):
                    raise InputError(Argument(name), " is fixed by the saved model. Leave it out.")
        elif self.target is None:
            columns = _columns(self.data, self.header)
            raise InputError(Argument("target"), f" is missing: the name of the column to predict.{columns}")

    @property
    def data_name(self) -> str:
        """The name of the data: by default the name of their file, without folder and ending."""
        if self.name is not None:
            return self.name
        if isinstance(self.data, pd.DataFrame):
            return "data"
        if str(self.data) == "-":
            return "stdin"
        name = Path(self.data).name
        return re.sub(r"(?i)(?<=.)(\.(csv|tsv|txt|parquet))?(\.gz)?$", "", name)

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
        """The settings with these names as plain values, ready for JSON."""
        return {name: _plain(getattr(self, name)) for name in names}


def _plain(value: Any) -> Any:
    """Tuples as lists, also inside a dict."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return list(value) if isinstance(value, tuple) else value


def _columns(data: Any, header: bool) -> str:
    """A sentence that lists the columns, for users who did not name the target."""
    if isinstance(data, pd.DataFrame):
        return f" There are {quoted(data.columns, 30)}."
    return "" if str(data) == "-" else f" {data} has {quoted(column_names(data, header), 30)}."
