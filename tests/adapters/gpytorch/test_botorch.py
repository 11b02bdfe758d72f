"""Models of BoTorch against our own GP on transformed data, and against BoTorch's own posterior."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch
from botorch.models import MixedSingleTaskGP, ModelListGP, MultiTaskGP, SingleTaskGP
from botorch.models.fully_bayesian import SaasFullyBayesianSingleTaskGP
from botorch.models.transforms import Normalize, Power, Round
from botorch.models.transforms.input import ChainedInputTransform, InputStandardize, Log10

import rsens
from rsens import InputError, from_function
from rsens.adapters import as_model
from rsens.kernels import EQ
from tests.adapters.gpytorch.processes import own, relative, with_values

RNG = np.random.default_rng(11)
N, D = 25, 3
X = RNG.uniform([0.0, 10.0, -5.0], [1.0, 30.0, 5.0], size=(N, D))
Y = np.exp(np.sin(3.0 * X[:, 0]) + 0.1 * X[:, 1] + 0.05 * RNG.normal(size=N))
ROWS = np.vstack([X[:5], X[:5] + np.array([0.01, 0.3, 0.2])])
L = (0.4, 0.9, 1.3)


def fitted(kind=SingleTaskGP, inputs=X, targets=Y, **settings):
    """A model with hyperparameters that are not the defaults."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # BoTorch warns of data that is not in the unit cube
        model = kind(torch.tensor(inputs), torch.tensor(targets)[:, None], **settings)
    if "covar_module" not in settings and kind is SingleTaskGP:
        with_values(model.covar_module, lengthscale=L)
    if not hasattr(model.likelihood, "second_noise"):
        with_values(model.likelihood.noise_covar, noise=[0.03])
    return model


def posterior(model, rows):
    """Mean and variance of an observation as BoTorch has them."""
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of sparse tensors
        found = model.posterior(torch.tensor(rows), observation_noise=True)
        return found.mean[:, 0].numpy(), found.variance[:, 0].numpy()


def unit_cube(rows):
    return (rows - X.min(0)) / np.ptp(X, axis=0)


def standard(values):
    return (values - values.mean()) / values.std(ddof=1)


def test_normalize_and_standardize_are_our_gp_on_transformed_data():
    """The default model: RBF without a scale, outcomes standardised; inputs normalised."""
    model = fitted(input_transform=Normalize(D)).eval()
    with_values(model.mean_module, constant=0.0)
    native = own(EQ(1.0, L), noise=0.03, inputs=unit_cube(X), targets=standard(Y))
    source = as_model(model)
    assert source.description.derivatives == "closed form"
    assert source.description.columns == "columns of X as given, before Normalize"
    scale, ranges = Y.std(ddof=1), np.ptp(X, axis=0)
    expected, found = native.derivatives(unit_cube(ROWS), 2), source.derivatives(ROWS, 2)
    np.testing.assert_allclose(found.distribution.mean, Y.mean() + scale * expected.distribution.mean, rtol=1e-8)
    np.testing.assert_allclose(found.distribution.variance, scale**2 * expected.distribution.variance, rtol=1e-8)
    assert relative(rsens.rsens(model, ROWS) * ranges, rsens.rsens(native, unit_cube(ROWS))) < 1e-8
    second = rsens.rsens2(model, ROWS) * ranges[:, None] * ranges
    assert relative(second, rsens.rsens2(native, unit_cube(ROWS))) < 1e-8
    np.testing.assert_array_equal(source.training_inputs_, X)  # in the original units, whatever the mode


