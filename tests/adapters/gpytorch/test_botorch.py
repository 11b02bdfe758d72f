"""Models of BoTorch against our own GP on transformed data, and against BoTorch's own posterior."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models import MixedSingleTaskGP, ModelListGP, MultiTaskGP, SingleTaskGP, SingleTaskVariationalGP
from botorch.models.fully_bayesian import SaasFullyBayesianSingleTaskGP
from botorch.models.transforms import ChainedOutcomeTransform, Log, Normalize, Power, Round, Standardize
from botorch.models.transforms.input import ChainedInputTransform, InputStandardize, Log10
from gpytorch import ExactMarginalLogLikelihood
from gpytorch.kernels import MaternKernel, RBFKernel, ScaleKernel
from gpytorch.priors import GammaPrior

import rsens
from rsens import InputError, LogNormal, Normal, from_function
from rsens.adapters import as_model
from rsens.kernels import EQ, Categorical
from tests.adapters.gpytorch.processes import own, relative, with_values
from tests.adapters.gpytorch.test_autograd import UsersRBF

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
    "matern": lambda: fitted(
        covar_module=ScaleKernel(MaternKernel(2.5, ard_num_dims=D, lengthscale_prior=GammaPrior(3.0, 6.0))),
        input_transform=Normalize(D),
    ),
    "log": lambda: fitted(outcome_transform=Log(), input_transform=Normalize(D)),
    "log, then standardised": lambda: fitted(
        outcome_transform=ChainedOutcomeTransform(log=Log(), standard=Standardize(1)), input_transform=Normalize(D)
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
    assert type(found) is (LogNormal if "log" in name.split(",")[0].split() and "input" not in name else Normal)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-8)
    np.testing.assert_allclose(found.variance, variance, rtol=1e-8)
    differences = from_function(source.predict_distribution)  # right to about 1e-8 and 1e-5
    assert relative(rsens.rsens(model, ROWS), rsens.rsens(differences, ROWS)) < 1e-6
    assert relative(rsens.rsens2(model, ROWS), rsens.rsens2(differences, ROWS)) < 1e-4


def test_known_noise_per_row_is_a_finding():
    source = as_model(CASES["known noise per row"]())
    assert "0.25, the mean of train_Yvar" in source.description.noise
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


@pytest.fixture
def both():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SingleTaskGP(torch.tensor(X), torch.tensor(np.column_stack([Y, -Y])), input_transform=Normalize(D))


def test_one_output_of_two(both):
    alone = fitted(targets=-Y, input_transform=Normalize(D))
    one = both.subset_output([1])
    with_values(one.covar_module, lengthscale=L)
    with_values(one.likelihood.noise_covar, noise=[0.03])
    np.testing.assert_allclose(rsens.rsens(one, ROWS), rsens.rsens(alone, ROWS), rtol=1e-8)


def test_models_that_are_refused(both):
    for model, text in (
        (fitted(outcome_transform=Power(0.5)), r"outcome transform Power.*outcome_transform=None"),
        (both, r"2 outputs.*model\.subset_output\(\[0\]\)"),
        (ModelListGP(fitted(), fitted()), r"holds 2 models.*model\.models\[0\] to model\.models\[1\]"),
        (SaasFullyBayesianSingleTaskGP(torch.tensor(unit_cube(X)), torch.tensor(standard(Y))[:, None]), "not fitted"),
    ):
        with pytest.raises(InputError, match=text):
            rsens.rsens(model, ROWS)


def test_categories_become_contrasts():
    inputs = X.copy()
    inputs[:, 2] = RNG.integers(0, 3, N)
    model = fitted(MixedSingleTaskGP, inputs=inputs, cat_dims=[2], input_transform=Normalize(D, indices=[0, 1]))
    source = as_model(model)
    assert source.description.derivatives == "closed form"
    assert source.levels == {2: (0.0, 1.0, 2.0)}
    rows = inputs[:4]
    found = source.predict_distribution(rows)
    np.testing.assert_allclose(found.variance, posterior(model, rows)[1], rtol=1e-8)
    normals = [Normal(*posterior(model, np.column_stack([rows[:, :2], np.full(4, k)]))) for k in range(3)]
    # the contrast of a row: the mean of √(2 KL) to the other levels, weighted by their frequencies in the rows
    distances = np.stack([np.sqrt(2.0 * found.renyi(normal, 1.0)) for normal in normals], 1)
    weights = np.array([[np.mean(rows[:, 2] == k) if rows[i, 2] != k else 0.0 for k in range(3)] for i in range(4)])
    contrasts = (weights * distances).sum(1) / weights.sum(1)
    np.testing.assert_allclose(rsens.rsens(model, rows)[:, 2], contrasts, rtol=1e-7)


def test_categories_stay_where_they_are():
    """Rows are moved aside for PyTorch's second derivatives, but not to levels that do not exist."""
    inputs = X.copy()
    inputs[:, 2] = RNG.integers(0, 3, N)
    factories = [
        lambda batch_shape, ard_num_dims, active_dims, kind=kind: kind(ard_num_dims=2, active_dims=active_dims)
        for kind in (RBFKernel, UsersRBF)
    ]
    settings = {"inputs": inputs, "cat_dims": [2], "input_transform": Normalize(D, indices=[0, 1])}
    models = [fitted(MixedSingleTaskGP, cont_kernel_factory=factory, **settings) for factory in factories]
    closed, automatic = map(as_model, models)
    assert [each.description.derivatives for each in (closed, automatic)] == ["closed form", "automatic (PyTorch)"]
    rows = inputs[:6]
    found, expected = (each.derivatives(rows, 2).second[..., :2, :2] for each in (automatic, closed))
    assert relative(found, expected) < 1e-6
    assert {finding.verdict for each in (closed, automatic) for finding in each.checks(rows)} == {"ok"}


