"""Assessment: what held-out rows say about a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens._arguments import whole_number
from rsens._assess._baseline import Kind
from rsens._assess._calibration import (
    brier_score,
    calibration_error,
    coverage,
    pit_histogram,
    reliability,
    share_above,
)
from rsens._assess._held_out import HeldOutRows
from rsens._assess._notebook import as_html
from rsens._assess._phrase import phrase_of
from rsens._assess._text import as_dict, summary_of
from rsens._assess._verdict import notes_of, warnings_of
from rsens._errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Assessment:
    """How good a model is on rows that it has not seen. Made by `rsens.assess`; it cannot be changed.

    Attributes that do not apply are None: a model of classes has no intervals, one of numbers no accuracy.

    Args:
        rows: The predictions, row by row.

    Example:
        >>> from sklearn.datasets import load_diabetes
        >>> import rsens
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> assessment = rsens.assess(rsens.BayesianLinearRegression(), X, y, random_state=0)
        >>> round(assessment.r2, 1), assessment.coverage["share"].round(1).to_dict()
        (0.5, {0.5: 0.5, 0.9: 0.9})
        >>> assessment.to_frame().shape  # one line per row
        (442, 7)
    """

    __slots__ = ("_rows",)

    def __init__(self, rows: HeldOutRows) -> None:
        self._rows = rows

    # ---- the score ---------------------------------------------------------------------------------------------------

    @property
    def model(self) -> str:
        """The name of the estimator's class."""
        return self._rows.model

    @property
    def n_folds(self) -> int:
        """How many folds there were."""
        return self._rows.n_folds

    @property
    def kind(self) -> Kind:
        """What the model predicts: "numbers", "counts" or "classes"."""
        return self._rows.kind

    @property
    def n_rows(self) -> int:
        """How many rows were held out and predicted."""
        return int(self._rows.known.sum())

    @property
    def n_left_out(self) -> int:
        """How many rows were not: no fold held them out, or its training rows lack their class or level."""
        return len(self._rows.y) - self.n_rows

    @property
    def log_density(self) -> pd.Series[float]:
        """The held-out log predictive density of every row, NaN where it was left out."""
        return pd.Series(self._rows.log_density.copy(), index=self._rows.index, name="log_density")

    @property
    def baseline_log_density(self) -> pd.Series[float]:
        """The same for the constant, a model without inputs that is fitted to the same training rows."""
        return pd.Series(self._rows.baseline.copy(), index=self._rows.index, name="baseline_log_density")

    @property
    def score(self) -> float:
        """The mean of `log_density`, per row: the higher, the better."""
        return float(self._rows.log_density[self._rows.known].mean())

    @property
    def standard_error(self) -> float:
        """The standard error of `score`; NaN where the score is infinite."""
        return _standard_error(self._rows.log_density[self._rows.known])

    @property
    def baseline(self) -> float:
        """The score of the constant: Student-t for numbers, (over-dispersed) Poisson for counts, shares of classes."""
        return float(self._rows.baseline[self._rows.known].mean())

    @property
    def gain(self) -> float:
        """`score` − `baseline`: what the inputs are worth to the model, per row and in nats."""
        return self.score - self.baseline

    @property
    def gain_error(self) -> float:
        """The standard error of `gain`, from the differences row by row."""
        return _standard_error((self._rows.log_density - self._rows.baseline)[self._rows.known])

    # ---- familiar numbers --------------------------------------------------------------------------------------------

    @property
    def r2(self) -> float | None:
        """The coefficient of determination of the held-out point predictions; NaN if y is constant."""
        if self.kind == "classes":
            return None
        known = self._rows.known
        y = np.asarray(self._rows.y[known], dtype=np.float64)
        total = float(((y - y.mean()) ** 2).sum())
        return 1.0 - float(((y - self._rows.prediction[known]) ** 2).sum()) / total if total > 0.0 else float("nan")

    @property
    def accuracy(self) -> float | None:
        """The share of rows whose most probable class is the right one."""
        if self.kind != "classes":
            return None
        return float((self._rows.prediction[self._rows.known] == self._rows.codes).mean())

    # ---- calibration of numbers and counts ---------------------------------------------------------------------------

    @property
    def pit(self) -> pd.DataFrame | None:
        """The probability integral transform: P(Y < y) and P(Y ≤ y) as `lower` and `upper`, equal unless y is a count.

        If the predictions are right, a number drawn evenly between the two is uniform over the rows.
        """
        if self.kind == "classes":
            return None
        columns = {"lower": self._rows.lower.copy(), "upper": self._rows.upper.copy()}
        return pd.DataFrame(columns, index=self._rows.index)

    def pit_histogram(self, bins: int | None = None) -> pd.DataFrame:
        """The share of the rows whose PIT lies between `left` and `right`; for counts without random numbers.

        `standard_error` is what `share` has if the predictions are right (for counts, at most). By default there is one
        bin per ten rows, at least 4 and at most 10.
        """
        if self.kind == "classes":
            raise InputError("Classes have no order, so no PIT. Use reliability.")
        if bins is not None:
            whole_number(bins, "bins", 2)
        known = self._rows.known
        return pit_histogram(self._rows.lower[known], self._rows.upper[known], bins)

    @property
    def coverage(self) -> pd.DataFrame | None:
        """The `share` of rows within the central 50 % and 90 % intervals, by `level`.

        `standard_error` is binomial: what `share` has if the predictions are right. The interval of a count rarely has
        exactly 90 %, so its ends count in part, as in the PIT, and 90 % is expected exactly.
        """
        if self.kind == "classes":
            return None
        known = self._rows.known
        return coverage(self._rows.lower[known], self._rows.upper[known])

    @property
    def share_above(self) -> float | None:
        """The share of rows above the median of their prediction: ½ unless predictions are off to one side.

        A count at the median itself counts in part, as in the PIT.
        """
        if self.kind == "classes":
            return None
        known = self._rows.known
        return share_above(self._rows.lower[known], self._rows.upper[known])

    # ---- calibration of classes --------------------------------------------------------------------------------------

    @property
    def reliability(self) -> pd.DataFrame | None:
        """Groups of rows by predicted probability: `predicted` and `observed` share, `rows`, `standard_error`.

        With two classes, this is the probability of the second; with more, of the predicted class.
        """
        if self.kind != "classes":
            return None
        return reliability(self._rows.probabilities[self._rows.known], self._rows.codes)

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels of y, sorted; empty unless they are classes."""
        return self._rows.classes

    @property
    def brier_score(self) -> float | None:
        """The mean of ½ Σ_k (p_k − [y = k])²: from 0, best, to 1."""
        if self.kind != "classes":
            return None
        return brier_score(self._rows.probabilities[self._rows.known], self._rows.codes)

    @property
    def calibration_error(self) -> float | None:
        """The mean difference between the predicted and observed shares of `reliability` (ECE)."""
        table = self.reliability
        return None if table is None else calibration_error(table)[0]

    @property
    def calibration_error_by_chance(self) -> float | None:
        """How large `calibration_error` may become by chance, at two standard deviations, if the model is right."""
        table = self.reliability
        return None if table is None else calibration_error(table)[1]

    @property
    def confidence(self) -> tuple[float, float]:
        """The mean probability of the predicted class, and the standard error of `accuracy` if it is right."""
        if self.kind != "classes":
            raise InputError("confidence is for classes; a model of numbers or counts has coverage.")
        top = self._rows.probabilities[self._rows.known].max(axis=1)
        return float(top.mean()), float(np.sqrt((top * (1.0 - top)).sum()) / len(top))

    # ---- in words ----------------------------------------------------------------------------------------------------

    @property
    def phrase(self) -> str:
        """How good the model is, in a phrase: "explains about half of the variation on unseen rows"."""
        return phrase_of(self)

    @property
    def warnings(self) -> list[str]:
        """Reasons not to rely on the model, in plain sentences; empty if there are none."""
        return warnings_of(self)

    @property
    def notes(self) -> list[str]:
        """What else is good to know: rows left out, or one row that decides the score."""
        return notes_of(self)

    @property
    def ok(self) -> bool:
        """Whether there are no warnings."""
        return not self.warnings

    def summary(self) -> str:
        """At most six lines of text."""
        return summary_of(self)

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return as_html(self)

    # ---- out ---------------------------------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """One row per row of X: fold, y, prediction, log densities, and the PIT or the class probabilities."""
        rows, known = self._rows, self._rows.known
        prediction: Any = rows.prediction.copy()
        if self.kind == "classes":
            prediction = [rows.classes[int(k)] if ok else None for k, ok in zip(prediction, known, strict=True)]
        columns = {
            "fold": pd.array(np.where(known, rows.fold, -1), dtype="Int64"),
            "y": rows.y.copy(),
            "prediction": prediction,
            "log_density": rows.log_density.copy(),
            "baseline_log_density": rows.baseline.copy(),
        }
        frame = pd.DataFrame(columns, index=rows.index)
        frame.loc[~known, "fold"] = pd.NA
        if self.kind == "classes":
            for k, label in enumerate(rows.classes):
                frame[f"p({label})"] = rows.probabilities[:, k]
            return frame
        return frame.assign(pit_lower=rows.lower, pit_upper=rows.upper)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the rows, ready for JSON: None for numbers that are not finite or do not apply."""
        return as_dict(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """The PIT histogram, or for classes the reliability diagram; see `rsens.plots.calibration`."""
        from rsens.plots import calibration

        return calibration(self, ax=ax)


def _standard_error(values: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    if not np.isfinite(values).all():
        return float("nan")
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))
