"""Random functions: wider steps, a stated noise floor that holds, and refusal where only noise is left."""

import re

import numpy as np
import pytest

import rsens
from rsens import Bernoulli, InputError, Normal, RsensWarning, explain, from_function
from rsens.derivatives import NoSecondDerivativesError
from tests.derivatives.sources import rows

X = rows(200, columns=3)
STATED = r"R-sens below about (\S+) and R-sens₂ of a pair below about (\S+) is noise"


def noisy(sd, mean=lambda Z: np.sin(Z[:, 0]) * Z[:, 1], seed=0, **options):
    rng = np.random.default_rng(seed)
    return from_function(lambda Z: Normal(mean(Z) + sd * rng.normal(size=len(Z)), 0.04), **options)


def stated(call):
    with pytest.warns(RsensWarning, match="the function is random.*Noise floor") as caught:
        result = call()
    (text,) = [str(w.message) for w in caught]  # once per call
    return result, *map(float, re.search(STATED, text).groups())


EXACT = rsens.rsens(noisy(0.0), X).mean(axis=0), rsens.rsens2(noisy(0.0), X).mean(axis=0)
UNITS = X.std(axis=0)


@pytest.mark.parametrize("sd", [1e-10, 1e-8, 1e-6, 1e-4])
def test_values_are_right_and_the_floor_holds(sd):
    """x₂ is irrelevant: all that it reaches is noise."""
    for seed in range(3):
        first, floor, _ = stated(lambda seed=seed: rsens.rsens(noisy(sd, seed=seed), X).mean(axis=0))
        second, _, floor2 = stated(lambda seed=seed: rsens.rsens2(noisy(sd, seed=seed), X).mean(axis=0))
        np.testing.assert_allclose(first[:2], EXACT[0][:2], rtol=0.01)
        assert 0.3 * floor < first[2] * UNITS[2] < 1.5 * floor  # the sd of 8 pairs of rows is right to a quarter
        np.testing.assert_allclose(second[0, 1], EXACT[1][0, 1], rtol=0.02)
        assert 0.3 * floor2 < second[0, 2] * UNITS[0] * UNITS[2] < 1.5 * floor2


def test_only_noise_is_refused():
    with pytest.warns(RsensWarning), pytest.raises(InputError, match=r"the function is random.*largest found"):
        rsens.rsens(noisy(1.0, mean=lambda Z: 0.1 * Z[:, 0]), X)


def test_second_differences_of_noise_are_refused():
    """A line with much noise: R-sens is visible, and all of R-sens₂ is noise."""
    model = noisy(0.1, mean=lambda Z: Z[:, 0])
    with pytest.warns(RsensWarning):
        assert rsens.rsens(model, X).mean(axis=0)[0] == pytest.approx(5.0, rel=0.1)
    with pytest.warns(RsensWarning), pytest.raises(NoSecondDerivativesError, match="predictions are random"):
        rsens.rsens2(model, X)
    with pytest.warns(RsensWarning) as caught:
        assert not hasattr(explain(model, X), "pairs")
    assert any("no pairs: second differences" in str(w.message) for w in caught)


def test_a_simulation_of_probabilities():
    """Shares of draws, given by their logit."""
    rng = np.random.default_rng(0)

    def shares(Z):
        p = rng.binomial(10**7, 1.0 / (1.0 + np.exp(-Z[:, 0]))) / 1e7
        return Bernoulli(logit=np.log(p / (1.0 - p)))

    with pytest.warns(RsensWarning, match="Noise floor"):
        got = rsens.rsens(from_function(shares), X).mean(axis=0)
    exact = rsens.rsens(from_function(lambda Z: Bernoulli(logit=Z[:, 0])), X).mean(axis=0)
    np.testing.assert_allclose(got, exact, atol=0.02)


def test_noise_does_not_hide_that_rows_mix():
    rng = np.random.default_rng(0)
    mixing = from_function(lambda Z: Normal(Z[:, 0] - Z[:, 0].mean() + 1e-6 * rng.normal(size=len(Z)), 1.0))
    with pytest.warns(RsensWarning), pytest.raises(InputError, match="mixes rows"):
        rsens.rsens(mixing, X)


def test_steps_grow_with_the_noise():
    """The step of order k is (noise/spread)^{1/(k + 2)}."""
    spread = np.std(np.sin(X[:, 0]) * X[:, 1])
    for sd in (1e-9, 1e-3):
        with pytest.warns(RsensWarning):
            model = noisy(sd).prepared(X)
        for order in (1, 2):
            assert float(model.steps.of_order(order)) == pytest.approx((sd / spread) ** (1 / (order + 2)), rel=0.3)