CASES = {
    "some inputs normalised": lambda: fitted(input_transform=Normalize(D, indices=[0, 1])),
    "no transforms": lambda: fitted(outcome_transform=None, targets=standard(Y)),
    "known noise": lambda: fitted(train_Yvar=torch.full((N, 1), 0.2).double(), input_transform=Normalize(D)),
    "known noise per row": lambda: fitted(
        train_Yvar=torch.linspace(0.1, 0.4, N).double()[:, None], input_transform=Normalize(D)
    ),
}
AUTOMATIC = {
    "log of an input": lambda: fitted(
        input_transform=ChainedInputTransform(log=Log10(indices=[1]), cube=InputStandardize(D))
    ),
    "subclass": lambda: fitted(Subclass, input_transform=Normalize(D)),
}


class Subclass(SingleTaskGP):
    """Whoever overrides `posterior` is asked, not read."""

    def posterior(self, X, *args, **kwargs):
        return super().posterior(X * 1.0, *args, **kwargs)


@pytest.mark.parametrize("name", [*CASES, *AUTOMATIC])
def test_it_is_botorchs_own_posterior_of_an_observation(name):
    model = (CASES | AUTOMATIC)[name]()
    source = as_model(model)
    assert source.description.derivatives == ("closed form" if name in CASES else "automatic (PyTorch)")
    mean, variance = posterior(model, ROWS)
    found = source.predict_distribution(ROWS)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-8)
    np.testing.assert_allclose(found.variance, variance, rtol=1e-8)
    differences = from_function(source.predict_distribution)  # right to about 1e-8 and 1e-5
    assert relative(rsens.rsens(model, ROWS), rsens.rsens(differences, ROWS)) < 1e-6
    assert relative(rsens.rsens2(model, ROWS), rsens.rsens2(differences, ROWS)) < 1e-4


def test_known_noise_per_row_is_a_finding():
    source = as_model(CASES["known noise per row"]())
    assert "0.25 (the mean of train_Yvar)" in source.description.noise
    assert "warning" in [finding.verdict for finding in source.checks(ROWS) if finding.name == "noise"]
    model = fitted(input_transform=Normalize(D))
    with pytest.raises(InputError) as error:
        rsens.from_gpytorch(model, fitted().likelihood)
    assert error.value.argument == "likelihood"


def test_rounding_is_no_straight_line():
    """On whole numbers it looks like one."""
    inputs = X.copy()
    inputs[:, 1] = np.round(inputs[:, 1])
    model = fitted(inputs=inputs, input_transform=Round(integer_indices=[1], approximate=False))
    source = as_model(model)
    assert source.description.derivatives == "automatic (PyTorch)"
    beside = inputs + np.array([0.0, 0.2, 0.0])
    np.testing.assert_allclose(source.predict_distribution(beside).mean, posterior(model, inputs)[0])


def test_models_that_are_refused():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        both = SingleTaskGP(torch.tensor(X), torch.tensor(np.column_stack([Y, -Y])), input_transform=Normalize(D))
    for model, text in (
        (fitted(outcome_transform=Power(0.5)), r"outcome transform Power.*outcome_transform=None"),
        (both, r"2 outputs.*model\.subset_output\(\[0\]\)"),
        (ModelListGP(fitted(), fitted()), r"holds 2 models.*model\.models\[0\] to model\.models\[1\]"),
        (SaasFullyBayesianSingleTaskGP(torch.tensor(unit_cube(X)), torch.tensor(standard(Y))[:, None]), "exact GPs"),
        (fitted(MixedSingleTaskGP, cat_dims=[2]), "numeric columns"),
    ):
        with pytest.raises(InputError, match=text):
            rsens.rsens(model, ROWS)


def test_one_task_of_several():
    inputs = np.column_stack([unit_cube(X), np.arange(N) % 2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MultiTaskGP(torch.tensor(inputs), torch.tensor(Y)[:, None], task_feature=3, output_tasks=[0])
    source, rows = as_model(model), unit_cube(ROWS)
    found, variance = source.predict_distribution(rows), posterior(model, rows)[1]
    np.testing.assert_allclose(found.variance, variance, rtol=1e-8)
    differences = from_function(source.predict_distribution)
    assert relative(rsens.rsens(model, rows), rsens.rsens(differences, rows)) < 1e-6
