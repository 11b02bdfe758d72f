"""One case for the library: a table, targets, a model and a call, all from the number of the case."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzz import SEED
from fuzz._calls import CALLS, Case
from fuzz._judge import NotFitted, Outcome, judged
from fuzz._models import FOREIGN, OURS, RECIPES, random_recipe
from fuzz._tables import FuzzTable, Rng, random_table
from fuzz._targets import random_target

NEEDS = {
    "model": list(RECIPES),
    "ours": list(OURS),
    "estimator": [
        *OURS,
        *(name for name in FOREIGN if name.split(",")[0] not in ("statsmodels", "GPyTorch", "ensemble")),
    ],
    "gp": [name for name in OURS if name.startswith("GP")],
}


@dataclass(frozen=True)
class LibraryCase:
    """A case in words, and how it ended."""

    number: int
    call: str
    model: str
    columns: tuple[str, ...]
    container: str
    outcome: Outcome


def prepare() -> None:
    """Prepare a process once: no windows for pictures, and libraries whose import is noisy."""
    import matplotlib

    matplotlib.use("Agg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import gpytorch  # noqa: F401
        import torch  # noqa: F401


def run_case(number: int) -> LibraryCase:
    """Make the case of this number, and run it."""
    rng = np.random.default_rng([SEED, number])
    chances = np.array([call.chance for call in CALLS.values()])
    name = list(CALLS)[rng.choice(len(CALLS), p=chances / chances.sum())]
    call = CALLS[name]
    recipe_name = random_recipe(rng, NEEDS[call.needs])
    recipe = RECIPES[recipe_name]
    table = random_table(rng, plain=call.plain if recipe.ours else 0.9)
    y = random_target(rng, table, recipe.target) if recipe.fits else None

    def run() -> None:
        estimator, model = _made(rng, recipe_name, table, y, call.needs)
        call.run(Case(rng, table, y, estimator, model))

    return LibraryCase(number, name, recipe_name, table.kinds, table.container, judged(run, call.times))


def _made(rng: Rng, name: str, table: FuzzTable, y: Any, needs: str) -> tuple[Any, Any]:
    """The estimator and the fitted model; warnings of other libraries during the fit are ignored."""
    recipe = RECIPES[name]
    if not recipe.fits:
        return None, recipe.make(rng, table)
    estimator = recipe.make(rng)
    if recipe.ours:
        from sklearn.exceptions import DataConversionWarning

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataConversionWarning)  # scikit-learn wants it of every estimator
            return estimator, estimator if needs == "gp" else estimator.fit(table.X, y)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return estimator, estimator.fit(table.X, y)
        except Exception as error:  # noqa: BLE001 (any)
            raise NotFitted(f"{type(error).__name__}") from None
