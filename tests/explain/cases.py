"""Explanations that are compared field by field, and models whose rows are explained in chunks."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rsens import BayesianLinearRegression, Explanation, GPClassifier, GPRegressor, Normal, from_draws, from_function
from rsens._explain import FORM, Arguments, Context, read


def asked_of(model: Any, X: Any, y: Any = None, **options: Any) -> Context:
    """A call of `explain` that is read and not yet answered."""
    asked: dict[str, Any] = {"pairs": False, "intervals": False, "random_state": 0, "null": y is not None}
    return read(Arguments(model, X, y, **asked | options))


def text_of(explanation: Explanation) -> str:
    """The content of its file."""
    with tempfile.TemporaryDirectory() as folder:
        explanation.save(f"{folder}/file")
        return Path(folder, "file").read_text(encoding="utf-8")


def assert_same(one: Explanation, other: Explanation, *, rtol: float = 1e-12, loose: tuple[str, ...] = ()) -> None:
    """All fields, to rounding relative to the largest number in each; names in `loose` are compared to 1e-9.

    A Gaussian process rounds differently in batches of another size, and what is a difference of nearly equal
    predictions shows it.
    """
    for name, field in [(name, field) for name, part in FORM.parts.items() for field in part.fields().values()]:
        if field.name == "column_fingerprints":  # not known of rows in chunks
            continue
        a, b = (getattr(getattr(e, f"_{name}"), field.name, None) for e in (one, other))
        if isinstance(a, np.ndarray) and a.dtype.kind == "f":
            assert b is not None, field.name
            finite = np.abs(a[np.isfinite(a)])
            size = float(finite.max()) if finite.size else 0.0
            tolerance = 1e-9 if any(field.name.startswith(start) for start in loose) else rtol
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * size, err_msg=field.name)
        elif isinstance(a, np.ndarray):
            np.testing.assert_array_equal(a, b, err_msg=field.name)
        else:
            assert (a is None) == (b is None), field.name
            assert a == b or abs(a - b) <= rtol * abs(a), field.name
    pd.testing.assert_index_equal(one._index, other._index, exact=False)


def numbers(n: int, seed: int = 0) -> pd.DataFrame:
    """Three numbers, one of two values, and one with a long tail, so that effects have steps in parts."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    X["flag"] = rng.integers(0, 2, n).astype(float)
    X["tail"] = np.exp(2.0 * rng.normal(size=n))
    return X


def with_town(n: int, seed: int = 0) -> pd.DataFrame:
    X = numbers(n, seed)[["a", "b"]]
    X["town"] = np.random.default_rng(seed + 1).choice(["Bern", "Genf", "Jona"], n, p=[0.6, 0.3, 0.1])
    return X


def _response(X: pd.DataFrame) -> Any:
    rng = np.random.default_rng(9)
    return np.sin(X["a"]) + X["b"] * X["a"] + 0.1 * rng.normal(size=len(X))


@cache
def gp() -> tuple[Any, Any, dict[str, Any]]:
    X = numbers(60)
    return GPRegressor(n_restarts=0, random_state=0).fit(X, _response(X) + X["flag"]), numbers(600, 5), {}


@cache
def linear() -> tuple[Any, Any, dict[str, Any]]:
    X = numbers(300)
    return BayesianLinearRegression().fit(X, _response(X)), numbers(600, 5), {}


@cache
def classes() -> tuple[Any, Any, dict[str, Any]]:
    X = numbers(60)[["a", "b"]]
    y = np.array(["low", "mid", "high"])[np.digitize(X["a"], [-0.5, 0.5])]
    return GPClassifier(n_restarts=0, random_state=0).fit(X, y), numbers(300, 5)[["a", "b"]], {}


@cache
def counts() -> tuple[Any, Any, dict[str, Any]]:
    X = with_town(60)
    y = np.random.default_rng(4).poisson(np.exp(0.5 * X["a"] + (X["town"] == "Genf")))
    return GPRegressor(likelihood="poisson", n_restarts=0, random_state=0).fit(X, y), with_town(300, 5), {}


def _heteroscedastic(X: Any) -> Normal:
    return Normal(np.sin(X[:, 0]) + X[:, 1] * (X[:, 2] + 1.0), np.exp(0.3 * X[:, 0]))


@cache
def function() -> tuple[Any, Any, dict[str, Any]]:
    """It knows neither its training inputs nor its levels."""
    return from_function(_heteroscedastic), with_town(600, 5), {"training": with_town(200, 6)}


def _of_draw(parameters: Any, X: Any) -> Normal:
    # Not X @ beta: a product of matrices rounds differently in batches of another size, and second differences show it.
    return Normal((X * parameters["beta"]).sum(axis=1) + X[:, 0] * X[:, 1], 0.5)


@cache
def draws() -> tuple[Any, Any, dict[str, Any]]:
    beta = np.random.default_rng(2).normal(1.0, 0.2, size=(20, 3))
    X = numbers(300, 5)[["a", "b", "c"]]
    return from_draws(_of_draw, {"beta": beta}), X, {"training": numbers(100, 7)[["a", "b", "c"]]}


#: What is asked about, by name; each is a function () -> (model, rows, arguments of `explain`).
CASES: dict[str, Callable[[], tuple[Any, Any, dict[str, Any]]]] = {
    "a Gaussian process": gp,
    "a linear model": linear,
    "three classes": classes,
    "counts and categories": counts,
    "a function": function,
    "draws": draws,
}
