"""Bad input gets an InputError that names the family and the argument, never a traceback from inside NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rsens._errors import InputError
from rsens.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Exponential,
    Gamma,
    LogNormal,
    Mixture,
    MultivariateNormal,
    NegativeBinomial,
    Normal,
    Poisson,
    StudentT,
    Weibull,
)
from tests.distributions.cases import CASES, Case

FINE: dict[str, tuple[Callable[..., Any], dict[str, float]]] = {
    "Normal": (Normal, {"mean": 0.0, "variance": 1.0}),
    "StudentT": (StudentT, {"location": 0.0, "scale2": 1.0, "df": 3.0}),
    "LogNormal": (LogNormal, {"mu": 0.0, "sigma2": 1.0}),
    "Gamma": (Gamma, {"mean": 1.0, "shape": 2.0}),
    "Exponential": (Exponential, {"mean": 1.0}),
    "Beta": (Beta, {"a": 1.0, "b": 2.0}),
    "Weibull": (Weibull, {"shape": 1.0, "scale": 2.0}),
    "Bernoulli": (Bernoulli, {"probability": 0.5}),
    "Binomial": (Binomial, {"n": 4.0, "probability": 0.5}),
    "Poisson": (Poisson, {"rate": 1.0}),
    "NegativeBinomial": (NegativeBinomial, {"mean": 1.0, "size": 2.0}),
}
REAL = {("Normal", "mean"), ("StudentT", "location"), ("LogNormal", "mu")}
ARGUMENTS = [(name, argument) for name, (_, arguments) in FINE.items() for argument in arguments]


def with_value(name: str, argument: str, value: Any) -> Any:
    family, arguments = FINE[name]
    return family(**{**arguments, argument: value})


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_not_finite(name: str, argument: str, value: float) -> None:
    with pytest.raises(InputError, match=rf"{name}: {argument} .*got {value:g} at row 1") as error:
        with_value(name, argument, np.array([FINE[name][1][argument], value, FINE[name][1][argument]])).checked(3)
    assert "1 of 3" in str(error.value)
    assert error.value.argument == argument


@pytest.mark.parametrize("value", [0.0, -1.0, -1e-300])
@pytest.mark.parametrize(("name", "argument"), [pair for pair in ARGUMENTS if pair not in REAL])
def test_not_positive(name: str, argument: str, value: float) -> None:
    if argument == "probability" and value == 0.0:
        with_value(name, argument, value).checked()  # probabilities of 0 and 1 are allowed
        return
    with pytest.raises(InputError, match=rf"{name}: {argument} "):
        with_value(name, argument, value).checked()


@pytest.mark.parametrize("name", ["Bernoulli", "Binomial"])
def test_probability_above_one(name: str) -> None:
    with pytest.raises(InputError, match=rf"{name}: probability .*between 0 and 1.*got 1.5"):
        with_value(name, "probability", np.array([0.5, 1.5])).checked(2)


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_column_vectors_are_not_rows(name: str, argument: str) -> None:
    """(n, 1) would broadcast to (n, n) in silence."""
    with pytest.raises(InputError, match=rf"{name}.*{argument} \(3, 1\)"):
        with_value(name, argument, np.full((3, 1), FINE[name][1][argument])).checked(3)


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_wrong_number_of_rows(name: str, argument: str) -> None:
    with pytest.raises(InputError, match=rf"{name}.*4 rows.*{argument} \(3,\)"):
        with_value(name, argument, np.full(3, FINE[name][1][argument])).checked(4)


@pytest.mark.parametrize("value", ["text", None, 1j, np.array([1j]), [[1.0], [1.0, 2.0]], object()])
def test_not_numeric(value: Any) -> None:
    with pytest.raises(InputError, match=r"Normal.*mean"):
        Normal(value, np.ones(1)).checked()


def test_methods_check_too() -> None:
    """Every method on NumPy validates, not only `checked`."""
    bad = Normal(np.zeros(2), np.array([1.0, -1.0]))
    calls: list[Callable[[], Any]] = [
        lambda: bad.log_prob(np.zeros(2)),
        lambda: bad.sample(np.random.default_rng(0)),
        lambda: bad.renyi(Normal(np.zeros(2), np.ones(2))),
        lambda: Normal(np.zeros(2), np.ones(2)).renyi(bad),
        lambda: bad.fisher_norm(np.zeros((2, 2))),
        lambda: bad.fisher(),
        lambda: bad.score(np.zeros(2)),
        lambda: bad.prediction_gradient(),
    ]
    for call in calls:
        with pytest.raises(InputError, match="Normal: variance"):
            call()


@pytest.mark.parametrize(
    "make", [Bernoulli, lambda **arguments: Binomial(3, **arguments)], ids=["Bernoulli", "Binomial"]
)
def test_probability_or_logit(make: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match=r"(Bernoulli|Binomial).*probability or logit.*neither"):
        make().checked()
    with pytest.raises(InputError, match=r"(Bernoulli|Binomial).*probability or logit.*both"):
        make(probability=0.5, logit=0.0).checked()
    with pytest.raises(InputError, match=r"(Bernoulli|Binomial).*logit"):
        make(logit=np.array([np.nan])).checked()


def test_logit_is_a_keyword_only() -> None:
    with pytest.raises(TypeError):
        Bernoulli(None, 0.3)  # type: ignore[misc]


def test_trials_are_whole() -> None:
    with pytest.raises(InputError, match=r"Binomial: n .*2\.5"):
        Binomial(2.5, 0.5).checked()


@pytest.mark.parametrize(
    "probabilities",
    [[[0.5, 0.6]], [[0.5, 0.4]], [[1.5, -0.5]], [[0.5, np.nan]], 0.5],
)
def test_class_probabilities(probabilities: Any) -> None:
    with pytest.raises(InputError, match="Categorical: probabilities"):
        Categorical(np.array(probabilities)).checked()


@pytest.mark.parametrize(
    ("covariance", "what"),
    [
        ([[1.0, 2.0], [2.0, 1.0]], "positive definite"),
        ([[1.0, 1.0], [1.0, 1.0]], "positive definite"),
        ([[0.0, 0.0], [0.0, 1.0]], "positive definite"),
        ([[-1.0, 0.0], [0.0, 1.0]], "positive definite"),
        ([[1.0, 0.5], [0.2, 1.0]], "symmetric"),
        ([[1.0, np.nan], [np.nan, 1.0]], "finite"),
        (np.eye(3), "shape"),
        (np.ones((2, 3)), "shape"),
        (np.ones(2), "axes"),
    ],
)
def test_covariance(covariance: Any, what: str) -> None:
    with pytest.raises(InputError, match=f"MultivariateNormal: covariance.*{what}"):
        MultivariateNormal(np.zeros((2, 2)), np.asarray(covariance)).checked()


def test_mixture_parts() -> None:
    one, two, n = Normal(np.zeros(2), np.ones(2)), Normal(np.ones(2), np.ones(2)), np.array
    with pytest.raises(InputError, match="Mixture: components"):
        Mixture([], n([])).checked()
    with pytest.raises(InputError, match="Mixture: components"):
        Mixture([one, 3.0], n([0.5, 0.5])).checked()
    with pytest.raises(InputError, match=r"Mixture.*Normal.*Poisson"):
        Mixture([one, Poisson(np.ones(2))], n([0.5, 0.5])).checked()
    with pytest.raises(InputError, match=r"Mixture.*weights.*1"):
        Mixture([one, two], n([0.5, 0.6])).checked()
    with pytest.raises(InputError, match="Mixture: weights"):
        Mixture([one, two], n([1.5, -0.5])).checked()
    with pytest.raises(InputError, match=r"Mixture.*2 weights"):
        Mixture([one, two], n([0.5, 0.25, 0.25])).checked()
    with pytest.raises(InputError, match="Normal: variance"):
        Mixture([one, Normal(np.zeros(2), -np.ones(2))], n([0.5, 0.5])).checked()
    with pytest.raises(InputError):
        Mixture([one, Normal(np.zeros(3), np.ones(3))], n([0.5, 0.5])).checked()
    with pytest.raises(InputError):
        Mixture([one, two], n([0.5, 0.5])).checked(3)


CARRIED: dict[str, tuple[Callable[[], Any], str]] = {
    "not given": (lambda: Normal(0.0, None).checked(), "variance"),
    "not numeric": (lambda: Normal("text", 1.0).checked(), "mean"),
    "axes": (lambda: Categorical(0.5).checked(), "probabilities"),
    "neither": (lambda: Bernoulli().checked(), "probability"),
    "trials": (lambda: Binomial(2.5, 0.5).checked(), "n"),
    "sum": (lambda: Categorical([[0.5, 0.6]]).checked(), "probabilities"),
    "covariance": (lambda: MultivariateNormal(np.zeros((1, 2)), [[1.0, 2.0], [2.0, 1.0]]).checked(), "covariance"),
    "components": (lambda: Mixture([], [1.0]).checked(), "components"),
    "weights": (lambda: Mixture([Normal(0.0, 1.0)], [0.5, 0.5]).checked(), "weights"),
    "y": (lambda: Normal([0.0, 1.0], 1.0).log_prob([0.0, 1.0, 2.0]), "y"),
    "y not numeric": (lambda: Normal(0.0, 1.0).log_prob("text"), "y"),
    "u": (lambda: Normal([0.0], 1.0).whiten([[1.0]]), "u"),
    "q": (lambda: Normal(0.0, 1.0).quantile(2.0), "q"),
    "alpha": (lambda: Normal(0.0, 1.0).renyi(Normal(0.0, 1.0), -1.0), "alpha"),
    "rng": (lambda: Normal(0.0, 1.0).sample("seed"), "rng"),
    "df": (lambda: StudentT(0.0, 1.0, 3.0).renyi(StudentT(0.0, 1.0, 4.0)), "df"),
}


@pytest.mark.parametrize("name", CARRIED)
def test_errors_carry_the_argument_they_are_about(name: str) -> None:
    call, argument = CARRIED[name]
    with pytest.raises(InputError, match=rf"\b{argument}\b") as error:
        call()
    assert error.value.argument == argument


every_case = pytest.mark.parametrize("case", CASES, ids=str)


@every_case
@pytest.mark.parametrize("alpha", [-1.0, -1e-300, np.nan, -np.inf])
def test_order_of_the_divergence(case: Case, alpha: float) -> None:
    with pytest.raises(InputError, match="alpha must be at least 0; got"):
        case.distribution.renyi(case.other, alpha)


@pytest.mark.parametrize("alpha", ["1", None, True, [1.0]])
def test_order_of_the_divergence_is_a_number(alpha: Any) -> None:
    with pytest.raises(InputError, match="alpha must be at least 0; got"):
        Normal(0.0, 1.0).renyi(Normal(0.0, 2.0), alpha)


@every_case
def test_divergence_of_different_families(case: Case) -> None:
    other = Poisson(np.ones(3)) if case.family != "Poisson" else Normal(np.zeros(3), np.ones(3))
    with pytest.raises(InputError, match=case.family):
        case.distribution.renyi(other)
    with pytest.raises(InputError, match=case.family):
        case.distribution.renyi(3.0)


@every_case
def test_divergence_of_different_numbers_of_rows(case: Case) -> None:
    two, five = (case.build(np.repeat(case.near[:1], n, axis=0)) for n in (2, 5))
    with pytest.raises(InputError, match=r"2.*5|5.*2"):
        two.renyi(five)


@every_case
def test_values_of_the_wrong_shape(case: Case) -> None:
    family = case.build(np.repeat(case.near[:1], 3, axis=0))
    y = family.sample(np.random.default_rng(0), 4)
    assert family.log_prob(y).shape == (4, 3)
    for call in (family.log_prob, family.score):
        with pytest.raises(InputError, match="y"):
            call(y[:, :2])
        with pytest.raises(InputError, match="y"):
            call("text")


@every_case
def test_changes_of_the_wrong_shape(case: Case) -> None:
    family, (n, m) = case.distribution, case.near.shape
    for shape in ((n, m + 1), (n + 1, m), (m,), (n,), ()):
        for call in (family.fisher_norm, family.whiten):
            with pytest.raises(InputError, match=rf"{case.family}.*\({n}, {m}\)"):
                call(np.zeros(shape))


def test_what_is_not_a_parameter_must_be_the_same() -> None:
    with pytest.raises(InputError, match=r"StudentT.*df"):
        StudentT(0.0, 1.0, 3.0).renyi(StudentT(0.0, 1.0, 4.0))
    with pytest.raises(InputError, match=r"Binomial.*n"):
        Binomial(3, 0.5).renyi(Binomial(4, 0.5))
    with pytest.raises(InputError, match=r"Categorical.*classes"):
        Categorical(np.full((1, 2), 0.5)).renyi(Categorical(np.full((1, 4), 0.25)))
    with pytest.raises(InputError, match="MultivariateNormal"):
        MultivariateNormal(np.zeros((1, 2)), np.eye(2)[None]).renyi(
            MultivariateNormal(np.zeros((1, 3)), np.eye(3)[None])
        )


@pytest.mark.parametrize("variance", [1e-200, 1e200])
def test_information_that_is_not_representable(variance: float) -> None:
    """1/(2 variance²) overflows or underflows, and says what to use instead; the norm does neither."""
    family = Normal(np.zeros(1), np.array([variance]))
    with pytest.raises(InputError, match=r"Normal.*Fisher information.*fisher_norm"):
        family.fisher()
    np.testing.assert_allclose(family.fisher_norm([[0.0, variance]]), np.sqrt(0.5), rtol=1e-14)


def test_impossible_outcomes() -> None:
    """At probability 0 or 1 only the directions that do not move it have a finite norm."""
    coin = Bernoulli(np.array([0.0, 1.0, 0.0]))
    np.testing.assert_array_equal(coin.fisher_norm([[1.0], [1e-9], [0.0]]), [np.inf, np.inf, 0.0])
    classes = Categorical(np.array([[0.5, 0.5, 0.0]] * 2))
    np.testing.assert_allclose(classes.fisher_norm([[0.1, -0.1, 0.0], [0.1, -0.2, 0.1]]), [0.2, np.inf])
