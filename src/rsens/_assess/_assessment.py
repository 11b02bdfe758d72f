"""Assessment: the quality of predictions of held-out rows, in numbers and in words.

Probabilities are off if a share differs from the promised one by more than 0.1 and by more than chance explains.

The PIT, u = P(Y ≤ y), is uniform if predictions are right. A count is spread evenly from P(Y < y) to P(Y ≤ y), which
keeps this true without random numbers (Czado, Gneiting, Held 2009, Biometrics 65, equation 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from scipy.stats import norm

from rsens._arguments import whole_number
from rsens._document import Column, Document, Notes, Sentences, Shown, ShownTable
from rsens._errors import InputError
from rsens._text import counted, number, percent, plus_minus
from rsens._typing import Array, Positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal["numbers", "counts", "classes"]
NOTHING_TO_WARN = "Nothing to warn about."
#: The numbers of `to_dict`.
NUMBERS = (
    "score", "standard_error", "baseline", "gain", "gain_error", "r2", "accuracy", "brier_score", "calibration_error",
    "calibration_error_by_chance",
)  # fmt: skip
#: How many standard errors are more than chance, for classes; and with how many rows one can tell.
ERRORS, FEWEST_ROWS = 2.0, 20
#: The central intervals whose coverage is reported.
LEVELS = (0.5, 0.9)
MOST_BINS = 10
#: Smaller differences do not matter.
TOLERANCE = 0.1
#: How many standard errors are more than chance: about one right model in 20 exceeds them in any of the three shares.
CLEAR = 2.4
#: Below this share of the variation, the phrase of numbers is about the gain.
LEAST = 0.05
#: More than this many times as probable is not counted.
MOST_TIMES = 1000.0


@dataclass(frozen=True, eq=False)
class HeldOutRows:
    """Predictions of some rows that the model was not fitted to."""

    rows: Positions  # (m,) positions in X
    kind: Kind
    prediction: Array  # (m,) the mean, or the code of the most probable class
    log_density: Array  # (m,)
    baseline_log_density: Array  # (m,) of the constant
    pit_lower: Array  # (m,) P(Y < y), NaN for classes
    pit_upper: Array  # (m,) P(Y ≤ y), NaN for classes
    probabilities: Array  # (m, K), K = 0 unless there are classes


@dataclass(frozen=True, eq=False, repr=False)
class Assessment(Shown):
    """The quality of a model on unseen rows. Made by `rsens.assess`; it cannot be changed.

    Attributes that do not apply are None: a model of classes has no intervals, one of numbers no accuracy.

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

    #: The name of the estimator's class.
    model: str
    #: How many folds there were.
    n_folds: int
    #: The kind of y that the model predicts: "numbers", "counts" or "classes".
    kind: Kind
    #: The labels of y, sorted; empty unless they are classes.
    classes: tuple[Any, ...]
    _frame: pd.DataFrame  # a line for each row of X

    @property
    def _held_out(self) -> pd.DataFrame:
        """The rows that were held out and predicted."""
        return self._frame[self._frame["fold"].notna()]

    def _numbers(self, column: str) -> Array:
        """A column of the held-out rows."""
        return self._held_out[column].to_numpy(dtype=np.float64)

    @property
    def n_rows(self) -> int:
        """How many rows were held out and predicted."""
        return len(self._held_out)

    @property
    def n_left_out(self) -> int:
        """How many rows were not: no fold held them out, or its training rows lack their class or level."""
        return len(self._frame) - self.n_rows

    @property
    def score(self) -> float:
        """The mean log predictive density of the held-out rows: the higher, the better."""
        return float(self._numbers("log_density").mean())

    @property
    def standard_error(self) -> float:
        """The standard error of `score`; NaN where the score is infinite."""
        return _standard_error(self._numbers("log_density"))

    @property
    def baseline(self) -> float:
        """The score of the constant: Student-t for numbers, (over-dispersed) Poisson for counts, shares of classes."""
        return float(self._numbers("baseline_log_density").mean())

    @property
    def gain(self) -> float:
        """`score` − `baseline`: what the inputs are worth to the model, per row and in nats."""
        return self.score - self.baseline

    @property
    def gain_error(self) -> float:
        """The standard error of `gain`, from the differences row by row."""
        return _standard_error(self._numbers("log_density") - self._numbers("baseline_log_density"))

    @property
    def r2(self) -> float | None:
        """The coefficient of determination of the held-out point predictions; NaN if y is constant."""
        if self.kind == "classes":
            return None
        y, prediction = self._numbers("y"), self._numbers("prediction")
        total = float(((y - y.mean()) ** 2).sum())
        return 1.0 - float(((y - prediction) ** 2).sum()) / total if total > 0.0 else float("nan")

    @property
    def accuracy(self) -> float | None:
        """The share of rows whose most probable class is the right one."""
        return float((self._probabilities.argmax(axis=1) == self._codes).mean()) if self.kind == "classes" else None

    @property
    def _codes(self) -> Positions:
        """The number of the class of each held-out row."""
        return np.searchsorted(np.array(self.classes), self._held_out["y"].to_numpy())

    @property
    def _probabilities(self) -> Array:
        """The probability of each class in each held-out row."""
        return self._held_out.iloc[:, -len(self.classes) :].to_numpy(dtype=np.float64)

    def pit_histogram(self, bins: int | None = None) -> pd.DataFrame:
        """The share of the rows whose PIT lies between `left` and `right`; for counts without random numbers.

        `standard_error` is that of a model whose predictions are right (for counts, at most). By default there is one
        bin per ten rows, at least 4 and at most 10.
        """
        if self.kind == "classes":
            raise InputError("Classes have no order, so no PIT. Use reliability.")
        if bins is not None:
            whole_number(bins, "bins", 2)
        count = int(np.clip(self.n_rows // 10, 4, MOST_BINS)) if bins is None else bins
        edges = np.arange(count + 1.0) / count
        # u = 0, which underflow makes possible, belongs to the first bin.
        shares = np.diff(np.concatenate([[0.0], self._share_below(edges[1:])]))
        error = np.sqrt((1.0 / count) * (1.0 - 1.0 / count) / self.n_rows)
        return pd.DataFrame({"left": edges[:-1], "right": edges[1:], "share": shares, "standard_error": error})

    @property
    def coverage(self) -> pd.DataFrame | None:
        """The `share` of rows within the central 50 % and 90 % intervals, by `level`.

        `standard_error` is binomial, as for right predictions. The interval of a count rarely has
        exactly 90 %, so its ends count in part, as in the PIT, and 90 % is expected exactly.
        """
        if self.kind == "classes":
            return None
        levels = np.array(LEVELS)
        below = self._share_below(np.stack([0.5 - 0.5 * levels, 0.5 + 0.5 * levels], axis=1).ravel()).reshape(-1, 2)
        errors = np.sqrt(levels * (1.0 - levels) / self.n_rows)
        columns = {"share": below[:, 1] - below[:, 0], "standard_error": errors}
        return pd.DataFrame(columns, index=pd.Index(LEVELS, name="level"))

    @property
    def share_above(self) -> float | None:
        """The share of rows above the median of their prediction: ½ unless predictions are off to one side.

        A count at the median itself counts in part, as in the PIT.
        """
        return None if self.kind == "classes" else 1.0 - float(self._share_below(np.array([0.5]))[0])

    def _share_below(self, u: Array) -> Array:
        """The share of the rows whose PIT is below u; counts in part."""
        return np.asarray(pit_distribution(self._numbers("pit_lower"), self._numbers("pit_upper"), u).mean(axis=0))

    @property
    def reliability(self) -> pd.DataFrame | None:
        """Groups of rows by predicted probability: `predicted` and `observed` share, `rows`, `standard_error`.

        With two classes, this is the probability of the second; with more, of the predicted class.
        """
        if self.kind != "classes":
            return None
        probabilities, codes = self._probabilities, self._codes
        if probabilities.shape[1] == 2:
            p, event = probabilities[:, 1], (codes == 1).astype(np.float64)
        else:
            p, event = probabilities.max(axis=1), (probabilities.argmax(axis=1) == codes).astype(np.float64)
        count = int(np.clip(len(p) // 20, 1, MOST_BINS))
        edges = np.unique(np.quantile(p, np.linspace(0.0, 1.0, count + 1)[1:-1]))
        group = np.searchsorted(edges, p, side="left")
        rows = np.bincount(group, minlength=len(edges) + 1)
        some = rows > 0
        size = rows[some]

        def mean(values: Array) -> Array:
            return np.bincount(group, weights=values, minlength=len(rows))[some] / size

        return pd.DataFrame(
            {
                "predicted": mean(p),
                "observed": mean(event),
                "rows": size,
                "standard_error": np.sqrt(mean(p * (1.0 - p)) / size),
            }
        )

    @property
    def brier_score(self) -> float | None:
        """The mean of ½ Σ_k (p_k − [y = k])²: from 0, best, to 1."""
        if self.kind != "classes":
            return None
        p = self._probabilities
        return float(0.5 * ((p - np.eye(p.shape[1])[self._codes]) ** 2).sum(axis=1).mean())

    @property
    def calibration_error(self) -> float | None:
        """The mean difference between the predicted and observed shares of `reliability` (ECE)."""
        table = self.reliability
        return None if table is None else calibration_error_of(table)[0]

    @property
    def calibration_error_by_chance(self) -> float | None:
        """How large `calibration_error` may become by chance, at two standard deviations, if the model is right."""
        table = self.reliability
        return None if table is None else calibration_error_of(table)[1]

    @property
    def _without_gain(self) -> str:
        """How the model compares with a constant, unless it is better."""
        if self.gain < -self.gain_error or self.gain == -np.inf:
            return "worse than a constant"
        return "" if self.gain > self.gain_error else "no better than a constant"

    @property
    def phrase(self) -> str:
        """How good the model is, in a phrase: "explains 52 % of the variation on unseen rows (R²)"."""
        if self._without_gain:
            return f"is {self._without_gain} on unseen rows"
        if self.accuracy is not None:
            share = percent(self.gain / -self.baseline)  # −baseline is the entropy of the classes, the most to know
            right = percent(self.accuracy)
            return f"removes {share} of the uncertainty about the class of unseen rows, and is right in {right}"
        if self.kind == "numbers" and self.r2 is not None and self.r2 >= LEAST:
            return f"explains {percent(self.r2)} of the variation on unseen rows (R²)"
        few = self.gain < np.log(MOST_TIMES)
        times = number(np.exp(self.gain), 2) if few else f"more than {number(MOST_TIMES)}"
        return f"gives what happened in unseen rows {times} times the probability that a constant would"

    @property
    def warnings(self) -> list[str]:
        """Reasons not to rely on the model, in plain sentences; empty for a good model."""
        gain = f"gain {plus_minus(self.gain, self.gain_error)} per row"
        against = (
            f"The model is {self._without_gain} that ignores all inputs ({gain}). Do not rely on its sensitivities."
            if self._without_gain
            else ""
        )
        if self.coverage is None or self.share_above is None:
            what, error = "the share of right classes", _confidence(self)[1]
            off = _classes_off(self)
        else:
            what, error = "the coverage of 90 % intervals", float(self.coverage["standard_error"].iloc[-1])
            off = intervals_off(self.coverage, self.share_above, self.n_rows)
        if self.n_rows < FEWEST_ROWS or (not off and ERRORS * error > TOLERANCE):
            off = (
                f"Too few rows to tell whether probabilities are right: with {self.n_rows} held-out rows, {what} is "
                f"known to ± {number(ERRORS * error)}."
            )
        return [sentence for sentence in (against, off) if sentence]

    @property
    def notes(self) -> list[str]:
        """How many rows were left out, if any."""
        if not self.n_left_out:
            return []
        rows, whose = ("1 row was", "its") if self.n_left_out == 1 else (f"{self.n_left_out} rows were", "their")
        return [f"{rows} left out: never held out, or of a class or level that the training rows of {whose} fold lack."]

    @property
    def ok(self) -> bool:
        """Whether `warnings` is empty."""
        return not self.warnings

    def _document(self) -> Document:
        return Document([Sentences(self.warnings, "warning"), quality(self), Notes("Notes", self.notes)])

    def to_frame(self) -> pd.DataFrame:
        """One row per row of X: fold, y, prediction, log densities, and the PIT or the class probabilities.

        The PIT is P(Y < y) and P(Y ≤ y) as `pit_lower` and `pit_upper`, equal unless y is a count.
        """
        return self._frame.copy()

    def to_dict(self) -> dict[str, Any]:
        """Everything but the rows, ready for JSON: None for numbers that are not finite or do not apply."""
        tables = {
            "coverage": None if self.coverage is None else self.coverage.reset_index(),
            "pit_histogram": None if self.kind == "classes" else self.pit_histogram(),
            "reliability": self.reliability,
        }
        numbers = {name: getattr(self, name) for name in NUMBERS}
        return {
            **{name: getattr(self, name) for name in ("model", "kind", "n_rows", "n_left_out", "n_folds")},
            "classes": [str(label) for label in self.classes],
            **{name: x if x is not None and np.isfinite(x) else None for name, x in numbers.items()},
            **{name: None if table is None else table.to_dict("records") for name, table in tables.items()},
            **{name: getattr(self, name) for name in ("warnings", "notes", "ok")},
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """The PIT histogram, or for classes the reliability diagram; see `rsens.plots.calibration`."""
        from rsens.plots import calibration

        return calibration(self, ax=ax)


def _standard_error(values: Array) -> float:
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if np.isfinite(values).all() else float("nan")


def quality(a: Assessment) -> ShownTable:
    """How good the model is: a number per line, and its meaning."""
    lines = [
        ("gain over a constant", plus_minus(a.gain, a.gain_error), "log predictive density per held-out row"),
        ("log score", plus_minus(a.score, a.standard_error), f"of a constant: {number(a.baseline)}"),
    ]
    if a.coverage is None:
        expected, by_chance = percent(_confidence(a)[0]), number(a.calibration_error_by_chance, 2)
        right = f"of held-out rows, whose most probable class is right; expected: {expected}"
        lines += [
            ("accuracy", percent(a.accuracy or 0.0), right),
            ("calibration error", number(a.calibration_error, 2), f"chance alone explains up to {by_chance}"),
            ("Brier score", number(a.brier_score), "0 is best, 1 is worst"),
        ]
    else:
        lines.append(("R²", number(a.r2, unknown="undefined"), "of held-out point predictions"))
        for level, share in zip(LEVELS, a.coverage["share"], strict=True):
            ideal = f"of held-out rows; ideal: {percent(level)}"
            lines.append((f"in {percent(level)} intervals", percent(float(share)), ideal))
    names, values, meanings = (list(cells) for cells in zip(*lines, strict=True))
    columns = [Column("", names, "name"), Column("", values, "words"), Column("", meanings, "text")]
    title = f"How good is the model ({a.model}, {a.n_folds}-fold cross-validation, {counted(a.n_rows, 'held-out row')})"
    return ShownTable(title, columns, [] if a.warnings else [NOTHING_TO_WARN])


def _confidence(a: Assessment) -> tuple[float, float]:
    """The mean probability of the predicted class, and the standard error of `accuracy` if it is right."""
    top = a._probabilities.max(axis=1)
    return float(top.mean()), float(np.sqrt((top * (1.0 - top)).sum()) / len(top))


def _classes_off(a: Assessment) -> str | None:
    confidence, error = _confidence(a)
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


# ---- calibration -----------------------------------------------------------------------------------------------------


def pit_distribution(lower: Array, upper: Array, u: Array) -> Array:
    """F_i(u), (rows, points): non-decreasing in u, from 0 before 0 to 1 at 1."""
    width = (upper - lower)[:, None]
    inside = np.divide(u - lower[:, None], width, out=np.zeros((len(lower), len(u))), where=width > 0.0)
    return np.where(u >= upper[:, None], 1.0, np.clip(inside, 0.0, 1.0))


def calibration_error_of(table: pd.DataFrame) -> tuple[float, float]:
    """The mean of |observed − predicted| over the rows of a reliability table, and how large chance makes it.

    If the predictions are right, each difference is about normal with its standard error s, so that |difference| has
    the mean s√(2/π) and the variance s²(1 − 2/π). Chance allows the mean of these plus two standard deviations.
    """
    share = (table["rows"] / table["rows"].sum()).to_numpy()
    s = table["standard_error"].to_numpy()
    error = share @ (table["observed"] - table["predicted"]).abs().to_numpy()
    by_chance = share @ s * np.sqrt(2.0 / np.pi) + 2.0 * np.sqrt((share**2 @ s**2) * (1.0 - 2.0 / np.pi))
    return float(error), float(by_chance)


def held_in(coverage: pd.DataFrame) -> list[str]:
    """How many rows each central interval holds."""
    levels, shares = coverage.index.to_numpy(dtype=np.float64), coverage["share"].to_numpy()
    return [f"the {percent(q)} interval holds {percent(share)}" for q, share in zip(levels, shares, strict=True)]


def intervals_off(coverage: pd.DataFrame, share_above: float, n: int) -> str | None:
    """A sentence, or None where nothing is off."""
    shares, errors = coverage["share"].to_numpy(), coverage["standard_error"].to_numpy()
    off = shares - coverage.index.to_numpy(dtype=np.float64)
    side = _sign(share_above - 0.5, 0.5 / np.sqrt(n))
    signs = [_sign(difference, error) for difference, error in zip(off, errors, strict=True)]
    matters = np.abs(off) > TOLERANCE
    held = ", ".join(held_in(coverage))
    if side and abs(share_above - 0.5) > TOLERANCE:
        where, rows = ("low", share_above) if side > 0 else ("high", 1.0 - share_above)
        lie = "above" if side > 0 else "below"
        return (
            f"Predictions are too {where} (biased): {percent(rows)} of held-out rows lie {lie} the median of their "
            f"prediction; {held}."
        )
    if not any(sign and much for sign, much in zip(signs, matters, strict=True)):
        return None
    return f"{_word(signs, float(shares[0]), float(shares[1]), n)}: of held-out rows, {held}."


def _word(signs: list[int], inner: float, outer: float, n: int) -> str:
    if sum(signs) == 0:  # one too many, one too few
        shape = signs[1]
    elif 0 in signs:
        implied, error = _implied_outer(inner, n)
        shape = _sign(outer - implied, error)
    else:
        shape = 0
    if shape:
        return f"Tails are {'heavier' if shape < 0 else 'lighter'} than in the model"
    return "Intervals are too wide (under-confident)" if sum(signs) > 0 else "Intervals are too narrow (over-confident)"


def _implied_outer(inner: float, n: int) -> tuple[float, float]:
    """The share in the 90 % interval if only the spread is off, and the standard error of the difference to it."""
    s = float(np.clip(inner, 0.5 / n, 1.0 - 0.5 / n))
    z = norm.ppf(0.5 + 0.5 * s)
    per = norm.ppf(0.95) / norm.ppf(0.75)
    implied = 2.0 * norm.cdf(per * z) - 1.0
    slope = per * norm.pdf(per * z) / norm.pdf(z)
    variance = implied * (1.0 - implied) + slope**2 * s * (1.0 - s) - 2.0 * slope * s * (1.0 - implied)
    return float(implied), float(np.sqrt(max(variance, 1.0 / n) / n))


def _sign(difference: float, error: float) -> int:
    """1 or −1 where the difference is more than chance, else 0."""
    return int(np.sign(difference)) if abs(difference) > CLEAR * error else 0
