"""Compare a family with exact arithmetic over lists of rows, in one batch, and report every row that is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rsens import distributions
from tests.distributions import exact
from tests.distributions.exact_renyi import renyi as exact_renyi
from tests.distributions.precision import PROMISED, mp, relative_error

Row = dict[str, Any]
STORED = Path(__file__).with_name("oracle.json")

#: Orders of the divergence: the ends, the neighbourhood of Kullback–Leibler from both sides, and both branches.
ALPHAS = (0.0, 1e-3, 0.3, 0.5, 1.0 - 1e-9, 1.0, 1.0 + 1e-9, 1.5, 2.0, 10.0, np.inf)


def family(name: str) -> Any:
    return getattr(distributions, name)


def batch(name: str, rows: Sequence[Row]) -> Any:
    """The family with one row per entry."""
    return family(name)(**{key: np.array([row[key] for row in rows], dtype=np.float64) for key in rows[0]})


def grouped(rows: Sequence[Any], key: Callable[[Any], Any]) -> list[list[Any]]:
    groups: dict[Any, list[Any]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return list(groups.values())


def compare(got: Sequence[float], want: Sequence[Any], labels: Sequence[Any], tolerance: float) -> None:
    """Every value within the relative tolerance, or one assertion that lists all others."""
    assert len(got) == len(want) == len(labels)
    wrong = [
        f"{label}: got {float(g)!r}, exact {mp.nstr(w, 17)}, relative error {error:.1e}"
        for g, w, label in zip(got, want, labels, strict=True)
        if not (error := relative_error(g, w)) <= tolerance
    ]
    assert not wrong, f"{len(wrong)} of {len(labels)} wrong:\n" + "\n".join(wrong)


def check_log_prob(name: str, points: Sequence[tuple[Row, Any]], tolerance: float = PROMISED) -> None:
    for group in grouped(points, lambda point: tuple(point[0])):
        got = batch(name, [row for row, _ in group]).log_prob(np.array([y for _, y in group], dtype=np.float64))
        want = [exact.FAMILIES[name](**row).log_prob(as_exact(y)) for row, y in group]
        compare(got, want, group, tolerance)


def as_exact(y: Any) -> Any:
    return y if isinstance(y, list) else mp.mpf(float(y))


def check_fisher_norm(name: str, directions: Sequence[tuple[Row, list[float]]], tolerance: float = PROMISED) -> None:
    for group in grouped(directions, lambda point: tuple(point[0])):
        got = batch(name, [row for row, _ in group]).fisher_norm(np.array([u for _, u in group]))
        want = [stored(key(name, r, u)) if name in SUMS else exact.FAMILIES[name](**r).norm(u) for r, u in group]
        compare(got, want, group, tolerance)


def check_renyi(name: str, pairs: Sequence[tuple[Row, Row]], alpha: float, tolerance: float = PROMISED) -> None:
    """Both directions of every pair."""
    both = [*pairs, *((q, p) for p, q in pairs)]
    for group in grouped(both, lambda pair: (tuple(pair[0]), tuple(pair[1]))):
        got = batch(name, [p for p, _ in group]).renyi(batch(name, [q for _, q in group]), alpha)
        want = [divergence(name, p, q, alpha) for p, q in group]
        compare(got, want, group, tolerance)


#: Families whose information takes a long sum, and whose divergences take quadrature or long sums: these are stored.
SUMS = ("NegativeBinomial",)
SLOW = ("StudentT", "Weibull", "NegativeBinomial")


def divergence(name: str, p: Row, q: Row, alpha: float) -> Any:
    if name in SLOW:
        return stored(key(name, p, q, alpha))
    return compute(name, p, q, alpha)


def compute(name: str, p: Row, q: Row, alpha: float) -> Any:
    return exact_renyi(exact.FAMILIES[name](**p), exact.FAMILIES[name](**q), alpha)


def key(name: str, *what: Any) -> str:
    return f"{name}: " + ", ".join(json.dumps(x) for x in what)


@cache
def _stored() -> dict[str, str]:
    return json.loads(STORED.read_text())


def stored(name: str) -> Any:
    """A value computed by oracle.py."""
    assert name in _stored(), f"{name} is not stored; run: python -m tests.distributions.oracle"
    return mp.mpf(_stored()[name])
