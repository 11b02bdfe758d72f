"""Random tables: columns of every scale and type, odd names, and the containers that people have."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

Rng = np.random.Generator

ODD_NAMES: list[Any] = [
    "", " ", "a" * 10_000, "long name " * 1_000, "\x1b[31mred\x1b[0m", "naïve 🚲", "\u202eright to left", "1", 1, 1.5,
    None, ("a", "b"), True, "a:b", "a × b", "<script>alert(1)</script>", "$x_1^2$", "$\\frac{", "%s {0} {name}", "\x00",
    "\ud800", "line\nend", "__class__", "y", "probe_0", "x0", "x1", float("nan"), "'", '"', "\\", "日本語", "e\u0301",
    -1, datetime.date(2026, 1, 2), "mean", "value", "~", "tab\tname", "🧑\u200d🔬",
]  # fmt: skip


def numbers(rng: Rng, n: int) -> np.ndarray:
    """Usual numbers, at a scale from 1e-12 to 1e12."""
    return rng.normal(size=n) * 10.0 ** rng.uniform(-12, 12)


def _shifted(rng: Rng, n: int) -> np.ndarray:
    """Numbers that differ by little from one large one."""
    return 10.0 ** rng.uniform(0, 12) * (1.0 + 10.0 ** rng.uniform(-14, -1) * rng.normal(size=n))


def _heavy(rng: Rng, n: int) -> np.ndarray:
    return np.clip(rng.standard_cauchy(n) ** 3, -1e30, 1e30)


def _with_holes(rng: Rng, n: int, hole: float = np.nan) -> np.ndarray:
    return np.where(rng.random(n) < 0.2, hole, rng.normal(size=n))


def _labels(rng: Rng, n: int) -> list[Any]:
    labels = rng.choice(["a", "b", "c", "", "ü", "\x1b[1m", "x" * 5_000, "1"], size=rng.integers(1, 4), replace=False)
    return [str(label) for label in rng.choice(labels, size=n)]


def _days(rng: Rng, n: int) -> pd.Series:
    return pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"))


#: Columns of numbers, as arrays.
NUMERIC: dict[str, Callable[[Rng, int], Any]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "scaled": numbers,
    "uniform": lambda rng, n: rng.random(n),
    "shifted": _shifted,
    "heavy": _heavy,
    "constant": lambda rng, n: np.full(n, rng.choice([0.0, 1.0, -1e12, 1e-12, 1e300])),
    "one differs": lambda rng, n: np.eye(1, n)[0] if n else np.zeros(0),
    "two values": lambda rng, n: rng.choice([0.0, 1.0], size=n),
    "two odd values": lambda rng, n: rng.choice(rng.normal(size=2) * 10.0 ** rng.uniform(-12, 12), size=n),
    "few values": lambda rng, n: rng.integers(0, 4, n).astype(float),
    "integers": lambda rng, n: rng.integers(-100, 100, n),
    "small integers": lambda rng, n: rng.integers(0, 100, n).astype(rng.choice(["uint8", "int8", "int16", "uint64"])),
    "float32": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "float16": lambda rng, n: rng.normal(size=n).astype(np.float16),
    "tiny": lambda rng, n: rng.normal(size=n) * 1e-308,
    "huge": lambda rng, n: rng.normal(size=n) * 1e307,
    "sorted": lambda rng, n: np.sort(rng.normal(size=n)),
}

#: Columns of other types, and of numbers that cannot be used.
TYPED: dict[str, Callable[[Rng, int], Any]] = {
    "missing": _with_holes,
    "infinite": lambda rng, n: _with_holes(rng, n, np.inf),
    "all missing": lambda rng, n: np.full(n, np.nan),
    "bool": lambda rng, n: rng.random(n) < 0.5,
    "nullable integer": lambda rng, n: pd.array(rng.integers(0, 9, n), dtype="Int64"),
    "nullable integer, missing": lambda rng, n: pd.array([None if k == 0 else k for k in range(n)], dtype="Int32"),
    "nullable float": lambda rng, n: pd.array(rng.normal(size=n), dtype="Float64"),
    "nullable bool": lambda rng, n: pd.array(rng.random(n) < 0.5, dtype="boolean"),
    "nullable bool, missing": lambda rng, n: pd.array([None if k == 0 else k % 2 == 0 for k in range(n)], "boolean"),
    "text": _labels,
    "text of pandas": lambda rng, n: pd.array(_labels(rng, n), dtype="string"),
    "text, missing": lambda rng, n: [None, *_labels(rng, n)][:n],
    "category": lambda rng, n: pd.Categorical(_labels(rng, n)),
    "category with unused": lambda rng, n: pd.Categorical(rng.choice(["a", "b"], n), categories=list("zabc")),
    "ordered category": lambda rng, n: pd.Categorical(rng.integers(0, 3, n), ordered=True),
    "category, missing": lambda rng, n: pd.Categorical([None, *rng.choice(["a", "b"], n)][:n]),
    "dates": _days,
    "dates with zone": lambda rng, n: _days(rng, n).dt.tz_localize("Europe/Helsinki"),
    "dates of Python": lambda rng, n: [when.date() for when in _days(rng, n)],
    "timedelta": lambda rng, n: pd.Series(pd.to_timedelta(rng.integers(0, 900, n), unit="h")),
    "period": lambda rng, n: pd.Series(_days(rng, n).dt.to_period("M")),
    "interval": lambda rng, n: pd.cut(rng.normal(size=n), 2) if n > 1 else rng.normal(size=n),
    "decimals": lambda rng, n: [decimal.Decimal(str(round(value, 3))) for value in rng.normal(size=n)],
    "sparse": lambda rng, n: pd.arrays.SparseArray(np.where(rng.random(n) < 0.5, 0.0, rng.normal(size=n))),
    "objects": lambda rng, n: np.array([1, 2.5, "three", None, True, object, ()] * n, dtype=object)[:n],
    "number objects": lambda rng, n: np.array([1, 2.5, 10**25, True] * n, dtype=object)[:n],
    "huge integers": lambda rng, n: np.array([10**400] * n, dtype=object),
    "complex": lambda rng, n: rng.normal(size=n) + 1j,
    "lists": lambda rng, n: [[1, 2]] * n,
    "bytes": lambda rng, n: [b"a"] * n,
    "numbers as text": lambda rng, n: [f"{value:.3g}" for value in rng.normal(size=n)],
}


@dataclass(frozen=True)
class FuzzTable:
    """A table in some container, the kinds of its columns, and its numbers before they were put there."""

    X: Any
    kinds: tuple[str, ...]
    container: str
    n: int
    plain: bool  # columns of finite numbers under usual names


def random_table(rng: Rng, *, plain: float) -> FuzzTable:
    """A table; with probability `plain`, of finite numbers under usual names."""
    is_plain = bool(rng.random() < plain)
    n = int(rng.choice([0, 1, 2, 3], p=[0.1, 0.3, 0.3, 0.3])) if rng.random() < 0.06 else int(rng.integers(5, 22))
    n_columns = int(rng.integers(1, 5))
    kinds, columns = [], []
    for k in range(n_columns):
        if columns and rng.random() < 0.15:
            kind, column = "copy", columns[int(rng.integers(k))]
        elif columns and rng.random() < 0.1 and kinds[0] in NUMERIC:
            kind, column = "collinear", 2.0 * np.asarray(columns[0], dtype=float) + 1e-9 * rng.normal(size=n)
        else:
            kind = str(rng.choice(list(NUMERIC if is_plain or rng.random() < 0.5 else TYPED)))
            column = NUMERIC[kind](rng, n) if kind in NUMERIC else TYPED[kind](rng, n)
        kinds.append(kind)
        columns.append(column)
    odd = not is_plain and rng.random() < 0.5
    names = [ODD_NAMES[rng.integers(len(ODD_NAMES))] for _ in columns] if odd else [f"x{k}" for k in range(n_columns)]
    X, container = contained(rng, columns, names, is_plain)
    return FuzzTable(X, tuple(kinds), container, n, is_plain)


def contained(rng: Rng, columns: list[Any], names: list[Any], is_plain: bool) -> tuple[Any, str]:
    """The columns in a container; pandas where another one does not take them."""
    frame = pd.concat([pd.Series(column).reset_index(drop=True) for column in columns], axis=1)
    frame = frame.set_axis(pd.Index(names, dtype=object, tupleize_cols=False), axis=1)
    wanted = str(rng.choice(CONTAINERS, p=CHANCES))
    try:
        return _convert(rng, frame, wanted, is_plain), wanted
    except Exception:  # noqa: BLE001 (the other library's own reasons)
        return frame, "pandas"


CONTAINERS = ["pandas", "array", "polars", "arrow", "lists", "odd index", "fortran", "one axis", "sparse matrix"]
CHANCES = [0.4, 0.2, 0.1, 0.1, 0.05, 0.1, 0.03, 0.01, 0.01]


def _convert(rng: Rng, frame: pd.DataFrame, wanted: str, is_plain: bool) -> Any:
    match wanted:
        case "array" | "fortran":
            values = frame.to_numpy(dtype=float) if is_plain else frame.to_numpy()
            return np.asfortranarray(values) if wanted == "fortran" else values
        case "lists":
            return frame.to_numpy().tolist()
        case "one axis":
            return frame.to_numpy()[:, 0]
        case "sparse matrix":
            import scipy.sparse

            return scipy.sparse.csr_matrix(frame.to_numpy(dtype=float))
        case "odd index":
            labels: list[Any] = [f"row {k}\x1b" for k in range(len(frame))]
            kinds = [labels, [0] * len(frame), [None] * len(frame), pd.date_range("2020", periods=len(frame)).tolist()]
            return frame.set_axis(pd.Index(kinds[rng.integers(len(kinds))]), axis=0)
        case "polars":
            import polars as pl

            return pl.DataFrame({str(name): frame.iloc[:, k].tolist() for k, name in enumerate(frame.columns)})
        case "arrow":
            import pyarrow as pa

            arrays = [pa.array(frame.iloc[:, k]) for k in range(frame.shape[1])]
            return pa.table(arrays, names=[str(name) for name in frame.columns])
    return frame
