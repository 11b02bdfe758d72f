"""Bad input gets an InputError that names the family and the argument, never a traceback from inside NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rsens import distributions
from rsens._errors import InputError
from rsens.distributions import Bernoulli, Binomial, Categorical, Histogram, Mixture, MultivariateNormal, Normal
from tests.distributions.cases import CASES, Case

FINE: dict[str, dict[str, float]] = {
    "Normal": {"mean": 0.0, "variance": 1.0},
    "StudentT": {"location": 0.0, "scale2": 1.0, "df": 3.0},
    "LogNormal": {"mu": 0.0, "sigma2": 1.0},
    "Gamma": {"mean": 1.0, "shape": 2.0},
    "Exponential": {"mean": 1.0},
    "Beta": {"a": 1.0, "b": 2.0},
    "Weibull": {"shape": 1.0, "scale": 2.0},
    "Bernoulli": {"probability": 0.5},
    "Binomial": {"n": 4.0, "probability": 0.5},
    "Poisson": {"rate": 1.0},
    "NegativeBinomial": {"mean": 1.0, "size": 2.0},
}
REAL = {("Normal", "mean"), ("StudentT", "location"), ("LogNormal", "mu")}
ARGUMENTS = [(name, argument) for name, arguments in FINE.items() for argument in arguments]


def with_value(name: str, argument: str, value: Any) -> Any:
    return getattr(distributions, name)(**{**FINE[name], argument: value})


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_values_outside_the_domain(name: str, argument: str) -> None:
    """Probabilities of 0 are allowed."""
    fine = FINE[name][argument]
    positive = [] if (name, argument) in REAL else [-1.0, -1e-300] + [0.0] * (argument != "probability")
    for value in [np.nan, np.inf, -np.inf, *positive, *([1.5] if argument == "probability" else [])]:
        with pytest.raises(InputError, match=rf"{name}: {argument} .*got {value:g} at row 1 \(1 of 3") as error:
            with_value(name, argument, np.array([fine, value, fine])).checked(3)
        assert error.value.argument == argument


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_wrong_number_of_rows(name: str, argument: str) -> None:
    """Also (n, 1), which would broadcast to (n, n) in silence."""
    for shape, rows in (((3, 1), 3), ((3,), 4)):
        with pytest.raises(InputError, match=rf"{name}.*{rows} rows.*{argument} \({str(shape)[1:-1]}\)"):
            with_value(name, argument, np.full(shape, FINE[name][argument])).checked(rows)


@pytest.mark.parametrize("value", ["text", None, 1j, np.array([1j]), [[1.0], [1.0, 2.0]], object()])
def test_not_numeric(value: Any) -> None:
    with pytest.raises(InputError, match="mean") as error:
        Normal(value, np.ones(1)).checked()
    assert error.value.argument == "mean"


def test_methods_check_too() -> None:
    """Every method on NumPy validates, not only `checked`."""
    bad = Normal(np.zeros(2), np.array([1.0, -1.0]))
    calls: list[Callable[[], Any]] = [
        lambda: bad.log_prob(np.zeros(2)), lambda: bad.sample(np.random.default_rng(0)), lambda: bad.renyi(ONE),
        lambda: ONE.renyi(bad), lambda: bad.fisher_norm(np.zeros((2, 2))), lambda: bad.fisher(),
        lambda: bad.score(np.zeros(2)), lambda: bad.prediction_gradient(),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(InputError, match="Normal: variance"):
            call()


def covariance(values: Any) -> Any:
    return MultivariateNormal(np.zeros((2, 2)), np.asarray(values)).checked()


def mixture(components: Any, weights: Any) -> Any:
    return Mixture(components, np.array(weights)).checked()


def bins(borders: Any, probabilities: Any) -> Any:
    return Histogram(borders, probabilities).checked()


B, P = np.array([-1.0, 0.5, 1.0, 4.0]), np.array([[0.25, 0.25, 0.5], [0.125, 0.625, 0.25]])
ONE, TWO, HALF = Normal(np.zeros(2), np.ones(2)), Normal(np.ones(2), np.ones(2)), [0.5, 0.5]
HALF_LEVELS = [0.1, 0.5]
#: The call, the argument that its error is about, and a key word.
WRONG: dict[str, tuple[Callable[[], Any], str | None, str]] = {
    "neither": (lambda: Bernoulli().checked(), "probability", "neither"),
    "both": (lambda: Binomial(3, probability=0.5, logit=0.0).checked(), "probability", "both"),
    "logit": (lambda: Bernoulli(logit=np.array([np.nan])).checked(), "logit", "finite"),
    "trials": (lambda: Binomial(2.5, 0.5).checked(), "n", r"2\.5"),
    "axes": (lambda: Categorical(0.5).checked(), "probabilities", "axes"),
    "sum above 1": (lambda: Categorical([[0.5, 0.6]]).checked(), "probabilities", "add up"),
    "negative": (lambda: Categorical([[1.5, -0.5]]).checked(), "probabilities", "between"),
    "missing": (lambda: Categorical([[0.5, np.nan]]).checked(), "probabilities", "nan"),
    "indefinite": (lambda: covariance([[1.0, 2.0], [2.0, 1.0]]), "covariance", "definite"),
    "skew": (lambda: covariance([[1.0, 0.5], [0.2, 1.0]]), "covariance", "symmetric"),
    "three outputs": (lambda: covariance(np.eye(3)), "covariance", "shape"),
    "no components": (lambda: mixture([], []), "components", "non-empty"),
    "other y": (lambda: mixture([ONE, distributions.Poisson(np.ones(2))], HALF), "components", "Poisson"),
    "a mixture": (lambda: mixture([Mixture([ONE, TWO], HALF), ONE], HALF), "components", "itself a Mixture"),
    "a mixture of arrays": (
        lambda: mixture(Mixture(Normal(np.zeros((2, 3)), 1.0), HALF), HALF), "components", "itself a Mixture",
    ),
    "more classes": (
        lambda: mixture([Categorical(np.full((1, k), 1 / k)) for k in (2, 4)], HALF), "components", "same number",
    ),
    "weights above 1": (lambda: mixture([ONE, TWO], [0.5, 0.6]), "weights", "add up"),
    "weights of arrays": (lambda: mixture(Normal(np.zeros((2, 2)), 1.0), [0.5, 0.6]), "weights", "add up"),
    "three weights": (lambda: mixture([ONE, TWO], [0.5, 0.25, 0.25]), "weights", "2 weights"),
    "wrong component": (lambda: mixture([ONE, Normal(np.zeros(2), -np.ones(2))], HALF), "variance", "Normal"),
    "wrong draw": (lambda: mixture(Normal(np.zeros((2, 2)), [[1, 1], [1, -1]]), HALF), "variance", "draw 1, row 1"),
    "unequal rows": (lambda: mixture([ONE, Normal(np.zeros(3), 1.0)], HALF), "weights", "rows"),
    "rows of weights": (lambda: mixture(Normal(np.zeros((2, 3)), 1.0), [HALF, HALF]), "weights", "rows"),
    "unequal draws": (lambda: mixture(Normal(np.zeros((3, 2)), 1.0), HALF), None, r"shape \(2, rows\)"),
    "y": (lambda: ONE.log_prob([0.0, 1.0, 2.0]), "y", "one value per row"),
    "y not numeric": (lambda: ONE.log_prob("text"), "y", "numeric"),
    "u": (lambda: Normal([0.0], 1.0).whiten([[1.0]]), "u", "shape"),
    "q": (lambda: ONE.quantile(2.0), "q", "between"),
    "rng": (lambda: ONE.sample("seed"), "rng", "Generator"),
    "alpha None": (lambda: ONE.renyi(TWO, None), "alpha", "at least 0"),
    "df": (lambda: distributions.StudentT(0.0, 1.0, 3.0).renyi(distributions.StudentT(0.0, 1.0, 4.0)), "df", "fixed"),
    "n": (lambda: Binomial(3, 0.5).renyi(Binomial(4, 0.5)), "n", "fixed"),
    "classes": (lambda: Categorical(HALF).renyi(Categorical([0.25] * 4)), None, "2 and 4"),
    "outputs": (
        lambda: MultivariateNormal(np.zeros(2), np.eye(2)).renyi(MultivariateNormal(np.zeros(3), np.eye(3))), None,
        "dimensions",
    ),
    "borders and bins": (lambda: bins([0.0, 1.0], P), "borders", "2 borders and 3"),
    "equal borders": (lambda: bins([0.0, 1.0, 1.0, 2.0], P), "borders", "1 and then 1 at position 2"),
    "borders of rows": (lambda: bins(np.stack([B, B + 1.0]), P), "borders", "same for all rows"),
    "negative bins": (lambda: bins(B, [-0.5, 1.0, 0.5]), "probabilities", "between"),
    "other borders": (lambda: bins(B, P).renyi(Histogram(B + 1.0, P)), "borders", "same borders"),
    "mixed borders": (lambda: mixture([Histogram(B, P), Histogram(B + 1.0, P)], HALF), "components", "same borders"),
    "one level": (lambda: Histogram.from_quantiles([0.5], [[1.0]], B), "levels", "increasing"),
    "more quantiles": (lambda: Histogram.from_quantiles(HALF_LEVELS, [[1.0, 2.0, 3.0]], B), "values", r"\(1, 3\)"),
    "one border for quantiles": (lambda: Histogram.from_quantiles(HALF_LEVELS, [[1.0, 2.0]], [1.0]), "borders", "two"),
    "information too large": (lambda: Normal([0.0], [1e-200]).fisher(), None, "fisher_norm"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_errors_are_about_an_argument(name: str) -> None:
    call, argument, word = WRONG[name]
    with pytest.raises(InputError, match=word) as error:
        call()
    assert error.value.argument == argument


every_case = pytest.mark.parametrize("case", CASES, ids=str)


@every_case
def test_wrong_arguments_of_a_divergence(case: Case) -> None:
    for alpha in (-1.0, -1e-300, np.nan, -np.inf):
        with pytest.raises(InputError, match="alpha must be at least 0; got"):
            case.distribution.renyi(case.other, alpha)
    for other in (distributions.Poisson(np.ones(3)) if case.family != "Poisson" else ONE, 3.0):
        with pytest.raises(InputError, match=case.family):
            case.distribution.renyi(other)
    two, five = (case.build(np.repeat(case.near[:1], n, axis=0)) for n in (2, 5))
    with pytest.raises(InputError, match=r"2.*5|5.*2"):
        two.renyi(five)


@every_case
def test_values_of_the_wrong_shape(case: Case) -> None:
    family = case.build(np.repeat(case.near[:1], 3, axis=0))
    y = family.sample(np.random.default_rng(0), 4)
    for call in (family.log_prob, family.score):
        with pytest.raises(InputError, match="y"):
            call(y[:, :2])
    (n, m), family = case.near.shape, case.distribution
    for shape in ((n, m + 1), (n + 1, m), (m,), (n,), ()):
        for call in (family.fisher_norm, family.whiten):
            with pytest.raises(InputError, match=rf"{case.family}.*\({n}, {m}\)"):
                call(np.zeros(shape))


def test_norms_where_the_information_has_none() -> None:
    """The norm neither overflows nor underflows; at a probability of 0 or 1 only standing still is finite."""
    for variance in (1e-200, 1e200):
        np.testing.assert_allclose(Normal([0.0], [variance]).fisher_norm([[0.0, variance]]), np.sqrt(0.5), rtol=1e-14)
    coin = Bernoulli(np.array([0.0, 1.0, 0.0]))
    np.testing.assert_array_equal(coin.fisher_norm([[1.0], [1e-9], [0.0]]), [np.inf, np.inf, 0.0])
    some = Categorical(np.array([[0.5, 0.5, 0.0]] * 2))
    np.testing.assert_allclose(some.fisher_norm([[0.1, -0.1, 0.0], [0.1, -0.2, 0.1]]), [0.2, np.inf])
