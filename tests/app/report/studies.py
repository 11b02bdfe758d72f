"""Small studies, made once per process, and their reports."""

from __future__ import annotations

from functools import cache
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

import rsens
from rsens._app.report import _figures, _page, render
from rsens._app.study import Study
from rsens._explain import _null_level

#: Names that try to get out of HTML, JSON, templates and hover texts.
HOSTILE = (
    '<script>document.title = "broken"</script>',
    "a, \"quoted\" & 'single' {{ 7 * 7 }} {% raw %}",
    "🚲 </script><script>window.broken = 1</script> %{x} $x$",
    "long " * 40,
)


def study(table: pd.DataFrame, target: str, **options: Any) -> Study:
    """A study with few probes, or without any by default."""
    with mock.patch.multiple(_null_level, N_PROBES=3, N_PROBES_OF_MANY=3):
        return rsens.study(table, target, **{"null": False, "cv": 2} | options)


@cache
def numbers() -> Study:
    """sin(a) + a b + city, in 60 rows; c does nothing. With null level, and a column that is left out."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"]).assign(city=rng.choice(["Bergen", "Kiel"], 60))
    y = np.sin(X["a"]) + X["a"] * X["b"] + (X["city"] == "Kiel") + 0.2 * rng.normal(size=60)
    return study(X.assign(d=3.0, price=y), "price", null=True, cv=5, random_state=3)


@cache
def classes() -> Study:
    """Three classes, told apart by the first of two columns."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(45, 2)), columns=["u", "v"])
    y = pd.cut(X["u"] + 0.3 * rng.normal(size=45), [-9.0, -0.4, 0.4, 9.0], labels=["low", "mid", "high"]).astype(str)
    return study(X.assign(grade=y), "grade")


@cache
def counts() -> Study:
    """Bikes by hour, weather and working day: counts with categories, some rows of many."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"hour": rng.uniform(0.0, 24.0, 160), "temperature": rng.normal(12.0, 8.0, 160)})
    X["weather"] = rng.choice(["clear", "mist", "rain"], 160, p=[0.6, 0.3, 0.1])
    X["working day"] = rng.choice(["no", "yes"], 160)
    level = np.sin(np.pi * X["hour"] / 24.0) + 0.04 * X["temperature"] - 0.8 * (X["weather"] == "rain")
    return study(X.assign(bikes=rng.poisson(np.exp(2.0 + level))), "bikes", rows=80, by="weather")


@cache
def hostile() -> Study:
    """Names, levels, row labels and a target that all try to get out; and a target that is noise."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(40, 3)), columns=list(HOSTILE[:3]))
    X[HOSTILE[3]] = rng.choice(["<b>bold</b>", "</script><script>window.broken = 2</script>", "plain"], 40)
    X.index = pd.Index([f"<i>row</i> {k}" for k in range(40)])
    target = "<img src=x onerror='window.broken=3'>"
    return study(X.assign(**{target: rng.normal(size=40), "<u>": 1.0}), target)


@cache
def linear(n: int = 40, columns: int = 31) -> Study:
    """Many columns or rows of a linear model that nobody checked."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(n, columns))).add_prefix("x")
    return study(X.assign(y=X["x0"] + rng.normal(size=n)), "y", model="linear", cv=0)


@cache
def sections(name: str) -> dict[str, list[_figures.Picture]]:
    """The figures of one of the studies above, by section."""
    return _figures.pictures(globals()[name]())


def figures(name: str) -> dict[str, _figures.Picture]:
    """The same by id."""
    return {picture.id: picture for section in sections(name).values() for picture in section}


@cache
def page(name: str) -> str:
    """The rendered report of one of the studies above."""
    with mock.patch.object(_page, "pictures", return_value=sections(name)):
        return render(globals()[name]())


def undrawn_page(study: Study) -> str:
    """The report of a study with empty figures."""
    with mock.patch.object(_figures, "draw", return_value=("<svg></svg>", [])):
        return render(study)
