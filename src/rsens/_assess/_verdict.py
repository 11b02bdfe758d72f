"""What is worth a warning, in plain sentences.

A model is worse than the constant if its gain is below minus one standard error, and no better if it is below one.
Its probabilities are off if the share of rows in an interval (above the median; of right classes) differs from what
was promised by more than 0.1 and by more than chance explains: small samples do not cry wolf, and large ones do not
nag. `_pattern.py` has the words for intervals. Fewer than 20 rows cannot tell; and where two standard errors are
themselves above 0.1, finding nothing does not mean all is well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rsens._assess._pattern import TOLERANCE, intervals_off
from rsens._text import number, percent, plus_minus

if TYPE_CHECKING:
    from rsens._assess._assessment import Assessment

ERRORS = 2.0
FEWEST_ROWS = 20


def warnings_of(a: Assessment) -> list[str]:
    """At most two: about the constant, and about the probabilities or that there are too few rows to judge them."""
    off = None
    if a.n_rows >= FEWEST_ROWS:
        off = _classes_off(a) if a.kind == "classes" else intervals_off(a.coverage, a.share_above, a.n_rows)
    return [sentence for sentence in (_against_constant(a), off or _too_few(a)) if sentence]


def notes_of(a: Assessment) -> list[str]:
    """What is good to know but says nothing about the model: rows left out, a row that decides."""
    return [sentence for sentence in (_left_out(a), _one_row(a)) if sentence]


def _against_constant(a: Assessment) -> str | None:
    impossible = int(np.isneginf(a.log_density).sum())
    if impossible:
        rows = "one held-out row" if impossible == 1 else f"{impossible} held-out rows"
        return f"The model is worse than a constant: it called what happened in {rows} impossible (log density −∞)."
    gain = f"gain {plus_minus(a.gain, a.gain_error)} per row"
    if a.gain < -a.gain_error:
        return (
            f"The model is worse than a constant that ignores all inputs ({gain}); what it says of them means little."
        )
    if a.gain <= a.gain_error:
        return (
            f"The model is no better than a constant that ignores all inputs ({gain}); "
            "what it says of them may be noise."
        )
    return None


def _classes_off(a: Assessment) -> str | None:
    confidence, error = a.confidence
    assert a.accuracy is not None
    off = a.accuracy - confidence
    if abs(off) > TOLERANCE and abs(off) > ERRORS * error:
        how = "too high (over-confident)" if off < 0.0 else "too low (under-confident)"
        return (
            f"Probabilities are {how}: the predicted class has {percent(confidence)} on average and is right in "
            f"{percent(a.accuracy)} of held-out rows."
        )
    assert a.calibration_error is not None
    assert a.calibration_error_by_chance is not None
    if a.calibration_error > max(TOLERANCE, a.calibration_error_by_chance):
        return (
            f"Probabilities are off: they differ by {number(a.calibration_error)} on average from the shares observed, "
            f"and chance explains at most {number(a.calibration_error_by_chance)}."
        )
    return None


def _too_few(a: Assessment) -> str | None:
    if a.kind == "classes":
        what, error = "the share of right classes", a.confidence[1]
    else:
        assert a.coverage is not None
        level = a.coverage.index[-1]
        what, error = f"the coverage of {percent(level)} intervals", float(a.coverage["standard_error"].iloc[-1])
    if a.n_rows >= FEWEST_ROWS and ERRORS * error <= TOLERANCE:
        return None
    return (
        f"Too few rows to tell whether probabilities are right: with {a.n_rows} held-out rows, {what} is known to "
        f"± {number(ERRORS * error)}."
    )


def _left_out(a: Assessment) -> str | None:
    if not a.n_left_out:
        return None
    rows, whose = ("1 row was", "its") if a.n_left_out == 1 else (f"{a.n_left_out} rows were", "their")
    return f"{rows} left out: never held out, or of a class or level that the training rows of {whose} fold lack."


def _one_row(a: Assessment) -> str | None:
    """A log score is a mean without bound below; where one row makes up most of it, say which."""
    gains = a.log_density.to_numpy() - a.baseline_log_density.to_numpy()
    known = np.flatnonzero(~np.isnan(gains))
    size = np.abs(gains[known])
    worst = known[np.argmin(gains[known])]
    if len(known) < 10 or not np.isfinite(size).all() or gains[worst] > -1.0 or -gains[worst] < 0.5 * size.sum():
        return None
    rest = gains[known[known != worst]]
    error = float(np.std(rest, ddof=1) / np.sqrt(len(rest)))
    return (
        f"One row decides the score: row {a.log_density.index[worst]} has the log density "
        f"{number(float(a.log_density.iloc[worst]))}; without it the gain is {plus_minus(float(rest.mean()), error)}."
    )
