"""What is said of a model: one line, and the traps of the library as findings."""

from __future__ import annotations

import warnings

import gpytorch
import numpy as np
import pytest
import torch

import rsens
from rsens import RsensWarning
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
from tests.adapters.gpytorch.test_autograd import users_matern

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
