"""The features of a linear model: continuous columns as they are, and an indicator for each level of a category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._coding import Coding
from rsens._errors import InputError
from rsens._typing import Array

#: The covariance of so many coefficients takes 200 MB.
MOST_FEATURES = 5000


@dataclass(frozen=True, eq=False)
class Features:
    """φ(x) (P,): x_d for a continuous column, [x_c = l] for each level l of a categorical one, column after column."""

    names: tuple[str, ...]
    columns: NDArray[np.intp]  # the column of each feature (P,)
    levels: Array  # the level code of an indicator, NaN for a number (P,)
    n_columns: int

    def __len__(self) -> int:
        return len(self.names)

    @property
    def indicator(self) -> NDArray[np.bool_]:
        """Which features are indicators."""
        return ~np.isnan(self.levels)

    @property
    def plain(self) -> bool:
        """Whether φ(x) = x."""
        return len(self) == self.n_columns and not self.indicator.any()

    def of(self, rows: Array) -> Array:
        """φ at each row, (n, P)."""
        if self.plain:
            return rows
        values = rows[:, self.columns]
        return np.where(self.indicator, values == self.levels, values)

    @property
    def numbers(self) -> slice | NDArray[np.intp]:
        """Which features can be differentiated."""
        return slice(None) if self.plain else np.flatnonzero(~self.indicator)

    def in_columns(self, values: Array, axes: int) -> Array:
        """Derivatives in the D columns, from derivatives in the C numbers: (…, C) for one axis, (…, C, C) for two.

        They are 0 in categorical columns.
        """
        if self.plain:
            return values
        places = self.columns[self.numbers]
        full = np.zeros((*values.shape[:-axes], *(self.n_columns,) * axes))
        if axes == 1:
            full[..., places] = values
        else:
            full[..., places[:, np.newaxis], places] = values
        return full


def features_of(names: Sequence[str], coding: Coding | None, *, proper: bool, intercept: bool) -> Features:
    """The features of the columns. If the effects of levels have a proper prior, every level has an indicator.

    Under a flat prior the indicators must not be collinear: the first level of a column has none, its effect is part of
    the intercept. Without an intercept, the first categorical column takes its place and keeps all its levels.
    """
    features: list[tuple[str, int, float]] = []
    dropped = 0 if proper else 1
    skipped = dropped if intercept else 0
    for d, name in enumerate(names):
        if coding is None or d not in coding.categorical:
            features.append((name, d, np.nan))
            continue
        labels = list(enumerate(coding[d].labels))
        features += [(f"{name}={_text(label)}", d, float(code)) for code, label in labels[skipped:]]
        skipped = dropped
    if len(features) > MOST_FEATURES:
        raise InputError(
            f"a linear model keeps the covariance of its coefficients, and can have {MOST_FEATURES} of them; got "
            f"{len(features)} from {len(names)} columns. Drop columns, or use GPRegressor or GPClassifier, which keep "
            "the covariance of the rows."
        )
    return Features(
        tuple(name for name, _, _ in features),
        np.array([d for _, d, _ in features], dtype=np.intp),
        np.array([level for _, _, level in features], dtype=np.float64),
        len(names),
    )


def _text(label: Any) -> str:
    return f"{label:g}" if isinstance(label, float) else str(label)
