"""An assessment as text and as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens._text import counted, number, percent, plus_minus

if TYPE_CHECKING:
    from rsens._assess._assessment import Assessment

MOST_LINES = 6
NUMBERS = (
    "score",
    "standard_error",
    "baseline",
    "gain",
    "gain_error",
    "r2",
    "accuracy",
    "brier_score",
    "calibration_error",
    "calibration_error_by_chance",
)


def held_in(coverage: pd.DataFrame) -> list[str]:
    """How many rows each central interval holds."""
    levels, shares = coverage.index.to_numpy(dtype=np.float64), coverage["share"].to_numpy()
    return [f"the {percent(q)} interval holds {percent(share)}" for q, share in zip(levels, shares, strict=True)]


def summary_of(a: Assessment) -> str:
    """The score, familiar numbers, then warnings and notes."""
    lines = [
        f"{a.model}: {a.n_rows} held-out rows, {counted(a.n_folds, 'fold')}",
        f"log score {plus_minus(a.score, a.standard_error)} per row, constant {number(a.baseline)}: "
        f"gain {plus_minus(a.gain, a.gain_error)}",
        _familiar(a),
        *(a.warnings or ["Nothing to warn about."]),
        *a.notes,
    ]
    return "\n".join(lines[:MOST_LINES])


def _familiar(a: Assessment) -> str:
    if a.coverage is not None and a.r2 is not None:
        r2 = "undefined, as y is constant" if np.isnan(a.r2) else number(a.r2)
        return f"R² {r2}; {', '.join(held_in(a.coverage))}"
    named = {"accuracy": a.accuracy, "Brier score": a.brier_score, "calibration error": a.calibration_error}
    return ", ".join(f"{name} {number(value)}" for name, value in named.items() if value is not None)


def as_dict(a: Assessment) -> dict[str, Any]:
    """Everything but the rows, ready for JSON."""
    tables = {
        "coverage": None if a.coverage is None else a.coverage.reset_index(),
        "pit_histogram": None if a.kind == "classes" else a.pit_histogram(),
        "reliability": a.reliability,
    }
    return {
        "model": a.model,
        "kind": a.kind,
        "n_rows": a.n_rows,
        "n_left_out": a.n_left_out,
        "n_folds": a.n_folds,
        "classes": [str(label) for label in a.classes],
        **{name: _finite(getattr(a, name)) for name in NUMBERS},
        **{name: None if table is None else table.to_dict("records") for name, table in tables.items()},
        "warnings": a.warnings,
        "notes": a.notes,
        "ok": a.ok,
        "summary": a.summary(),
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None
