"""What is reported of a model, what is left untouched, and what is refused."""

from __future__ import annotations

import pickle
import warnings

import gpytorch
import numpy as np
import pytest
import torch
from botorch.models import SingleTaskGP
from botorch.models.deterministic import GenericDeterministicModel
from botorch.models.transforms import Normalize

import rsens
from rsens import InputError, RsensWarning
from rsens.adapters import as_model
from rsens.adapters._gpytorch._native import Autograd
from rsens.kernels import EQ
from tests.adapters.gpytorch.processes import (
    ROWS,
    DeepKernel,
    ExactProcess,
    X,
    Y,
    exact,
    gaussian,
    own,
    rbf,
    relative,
    scaled,
    with_values,
)
from tests.adapters.gpytorch.test_approximate import variational
from tests.adapters.gpytorch.test_autograd import users_matern, users_rbf

# ---- findings --------------------------------------------------------------------------------------------------------

SECOND = "second derivatives at training rows"


def verdicts(model):
    return {finding.name: finding.verdict for finding in rsens.check(model, ROWS).findings}


def test_the_description_is_one_line():
    assert str(as_model(exact(scaled(rbf()))).description) == (
        "ExactProcess (ExactGP of GPyTorch): Normal prediction of an observation, noise included: 0.04 "
        "(GaussianLikelihood); derivatives: closed form; columns of X as given."
    )


@pytest.mark.parametrize(
    "model",
    [
        lambda: exact(scaled(rbf())).train(),
        lambda: exact(scaled(rbf((0.8, 1.1))), kind=DeepKernel),
    ],
)
def test_all_is_well(model):
    found = verdicts(model())
    assert set(found) >= {"noise", "mode", "precision", "solver", SECOND}
    assert set(found.values()) == {"ok"}


def test_no_second_derivatives_are_no_error():
    """A straight line has none, and what differences find there is rounding."""
    kernel = with_values(gpytorch.kernels.LinearKernel(), variance=0.4)
    assert verdicts(exact(kernel))[SECOND] == "ok"


def test_single_precision_warns_and_is_computed_in_double():
    """Data and hyperparameters are rounded once, to 7 digits; nothing is lost after that."""
    model = ExactProcess(torch.tensor(X).float(), torch.tensor(Y).float(), gaussian().float(), scaled(rbf()).float())
    with pytest.warns(RsensWarning, match=r"single precision \(float32\).*model\.double\(\)"):
        assert verdicts(model)["precision"] == "warning"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = rsens.rsens2(model, ROWS)
    assert model.covar_module.outputscale.dtype == torch.float32
    assert relative(found, rsens.rsens2(own(EQ(1.7, (0.8, 2.5, 1.1))), ROWS)) < 1e-4


def test_wrong_second_derivatives_are_found(monkeypatch):
    """As they would be without the detour at training rows."""
    monkeypatch.setattr(Autograd, "_at_anchors", lambda self, X: np.zeros(len(X), dtype=bool))
    assert verdicts(exact(users_matern(2.5)))[SECOND] == "wrong"


def test_a_wrong_translation_is_found(monkeypatch):
    source = as_model(exact(scaled(rbf())))
    monkeypatch.setitem(vars(source.source), "targets", 1.1 * Y)
    found = {finding.name: finding.verdict for finding in source.checks(ROWS)}
    assert found["translation"] == "wrong"


def test_the_solver_is_what_the_settings_say():
    model = exact(scaled(rbf()))
    with gpytorch.settings.max_cholesky_size(10), gpytorch.settings.fast_computations(True, True, True):
        (finding,) = (finding for finding in as_model(model).checks(ROWS) if finding.name == "solver")
    assert "conjugate gradients above 10." in finding.text
    with gpytorch.settings.max_cholesky_size(10), gpytorch.settings.fast_computations(True, True, False):
        (finding,) = (finding for finding in as_model(model).checks(ROWS) if finding.name == "solver")
    assert "both use Cholesky factors" in finding.text


# ---- the model and everything global is left as it was ---------------------------------------------------------------


def botorch_gp():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the scale of the data
        return SingleTaskGP(torch.tensor(X), torch.tensor(Y)[:, None], input_transform=Normalize(3))


MODELS = {
    "closed form": lambda: exact(scaled(rbf())),
    "automatic": lambda: exact(users_rbf()),
    "botorch": botorch_gp,
    "variational": lambda: variational(gpytorch.likelihoods.GaussianLikelihood()),
}


def explained(model):
    if isinstance(model, gpytorch.models.ApproximateGP):
        return rsens.from_gpytorch(model, gpytorch.likelihoods.GaussianLikelihood().double())
    return model


def snapshot(model):
    """What can be seen of a model: every attribute of every part by identity, parameters and gradients by value."""
    parts = {
        (name, key): id(value) if not isinstance(value, dict | tuple) else str(value)
        for name, part in model.named_modules()
        for key, value in vars(part).items()
    }
    parameters = {
        name: (id(p), p.dtype, p.requires_grad, p.detach().clone(), None if p.grad is None else p.grad.clone())
        for name, p in model.named_parameters()
    }
    return parts, str(parameters), str(model.state_dict())


def settings():
    kinds = [value for value in vars(gpytorch.settings).values() if isinstance(value, type)]
    states = [(kind.__name__, kind.on()) for kind in kinds if hasattr(kind, "on")]
    values = [(kind.__name__, kind.value()) for kind in kinds if kind.__name__ in ("max_cholesky_size", "cg_tolerance")]
    fast = gpytorch.settings.fast_computations
    states += [(kind.__name__, kind.on()) for kind in (fast.covar_root_decomposition, fast.log_prob, fast.solves)]
    return states, values, torch.get_default_dtype(), torch.is_grad_enabled(), torch.random.get_rng_state().tolist()


