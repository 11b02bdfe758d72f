"""A family written outside the package, following CONTRIBUTING: it obeys every law, and every call takes it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pytest
from scipy import stats

import rsens
from rsens import from_function
from rsens._typing import Array
from rsens.distributions import ALL_FAMILIES, Exponential, Univariate
from tests import test_conformance as conformance
from tests.distributions import test_laws as laws
from tests.distributions.cases import Case, a, positive


@dataclass(frozen=True, eq=False)
class Rayleigh(Univariate):
    """Rayleigh(scale): y²/2 is exponential with mean scale². λ = scale, I = 4/scale²."""

    scale: Any
    domains: ClassVar[dict[str, Any]] = {"scale": Exponential.domains["mean"]}

    @property
    def mean(self) -> Array:
        return np.sqrt(0.5 * np.pi) * self._checked.scale

    @property
    def variance(self) -> Array:
        return (2.0 - 0.5 * np.pi) * self._checked.scale**2

    def _log_prob(self, y: Array) -> Array:
        z = np.where(y > 0.0, y, 1.0) / self.scale
        return np.where(y > 0.0, np.log(z) - np.log(self.scale) - 0.5 * z**2, -np.inf)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        return rng.rayleigh(self.scale, size + self.scale.shape)

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        return self.scale * np.sqrt(-2.0 * (np.log(q) if upper else np.log1p(-q)))

    def _cdf(self, y: Array, upper: bool) -> Array:
        t = 0.5 * (np.maximum(y, 0.0) / self.scale) ** 2
        return np.exp(-t) if upper else -np.expm1(-t)

    def _renyi(self, other: Self, alpha: float) -> Array:
        return Exponential(self.scale**2).renyi(Exponential(other.scale**2), alpha)

    def _whiten(self, u: Array, row: Callable[[Array], Array]) -> list[Array]:
        return [2.0 * u[0] / row(self.scale)]

    def _score(self, y: Array) -> Array:
        return (((y / self.scale) ** 2 - 2.0) / self.scale)[..., None]

    def _prediction_gradient(self) -> Array:
        return np.full((*self.scale.shape, 1, 1), np.sqrt(0.5 * np.pi))


@pytest.fixture(autouse=True)
def listed() -> Iterator[None]:
    """The one line that adds a family, for the time of a test."""
    ALL_FAMILIES.append(Rayleigh)
    yield
    ALL_FAMILIES.remove(Rayleigh)


CASE = Case(
    "Rayleigh", "Rayleigh", lambda rows: Rayleigh(rows[..., 0]), a([2.0], [0.3], [20.0]), a([2.5], [0.4], [24.0]),
    ("scale",), positive, lambda p: stats.rayleigh(scale=p[0]), {}, lambda p: np.sqrt(0.5 * np.pi) * p,
)  # fmt: skip


def every_law(module: Any) -> list[Any]:
    """The tests of a module that run on a case, with every α they ask for."""
    chosen = []
    for name, law in vars(module).items():
        arguments = set(inspect.signature(law).parameters) if name.startswith("test_") else set()
        marks = {mark.args[0]: mark.args[1] for mark in getattr(law, "pytestmark", ())}
        if arguments == {"case"}:
            chosen.append(pytest.param(law, {}, id=name))
        elif arguments == {"case", "alpha"}:
            chosen += [pytest.param(law, {"alpha": alpha}, id=f"{name}-{alpha}") for alpha in marks["alpha"]]
    return chosen


@pytest.mark.parametrize(("law", "options"), every_law(laws))
def test_the_laws_of_all_families_hold(law: Callable[..., None], options: dict[str, float]) -> None:
    law(CASE, **options)


def test_the_laws_were_found_and_the_methods_are_there() -> None:
    found = {parameter.values[0] for parameter in every_law(laws)}
    assert {laws.test_fisher_is_the_curvature_of_the_divergence, laws.test_divergence_is_skew_symmetric} <= found
    conformance.test_methods(Rayleigh)


@pytest.mark.parametrize(("law", "options"), every_law(conformance))
def test_it_offers_what_every_family_does(law: Callable[..., None], options: dict[str, float]) -> None:
    law(CASE, **options)


X = np.random.default_rng(0).normal(size=(20, 2))


def model() -> Any:
    """scale = exp(x0 x1 / 2), so that ∂scale/scale = (x1, x0)/2."""
    return from_function(lambda X: Rayleigh(np.exp(0.5 * X[:, 0] * X[:, 1])))


def test_rsens_and_rsens2() -> None:
    """sqrt(α) |∂scale| · 2/scale. First differences are right to 1e-9 of the values, second ones to 1e-6."""
    np.testing.assert_allclose(rsens.rsens(model(), X, alpha=4.0), 2.0 * np.abs(X[:, ::-1]), atol=1e-8)
    cross = np.abs(1.0 + 0.5 * X[:, 0] * X[:, 1])
    np.testing.assert_allclose(rsens.rsens2(model(), X)[:, 0, 1], cross, atol=1e-5)


def test_explain(tmp_path: Any) -> None:
    explanation = rsens.explain(model(), X, scale="raw", null=False, random_state=0)
    np.testing.assert_allclose(explanation.main, np.abs(X[:, ::-1]).mean(axis=0), atol=1e-8)
    explanation.save(tmp_path / "explanation.json")
    np.testing.assert_array_equal(rsens.Explanation.load(tmp_path / "explanation.json").main, explanation.main)
