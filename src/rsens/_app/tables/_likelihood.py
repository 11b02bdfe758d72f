"""The likelihood that suits a target, with the reason in words.

The rule of "auto":

1. Text, truth values, categories, and whole numbers with two different values are classes; at most 20 of them.
2. Whole numbers, none negative, are counts if they look like counts: five different values or more, the smallest
   below 10, and a variance not below the mean. (Counts vary at least as much as a Poisson count does; whole numbers
   that vary less, such as marks from 1 to 10, are rather a measurement. Counts that are all large are nearly Gaussian.)
   They are negative binomial if the variance is more than twice the mean, else Poisson.
3. All other numbers are Gaussian.

"Not below the mean" allows for chance: the ratio variance/mean of n Poisson counts has a standard deviation of √(2/n),
and three of them below 1 still pass. Whole numbers such as an age from 0 to 90 pass as counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables._cells import in_order
from rsens._arguments import one_of
from rsens._errors import Argument, InputError, Sentence
from rsens._table import factorized, holds_labels
from rsens._text import quoted
from rsens._typing import Array
from rsens.likelihoods import likelihood_names, target_of

#: There is one model per class: more classes than this are probably a mistake.
MOST_CLASSES = 20
#: Counts have at least this many different values, and the smallest is below this.
LEAST_VALUES, SMALL = 5, 10

#: The rule above, or classes, whose likelihood is the link of the classifier.
AUTO, CLASSES = "auto", "classification"
#: The reason of a likelihood that nobody had to choose begins like this.
AS_ASKED = "as asked for"


@dataclass(frozen=True)
class Choice:
    """A likelihood by name, the reason for it, and the classes in order if it is "classification"."""

    kind: str
    reason: str
    classes: tuple[Any, ...] | None = None


def likelihood_choices() -> tuple[str, ...]:
    """The choices: "auto", every likelihood of numbers or counts by its name, and "classification"."""
    return (AUTO, *likelihood_names(), CLASSES)


def choose_likelihood(y: Any, likelihood: str = AUTO) -> Choice:
    """The likelihood that suits the target y, by the rule above; or the likelihood asked for, if y allows it."""
    one_of(likelihood, "likelihood", likelihood_choices())
    target = y if isinstance(y, pd.Series) else pd.Series(np.asarray(y))
    wrong = "the target" if target.name is None else f"the target {str(target.name)!r}"
    if target.isna().any():
        raise InputError(f"{wrong} has missing values. Drop these rows.")
    if holds_labels(target.to_frame(), 0):
        if likelihood not in (AUTO, CLASSES):
            wrong = f"{wrong} has labels, not numbers: it cannot be {likelihood!r}. Use "
            raise InputError(wrong, Argument("likelihood", AUTO), ".")
        return _classes(target, wrong, "")
    if target.dtype.kind not in "iuf":
        raise InputError(f"{wrong} must have numbers or labels; got {target.dtype}.")
    values = target.to_numpy(dtype=np.float64)
    whole = values == np.floor(values)
    different = np.unique(values)
    if likelihood == CLASSES or (likelihood == AUTO and whole.all() and len(different) == 2):
        return _classes(target, wrong, f"{AS_ASKED}: " if likelihood == CLASSES else "two different whole numbers: ")
    if likelihood == AUTO:
        return _automatic(values, different)
    no_counts = values[(values < 0.0) | ~whole]
    if target_of(likelihood) == "counts" and len(no_counts):
        wrong = f"{wrong} has {_number(no_counts[0])}, which is not a count: {likelihood!r} needs"
        raise InputError(f"{wrong} whole numbers of at least 0. Use ", Argument("likelihood", "gaussian"), ".")
    return Choice(likelihood, AS_ASKED)


def _automatic(values: Array, different: Array) -> Choice:
    words = f"numbers from {_number(different[0])} to {_number(different[-1])}"
    if (different != np.floor(different)).any():
        return Choice("gaussian", words)
    words = f"whole {words}"
    if different[0] < 0.0:
        return Choice("gaussian", f"{words}, some of them negative")
    if len(different) < LEAST_VALUES:
        words += f" with only {len(different)} different values: taken as a number. If they are classes, use "
        return Choice("gaussian", Sentence(words, Argument("likelihood", CLASSES)))
    if different[0] >= SMALL:
        return Choice("gaussian", f"{words}, none below {SMALL}: a measurement rather than a count")
    mean, variance = float(values.mean()), float(values.var(ddof=1))
    words = f"{words}, mean {_number(mean)}, variance {_number(variance)}"
    if variance / mean < 1.0 - 3.0 * np.sqrt(2.0 / len(values)):
        return Choice("gaussian", f"{words}: less spread than counts have, so a measurement rather than a count")
    if variance > 2.0 * mean:
        return Choice("negative_binomial", f"{words}: counts with more spread than Poisson")
    return Choice("poisson", f"{words}: counts with about the spread of Poisson")


def _classes(target: Any, wrong: str, words: str) -> Choice:
    labels = in_order(factorized(target)[1])
    if len(labels) == 1:
        raise InputError(f"{wrong} has only one value, {labels[0]!r}: there is nothing to explain.")
    if len(labels) > MOST_CLASSES:
        few = f"more than {MOST_CLASSES} classes. Group them; or, if they are amounts, use "
        raise InputError(f"{wrong} has {len(labels)} different values; {few}", Argument("likelihood", "gaussian"), ".")
    return Choice(CLASSES, f"{words}{len(labels)} classes, {quoted(labels, 5)}", labels)


def _number(value: float) -> str:
    """Three or so digits of a number that may be large or small."""
    in_full = abs(value) < 1e15 and (value == round(value) or abs(value) >= 1000.0)
    return f"{value:,.0f}" if in_full else f"{value:.3g}"
