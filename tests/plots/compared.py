"""Tables like those of `rsens.compare`, with chosen values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

METHODS = ["rsens", "ead", "aed", "apc", "shap", "pd", "pfi", "var", "kl", "ard"]
PAIR_METHODS = ["rsens2", "eah", "aeh", "shap", "pd", "h"]


def compared(terms: Sequence[str], methods: Sequence[str], *, noise: float = 0.4, seed: int = 0) -> pd.DataFrame:
    """The first method has the terms in this order; the others multiply its values with noise."""
    rng = np.random.default_rng(seed)
    values = np.linspace(2.0, 0.2, len(terms)) ** 2
    parts = []
    for k, method in enumerate(methods):
        noisy = pd.Series(values * np.exp((k > 0) * noise * rng.standard_normal(len(terms))))
        ranks = noisy.rank(ascending=False, method="min").astype("Int64")
        columns = {"method": method, "term": list(terms), "value": noisy, "rank": ranks}
        parts.append(pd.DataFrame({**columns, "seconds": 0.1, "evaluations": 100, "status": "ok"}))
    return pd.concat(parts, ignore_index=True)


def with_failure(df: pd.DataFrame, method: str, reason: str) -> pd.DataFrame:
    """The table, where a method has failed."""
    columns = {"term": [None], "value": [np.nan], "rank": pd.array([pd.NA], dtype="Int64"), "status": [reason]}
    failed = pd.DataFrame({"method": [method], **columns, "seconds": 0.0, "evaluations": 0})[df.columns]
    before = df["method"].eq(method).idxmax() if df["method"].eq(method).any() else len(df)
    kept = df[df["method"] != method]
    return pd.concat([kept[kept.index < before], failed, kept[kept.index >= before]], ignore_index=True)


def pairs(n: int) -> list[str]:
    return [f"x{d}:x{e}" for d in range(n) for e in range(d + 1, n)]
