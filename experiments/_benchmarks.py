"""Section 3.3: the Concrete and Bike data, and the Gaussian processes fitted to them.

The paper does not say which six predictors of Bike it uses, or what keeps the noise of Concrete from vanishing. Both
matter, so each data set comes with two settings.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments._command import REPETITIONS, Options, whole_number
from rsens import GPRegressor, InputError, datasets
from rsens._typing import Array
from rsens.black_box import BUDGETS
from rsens.models._averages import separated

METHODS = ("rsens2", "eah", "aeh", "shap", "pd", "h")
#: The paper's cheap estimators, with H on all rows.
BUDGET = BUDGETS["paper"]
#: L-BFGS-B stops when a step gains less than this, relative to the value. A stricter tolerance would move Bike's log
#: predictive densities per row by 0.003, a tenth of their interval.
TOLERANCE = {"concrete": 1e-6, "bike": 1e-5}


class CountRegressor(GPRegressor):
    """A Poisson GP that computes partial dependence at many values for the median count, exp(m).

    H asks at every row. For the 15 pairs of 500 rows, the mean count exp(m + v/2) would need 5 million predictive
    variances and more than a minute. The EQ kernel is a factor in the fixed columns times a factor in the others, so m
    at all values and rows is one matrix product: 0.2 s. PD asks at only 9 values, and gets the mean count.
    """

    def partial_dependence(self, columns: Sequence[int], at: Any, X: Any) -> Array | None:
        """exp(m) with `columns` fixed at each value, averaged over the rows X: (values, 1); None if `at` is short."""
        rows = self._rows(X)
        if len(at) < len(rows):
            return None
        held = np.repeat(rows[:1], len(at), axis=0)
        held[:, list(columns)] = at
        posterior = self._gps[0].posterior
        terms = separated(posterior.kernel, columns, rows.shape[1])
        if terms is None:
            return None
        held, rows, Z = self._units.inputs(held), self._units.inputs(rows), posterior.inputs
        m = np.full((len(held), len(rows)), posterior.mean)
        for inside, outside in terms:
            m += (_product(inside, held, Z) * posterior.weights) @ _product(outside, rows, Z).T
        return np.exp(m).mean(axis=1)[:, None]


def _product(factors: tuple[Any, ...], X: Array, Z: Array) -> Array:
    values = np.ones((len(X), len(Z)))
    for factor in factors:
        values *= factor(X, Z)
    return values


@dataclass(frozen=True)
class Setting:
    """A data set and a model for it. `rows` is the size of the training sets and of the bootstrap samples."""

    data: str
    name: str
    rows: int
    load: Callable[[], tuple[Any, Any]]
    estimator: Any

    @property
    def key(self) -> tuple[str, str]:
        return self.data, self.name


def _bike(*, day: str) -> Setting:
    columns = ("yr", "hr", day, "temp", "hum", "windspeed")
    gp = CountRegressor(likelihood="poisson", n_restarts=2, tolerance=TOLERANCE["bike"], random_state=0)
    return Setting("bike", day, 500, lambda: datasets.load_bike(columns=columns), gp)


def _concrete(name: str, priors: Any) -> Setting:
    gp = GPRegressor(priors=priors, n_restarts=1, tolerance=TOLERANCE["concrete"], random_state=0)
    return Setting("concrete", name, 80, datasets.load_concrete, gp)


SETTINGS = {
    setting.key: setting
    for setting in (
        _concrete("maximum likelihood", None),
        _concrete("weak priors", "weak"),
        _bike(day="weekday"),
        _bike(day="workingday"),
    )
}
DATA = tuple(dict.fromkeys(data for data, _ in SETTINGS))
#: The names of the settings in tables and figures.
TITLES = {
    ("concrete", "maximum likelihood"): "Concrete, maximum likelihood",
    ("concrete", "weak priors"): "Concrete, weak priors",
    ("bike", "weekday"): "Bike with weekday",
    ("bike", "workingday"): "Bike with workingday",
}


def add_options(options: Options, count: str) -> None:
    """The options of both scripts. `count` is another name for --repetitions."""
    options.add_argument("--data", choices=[*DATA, "all"], default="all")
    also = {"dest": "repetitions", "default": argparse.SUPPRESS, "help": "--repetitions"}
    options.add_argument(f"--{count}", type=REPETITIONS, **also)
    about = "rows to fit a model to; default: 80 and 500, as published"
    options.add_argument("--rows", type=whole_number(2), help=about)
    options.checks.append(_without_rows)


def _without_rows(given: argparse.Namespace) -> str | None:
    """The mistake if the data are missing or have too few rows."""
    for key in settings_for(given.data):
        try:
            there = len(SETTINGS[key].load()[1])
        except InputError as error:
            return str(error)
        if given.rows is not None and given.rows >= there:
            return f"argument --rows: fewer than the {there} rows of {key[0]}; got {given.rows}"
    return None


def settings_for(data: str) -> list[tuple[str, str]]:
    """The settings of a data set, or of "all". Slow ones come first, or the progress bar would be too optimistic."""
    return sorted((key for key in SETTINGS if data in (key[0], "all")), key=lambda key: -SETTINGS[key].rows)
