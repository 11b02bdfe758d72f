"""A new likelihood is one class and one line in `ALL_LIKELIHOODS`: models then know it, explain it and store it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import rsens
from rsens import GPClassifier, GPRegressor, InputError
from rsens.likelihoods import (
    ALL_LIKELIHOODS,
    GaussianLikelihood,
    Likelihood,
    ProbitLikelihood,
    likelihood_names,
    link_names,
    target_of,
)
from rsens.models import load_model, save_model

SETTINGS: dict[str, Any] = {"n_restarts": 0, "random_state": 0}
X = np.random.default_rng(0).normal(size=(30, 2)) * [1.0, 10.0]
Y = np.sin(X[:, 0]) + 0.02 * X[:, 1] + 0.1 * np.random.default_rng(1).normal(size=30)
CLASSES = np.where(Y > 0.0, "high", "low")


@dataclass(frozen=True)
class Toy(Likelihood):
    """Gaussian noise by another name; models do not know that it is Gaussian, and use Laplace's approximation."""

    noise_variance: float = 1.0
    name: ClassVar[str] = "toy"
    label: ClassVar[str] = "toy noise"
    target: ClassVar[Any] = "numbers"
    hyperparameter_names: ClassVar[tuple[str, ...]] = ("noise_variance",)

    start = classmethod(GaussianLikelihood.start.__func__)
    priors, noise, in_units = GaussianLikelihood.priors, GaussianLikelihood.noise, GaussianLikelihood.in_units
    checked_target, curvature = GaussianLikelihood.checked_target, GaussianLikelihood.curvature
    log_density, f_derivatives = GaussianLikelihood.log_density, GaussianLikelihood.f_derivatives
    theta_derivatives, predictive = GaussianLikelihood.theta_derivatives, GaussianLikelihood.predictive
    predictive_derivatives, share = GaussianLikelihood.predictive_derivatives, 1.0
    log_predictive_density = GaussianLikelihood.log_predictive_density
    predictive_cdf = GaussianLikelihood.predictive_cdf


class ToyLink(ProbitLikelihood):
    """Probit by another name."""

    name: ClassVar[str] = "toy_link"


@pytest.fixture
def added() -> Iterator[None]:
    ALL_LIKELIHOODS.extend([Toy, ToyLink])
    yield
    del ALL_LIKELIHOODS[-2:]


@pytest.mark.usefixtures("added")
def test_its_name_is_known() -> None:
    assert likelihood_names() == ("gaussian", "student_t", "poisson", "negative_binomial", "toy")
    assert link_names() == ("probit", "logit", "toy_link")
    assert target_of("toy") == "numbers"
    assert target_of("toy_link") == "classes"
    with pytest.raises(InputError, match=r"likelihood must be .*'toy'.* got 'toi'"):
        GPRegressor(likelihood="toi").fit(X, Y)
    with pytest.raises(InputError, match="'toy_link'; got 'toi'"):
        GPClassifier(link="toi").fit(X, CLASSES)


@pytest.mark.usefixtures("added")
def test_a_model_is_fitted_explained_and_stored(tmp_path) -> None:
    """Laplace's approximation of a Gaussian likelihood is exact, so this is the model with Gaussian noise."""
    toy, gaussian = (GPRegressor(likelihood=name, **SETTINGS).fit(X, Y) for name in ("toy", "gaussian"))
    assert isinstance(toy.likelihood_, Toy)
    assert toy.noise_variance_ == pytest.approx(gaussian.noise_variance_, rel=1e-4)
    np.testing.assert_allclose(toy.kernel_.theta, gaussian.kernel_.theta, rtol=1e-4)
    ours, expected = rsens.explain(toy, X), rsens.explain(gaussian, X)
    np.testing.assert_allclose(ours.main, expected.main, rtol=1e-3)

    save_model(toy, tmp_path / "toy.rsens")
    again = load_model(tmp_path / "toy.rsens")
    assert again.likelihood == "toy"
    assert again.likelihood_ == toy.likelihood_
    np.testing.assert_array_equal(again.derivatives(X, 2).second, toy.derivatives(X, 2).second)
    np.testing.assert_array_equal(rsens.explain(again, X).main, ours.main)


def test_outside_the_list_it_can_be_used_but_has_no_name_and_no_file(tmp_path) -> None:
    model = GPRegressor(likelihood=Toy(0.1), optimize=False).fit(X, Y)
    with pytest.raises(InputError, match="of type Toy cannot be stored"):
        save_model(model, tmp_path / "toy.rsens")
    with pytest.raises(InputError, match="likelihood must be"):
        GPRegressor(likelihood="toy").fit(X, Y)
