"""An assessment for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rsens import _html as html
from rsens._text import counted, number, percent, plus_minus

if TYPE_CHECKING:
    from rsens._assess._assessment import Assessment


def as_html(a: Assessment) -> str:
    """Warnings first, then the score and familiar numbers, then notes."""
    return html.view(*map(html.warning, a.warnings), quality_table(a), html.notes("Notes", a.notes))


def quality_table(a: Assessment) -> html.Html:
    """How good the model is, one number per line."""
    lines = {
        "log score per row": plus_minus(a.score, a.standard_error),
        "of a constant": number(a.baseline),
        "gain": plus_minus(a.gain, a.gain_error),
        **_familiar(a),
    }
    title = f"{a.model} on {counted(a.n_rows, 'held-out row')}, {counted(a.n_folds, 'fold')}"
    below = [] if a.warnings else ["Nothing to warn about."]
    return html.table(title, list(lines), {"": list(lines.values())}, below=below)


def _familiar(a: Assessment) -> dict[str, str]:
    if a.coverage is None:
        named = {"Brier score": a.brier_score, "calibration error": a.calibration_error}
        accuracy = {} if a.accuracy is None else {"accuracy": percent(a.accuracy)}
        return accuracy | {name: number(value) for name, value in named.items() if value is not None}
    r2 = {} if a.r2 is None or np.isnan(a.r2) else {"R²": number(a.r2)}
    held = zip(a.coverage.index, a.coverage["share"], strict=True)
    return r2 | {f"rows in the {percent(float(level))} interval": percent(float(share)) for level, share in held}