@pytest.mark.parametrize("name", MODELS)
def test_nothing_is_left_behind_in_training_mode(name):
    expected = rsens.rsens2(explained(MODELS[name]().eval()), ROWS)
    model = MODELS[name]().train()
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    before, around = snapshot(model), settings()
    shown = list(warnings.filters)
    rsens.rsens(explained(model), ROWS)
    np.testing.assert_allclose(rsens.rsens2(explained(model), ROWS), expected, rtol=1e-12)
    list(as_model(explained(model)).checks(ROWS))
    assert snapshot(model) == before
    assert settings() == around
    assert warnings.filters == shown


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_has_predicted_before_can_be_copied(name):
    """Its caches hold tensors with a history, which cannot be copied; nor are they wanted."""
    model = MODELS[name]().eval()
    fresh = rsens.rsens(explained(model), ROWS)
    model(torch.tensor(ROWS, requires_grad=True)).mean.sum().backward()
    np.testing.assert_allclose(rsens.rsens(explained(model), ROWS), fresh, rtol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_the_adapted_model_goes_to_other_processes(name):
    source = as_model(explained(MODELS[name]()))
    expected = source.derivatives(ROWS, 2)
    found = pickle.loads(pickle.dumps(source)).derivatives(ROWS, 2)
    np.testing.assert_array_equal(found.second, expected.second)


@pytest.mark.parametrize("name", ["closed form", "botorch"])
def test_a_change_is_seen(name):
    """The factor of a model is kept for the next call, unless anything has changed."""
    model = MODELS[name]()
    before = as_model(model)
    assert as_model(model).source is before.source
    scale = model.covar_module if name == "botorch" else model.covar_module.base_kernel
    for change in (
        lambda: scale.raw_lengthscale.data.add_(0.1),
        lambda: model.train_targets.data.mul_(1.01),
        lambda: model.likelihood.noise_covar.raw_noise.data.add_(0.1),
    ):
        found = rsens.rsens(model, ROWS)
        change()
        assert not np.allclose(rsens.rsens(model, ROWS), found, rtol=1e-6)


def test_targets_with_a_history():
    """Some pipelines compute the targets with gradients on."""
    targets = torch.tensor(Y, requires_grad=True) * 1.0
    model = exact(users_rbf())
    expected = rsens.rsens(model, ROWS)
    model.set_train_data(targets=targets)
    np.testing.assert_array_equal(rsens.rsens(model, ROWS), expected)


# ---- errors ----------------------------------------------------------------------------------------------------------

TX, TY = torch.tensor(X), torch.tensor(Y)


def without_data():
    return ExactProcess(None, None, gaussian(), scaled(rbf()))


def two_inputs():
    return ExactProcess((TX, TX), TY, gaussian(), scaled(rbf()))


def batch():
    return ExactProcess(TX.expand(2, *X.shape), TY.expand(2, len(Y)), gaussian(), scaled(rbf()))


def with_a_gap():
    return exact(scaled(rbf()), targets=np.where(np.arange(len(Y)) == 3, np.nan, Y))


class SeveralTasks(gpytorch.models.ExactGP):
    def __init__(self):
        likelihood = gpytorch.likelihoods.MultitaskGaussianLikelihood(num_tasks=2)
        super().__init__(TX, torch.stack([TY, TY], -1), likelihood)
        self.mean_module = gpytorch.means.MultitaskMean(gpytorch.means.ConstantMean(), num_tasks=2)
        self.covar_module = gpytorch.kernels.MultitaskKernel(gpytorch.kernels.RBFKernel(), num_tasks=2, rank=1)

    def forward(self, x):
        return gpytorch.distributions.MultitaskMultivariateNormal(self.mean_module(x), self.covar_module(x))


class ABatchInside(ExactProcess):
    """One column of targets, but a kernel for each of two GPs."""

    def __init__(self):
        kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(batch_shape=torch.Size([2])))
        super().__init__(TX, TY, gaussian(), kernel.double())


CASES = {
    "no data": (without_data, "no training data"),
    "two inputs": (two_inputs, "takes 2 inputs"),
    "batch": (batch, r"\(2, 30, 3\).*a batch of GPs"),
    "several tasks": (SeveralTasks, r"\(30, 2\): several outputs"),
    "a batch of kernels": (ABatchInside, r"array of shape \(2, 2\) for 2 rows"),
    "a gap": (with_a_gap, "missing or infinite values"),
    "other columns": (lambda: exact(rbf((0.8, 2.5)), inputs=X[:, :2]), "2 columns"),
    "list": (
        lambda: gpytorch.models.IndependentModelList(exact(scaled(rbf())), exact(scaled(rbf()))),
        r"holds 2 models.*model\.models\[0\]",
    ),
    "no distribution": (lambda: GenericDeterministicModel(lambda x: x[..., :1]), "is not an ExactGP"),
}


@pytest.mark.parametrize("name", CASES)
def test_models(name):
    make, words = CASES[name]
    with pytest.raises(InputError, match=words):
        rsens.rsens(make(), ROWS)


@pytest.mark.parametrize(
    ("model", "likelihood", "argument"),
    [
        (torch.nn.Linear(3, 1), gaussian(), "model"),
        (gaussian(), gaussian(), "model"),
        (exact(scaled(rbf())), "gaussian", "likelihood"),
    ],
)
def test_arguments_of_from_gpytorch(model, likelihood, argument):
    with pytest.raises(InputError, match="from_gpytorch") as error:
        rsens.from_gpytorch(model, likelihood)
    assert error.value.argument == argument
