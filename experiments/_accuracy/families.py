"""The questions about families: log density, R-sens, R-sens₂, Fisher information, divergence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from experiments._accuracy.grids import ORDERS, QUANTILES, ROWS, STORED_PAIRS, Row, neighbours
from experiments._accuracy.questions import (
    DENSITY,
    DIVERGENCE,
    FISHER,
    NORM,
    SECOND,
    Point,
    Question,
    density_error,
    each,
)
from rsens import InputError, distributions
from rsens.derivatives import Derivatives
from rsens.distributions import ALL_FAMILIES, Distribution
from rsens.measures import rsens2_of, rsens_of
from tests.distributions import exact, test_mixture
from tests.distributions.check import batch, divergence, grouped, key, stored
from tests.distributions.exact_renyi import renyi as exact_renyi
from tests.distributions.precision import FLOAT_MAX, mp

COUNTS = ("Binomial", "Poisson", "NegativeBinomial")


def family_questions() -> Iterator[Question]:
    """All of them, for every family there is."""
    for family in ALL_FAMILIES:
        yield from questions_of(family.__name__)


def questions_of(name: str) -> Iterator[Question]:
    """Questions about one family; a family without a grid is an error."""
    grid = ROWS[name]
    points = [{"row": row, "y": y} for row in grid for y in values_of(name, row)]
    yield Question(name, DENSITY, points, each(log_prob(name)), exact_log_prob(name), density_error)
    moves = [{"row": row, "u": u} for row in grid for u in directions(name, row)]
    yield Question(name, NORM, moves, each(first_order(name)), exact_norm(name))
    yield Question(name, SECOND, moves, each(second_order(name)), exact_norm(name))
    if name not in ("Mixture", "MultivariateNormal"):  # R-sens asks for all they have
        yield Question(name, FISHER, [{"row": row} for row in grid], each(fisher(name)), exact_fisher(name))
    yield Question(name, DIVERGENCE, pairs_of(name), renyi(name), exact_divergence(name))


# ---- in float64 ------------------------------------------------------------------------------------------------------


def library(name: str, row: Row) -> Distribution:
    """One row of a family."""
    if name == "Mixture":
        component, arguments, weights = row["mixture"]
        return test_mixture.library((component, arguments, weights))
    shared = {"borders": np.array(row["borders"])} if "borders" in row else {}
    return getattr(distributions, name)(**{k: np.array([v]) for k, v in row.items() if k not in shared}, **shared)


def log_prob(name: str) -> Callable[[Point], Any]:
    return lambda point: library(name, point["row"]).log_prob(np.array([point["y"]]))


def first_order(name: str) -> Callable[[Point], Any]:
    def value(point: Point) -> Any:
        return rsens_of(Derivatives(library(name, point["row"]), np.array(point["u"])[None, :, None]), 1.0)

    return value


def second_order(name: str) -> Callable[[Point], Any]:
    def value(point: Point) -> Any:
        u = np.array(point["u"])[None, :, None]
        return rsens2_of(Derivatives(library(name, point["row"]), np.zeros_like(u), u[..., None]), 1.0)

    return value


def fisher(name: str) -> Callable[[Point], Any]:
    def value(point: Point) -> Any:
        try:
            return library(name, point["row"]).fisher()
        except InputError:  # an entry is beyond float64, it says
            return np.inf

    return value


def renyi(name: str) -> Callable[[Sequence[Point]], Any]:
    """All pairs of one order at once, where rows fit in one array."""
    if name in ("Mixture", "Histogram"):
        return each(lambda point: library(name, point["row"]).renyi(library(name, point["other"]), order(point)))

    def values(points: Sequence[Point]) -> Any:
        found = np.full(len(points), np.nan)
        for group in grouped(list(enumerate(points)), lambda item: (item[1]["order"], *item[1]["row"])):
            places, members = zip(*group, strict=True)
            p, q = (batch(name, [point[side] for point in members]) for side in ("row", "other"))
            found[list(places)] = p.renyi(q, order(members[0]))
        return found

    return values


def order(point: Point) -> float:
    return float(point["order"])  # JSON has no infinity: it is a text there


# ---- in 60 digits ----------------------------------------------------------------------------------------------------


def oracle(name: str, row: Row) -> Any:
    if name == "Mixture":
        component, arguments, weights = row["mixture"]
        return test_mixture.oracle((component, arguments, weights))
    if name == "Histogram":
        return exact.Categorical(row["probabilities"])
    return exact.FAMILIES[name](**row)


def exact_log_prob(name: str) -> Callable[[Point], Any]:
    def value(point: Point) -> Any:
        row, y = point["row"], point["y"]
        if name == "Histogram":
            place = int(np.searchsorted(row["borders"], y, side="right")) - 1
            width = mp.mpf(row["borders"][place + 1]) - mp.mpf(row["borders"][place])
            return mp.log(mp.mpf(row["probabilities"][place]) / width)
        return oracle(name, row).log_prob(y if isinstance(y, list) else mp.mpf(y))

    return value


def exact_norm(name: str) -> Callable[[Point], Any]:
    def value(point: Point) -> Any:
        row, u = point["row"], point["u"]
        if name == "Mixture":
            return stored(key("Mixture", row["mixture"], u))
        if name == "NegativeBinomial":
            information = exact_fisher(name)({"row": row})
            return mp.sqrt(information[0] * mp.mpf(u[0]) ** 2 + information[3] * mp.mpf(u[1]) ** 2)
        if name == "MultivariateNormal":
            return oracle(name, row).norm_of(u[:2], [[u[2], u[3]], [u[3], u[4]]])
        return oracle(name, row).norm(u)

    return value


def exact_fisher(name: str) -> Callable[[Point], Any]:
    def value(point: Point) -> Any:
        if name == "NegativeBinomial":
            row = point["row"]
            mean, size = mp.mpf(row["mean"]), mp.mpf(row["size"])
            return [size / (mean * (mean + size)), mp.zero, mp.zero, stored(key(name, row, [0.0, 1.0])) ** 2]
        information = oracle(name, point["row"]).information()
        entries = [information[i, j] for i in range(information.rows) for j in range(information.cols)]
        return mp.inf if max(entries) > FLOAT_MAX else entries

    return value


def exact_divergence(name: str) -> Callable[[Point], Any]:
    def value(point: Point) -> Any:
        if name == "Mixture":
            return stored(key("Mixture", point["row"]["mixture"], point["other"]["mixture"], order(point)))
        if name == "Histogram":
            return exact_renyi(oracle(name, point["row"]), oracle(name, point["other"]), order(point))
        return divergence(name, point["row"], point["other"], order(point))

    return value


# ---- the points ------------------------------------------------------------------------------------------------------


def values_of(name: str, row: Row) -> list[Any]:
    """y where the density is asked."""
    match name:
        case "Mixture":
            return [y for mixture, y in test_mixture.POINTS if list(mixture) == row["mixture"]]
        case "MultivariateNormal":
            scale = row["covariance"][0][0] ** 0.5
            return [[row["mean"][0] + k * scale, row["mean"][1] + l] for k, l in ((0.0, 0.0), (1.0, -1.0), (7.0, 6.5))]
        case "Bernoulli":
            return [0.0, 1.0]
        case "Categorical":
            return [0.0, 1.0, 2.0]
        case "Histogram":
            return [0.5 * (low + high) for low, high in zip(row["borders"], row["borders"][1:], strict=False)]
    found = library(name, row).quantile(np.array(QUANTILES)[:, None]).ravel()
    low = -np.inf if name in ("Normal", "StudentT") else -1.0 if name in COUNTS else 0.0
    high = 1.0 if name == "Beta" else np.inf
    return sorted({float(y) for y in found if low < y < high})  # a quantile may be rounded to the end of the support


def directions(name: str, row: Row) -> list[list[float]]:
    """Changes of λ: of each parameter in units of its size, and of all together with either sign."""
    match name:
        case "Mixture":
            return [u for mixture, u in test_mixture.DIRECTIONS if list(mixture) == row["mixture"]]
        case "MultivariateNormal":
            s = row["covariance"][0][0] ** 0.5
            return [[s, 0, 0, 0, 0], [s, 1, 0, 0, 0], [0, 0, s**2, 0, 0], [0, 0, 0, s, 0], [0.3 * s, -1, s**2, s, 1]]
        case "Categorical" | "Histogram":
            return [[0.25, -0.25, 0.0], [1e-13, 0.0, -1e-13], [0.125, 0.25, -0.375]]
        case "Normal":
            sizes = [row["variance"] ** 0.5, row["variance"]]
        case "StudentT":
            sizes = [row["scale2"] ** 0.5, row["scale2"]]
        case "LogNormal":
            sizes = [row["sigma2"] ** 0.5, row["sigma2"]]
        case "Bernoulli" | "Binomial":
            return [[1.0], [-1e-10]]
        case _:
            sizes = [row[parameter] for parameter in oracle(name, row).parameters]
    single = [[size if i == j else 0.0 for j in range(len(sizes))] for i, size in enumerate(sizes)]
    together = [[size * sign**i for i, size in enumerate(sizes)] for sign in (1, -1)]
    return single + together if len(sizes) > 1 else single


def pairs_of(name: str) -> list[Point]:
    """Pairs of rows and orders, in both directions where both are known."""
    if name == "Mixture":
        return [
            {"row": {"mixture": list(p)}, "other": {"mixture": list(q)}, "order": str(alpha)}
            for p, q in test_mixture.PAIRS
            for alpha in test_mixture.ALPHAS
        ]
    known = STORED_PAIRS.get(name)
    pairs = known if known is not None else [(row, other) for row in ROWS[name] for other in neighbours(name, row)]
    both = [*pairs, *((other, row) for row, other in pairs)]
    return [{"row": p, "other": q, "order": str(alpha)} for p, q in both for alpha in ORDERS]
