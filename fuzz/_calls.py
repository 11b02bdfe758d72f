"""Every public call, on a random table and model, and conditions on its results."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import rsens
from fuzz._judge import Wrong, finite, not_negative, same_frames, symmetric
from fuzz._tables import FuzzTable, Rng


@dataclass(frozen=True)
class Case:
    """The arguments of a call: random numbers, the table, the targets (None for a function), an estimator, a model."""

    rng: Rng
    table: FuzzTable
    y: Any
    estimator: Any
    model: Any

    @property
    def X(self) -> Any:
        return self.table.X

    def maybe(self, **options: Any) -> dict[str, Any]:
        """Some of the options; each value is a list to choose from."""
        chosen = [name for name in options if self.rng.random() < 0.3]
        return {name: options[name][self.rng.integers(len(options[name]))] for name in chosen}


def call_rsens(case: Case) -> None:
    found = rsens.rsens(case.model, case.X, **case.maybe(alpha=[0.5, 2.0, 1e-12, 1e12]))
    not_negative("rsens", found, (case.table.n, len(case.table.kinds)))


def call_rsens2(case: Case) -> None:
    found = rsens.rsens2(case.model, case.X)
    not_negative("rsens2", found, (case.table.n, *[len(case.table.kinds)] * 2))
    symmetric("rsens2", found)


def explained(case: Case, **options: Any) -> rsens.Explanation:
    """An explanation without refits, checked."""
    options = (
        case.maybe(
            scale=["raw", "sd"],
            pairs=[True, False, "link"],
            intervals=[False],
            keep_local=[True, "pairs"],
            weights=[case.rng.random(case.table.n)],
            by=[np.array(["u", "v"])[case.rng.integers(2, size=case.table.n)]],
        )
        | {"random_state": 0}
        | options
    )
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        found = rsens.explain(case.model, case.X, **options)
    for warning in raised:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    check_explanation(found, [str(warning.message) for warning in raised])
    return found


def check_explanation(found: rsens.Explanation, said: Collection[str] = ("No direction",)) -> None:
    """Finite values of the right sign; no direction only where a warning in `said` names it, or of categories."""
    not_negative("main", found.main.to_numpy())
    direction = found.direction.drop(index=list(found.categorical)).to_numpy()
    if np.isinf(direction).any() or (np.isnan(direction).any() and not any("No direction" in text for text in said)):
        raise Wrong(f"direction: {direction.ravel()[:5]}, without a warning")
    if found.order == 2:
        not_negative("pairs", found.pairs.to_numpy())
    for name, part in found.parts.items() if isinstance(found.parts, pd.DataFrame) else ():
        finite(f"part {name}", part.to_numpy())
    not_negative("to_frame", found.to_frame()["value"].to_numpy())
    if any(ord(c) < 32 and c != "\n" for c in repr(found)):
        raise Wrong("the text of the explanation steers the terminal")


def call_explain(case: Case) -> None:
    explained(case)


def call_explain_with_refits(case: Case) -> None:
    found = rsens.explain(case.model, case.X, case.y, random_state=0, pairs=bool(case.rng.random() < 0.3))
    check_explanation(found)
    if found.null is not None:
        levels = np.atleast_1d(np.asarray(found.null, dtype=float))
        not_negative("null", levels[~np.isnan(levels)])  # a column that the refits never use has none


def call_tables_and_texts(case: Case) -> None:
    found = explained(case)
    found.to_frame()
    if found.order == 2:
        found.to_frame(order=2)
    found._repr_html_()
    repr(found.row(0))
    repr(found.effects)


def call_plots(case: Case) -> None:
    import matplotlib.pyplot as plt

    found = explained(case)
    draw: list[Callable[[], Any]] = [
        found.plot_bars,
        found.plot_effects,
        found.plot_beeswarm,
        lambda: found.plot_profile(0),
        lambda: found.row(0).plot(),
    ]
    if found.order == 2 and len(found.main) > 1:
        draw += [found.plot_pairs, lambda: found.plot_surface(0, 1)]
    try:
        axes = draw[case.rng.integers(len(draw))]()
        first = np.ravel(np.asarray(axes, dtype=object))[0]
        getattr(first, "figure", first).canvas.draw()
    finally:
        plt.close("all")


def call_save_and_load(case: Case) -> None:
    found = explained(case)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "explanation.json"
        found.save(path)
        same_frames("loaded explanation", found.to_frame(), rsens.Explanation.load(path).to_frame())


def call_explain_in_chunks(case: Case) -> None:
    cut = int(case.rng.integers(1, max(2, case.table.n)))
    X = case.X
    parts = (X.iloc[:cut], X.iloc[cut:]) if hasattr(X, "iloc") else (X[:cut], X[cut:])
    check_explanation(rsens.explain(case.model, iter(parts), training=X))


def call_difference(case: Case) -> None:
    one = explained(case, pairs=False, by=None, scale="sd")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = explained(case, pairs=False, by=None, scale="sd")
    repr(one.difference(other))


def call_check(case: Case) -> None:
    repr(rsens.check(case.model, case.X))


def call_predict(case: Case) -> None:
    family = case.model.predict_distribution(case.X)
    finite("parameters", family.parameters)
    finite("log predictive density", case.model.log_predictive_density(case.X, case.y), allow_infinite=True)
    case.model.predict(case.X)


def call_save_model(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.rsens")
        rsens.save_model(case.model, path)
        loaded = rsens.load_model(path)
    one, other = (model.predict_distribution(case.X).parameters for model in (case.model, loaded))
    if not np.array_equal(one, other):
        raise Wrong("a model that was loaded predicts something else")


def call_assess(case: Case) -> None:
    repr(rsens.assess(case.estimator, case.X, case.y, cv=2, random_state=0))


def call_stability(case: Case) -> None:
    repr(rsens.stability(case.estimator, case.X, case.y, n_boot=2, methods=["rsens", "ead"], random_state=0))


def call_compare(case: Case) -> None:
    order = int(case.rng.choice([1, 1, 1, 2]))
    methods = ["rsens", "ead", "aed", "apc", "pd", "var", "kl", "ard", "pfi"] if order == 1 else ["rsens2", "eah", "pd"]
    chosen = list(case.rng.choice(methods, size=2, replace=False))
    found = rsens.compare(case.model, case.X, case.y, methods=chosen, order=order, budget="paper", random_state=0)
    finite("compare", found["value"].to_numpy()[(found["status"] == "ok").to_numpy()])
    repr(found)


def call_select_interactions(case: Case) -> None:
    repr(rsens.select_interactions(case.estimator, case.X, case.y, k=1, cv=2, random_state=0))


@dataclass(frozen=True)
class Call:
    """A group of calls: how often it runs, what it needs (a model, an estimator, ours, a GP of ours), and the calls."""

    run: Callable[[Case], None]
    chance: float
    needs: str = "model"
    plain: float = 0.7
    times: int = 1


CALLS: dict[str, Call] = {
    "rsens": Call(call_rsens, 3.0),
    "rsens2": Call(call_rsens2, 2.0),
    "explain": Call(call_explain, 4.0),
    "explain with refits": Call(call_explain_with_refits, 0.4, "estimator", 0.8),
    "tables and texts": Call(call_tables_and_texts, 1.0, times=3),
    "plots": Call(call_plots, 0.5, times=3),
    "save and load": Call(call_save_and_load, 1.0),
    "explain in chunks": Call(call_explain_in_chunks, 0.7),
    "difference": Call(call_difference, 0.3),
    "check": Call(call_check, 1.5),
    "predict": Call(call_predict, 2.0, "ours", times=3),
    "save_model": Call(call_save_model, 1.0, "ours"),
    "assess": Call(call_assess, 1.0, "estimator"),
    "stability": Call(call_stability, 0.6, "estimator"),
    "compare": Call(call_compare, 1.5),
    "select_interactions": Call(call_select_interactions, 0.3, "gp"),
}
