"""Small studies, made once per process: what `rsens.study` returns has these attributes."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from rsens._app.report import _figures, _page, render
from rsens._app.report._facts import Facts
from rsens._app.tables import Choice, Note
from rsens._assess import assess
from rsens._explain import explain
from rsens.derivatives import from_function
from rsens.distributions import Normal
from rsens.models import GPClassifier, GPRegressor
from tests.few_probes import explain_with_probes

SETTINGS = {
    "data": "houses",
    "target": "price",
    "arguments": {"likelihood": "auto", "drop": [], "columns": None, "seed": 3},
    "versions": {"rsens": "1.2.3", "numpy": "9.9"},
    "fingerprint": "abc123",
}
#: Names that try to get out of HTML, JSON, templates and hover texts.
HOSTILE = (
    '<script>document.title = "broken"</script>',
    "a, \"quoted\" & 'single' {{ 7 * 7 }} {% raw %}",
    "🚲 </script><script>window.broken = 1</script> %{x} $x$",
    "long " * 40,
)


def study(**given: Any) -> Any:
    base = {"assessment": None, "notes": [], "likelihood": None, "settings": {}, "y": None}
    return SimpleNamespace(**base | given)


@cache
def numbers() -> Any:
    """sin(a) + a b + city, in 60 rows; c does nothing. With null level, assessment and local pairs."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"]).assign(city=rng.choice(["Bergen", "Kiel"], 60))
    y = np.sin(X["a"]) + X["a"] * X["b"] + (X["city"] == "Kiel") + 0.2 * rng.normal(size=60)
    model = GPRegressor(random_state=0, n_restarts=0).fit(X, y.rename("price"))
    return study(
        explanation=explain_with_probes(model, X, y, n_probes=3, keep_local="pairs", random_state=0),
        assessment=assess(model, X, y, random_state=0),
        notes=[Note("constant", ("d",), "'d' is 3 in all rows: left out.")],
        likelihood=Choice("gaussian", "numbers from 0 to 9"),
        settings=SETTINGS,
        X=X,
        y=y.rename("price"),
        model=model,
    )


@cache
def classes() -> Any:
    """Three classes, told apart by the first of two columns."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(45, 2)), columns=["u", "v"])
    y = pd.cut(X["u"] + 0.3 * rng.normal(size=45), [-9.0, -0.4, 0.4, 9.0], labels=["low", "mid", "high"]).astype(str)
    model = GPClassifier(optimize=False).fit(X, y.rename("grade"))
    return study(
        explanation=explain(model, X, intervals=False),
        assessment=assess(model, X, y, cv=2, random_state=0),
        likelihood=Choice("classification", "3 classes", ("high", "low", "mid")),
        X=X,
        y=y.rename("grade"),
        model=model,
    )


@cache
def counts() -> Any:
    """Bikes by hour, weather and working day: counts with categories, some rows of many."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"hour": rng.uniform(0.0, 24.0, 80), "temperature": rng.normal(12.0, 8.0, 80)})
    X["weather"] = rng.choice(["clear", "mist", "rain"], 80, p=[0.6, 0.3, 0.1])
    X["working day"] = rng.choice(["no", "yes"], 80)
    level = np.sin(np.pi * X["hour"] / 24.0) + 0.04 * X["temperature"] - 0.8 * (X["weather"] == "rain")
    y = pd.Series(rng.poisson(np.exp(2.0 + level)), name="bikes")
    model = GPRegressor(likelihood="poisson", random_state=0, n_restarts=0).fit(X, y)
    return study(
        explanation=explain_with_probes(model, X, y, n_probes=3, random_state=0),
        assessment=assess(model, X, y, cv=2, random_state=0),
        likelihood=Choice("poisson", "counts from 0 to 60"),
        settings=SETTINGS | {"rows_in_data": 17_379},
        X=X,
        y=y,
        model=model,
    )


@cache
def two_classes() -> Any:
    """Sick or not: more often the larger the first of two columns is."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["u", "v"])
    y = pd.Series(np.where(X["u"] + 0.5 * rng.normal(size=60) > 0.0, "yes", "no"), name="sick")
    model = GPClassifier(optimize=False).fit(X, y)
    return study(
        explanation=explain(model, X, intervals=False),
        assessment=assess(model, X, y, cv=2, random_state=0),
        likelihood=Choice("classification", "2 classes", ("no", "yes")),
        X=X,
        y=y,
        model=model,
    )


@cache
def hostile() -> Any:
    """Names, levels, row labels, notes and a target that all try to get out; and a model that is too sure."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(40, 3)), columns=list(HOSTILE[:3]))
    X[HOSTILE[3]] = rng.choice(["<b>bold</b>", "</script><script>window.broken = 2</script>", "plain"], 40)
    X.index = pd.Index([f"<i>row</i> {k}" for k in range(40)])
    y = (X.iloc[:, 0] * X.iloc[:, 1] + 0.3 * rng.normal(size=40)).rename("<img src=x onerror='window.broken=3'>")
    model = GPRegressor(noise_variance=0.001, optimize=False).fit(X, y)
    return study(
        explanation=explain(model, X, random_state=0),
        assessment=assess(model, X, y, random_state=0),
        notes=[Note("constant", ("<u>",), "'<u>' is constant.")],
        likelihood=Choice("gaussian", "<em>because</em>"),
        settings=SETTINGS | {"command": "rsens explain '</code><script>window.broken = 4</script>'"},
        X=X,
        y=y,
        model=model,
    )


def function(n: int, columns: int = 2, **options: Any) -> Any:
    """A model of the user's own, no target, no assessment: x0 moves the mean, x1 the uncertainty."""
    X = np.random.default_rng(3).normal(size=(n, columns))
    model = from_function(lambda Z: Normal(2.0 * Z[:, 0], np.exp(0.8 * Z[:, -1])))
    return study(explanation=explain(model, X, intervals=False, **options), X=X, model=model)


@cache
def known() -> Any:
    """A function of the user's own: no target, no assessment, no settings."""
    return function(25)


@cache
def sections(name: str) -> dict[str, list[_figures.Picture]]:
    """The figures of one of the studies above, by section."""
    return _figures.pictures(Facts.of(globals()[name]()))


def figures(name: str) -> dict[str, _figures.Picture]:
    """The same by id."""
    return {picture.id: picture for section in sections(name).values() for picture in section}


@cache
def page(name: str) -> str:
    """The rendered report of one of the studies above."""
    with mock.patch.object(_page, "pictures", return_value=sections(name)):
        return render(globals()[name]())


def undrawn_page(study: Any) -> str:
    """The report of a study with empty figures."""
    with mock.patch.object(_figures, "draw", return_value=("<svg></svg>", [])):
        return render(study)
