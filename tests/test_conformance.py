"""Every family has the promised interface: names, signatures, attributes, shapes. Laws are in tests/distributions."""

import inspect
from typing import Any

import numpy as np
import pytest

import rsens
from rsens import distributions
from rsens.distributions import ALL_FAMILIES, Distribution
from tests.distributions.cases import CASES, Case

#: Constructor arguments.
SIGNATURES = {
    "Normal": "(mean, variance)",
    "StudentT": "(location, scale2, df)",
    "LogNormal": "(mu, sigma2)",
    "Gamma": "(mean, shape)",
    "Exponential": "(mean)",
    "Beta": "(a, b)",
    "Weibull": "(shape, scale)",
    "Bernoulli": "(probability=None, *, logit=None)",
    "Binomial": "(n, probability=None, *, logit=None)",
    "Categorical": "(probabilities)",
    "Poisson": "(rate)",
    "NegativeBinomial": "(mean, size)",
    "MultivariateNormal": "(mean, covariance)",
    "Histogram": "(borders, probabilities)",
    "Mixture": "(components, weights, *, draws=False)",
}
#: Methods with their arguments.
METHODS = {
    "log_prob": "(self, y)",
    "sample": "(self, rng, size=None)",
    "renyi": "(self, other, alpha=1.0)",
    "fisher_norm": "(self, u)",
    "whiten": "(self, u)",
    "fisher": "(self)",
    "score": "(self, y)",
    "prediction_gradient": "(self)",
    "prediction_hessian": "(self)",
}
every_family = pytest.mark.parametrize("family", ALL_FAMILIES, ids=lambda family: family.__name__)
every_case = pytest.mark.parametrize("case", CASES, ids=str)


def without_types(function: Any) -> str:
    signature = inspect.signature(function)
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))


def test_the_fifteen_families() -> None:
    assert [family.__name__ for family in ALL_FAMILIES] == list(SIGNATURES)


@every_family
def test_family_is_public(family: type[Distribution]) -> None:
    assert getattr(distributions, family.__name__) is family
    assert getattr(rsens, family.__name__) is family
    assert family.__name__ in dir(rsens)
    assert family.__doc__
    assert not inspect.isabstract(family)


@every_family
def test_constructor(family: type[Distribution]) -> None:
    assert without_types(family) == SIGNATURES[family.__name__]


@every_family
def test_methods(family: type[Distribution]) -> None:
    for name, arguments in METHODS.items():
        assert without_types(getattr(family, name)) == arguments, name
        assert getattr(family, name).__doc__, name


@every_case
def test_attributes(case: Case) -> None:
    family, (n, m) = case.distribution, case.near.shape
    assert np.shape(family.mean)[:1] == (n,)
    assert np.shape(family.variance) == np.shape(family.mean)
    np.testing.assert_array_equal(family.parameters, case.near)
    assert len(family.parameter_names) == m
    if case.family != "Mixture":
        assert family.parameter_names == case.names
    outputs = family.prediction_gradient().shape[1]
    many = case.family in ("Categorical", "MultivariateNormal") or case.name == "Mixture-Categorical"
    assert outputs == (np.shape(family.mean)[1] if many else 1)
    assert family.output_weight == (0.5 if "Categorical" in case.name else 1.0)


@every_case
def test_results_are_float64_arrays(case: Case) -> None:
    family, n, m = case.distribution, *case.near.shape
    y = family.sample(np.random.default_rng(0), 2)
    u = np.zeros((n, m, 4))
    for result, shape in (
        (y, (2, n, *y.shape[2:])),
        (family.log_prob(y), (2, n)),
        (family.score(y), (2, n, m)),
        (family.renyi(case.other), (n,)),
        (family.renyi(case.other, np.inf), (n,)),
        (family.fisher_norm(u), (n, 4)),
        (family.fisher(), (n, m, m)),
    ):
        assert isinstance(result, np.ndarray)
        assert result.dtype == np.float64
        assert result.shape == shape


@every_case
def test_no_method_changes_its_input(case: Case) -> None:
    before = case.near.copy()
    family = case.distribution
    u = np.random.default_rng(1).normal(size=(*case.near.shape, 2))
    kept = u.copy()
    family.fisher_norm(u)
    y = family.sample(np.random.default_rng(2), 3)
    drawn = y.copy()
    family.log_prob(y)
    family.score(y)
    family.renyi(case.other, 0.5)
    np.testing.assert_array_equal(case.near, before)
    np.testing.assert_array_equal(u, kept)
    np.testing.assert_array_equal(y, drawn)


def test_families_are_frozen() -> None:
    with pytest.raises(AttributeError):
        distributions.Normal(0.0, 1.0).mean = 2.0  # type: ignore[misc]
