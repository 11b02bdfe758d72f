import numpy as np
import pytest

from rsens import InputError
from rsens.likelihoods import Likelihood, PoissonLikelihood
from tests.likelihoods.cases import Case
from tests.likelihoods.check import cases_of, check_density, check_log_predictive_density, predictive_of


@pytest.mark.parametrize("case", cases_of("poisson"), ids=str)
def test_density(case: Case) -> None:
    check_density(case)


@pytest.mark.parametrize("likelihood", predictive_of("poisson"), ids=str)
def test_log_predictive_density(likelihood: Likelihood) -> None:
    check_log_predictive_density(likelihood)


def test_predictive() -> None:
    family = PoissonLikelihood().predictive([0.0, -3.0, 500.0], [0.0, 2.0, 300.0])
    np.testing.assert_allclose(family.mean, np.exp([0.0, -2.0, 650.0]), rtol=1e-15)


@pytest.mark.parametrize(("m", "v"), [(800.0, 1.0), (0.0, 1500.0), (-800.0, 1.0)])
def test_a_rate_beyond_float64_is_an_error(m: float, v: float) -> None:
    for call in ("predictive", "predictive_derivatives"):
        with pytest.raises(InputError, match=f"beyond float64 at row 1, with m = {m:g} and v = {v:g}"):
            getattr(PoissonLikelihood(), call)([0.0, m], [1.0, v], *([2] if call != "predictive" else []))


def test_overflow_of_the_density() -> None:
    """A line search meets −inf, and the derivatives say what happened."""
    likelihood, y, f = PoissonLikelihood(), np.array([0.0, 3.0]), np.array([800.0, 800.0])
    assert (likelihood.log_density(y, f) == -np.inf).all()
    with pytest.raises(InputError, match="overflows at f = 800"):
        likelihood.f_derivatives(y, f)


def test_target() -> None:
    likelihood = PoissonLikelihood()
    np.testing.assert_array_equal(likelihood.checked_target([0, 2, 3.5]), [0.0, 2.0, 3.5])
    with pytest.raises(InputError, match="cannot be negative; got -1"):
        likelihood.checked_target([0, -1])
