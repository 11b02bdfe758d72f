"""The questions about likelihoods: densities, and R-sens and R-sens₂ of predictions from a latent Gaussian."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from experiments._accuracy.questions import DENSITY, NORM, SECOND, Point, Question, density_error, each
from rsens.likelihoods import ALL_LIKELIHOODS, Likelihood, through_likelihood
from rsens.measures import rsens2_of, rsens_of
from tests.distributions import exact
from tests.distributions.precision import mp
from tests.likelihoods import oracle
from tests.likelihoods.cases import CASES, PREDICTIVE

PREDICTIVE_DENSITY = "log predictive density"
MEANS = (-30.0, -6.0, -0.4, 0.3, 5.0, 30.0)
VARIANCES = (0.0, 1e-12, 1e-3, 0.5, 4.1, 30.0, 400.0)
#: Derivatives of (m, v) in two columns and in their pair: (m_0, m_1, m_01), (v_0, v_1, v_01).
MOVES = (
    ((1.0, 2.0, 0.5), (0.0, 0.0, 0.0)),
    ((0.0, 0.0, 0.0), (1.0, 0.5, 0.25)),
    ((1.0, -0.5, 0.25), (0.3, 0.2, 0.1)),
)


def likelihood_questions() -> Iterator[Question]:
    """All of them, for every likelihood there is; one without cases is an error."""
    for likelihood in ALL_LIKELIHOODS:
        yield from questions_of(likelihood.name)


def questions_of(name: str) -> Iterator[Question]:
    """Questions about one likelihood."""
    by_text = {str(case.likelihood): case.likelihood for case in CASES if case.likelihood.name == name}
    by_text |= {str(k): k for k, _ in PREDICTIVE if k.name == name}
    if not by_text:
        raise LookupError(f"tests/likelihoods/cases.py has no case of {name}")
    yield Question(name, DENSITY, densities(name), each(density(by_text)), stored_density(), density_error)
    yield Question(
        name, PREDICTIVE_DENSITY, predictives(name), each(predictive(by_text)), stored_predictive(), density_error
    )
    points = [
        {"likelihood": text, "m": m, "v": v, "move": move}
        for text in by_text
        for m in MEANS
        for v in VARIANCES
        for move in range(len(MOVES))
    ]
    for order, quantity in ((1, NORM), (2, SECOND)):
        yield Question(name, quantity, points, each(sensitivity(by_text, order)), exact_sensitivity(by_text, order))


# ---- densities -------------------------------------------------------------------------------------------------------


def densities(name: str) -> list[Point]:
    return [
        {"likelihood": str(case), "y": float(y), "f": float(f)}
        for case in CASES
        if case.likelihood.name == name
        for y, f in zip(case.y, case.f, strict=True)
    ]


def predictives(name: str) -> list[Point]:
    return [
        {"likelihood": str(k), "y": y, "m": m, "v": v}
        for k, points in PREDICTIVE
        if k.name == name
        for y, m, v in points
    ]


def density(by_text: dict[str, Likelihood]) -> Callable[[Point], Any]:
    return lambda at: by_text[at["likelihood"]].log_density(np.array([at["y"]]), np.array([at["f"]]))


def stored_density() -> Callable[[Point], Any]:
    def value(at: Point) -> Any:
        case = next(case for case in CASES if str(case) == at["likelihood"])
        place = np.flatnonzero((case.y == at["y"]) & (case.f == at["f"]))[0]
        return mp.mpf(oracle.stored("density", case)[place][0])

    return value


def predictive(by_text: dict[str, Likelihood]) -> Callable[[Point], Any]:
    return lambda at: by_text[at["likelihood"]].log_predictive_density(np.array([at["y"]]), at["m"], at["v"])


def stored_predictive() -> Callable[[Point], Any]:
    def value(at: Point) -> Any:
        likelihood, points = next((k, points) for k, points in PREDICTIVE if str(k) == at["likelihood"])
        return mp.mpf(oracle.stored("predictive", likelihood)[points.index((at["y"], at["m"], at["v"]))])

    return value


# ---- sensitivities ---------------------------------------------------------------------------------------------------


def sensitivity(by_text: dict[str, Likelihood], order: int) -> Callable[[Point], Any]:
    """R-sens in both columns, or R-sens₂ of their pair."""

    def value(at: Point) -> Any:
        first = np.array([[change[:2] for change in MOVES[at["move"]]]])
        second = np.array([[[[0.0, change[2]], [change[2], 0.0]] for change in MOVES[at["move"]]]])
        m, v = np.array([at["m"]]), np.array([at["v"]])
        record = through_likelihood(by_text[at["likelihood"]], m, v, first, second if order == 2 else None)
        return rsens_of(record, 1.0) if order == 1 else rsens2_of(record, 1.0)[:, 0, 1]

    return value


def exact_sensitivity(by_text: dict[str, Likelihood], order: int) -> Callable[[Point], Any]:
    """The chain rule and the Fisher norm, written out."""

    def value(at: Point) -> Any:
        with mp.workdps(400):
            partials, norm = prediction(by_text[at["likelihood"]], at["m"], at["v"])
            (m0, m1, m01), (v0, v1, v01) = ([mp.mpf(x) for x in change] for change in MOVES[at["move"]])
            if order == 1:
                return [norm([p[0] * dm + p[1] * dv for p in partials]) for dm, dv in ((m0, v0), (m1, v1))]
            return norm(
                [
                    by_m * m01
                    + by_v * v01
                    + by_mm * m0 * m1
                    + by_mv * (m0 * v1 + v0 * m1)
                    + by_vv * v0 * v1
                    for by_m, by_v, by_mm, by_mv, by_vv in partials
                ]
            )  # fmt: skip

    return value


def prediction(likelihood: Any, m: float, v: float) -> tuple[list[list[Any]], Callable[[list[Any]], Any]]:
    """∂λ/∂(m, v) to second order (by m, v, mm, mv, vv) for each parameter, and the Fisher norm at λ."""
    mean, variance = mp.mpf(m), mp.mpf(v)
    match likelihood.name:
        case "gaussian":
            scale2 = variance + mp.mpf(likelihood.noise_variance)
            return [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]], diagonal([1 / scale2, 1 / (2 * scale2**2)])
        case "student_t":
            df = mp.mpf(likelihood.df)
            share = (df - 2) / df
            family = exact.StudentT(m, 1.0, likelihood.df)
            family.scale2 = mp.mpf(likelihood.scale2) + variance * share
            information = family.information()
            return [[1, 0, 0, 0, 0], [0, share, 0, 0, 0]], diagonal([information[0, 0], information[1, 1]])
        case "poisson" | "negative_binomial":
            rate = mp.exp(mean + variance / 2)
            size = mp.inf if likelihood.name == "poisson" else mp.mpf(likelihood.size)
            information = 1 / rate if mp.isinf(size) else size / (rate * (rate + size))
            return [[rate * x for x in (1, mp.mpf(1) / 2, 1, mp.mpf(1) / 2, mp.mpf(1) / 4)]], diagonal([information])
        case "probit" | "logit":
            chance, rest, d1, d2, d3, d4 = class_probability(likelihood.name, m, v)
            return [[d1, d2 / 2, d2, d3 / 2, d4 / 4]], diagonal([1 / (chance * rest)])
    raise LookupError(f"{likelihood.name} has no exact prediction here")


def diagonal(information: list[Any]) -> Callable[[list[Any]], Any]:
    return lambda u: mp.sqrt(mp.fsum(i * x**2 for i, x in zip(information, u, strict=True)))


@cache
def class_probability(link: str, m: float, v: float) -> tuple[Any, ...]:
    """π, 1 − π and ∂_m^k π, k = 1 … 4, for which ∂_v = ½ ∂²_m."""
    if link == "probit":
        with mp.workdps(400):
            z, s = mp.mpf(m) / mp.sqrt(1 + mp.mpf(v)), mp.sqrt(1 + mp.mpf(v))
            slopes = [mp.diff(mp.npdf, z, k) / s ** (k + 1) for k in range(4)]
            return mp.ncdf(z), mp.ncdf(-z), *slopes
    if v == 0.0:
        with mp.workdps(400):
            x = mp.mpf(m)
            return logistic(x), logistic(-x), *(mp.diff(logistic, x, k) for k in (1, 2, 3, 4))
    with mp.workdps(250):  # as many as they come with, so that 1 − π has its own
        chance, *slopes = (mp.mpf(value) for value in oracle.link_moments(oracle.logit_link, m, v))
        return chance, 1 - chance, *slopes


def logistic(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))
