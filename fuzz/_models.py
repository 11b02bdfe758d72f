"""Random models: every estimator of rsens, models of other libraries that are quick to fit, and functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import rsens
from fuzz._functions import random_draws, random_function
from fuzz._tables import Rng


@dataclass(frozen=True)
class Recipe:
    """How to make a model: from an estimator that is fitted, or from a table alone.

    target: The kind of prediction: numbers, classes or counts. ours: Whether errors of the fit are ours.
    """

    make: Callable[..., Any]
    target: str = "numbers"
    ours: bool = False
    chance: float = 1.0
    fits: bool = True


def _gp(rng: Rng, **options: Any) -> Any:
    search = {} if rng.random() < 0.2 else {"optimize": False}
    sparse = {"inducing": int(rng.integers(1, 8))} if rng.random() < 0.2 else {}
    plain = {"standardize": False} if rng.random() < 0.2 else {}
    kernel = {"kernel": _kernel(rng)} if rng.random() < 0.4 else {}
    return {"tolerance": 0.01, "n_restarts": 0, "random_state": 0} | search | sparse | plain | kernel | options


def _kernel(rng: Rng) -> Any:
    kernels = rsens.kernels
    length = 10.0 ** rng.uniform(-6, 6)
    found = [kernels.EQ, kernels.Matern32, kernels.Matern52, kernels.RationalQuadratic, kernels.Periodic]
    made = found[rng.integers(len(found))](lengthscale=length)
    return made if rng.random() < 0.5 else made + kernels.Linear(10.0 ** rng.uniform(-6, 6))


def _linear(rng: Rng) -> dict[str, Any]:
    intercept = {"fit_intercept": bool(rng.random() < 0.8)}
    return intercept | ({"prior_precision": 10.0 ** rng.uniform(-12, 12)} if rng.random() < 0.3 else {})


def _ours() -> dict[str, Recipe]:
    likelihoods = {"gaussian": "numbers", "student_t": "numbers", "poisson": "counts", "negative_binomial": "counts"}
    found = {
        f"GPRegressor, {name}": Recipe(
            lambda rng, name=name: rsens.GPRegressor(**_gp(rng, likelihood=name)), kind, ours=True
        )
        for name, kind in likelihoods.items()
    }
    for link in ("probit", "logit"):
        found[f"GPClassifier, {link}"] = Recipe(
            lambda rng, link=link: rsens.GPClassifier(**_gp(rng, link=link)), "classes", ours=True
        )
    weights = {
        "BayesianLinearRegression": "numbers",
        "BayesianPoissonRegression": "counts",
        "BayesianLogisticRegression": "classes",
        "BayesianProbitRegression": "classes",
    }
    for name, kind in weights.items():
        found[name] = Recipe(lambda rng, name=name: getattr(rsens, name)(**_linear(rng)), kind, ours=True, chance=1.5)
    return found


def _sklearn(module: str, name: str, **options: Any) -> Callable[[Rng], Any]:
    def make(rng: Rng) -> Any:
        import importlib

        return getattr(importlib.import_module(f"sklearn.{module}"), name)(**options)

    return make


def _pipeline(module: str, name: str, **options: Any) -> Callable[[Rng], Any]:
    def make(rng: Rng) -> Any:
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), _sklearn(module, name, **options)(rng))

    return make


def _foreign() -> dict[str, Recipe]:
    return {
        "BayesianRidge": Recipe(_sklearn("linear_model", "BayesianRidge")),
        "ARDRegression": Recipe(_sklearn("linear_model", "ARDRegression", max_iter=5)),
        "LogisticRegression": Recipe(_sklearn("linear_model", "LogisticRegression", max_iter=20), "classes"),
        "GaussianNB": Recipe(_sklearn("naive_bayes", "GaussianNB"), "classes"),
        "GaussianProcessRegressor": Recipe(
            _sklearn("gaussian_process", "GaussianProcessRegressor", optimizer=None, alpha=0.1)
        ),
        "GaussianProcessClassifier": Recipe(
            _sklearn("gaussian_process", "GaussianProcessClassifier", optimizer=None), "classes"
        ),
        "RandomForestClassifier": Recipe(
            _sklearn("ensemble", "RandomForestClassifier", n_estimators=3, random_state=0), "classes", chance=0.5
        ),
        "LinearRegression": Recipe(_sklearn("linear_model", "LinearRegression"), chance=0.3),
        "MLPClassifier": Recipe(
            _sklearn("neural_network", "MLPClassifier", hidden_layer_sizes=(3,), max_iter=3, random_state=0),
            "classes",
            chance=0.5,
        ),
        "pipeline, BayesianRidge": Recipe(_pipeline("linear_model", "BayesianRidge")),
        "pipeline, LogisticRegression": Recipe(_pipeline("linear_model", "LogisticRegression"), "classes"),
        "statsmodels, OLS": Recipe(lambda rng: _Statsmodels("OLS")),
        "statsmodels, Poisson": Recipe(lambda rng: _Statsmodels("Poisson"), "counts"),
        "statsmodels, Logit": Recipe(lambda rng: _Statsmodels("Logit"), "classes", chance=0.5),
        "GPyTorch": Recipe(lambda rng: _GPyTorch(), chance=0.5),
        "ensemble": Recipe(lambda rng: _Ensemble()),
    }


class _Statsmodels:
    """Fits by a class of statsmodels."""

    def __init__(self, name: str) -> None:
        self.name = name

    def fit(self, X: Any, y: Any) -> Any:
        import statsmodels.api as sm

        rows = np.asarray(X, dtype=float)
        options = {} if self.name == "OLS" else {"disp": 0, "maxiter": 10}
        return getattr(sm, self.name)(np.asarray(y, dtype=float).ravel(), sm.add_constant(rows)).fit(**options)


class _GPyTorch:
    """An exact GP with the hyperparameters of its constructor."""

    def fit(self, X: Any, y: Any) -> Any:
        import gpytorch
        import torch

        class Process(gpytorch.models.ExactGP):
            def __init__(self, rows: Any, targets: Any, likelihood: Any) -> None:
                super().__init__(rows, targets, likelihood)
                self.mean_module = gpytorch.means.ConstantMean()
                self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

            def forward(self, x: Any) -> Any:
                return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

        rows, targets = torch.tensor(np.asarray(X, dtype=float)), torch.tensor(np.asarray(y, dtype=float).ravel())
        return Process(rows, targets, gpytorch.likelihoods.GaussianLikelihood()).double().eval()


class _Ensemble:
    """Three ridges fitted to parts of the rows."""

    def fit(self, X: Any, y: Any) -> Any:
        from sklearn.linear_model import BayesianRidge

        rows, targets = np.asarray(X, dtype=float), np.asarray(y, dtype=float).ravel()
        return rsens.from_ensemble([BayesianRidge().fit(rows[k:], targets[k:]) for k in range(3)])


def _functions() -> dict[str, Recipe]:
    return {
        "function": Recipe(random_function, fits=False, chance=4.0),
        "draws": Recipe(random_draws, fits=False, chance=1.5),
        "torch": Recipe(lambda rng, table: random_function(rng, table, "torch"), fits=False),
        "jax": Recipe(lambda rng, table: random_function(rng, table, "jax"), fits=False, chance=0.05),
    }


OURS, FOREIGN, FUNCTIONS = _ours(), _foreign(), _functions()
RECIPES: dict[str, Recipe] = OURS | FOREIGN | FUNCTIONS


def random_recipe(rng: Rng, names: list[str]) -> str:
    """The name of a recipe among these."""
    chances = np.array([RECIPES[name].chance for name in names])
    return names[rng.choice(len(names), p=chances / chances.sum())]