def test_the_kernel_of_categories_is_ours():
    inputs = X.copy()
    inputs[:, 1:] = RNG.integers(0, 3, (N, 2))
    kernel = fitted(MixedSingleTaskGP, inputs=inputs, cat_dims=[1, 2]).covar_module.kernels[1].base_kernel.kernels[1]
    with_values(kernel, lengthscale=(0.7, 1.9))
    ours = Categorical(1.0, (1.4, 3.8), dims=(1, 2))  # BoTorch takes the mean over columns, we the sum
    with torch.no_grad():
        np.testing.assert_allclose(ours(inputs), kernel(torch.tensor(inputs)).to_dense(), rtol=1e-12)


@pytest.fixture
def drawn():
    model = SaasFullyBayesianSingleTaskGP(
        torch.tensor(X), torch.tensor(Y)[:, None], input_transform=Normalize(D), outcome_transform=Standardize(1)
    )
    rng = np.random.default_rng(5)
    draws = {
        "lengthscale": rng.uniform(0.4, 2.0, (4, 1, D)),
        "outputscale": rng.uniform(0.5, 2.0, 4),
        "mean": rng.normal(size=(4, 1)),
        "noise": rng.uniform(0.01, 0.1, (4, 1)),
    }
    model.load_mcmc_samples({name: torch.tensor(values) for name, values in draws.items()})
    return model


def test_fully_bayesian_models_are_mixtures(drawn):
    source = as_model(drawn)
    found = source.predict_distribution(ROWS)
    with torch.no_grad():
        expected = drawn.posterior(torch.tensor(ROWS), observation_noise=True)
    np.testing.assert_allclose(found.mean, expected.mixture_mean[:, 0], rtol=1e-8)
    np.testing.assert_allclose(found.variance, expected.mixture_variance[:, 0], rtol=1e-8)
    assert source.description.family == "Mixture of 4 Normal"
    assert source.description.derivatives == "closed form"
    differences = from_function(source.predict_distribution)
    rows = ROWS[3:7]
    assert relative(rsens.rsens(drawn, rows), rsens.rsens(differences, rows)) < 1e-6
    # pairs are of the normal with the mean and variance of the mixture
    whole = source.predict_distribution
    matched = from_function(lambda X: Normal(whole(X).mean, whole(X).variance))
    assert relative(rsens.rsens2(drawn, rows), rsens.rsens2(matched, rows)) < 1e-4
    found = rsens.explain(drawn, X, null=False, intervals=False, random_state=0)
    assert found.main.shape == (D,)
    assert all(finding.verdict == "ok" for finding in source.checks(ROWS))


def test_its_own_fit():
    """A real fit, in place of hyperparameters set by hand."""
    targets = np.sin(6.0 * X[:, 0]) + 0.05 * X[:, 1] + 0.1 * RNG.normal(size=N)
    model = SingleTaskGP(torch.tensor(X), torch.tensor(targets)[:, None], input_transform=Normalize(D))
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    found = rsens.explain(model, X, null=False, intervals=False, random_state=0)
    assert found.main.idxmax() == "x0"
    assert all(finding.verdict == "ok" for finding in as_model(model).checks(X))


def test_a_variational_model():
    transforms = {"input_transform": Normalize(D), "outcome_transform": Standardize(1)}
    model = fitted(SingleTaskVariationalGP, inducing_points=8, **transforms)
    strategy = model.model.variational_strategy
    strategy.variational_params_initialized.fill_(1)
    strategy._variational_distribution.variational_mean.data = torch.linspace(-1.0, 1.0, 8).double()
    mean, variance = posterior(model, ROWS)
    source = as_model(model.train())
    found = source.predict_distribution(ROWS)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-8)
    np.testing.assert_allclose(found.variance, variance, rtol=1e-8)
    differences = from_function(source.predict_distribution)
    assert relative(rsens.rsens(model, ROWS), rsens.rsens(differences, ROWS)) < 1e-6


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
