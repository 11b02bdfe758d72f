"""Where families are asked: scales from 1e-8 to 1e8, probabilities to 1e-12 of either end, shapes from 0.1 to 1e5."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from tests.distributions import test_mixture
from tests.distributions.check import SLOW
from tests.distributions.extremes import COUNTS, EXTREMES

Row = dict[str, Any]

SCALES = (1e-8, 1e-3, 1.0, 1e3, 1e8)
VARIANCES = tuple(scale**2 for scale in SCALES)
SHAPES = (0.1, 1.0, 9.99, 30.0, 1e3, 1e5)
CHANCES = (1e-12, 1e-6, 0.3, 0.5, 1.0 - 1e-6, 1.0 - 1e-12)
#: At 600 the square of a small step still has a divergence that a float64 can hold.
LOGITS = (-600.0, -27.6, -1e-9, 0.4, 27.6, 600.0)
#: Quantiles at which densities are asked.
QUANTILES = (1e-12, 1e-3, 0.3, 0.5, 0.999, 1.0 - 1e-12)
#: Orders of divergences; those near 1 come from both sides.
ORDERS = (0.0, 1e-3, 0.3, 0.5, 1.0 - 1e-9, 1.0, 1.0 + 1e-9, 1.5, 2.0, 10.0, float("inf"))


def rows(**values: tuple[Any, ...]) -> list[Row]:
    """Every combination of arguments."""
    return [dict(zip(values, combination, strict=True)) for combination in product(*values.values())]


def correlated(scale: float, correlation: float) -> Row:
    """Two outputs with deviations scale and 1."""
    off = scale * correlation
    return {"mean": [0.5 * scale, -1.0], "covariance": [[scale**2, off], [off, 1.0]]}


#: They add up to 1 in exact arithmetic too; 2⁻⁴⁰ is 1e-12.
CLASSES = [
    [0.25, 0.25, 0.5],
    [2.0**-40, 0.3125, 0.6875 - 2.0**-40],
    [1.0 - 2.0**-39, 2.0**-40, 2.0**-40],
    [2.0**-20, 1.0 - 2.0**-10, 2.0**-10 - 2.0**-20],
]
BORDERS = [[-1.0, 0.5, 1.0, 4.0], [0.0, 1e-8, 1.0, 1e8]]

ROWS: dict[str, list[Row]] = {
    "Normal": rows(mean=(0.0, 1.0, -1e8), variance=VARIANCES),
    "StudentT": rows(location=(0.0, 1e8), scale2=VARIANCES, df=(0.1, 1.0, 2.0 + 1e-6, 4.0, 30.0, 1e5, 1e8)),
    "LogNormal": rows(mu=(-18.0, 0.0, 1e-8, 18.0), sigma2=(1e-16, 1e-6, 1.0, 25.0, 400.0)),
    "Gamma": rows(mean=SCALES, shape=SHAPES),
    "Exponential": rows(mean=SCALES),
    "Beta": rows(a=SHAPES, b=SHAPES),
    "Weibull": rows(shape=SHAPES, scale=SCALES),
    "Bernoulli": rows(probability=CHANCES) + rows(logit=LOGITS),
    "Binomial": rows(n=(1.0, 12.0, 1e5), probability=CHANCES) + rows(n=(1.0, 12.0, 1e5), logit=LOGITS),
    "Categorical": [{"probabilities": p} for p in CLASSES],
    "Histogram": [{"borders": b, "probabilities": p} for b in BORDERS for p in CLASSES],
    "Poisson": rows(rate=(1e-8, 1e-3, 1.0, 7.0, 1e3, 1e8)),
    # Their information takes a long sum, which is stored for these rows.
    "NegativeBinomial": [{"mean": mean, "size": size} for mean, size in COUNTS],
    "MultivariateNormal": [
        correlated(scale, correlation)
        for scale in SCALES
        for correlation in (0.0, 0.5, -0.9, 1.0 - 1e-6, 1.0 - 1e-9)
    ],
    "Mixture": [
        {"mixture": list(row)} for row in {str(row): row for row, _ in test_mixture.DIRECTIONS}.values()
    ],
}  # fmt: skip

#: Divergences without a closed form take quadrature in 60 digits: these pairs are stored, and extreme in their own way.
STORED_PAIRS: dict[str, list[tuple[Any, Any]]] = {name: EXTREMES[name].pairs for name in SLOW}


def _times(row: Row, **factors: float) -> Row:
    return {name: value * factors.get(name, 1.0) for name, value in row.items()}


def _shifted(row: Row, location: str, scale: Callable[[Row], float], by: float) -> Row:
    return {**row, location: row[location] + by * scale(row)}


def neighbours(name: str, row: Row) -> Iterator[Row]:
    """Other parameters to diverge from: nearly the same, moved, and far away."""
    match name:
        case "Normal":
            spread = row["variance"] ** 0.5
            for step, factor in ((1e-6, 1.0 + 1e-6), (0.0, 1.0 + 1e-3), (0.5, 1.3), (0.0, 0.6), (30.0, 1.0)):
                yield {"mean": row["mean"] + step * spread, "variance": row["variance"] * factor}
        case "LogNormal":
            spread = row["sigma2"] ** 0.5
            for step, factor in ((1e-6, 1.0 + 1e-6), (0.0, 1.0 + 1e-3), (0.5, 1.3), (0.0, 0.6), (30.0, 1.0)):
                yield {"mu": row["mu"] + step * spread, "sigma2": row["sigma2"] * factor}
        case "Gamma" | "Exponential" | "Poisson" | "Beta":
            first, *rest = row
            steps = ((1 + 1e-6, 1.0), (1.0, 1 + 1e-5), (1 + 1e-6, 1 + 3e-6), (1.3, 0.8), (0.7, 1.0), (1e3, 10.0))
            for one, others in steps:
                yield _times(row, **{first: one}, **dict.fromkeys(rest, others))
        case "Bernoulli" | "Binomial":
            fixed = {"n": row["n"]} if "n" in row else {}
            if "logit" in row:
                for step in (1e-6, 0.3, -3.0):
                    yield {**fixed, "logit": row["logit"] + step}
            for chance in (row["probability"] * (1.0 - 1e-6), *CHANCES) if "probability" in row else ():
                yield {**fixed, "probability": chance}
        case "Categorical" | "Histogram":
            for classes in CLASSES:
                yield {**row, "probabilities": classes}
        case "MultivariateNormal":
            scale = row["covariance"][0][0] ** 0.5
            for step, factor in ((1e-6, 1.0), (0.0, 1.0 + 1e-4), (0.3, 1.5), (-2.0, 0.7)):
                mean = [row["mean"][0] + step * scale, row["mean"][1] + step]
                yield {"mean": mean, "covariance": [[factor * c for c in line] for line in row["covariance"]]}
