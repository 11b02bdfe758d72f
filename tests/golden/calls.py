"""The calls that are recorded: the functions here without an underscore. Each is small and calls public names."""

import contextlib
import inspect
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gpytorch
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as N
import pandas as pd
import polars as pl
import statsmodels.api as sm
import statsmodels.formula.api as smf
import torch
from botorch.models import SingleTaskGP
from botorch.models.transforms import Normalize, Standardize
from matplotlib import pyplot as plt
from ngboost import NGBClassifier, NGBRegressor, distns
from scipy import stats
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process import kernels as K
from sklearn.linear_model import ARDRegression, BayesianRidge, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler
from statsmodels.othermod.betareg import BetaModel
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import rsens
from experiments._fourth_derivative import fourth_derivative
from rsens import kernels, measures, plots
from rsens import likelihoods as L
from rsens.black_box import Budget
from rsens.cli import main
from rsens.datasets import load_bike, load_concrete
from rsens.distributions import ALL_FAMILIES
from tests.adapters.laplace_torch import Laplace
from tests.golden import data
from tests.golden.flatten import ROWS_INTERVAL, Numbers, both, explained, flat, learned, without_row_intervals
from tests.select_interactions.made import asked

#: Calls of values by differences, or from single precision of another library, which are less exact. The second
#: derivatives of the matched Normal of an ensemble are differences.
DIFFERENCES = {
    "from_function", "from_draws_numpy", "from_ensemble", "gpytorch_closed_form_and_autograd", "botorch_single_task",
    "laplace_torch", "sklearn_pipeline", "sklearn_trees", "statsmodels_results", "ngboost_models", "sklearn_others",
    "statsmodels_others", "histograms",
}  # fmt: skip


_THREE = np.array([[0.25, 0.25, 0.5], [0.125, 0.625, 0.25], [0.5, 0.375, 0.125]])
_FOUR = np.array([[0.125, 0.375, 0.5], [0.25, 0.5, 0.25], [0.375, 0.375, 0.25]])
_M, _V = np.array([0.3, -1.0, 4.0]), np.array([1.7, 0.6, 3.0])
_P, _S = np.array([2.0, 0.3, 20.0]), np.array([1.5, 0.9, 12.0])
_Q = np.array([0.3, 0.9, 0.04])
_COV = np.array([[[1.0, 0.3], [0.3, 2.0]], [[0.5, -0.4], [-0.4, 0.6]], [[3.0, 0.0], [0.0, 1.0]]])
_VEC = np.array([[0.0, 1.0], [2.0, -1.0], [0.5, 0.5]])
_AWAY = np.array([0.5, -1.0, 2.0])
_BORDERS = np.array([-1.0, 0.5, 1.0, 4.0])


def _mixture(shift: float) -> Any:
    return rsens.Mixture([rsens.Normal(_M + shift, _V), rsens.Normal(_M + 2.0, 0.5 * _V)], [0.25, 0.75])


#: A distribution of three rows, another one near it, and values of y.
FAMILIES: dict[str, tuple[Any, Any, Any]] = {
    "Normal": (rsens.Normal(_M, _V), rsens.Normal(_M + 0.2, 1.2 * _V), _M + _AWAY),
    "StudentT": (rsens.StudentT(_M, _V, 4.0), rsens.StudentT(_M + 0.2, 1.2 * _V, 4.0), _M + _AWAY),
    "LogNormal": (rsens.LogNormal(_M, 0.3 * _V), rsens.LogNormal(_M + 0.2, 0.4 * _V), np.array([0.4, 1.7, 9.0])),
    "Gamma": (rsens.Gamma(_P, _S), rsens.Gamma(1.1 * _P, 0.9 * _S), np.array([0.4, 1.7, 9.0])),
    "Exponential": (rsens.Exponential(_P), rsens.Exponential(1.1 * _P), np.array([0.4, 1.7, 9.0])),
    "Beta": (rsens.Beta(_P, _S), rsens.Beta(1.1 * _P, 0.9 * _S), np.array([0.05, 0.4, 0.93])),
    "Weibull": (rsens.Weibull(_S, _P), rsens.Weibull(0.9 * _S, 1.1 * _P), np.array([0.4, 1.7, 9.0])),
    "Bernoulli": (rsens.Bernoulli(_Q), rsens.Bernoulli(0.9 * _Q), np.array([0.0, 1.0, 1.0])),
    "Binomial": (rsens.Binomial(9.0, _Q), rsens.Binomial(9.0, 0.9 * _Q), np.array([0.0, 4.0, 9.0])),
    "Categorical": (rsens.Categorical(_THREE), rsens.Categorical(_FOUR), np.array([0.0, 1.0, 2.0])),
    "Poisson": (rsens.Poisson(_P), rsens.Poisson(1.1 * _P), np.array([0.0, 1.0, 9.0])),
    "NegativeBinomial": (
        rsens.NegativeBinomial(_P, _S), rsens.NegativeBinomial(1.1 * _P, 0.9 * _S), np.array([0.0, 1.0, 9.0]),
    ),
    "MultivariateNormal": (
        rsens.MultivariateNormal(_VEC, _COV), rsens.MultivariateNormal(_VEC + 0.2, 1.2 * _COV), _VEC + 0.5,
    ),
    "Histogram": (rsens.Histogram(_BORDERS, _THREE), rsens.Histogram(_BORDERS, _FOUR), np.array([-0.5, 0.7, 2.0])),
    "Mixture": (_mixture(0.0), _mixture(0.3), _M + _AWAY),
}  # fmt: skip


def _of_family(name: str) -> Numbers:
    one, other, y = FAMILIES[name]
    lam = np.asarray(one.parameters)
    direction = np.linspace(-1.0, 1.0, lam.size * 2).reshape(*lam.shape, 2)
    if name in ("Categorical", "Histogram"):
        direction -= direction.mean(axis=1, keepdims=True)
    found = {
        "itself": one,
        "log_prob": one.log_prob(y),
        "fisher_norm": one.fisher_norm(direction),
        "score": one.score(y),
        "sample": one.sample(np.random.default_rng(3), 4),
        "prediction": one.prediction(),
    }
    for alpha in (0.0, 0.5, 1.0, 2.0):
        found[f"renyi_{alpha}"] = one.renyi(other, alpha)
    for method, argument in (("cdf", y), ("survival", y), ("quantile", np.array([0.1, 0.5, 0.9])), ("fisher", None)):
        with contextlib.suppress(AttributeError, NotImplementedError, rsens.InputError):
            found[method] = getattr(one, method)(*([] if argument is None else [argument]))
    return {f"{name}/{key}": value for key, value in flat(**found).items()}


assert {family.__name__ for family in ALL_FAMILIES} == set(FAMILIES)


def _of_families(*names: str) -> Numbers:
    return {key: value for name in names for key, value in _of_family(name).items()}


def families_of_numbers() -> Numbers:
    return _of_families("Normal", "StudentT", "LogNormal", "Gamma", "Exponential", "Beta", "Weibull", "Histogram")


def families_of_counts_and_classes() -> Numbers:
    found = _of_families("Bernoulli", "Binomial", "Categorical", "Poisson", "NegativeBinomial")
    logit = np.array([-1.2, 40.0, 0.5])
    u = np.full((3, 1), 0.1)
    for name, one, y in (
        ("logit", rsens.Bernoulli(logit=logit), 0.0),
        ("logit_n", rsens.Binomial(5.0, logit=logit), 1.0),
    ):
        found |= flat(**{name: {"norm": one.fisher_norm(u), "log_prob": one.log_prob(np.full(3, y)), "itself": one}})
    return found


def families_of_vectors_and_mixtures() -> Numbers:
    found = _of_families("MultivariateNormal", "Mixture")
    mixtures = {
        "Poisson": rsens.Mixture([rsens.Poisson(_P), rsens.Poisson(2.0 * _P)], [0.5, 0.5]),
        "Bernoulli": rsens.Mixture([rsens.Bernoulli(_Q), rsens.Bernoulli(_Q[::-1])], [0.25, 0.75]),
        "Categorical": rsens.Mixture([rsens.Categorical(_THREE), rsens.Categorical(_FOUR)], [0.25, 0.75]),
        "Gamma": rsens.Mixture([rsens.Gamma(_P, _S), rsens.Gamma(2.0 * _P, 0.5 * _S)], [0.5, 0.5]),
    }
    for name, mixture in mixtures.items():
        lam = np.asarray(mixture.parameters)
        u = np.cos(np.arange(lam.size, dtype=float)).reshape(*lam.shape, 1)
        if name == "Categorical":
            u = u.reshape(3, 2, 3, 1)
            u = (u - u.mean(axis=2, keepdims=True)).reshape(3, 6, 1)
        y = np.array([0.0, 1.0, 1.0]) if name != "Gamma" else np.array([0.4, 1.7, 9.0])
        of_mixture = {"itself": mixture, "norm": mixture.fisher_norm(u), "log": mixture.log_prob(y)}
        found |= flat(**{f"mixture_of_{name}": of_mixture})
    return found


KERNELS: dict[str, Any] = {
    "EQ": kernels.EQ(1.7, (0.8, 1.5, 0.6)),
    "Matern12": kernels.Matern12(1.7, 0.8),
    "Matern32": kernels.Matern32(0.9, (0.8, 1.5, 0.6)),
    "Matern52": kernels.Matern52(1.1, 0.9),
    "RationalQuadratic": kernels.RationalQuadratic(1.1, (0.9, 1.4, 2.0), 2.5),
    "Periodic": kernels.Periodic(1.3, 1.2, 3.1),
    "Linear": kernels.Linear((0.4, 1.9, 0.3)) + kernels.Constant(0.5),
    "Categorical": kernels.Categorical(1.2, 0.7, dims=(2,)) * kernels.EQ(1.0, 1.0, dims=(0, 1)),
    "composed": (kernels.Constant(0.4) + kernels.Linear(0.7)) * kernels.EQ(1.1, 1.5)
    + kernels.Periodic(0.6, 1.0, 2.0, dims=(2,)) * kernels.Matern52(0.8, 1.4, dims=(1, 2)),
    "additive": kernels.additive(3, [(0, 2), (2, 1)], kernels.Matern52),
    "additive_alone": kernels.additive(3),
}


def _of_kernel(name: str) -> Numbers:
    X, y = data.array(40)
    if name == "Categorical":
        X[:, 2] = np.arange(len(X)) % 3
    kernel = KERNELS[name]
    found = flat(matrix=kernel(X[:6]), between=kernel(X[:4], X[4:9]))
    if name != "Matern12":
        categorical = [2] if name == "Categorical" else None
        model = rsens.GPRegressor(
            kernel, noise_variance=0.1, optimize=False, standardize=False, categorical=categorical
        )
        model.fit(X, y)
        rows = np.vstack([X[:4], X[:4] + np.array([0.1, -0.2, 0.0 if categorical else 0.3])])
        found |= both(model, rows) | flat(
            derivatives=model.derivatives(rows, 2),
            evidence=model.log_marginal_likelihood_,
            distribution=model.predict_distribution(rows),
        )
    return found


def kernels_stationary() -> Numbers:
    names = ("EQ", "Matern12", "Matern32", "Matern52", "RationalQuadratic")
    return flat(**{name: _of_kernel(name) for name in names})


def kernels_others_and_composed() -> Numbers:
    names = ("Periodic", "Linear", "Categorical", "composed", "additive", "additive_alone")
    return flat(**{name: _of_kernel(name) for name in names})


def _of_model(model: Any, X: Any, y: Any) -> Numbers:
    model.fit(X, y)
    X, y = X[:8], y[:8]
    found = learned(model) | both(model, X)
    found |= flat(
        predict=model.predict(X),
        distribution=model.predict_distribution(X),
        log_density=model.log_predictive_density(X, y),
        derivatives=model.derivatives(X, 2),
        score=model.score(X, y),
    )
    return found | (flat(predict_proba=model.predict_proba(X)) if hasattr(model, "predict_proba") else {})


def _gp(likelihood: str = "gaussian", **settings: Any) -> Any:
    return rsens.GPRegressor(**{"likelihood": likelihood, "n_restarts": 0, "random_state": 0} | settings)


def _outliers(y: Any) -> Any:
    y[::9] += 3.0
    return y


def _excess() -> Any:
    return np.random.default_rng(3).poisson(3.0, 60) * (np.arange(60) % 3 == 0)


#: Gaussian processes with X and y, by the name of their call.
PROCESSES: dict[str, Callable[[], tuple[Any, Any, Any]]] = {
    "gp_gaussian": lambda: (_gp(n_restarts=1), *data.numeric()),
    "gp_gaussian_kernel_and_no_priors": lambda: (
        _gp(kernel=kernels.Matern52(1.0, (1.0, 1.0, 1.0)), priors=None, standardize=False, random_state=None),
        *data.array(50),
    ),
    "gp_student_t": lambda: (_gp("student_t"), data.array()[0], _outliers(data.array()[1])),
    "gp_poisson": lambda: (_gp("poisson"), data.array()[0], data.counts()),
    "gp_negative_binomial": lambda: (_gp("negative_binomial"), data.array()[0], data.counts() + _excess()),
    "gp_text_columns": lambda: (_gp(), *data.mixed()),
}


def _of_process(name: str) -> Numbers:
    return _of_model(*PROCESSES[name]())


def gp_offset() -> Numbers:
    X, _ = data.array()
    offset = np.linspace(-1.0, 1.0, 60)
    model = _gp("poisson").fit(X, data.counts(), offset=offset)
    return learned(model) | flat(
        predict=model.predict(X[:6], offset=offset[:6]), derivatives=model.derivatives(X[:6], 1, offset=offset[:6])
    )


def gp_probit_and_logit() -> Numbers:
    models = {link: rsens.GPClassifier(link=link, n_restarts=0, random_state=0) for link in ("probit", "logit")}
    return flat(**{link: _of_model(model, data.array()[0], data.classes()) for link, model in models.items()})


def gp_three_classes() -> Numbers:
    return _of_model(rsens.GPClassifier(n_restarts=0, random_state=0), data.array()[0], LABELS[data.classes(k=3)])


LABELS = np.array(["one", "three", "two"])


def gp_sparse() -> Numbers:
    X, y = data.array(120)
    probit = rsens.GPClassifier(inducing=12, n_restarts=0, random_state=0)
    return flat(
        gaussian=_of_model(_gp(inducing=15), X, y),
        poisson=_of_model(_gp("poisson", inducing=12), X, data.counts(120)),
        probit=_of_model(probit, X, data.classes(120)),
    )


def linear_models() -> Numbers:
    X, y = data.array()
    return flat(
        linear=_of_model(rsens.BayesianLinearRegression(), X, y),
        linear_prior=_of_model(rsens.BayesianLinearRegression(prior_precision=0.5, standardize=True), X, y),
        probit=_of_model(rsens.BayesianProbitRegression(), X, data.classes()),
        logistic=_of_model(rsens.BayesianLogisticRegression(), X, data.classes()),
        logistic_of_three=_of_model(rsens.BayesianLogisticRegression(), X, data.classes(k=3)),
        poisson=_of_model(rsens.BayesianPoissonRegression(), X, data.counts()),
        text=_of_model(rsens.BayesianLinearRegression(categorical=["site"]), *data.mixed()),
    )


def saved_models() -> Numbers:
    X, _ = data.mixed()
    found = {}
    for name, model, rows in (
        ("gp", data.mixed_gp(), X[:8]),
        ("linear", rsens.BayesianPoissonRegression().fit(data.array()[0], data.counts()), data.array()[0][:8]),
    ):
        rsens.save_model(model, f"{name}.rsens", metadata={"who": "me"})
        again = rsens.load_model(f"{name}.rsens")
        found |= {f"{name}/{k}": v for k, v in (both(again, rows) | flat(predict=again.predict(rows))).items()}
    return found


def likelihoods_alone() -> Numbers:
    m, v = np.array([-1.0, 0.3, 2.0, 5.0]), np.array([0.1, 1.0, 4.0, 0.5])
    found = {}
    for likelihood, y in (
        (L.GaussianLikelihood(0.3), m + 0.5),
        (L.StudentTLikelihood(0.4, 5.0), m + 0.5),
        (L.PoissonLikelihood(), np.array([0.0, 1.0, 4.0, 120.0])),
        (L.NegativeBinomialLikelihood(1.7), np.array([0.0, 1.0, 4.0, 120.0])),
        (L.ProbitLikelihood(), np.array([0.0, 1.0, 1.0, 0.0])),
        (L.LogitLikelihood(), np.array([0.0, 1.0, 1.0, 0.0])),
    ):
        of_it = {"itself": likelihood.predictive(m, v), "log_density": likelihood.log_predictive_density(y, m, v)}
        found |= flat(**{type(likelihood).__name__: of_it})
    return found


def gp_classes_and_counts_of_a_kernel_given() -> Numbers:
    """Without optimisation: what Laplace's approximation alone gives."""
    X, y = data.array(40)
    counts, classes = data.counts(40), data.classes(40)
    EQ, fixed = kernels.EQ(0.8, 1.2), {"optimize": False}
    return flat(
        poisson=_of_model(rsens.GPRegressor(EQ, "poisson", **fixed), X, counts),
        counts=_of_model(rsens.GPRegressor(EQ, "negative_binomial", **fixed), X, counts),
        student_t=_of_model(rsens.GPRegressor(EQ, "student_t", **fixed), X, y),
        probit=_of_model(rsens.GPClassifier(kernels.Matern52(2.0, 1.2), **fixed), X, classes),
        logit=_of_model(rsens.GPClassifier(kernels.Matern32(2.0, 1.2), "logit", **fixed), X, classes),
    )


def measures_of_a_model() -> Numbers:
    X, _ = data.numeric()
    model = data.gp()
    record = model.derivatives(X[:20], 2)
    in_jax = rsens.from_jax(lambda X: rsens.Normal(X[:, 0] * X[:, 1] ** 2 + X[:, 2], 1.0 + X[:, 1] ** 2))
    return flat(
        group=measures.local_values("rsens", model, X[:20], groups={"ab": ["a", "b"], "c": ["c"]}),
        rsens_of=measures.rsens_of(record, 1.0),
        rsens2_of=measures.rsens2_of(record, 2.0, np.array([1.0, 2.0, 0.5])),
        parts=measures.parts(record.distribution, record.first),
        ead=measures.local_values("ead", model, X),
        aed=measures.local_values("aed", model, X)[:, 0],
        eah=measures.local_values("eah", model, X),
        aeh=measures.local_values("aeh", model, X)[:, 0],
        kl=measures.local_values("kl", model, X),
        ard=measures.ard(model, X),
        fourth=fourth_derivative(in_jax, X.to_numpy()[:4]),
        importance={
            name: measures.importance(name, model, X, weights=np.arange(60.0))
            for name in ("rsens", "rsens2", "ead", "aed", "eah", "aeh", "kl")
        },
    )


def from_jax() -> Numbers:
    X, _ = data.array(30)
    model = rsens.from_jax(data.curved(jnp))
    three = rsens.from_jax(lambda X: rsens.Categorical(jnp.exp(X) / jnp.exp(X).sum(-1, keepdims=True)))
    gamma = rsens.from_jax(lambda X: rsens.Gamma(jnp.exp(X[:, 0] * X[:, 1]), 1.0 + X[:, 2] ** 2))
    rsens.check(model, X)
    return flat(
        curved=both(model, X), three=both(three, X), gamma=both(gamma, X), derivatives=model.derivatives(X[:5], 2)
    )


def from_torch() -> Numbers:
    X, _ = data.array(30)
    model = rsens.from_torch(data.curved(torch))
    weibull = rsens.from_torch(lambda X: rsens.Weibull(1.0 + X[:, 2] ** 2, torch.exp(X[:, 0] * X[:, 1] / 3.0)))
    return flat(curved=both(model, X), weibull=both(weibull, X))


def from_function() -> Numbers:
    X, _ = data.array(30)
    model = rsens.from_function(data.curved(np))
    coded = rsens.from_function(
        lambda X: rsens.Poisson(np.exp(0.3 * X[:, 0] + np.array([0.0, 0.4, -0.3])[X[:, 3].astype(int)])),
        categorical=[3],
    )
    rows = np.column_stack([X, np.arange(30) % 3])
    return flat(curved=both(model, X), coded=explained(rsens.explain(coded, rows, random_state=0)))


def from_draws_numpy() -> Numbers:
    X, _ = data.numeric(120)
    model = rsens.from_draws(data.of_draw, data.draws())
    weighted = rsens.from_draws(data.of_draw, data.draws(), weights=np.arange(1.0, 26.0))
    rows = X.to_numpy()[:15]
    found = flat(matched=both(model, rows), weighted=flat(rsens=rsens.rsens(weighted, rows)))
    return found | explained(rsens.explain(model, X, random_state=0))


def from_draws_jax() -> Numbers:
    X, _ = data.numeric(40)
    model = rsens.from_draws(data.of_draw, data.draws(), backend="jax")

    def event(p: Any, X: Any) -> Any:
        return rsens.Bernoulli(logit=X @ p["slope"] + p["both"] * jnp.sin(X[:, 0]))

    rows = X.to_numpy()[:15]
    found = flat(matched=both(model, rows), event=both(rsens.from_draws(event, data.draws(), backend="jax"), rows))
    return found | explained(rsens.explain(model, X, random_state=0))


def from_draws_torch() -> Numbers:
    X, _ = data.array(15)
    model = rsens.from_draws(data.of_draw, data.draws(), backend="torch")
    counts = rsens.from_draws(
        lambda p, X: rsens.Poisson((X @ p["slope"] + p["both"]).exp()), data.draws(), backend="torch"
    )
    return flat(matched=both(model, X), counts=flat(rsens=rsens.rsens(counts, X)))


def from_ensemble() -> Numbers:
    X, y = data.numeric()
    linear = [rsens.BayesianPoissonRegression().fit(X[k::3], data.counts()[k::3]) for k in range(3)]
    gps = [rsens.GPRegressor(kernels.EQ(1.0, l), optimize=False).fit(X, y) for l in (0.8, 1.2)]
    model = rsens.from_ensemble(gps, weights=[0.3, 0.7])
    found = flat(gps=both(model, X[:15]), counts=both(rsens.from_ensemble(linear), X[:15]))
    return found | explained(rsens.explain(model, X, random_state=0))


def from_numpyro() -> Numbers:
    def program(X: Any, y: Any = None) -> None:
        slope = numpyro.sample("slope", N.Normal(0.0, 1.0).expand([X.shape[1]]).to_event(1))
        between = numpyro.sample("both", N.Normal(0.0, 1.0))
        sigma = numpyro.sample("sigma", N.HalfNormal(1.0))
        mean = X @ slope + between * jnp.sin(X[:, 0]) * X[:, 1]
        with numpyro.plate("rows", X.shape[0]):
            numpyro.sample("y", N.Normal(mean, sigma), obs=y)

    return both(rsens.from_numpyro(program, data.draws()), data.array(30)[0])


def gpytorch_closed_form_and_autograd() -> Numbers:
    X, y = data.array(30)

    class Process(gpytorch.models.ExactGP):
        def __init__(self, inputs: Any, targets: Any, likelihood: Any, kernel: Any, power: float | None) -> None:
            super().__init__(inputs, targets, likelihood)
            self.mean_module, self.covar_module, self.power = gpytorch.means.ConstantMean(), kernel, power

        def forward(self, x: Any) -> Any:
            if self.power is not None:
                x = torch.tanh(self.power * x)
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    found = {}
    for name, power, inner in (
        ("rbf", None, gpytorch.kernels.RBFKernel(ard_num_dims=3)),
        ("matern", None, gpytorch.kernels.MaternKernel(2.5, ard_num_dims=3)),
        ("deep", 0.5, gpytorch.kernels.RBFKernel(ard_num_dims=3)),
    ):
        kernel = gpytorch.kernels.ScaleKernel(inner).double()
        kernel.base_kernel.lengthscale = torch.tensor([[0.8, 2.5, 1.1]], dtype=torch.float64)
        kernel.outputscale = torch.tensor(1.7, dtype=torch.float64)
        likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
        likelihood.noise = torch.tensor(0.04, dtype=torch.float64)
        model = Process(torch.tensor(X), torch.tensor(y), likelihood, kernel, power).double().eval()
        rows = np.vstack([X[:5], X[:5] + 0.2])
        found |= flat(**{name: both(rsens.from_gpytorch(model, likelihood), rows)})
    return found


def botorch_single_task() -> Numbers:
    X, y = data.array(25)
    model = SingleTaskGP(
        torch.tensor(X), torch.tensor(y)[:, None], input_transform=Normalize(3), outcome_transform=Standardize(1)
    )
    model.covar_module.initialize(lengthscale=torch.tensor([0.4, 0.9, 1.3], dtype=torch.float64))
    model.likelihood.noise_covar.initialize(noise=torch.tensor([0.03], dtype=torch.float64))
    return both(model, np.vstack([X[:5], X[:5] + 0.1]))


def laplace_torch() -> Numbers:

    X, y = data.array(30)
    rows = torch.tensor(X, dtype=torch.float64)
    found = {}
    for likelihood, target, noise in (
        ("regression", torch.tensor(y)[:, None], {"sigma_noise": 0.4}),
        ("classification", torch.tensor(data.classes(30), dtype=torch.long), {}),
    ):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1 if noise else 2)).double()
        laplace = Laplace(net, likelihood, subset_of_weights="all", hessian_structure="full", **noise)
        laplace.fit(DataLoader(TensorDataset(rows, target), batch_size=10))
        found |= flat(**{likelihood: {"rsens": rsens.rsens(laplace, X[:10]), "rsens2": rsens.rsens2(laplace, X[:4])}})
    return found


def torch_modules_and_dropout() -> Numbers:
    class Net(nn.Module):
        def __init__(self, seed: int) -> None:
            super().__init__()
            torch.manual_seed(seed)
            self.body = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Dropout(0.2), nn.Linear(6, 2))

        def forward(self, x: Any) -> Any:
            out = self.body(x)
            return torch.distributions.Normal(out[:, 0], out[:, 1].exp())

    X, _ = data.array(25)
    net = Net(1).double().eval()
    dropout = rsens.from_dropout(net, n_draws=8, random_state=0)
    ensemble = rsens.from_ensemble([net, Net(2).double().eval()])
    return flat(net=both(net, X), dropout=both(dropout, X[:8]), ensemble=both(ensemble, X[:8]))


def sklearn_gaussian_processes() -> Numbers:
    X, y = data.array(40)
    white, of_classes = K.WhiteKernel(0.1), 1.5 * K.RBF([0.8, 1.5, 0.6])
    models = {
        name: GaussianProcessRegressor(kernel, optimizer=None, normalize_y=True).fit(X, y)
        for name, kernel in {
            "rbf": 1.5 * K.RBF([0.8, 1.5, 0.6]) + white,
            "matern": 1.5 * K.Matern([0.8, 1.5, 0.6], nu=2.5) + white,
            "others": K.RationalQuadratic(1.2, 0.7) * K.DotProduct(0.5) + K.ExpSineSquared(1.1, 3.0) + white,
        }.items()
    }
    for k in (2, 3):
        models[f"classes_{k}"] = GaussianProcessClassifier(of_classes, optimizer=None).fit(X, data.classes(40, k=k))
    return flat(**{name: both(model, X[:10] + 0.1) for name, model in models.items()})


def sklearn_linear() -> Numbers:
    X, y = data.numeric()
    models = {
        "ridge": BayesianRidge().fit(X, y),
        "two": LogisticRegression().fit(X, data.classes()),
        "three": LogisticRegression().fit(X, data.classes(k=3)),
    }
    found = {name: explained(rsens.explain(model, X, random_state=0)) for name, model in models.items()}
    return flat(**{name: found[name] | both(model, X[:10]) for name, model in models.items()})


def sklearn_pipeline() -> Numbers:
    X, y = data.mixed()
    columns = make_column_transformer(
        (make_pipeline(StandardScaler(), PolynomialFeatures(2, include_bias=False)), ["a", "b"]),
        (OneHotEncoder(), ["site", "old"]),
    )
    process = GaussianProcessRegressor(1.5 * K.RBF(1.5) + K.WhiteKernel(0.1), optimizer=None)
    return explained(rsens.explain(make_pipeline(columns, process).fit(X, y), X, random_state=0))


def sklearn_trees() -> Numbers:
    X, y = data.numeric()
    found = {}
    for name, model in {
        "forest": RandomForestClassifier(10, max_depth=4, random_state=0).fit(X, data.classes(k=3)),
        "boosting": HistGradientBoostingClassifier(max_iter=8, random_state=0).fit(X, data.classes()),
        "regression": RandomForestRegressor(10, random_state=0).fit(X, y),
    }.items():
        with contextlib.suppress(rsens.InputError):
            found |= flat(**{name: explained(rsens.explain(model, X, random_state=0))})
    return found


def statsmodels_results() -> Numbers:
    X, y = data.mixed()
    table = X.assign(y=y, count=np.arange(80) % 5, hit=np.arange(80) % 2)
    design = sm.add_constant(X[["a", "b"]])
    found = {}
    for name, results, rows in (
        ("ols", sm.OLS(y, design).fit(), design),
        ("formula", smf.ols("y ~ a * C(site) + np.log(b)", table).fit(), X),
        ("poisson", smf.glm("count ~ a * b + site", table, family=sm.families.Poisson()).fit(), X),
        ("logit", smf.logit("hit ~ a + b", table).fit(disp=0), X[["a", "b"]]),
        ("gamma", smf.glm("b ~ a", table, family=sm.families.Gamma(sm.families.links.Log())).fit(), X[["a"]]),
    ):
        found |= flat(**{name: explained(rsens.explain(results, rows, random_state=0))})
    certain = rsens.from_statsmodels(smf.logit("hit ~ a + b", table).fit(disp=0), uncertainty=False)
    return found | flat(certain=both(certain, X[["a", "b"]][:10]))


def ngboost_models() -> Numbers:
    X, y = data.array()
    small = {"n_estimators": 5, "verbose": False, "random_state": 0}
    models = {
        "normal": NGBRegressor(Dist=distns.Normal, **small).fit(X, y),
        "lognormal": NGBRegressor(Dist=distns.LogNormal, **small).fit(X, np.exp(y)),
        "classes": NGBClassifier(**small).fit(X, data.classes()),
    }
    found = flat(**{name: rsens.rsens(model, X[:20]) for name, model in models.items()})
    return found | flat(
        **{f"family_{name}": rsens.as_family(model.pred_dist(X[:20])) for name, model in models.items()}
    )


def families_of_scipy() -> Numbers:
    sd = np.sqrt(_V)
    made = {
        "norm": stats.norm(_M, sd),
        "t": stats.t(4.0, _M, sd),
        "cauchy": stats.cauchy(_M, sd),
        "lognorm": stats.lognorm(sd, scale=np.exp(_M)),
        "gamma": stats.gamma(_S, scale=_P / _S),
        "chi2": stats.chi2(_P, scale=2.0),
        "expon": stats.expon(scale=_P),
        "beta": stats.beta(_P, _S),
        "weibull_min": stats.weibull_min(_S, scale=_P),
        "bernoulli": stats.bernoulli(_Q),
        "binom": stats.binom(9, _Q),
        "poisson": stats.poisson(_P),
        "nbinom": stats.nbinom(_S, _S / (_S + _P)),
        "Normal": stats.Normal(mu=_M, sigma=sd),
        "shifted": stats.Normal(mu=0.0, sigma=sd) + _M,
        "exp": stats.exp(stats.Normal(mu=_M, sigma=sd)),
        "made": _P / _S * stats.make_distribution(stats.gamma)(a=_S),
    }
    return flat(**{name: rsens.as_family(each) for name, each in made.items()})


def families_of_torch_and_numpyro() -> Numbers:
    T = torch.distributions
    M, V, P, S, Q, three = (torch.tensor(each) for each in (_M, _V, _P, _S, _Q, _THREE))
    of_torch = {
        "Normal": T.Normal(M, V.sqrt()),
        "StudentT": T.StudentT(torch.tensor(4.0, dtype=torch.float64), M, V.sqrt()),
        "LogNormal": T.LogNormal(M, V.sqrt()),
        "Gamma": T.Gamma(S, S / P),
        "Beta": T.Beta(P, S),
        "Weibull": T.Weibull(P, S),
        "Bernoulli": T.Bernoulli(logits=M),
        "Binomial": T.Binomial(9, Q),
        "Categorical": T.Categorical(probs=three),
        "Poisson": T.Poisson(P),
        "NegativeBinomial": T.NegativeBinomial(S, P / (P + S)),
        "Vector": T.MultivariateNormal(torch.tensor(_VEC), torch.tensor(_COV)),
        "Independent": T.Independent(T.Normal(torch.tensor(_VEC), 1.0), 1),
        "Mixture": T.MixtureSameFamily(
            T.Categorical(torch.tensor([0.25, 0.75], dtype=torch.float64)),
            T.Normal(torch.tensor(np.stack([_M, _M + 2.0], 1)), torch.tensor(np.stack([_V, _V], 1))),
        ),
    }
    found = flat(torch={name: rsens.as_family(each) for name, each in of_torch.items()})
    with jax.enable_x64(True):
        of_numpyro = {
            "Normal": N.Normal(_M, np.sqrt(_V)),
            "Gamma": N.Gamma(_S, _S / _P),
            "BetaProportion": N.BetaProportion(_Q, 9.0),
            "BernoulliLogits": N.Bernoulli(logits=_M),
            "GammaPoisson": N.GammaPoisson(_S, _S / _P),
            "Geometric": N.Geometric(_Q),
            "Categorical": N.Categorical(_THREE),
            "Weibull": N.Weibull(_P, _S),
        }
        found |= flat(numpyro={name: rsens.as_family(each) for name, each in of_numpyro.items()})
    return found


def families_of_skpro_tfp_and_ngboost() -> Numbers:
    def column(values: Any) -> Any:
        return np.asarray(values)[:, None]

    M, sd, P, S, Q = map(column, (_M, np.sqrt(_V), _P, _S, _Q))
    skpro = {
        "Normal": {"mu": M, "sigma": sd},
        "TDistribution": {"mu": M, "sigma": sd, "df": 4.0},
        "Gamma": {"alpha": S, "beta": S / P},
        "Weibull": {"scale": P, "k": S},
        "Binomial": {"n": 9, "p": Q},
        "NegativeBinomial": {"mu": P, "alpha": S},
    }
    tfp = {
        "Normal": {"loc": _M, "scale": np.sqrt(_V)},
        "Gamma": {"concentration": _S, "log_rate": np.log(_S / _P)},
        "Bernoulli": {"logits": _M},
        "Categorical": {"logits": np.log(_THREE)},
        "NegativeBinomial": {"total_count": _S, "probs": _P / (_P + _S)},
        "StudentT": {"df": 4.0, "loc": _M, "scale": np.sqrt(_V)},
    }
    ngboost = {
        "Normal": distns.Normal(np.stack([_M, np.log(_V) / 2])),
        "Gamma": distns.Gamma(np.stack([np.log(_S), np.log(_S / _P)])),
        "TFixedDf": distns.TFixedDf(np.stack([_M, np.log(_V) / 2])),
        "Poisson": distns.Poisson(np.log(_P)[None]),
    }
    return flat(
        skpro={name: rsens.as_family(data.of_skpro(name, **given)) for name, given in skpro.items()},
        tfp={name: rsens.as_family(data.of_tfp(name, **given)) for name, given in tfp.items()},
        ngboost={name: rsens.as_family(each) for name, each in ngboost.items()},
    )


def gpytorch_approximate() -> Numbers:
    X, _ = data.array(30)

    class Process(gpytorch.models.ApproximateGP):
        def __init__(self, points: Any) -> None:
            distribution = gpytorch.variational.CholeskyVariationalDistribution(len(points))
            super().__init__(gpytorch.variational.VariationalStrategy(self, points, distribution))
            self.mean_module = gpytorch.means.ConstantMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=3))

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    model = Process(torch.tensor(X[:10])).double()
    parameters = dict(model.named_parameters())
    with torch.no_grad():
        for name, value in parameters.items():
            if name.endswith("variational_mean"):
                value.copy_(torch.linspace(-1.0, 1.0, 10, dtype=torch.float64))
            elif name.endswith("chol_variational_covar"):
                value.copy_(0.5 * torch.eye(10, dtype=torch.float64))
    model.variational_strategy.variational_params_initialized.fill_(1)
    likelihoods = {
        "gaussian": gpytorch.likelihoods.GaussianLikelihood().double(),
        "bernoulli": gpytorch.likelihoods.BernoulliLikelihood().double(),
    }
    rows = X[:8] + 0.1
    return flat(**{name: both(rsens.from_gpytorch(model.eval(), each), rows) for name, each in likelihoods.items()})


def sklearn_others() -> Numbers:
    X, y = data.array()
    two, three = data.classes(), data.classes(k=3)
    process = GaussianProcessRegressor(1.5 * K.RBF(1.5) + K.WhiteKernel(0.1), optimizer=None)
    models = {
        "lda": LinearDiscriminantAnalysis().fit(X, three),
        "ard": ARDRegression().fit(X, y),
        "bayes": GaussianNB().fit(X, three),
        "search": GridSearchCV(LogisticRegression(), {"C": [0.5, 1.0]}, cv=2).fit(X, two),
        "target": TransformedTargetRegressor(process, func=np.log, inverse_func=np.exp).fit(X, np.exp(y)),
        "union": make_pipeline(make_union(StandardScaler(), PolynomialFeatures(2)), BayesianRidge()).fit(X, y),
        "scaled": make_pipeline(StandardScaler(), process).fit(X, y),
    }
    return flat(**{name: both(model, X[:10]) for name, model in models.items()})


def statsmodels_others() -> Numbers:
    X, y = data.mixed()
    rng = np.random.default_rng(0)
    design = sm.add_constant(X[["a", "b"]])
    table = X.assign(
        y=y, count=rng.negative_binomial(2, 0.3, 80), kind=rng.integers(0, 3, 80), share=rng.beta(2, 3, 80)
    )
    found = {}
    for name, results, rows in (
        ("wls", sm.WLS(y, design, weights=np.linspace(0.5, 2.0, 80)).fit(), design),
        ("probit", smf.probit("old ~ a + b", table).fit(disp=0), X[["a", "b"]]),
        ("counts", sm.NegativeBinomial(table["count"], design).fit(disp=0), design),
        ("classes", sm.MNLogit(table["kind"], design).fit(disp=0), design),
        ("share", BetaModel(table["share"], design).fit(disp=0), design),
        ("binomial", smf.glm("old ~ a * b", table, family=sm.families.Binomial()).fit(), X[["a", "b"]]),
    ):
        found |= flat(**{name: both(results, rows[:10])})
    refit = rsens.explain(
        sm.OLS(y, design).fit(), design, y, refit=lambda X, y: sm.OLS(y, X).fit(), pairs=False, random_state=0
    )
    return found | flat(refit=explained(refit))


def histograms() -> Numbers:
    X, _ = data.array(30)
    borders, levels = np.linspace(-6.0, 6.0, 13), np.array([0.1, 0.3, 0.5, 0.7, 0.9])

    def bins(X: Any) -> Any:
        logits = -((borders[:-1] + 0.5 - np.sin(X[:, :1]) * X[:, 1:2]) ** 2) / 2.0
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        return rsens.Histogram(borders, shares / shares.sum(axis=1, keepdims=True))

    values = X[:, :1] + np.array([-1.3, -0.5, 0.0, 0.5, 1.3]) * np.exp(0.2 * X[:, 1:2])
    of_quantiles = rsens.Histogram.from_quantiles(levels, values, np.linspace(-3.0, 3.0, 7))
    return both(rsens.from_function(bins), X[:10]) | flat(of_quantiles=of_quantiles)


def explain_rows_with_text() -> Numbers:
    X, _ = data.mixed(200)
    found = explained(rsens.explain(data.mixed_gp(), X, random_state=0, by=X["site"]))
    of_two = rsens.explain(data.mixed_gp(), X, random_state=0, by=X["site"] == "north", pairs=False)
    return found | flat(by_two=of_two.by_frame())


def explain_rows_weighted_by_link() -> Numbers:
    X, _ = data.array(150)
    model = rsens.GPRegressor(likelihood="poisson", n_restarts=0, random_state=0).fit(data.array()[0], data.counts())
    weights = np.linspace(0.0, 2.0, 150)
    explanation = rsens.explain(
        model, X, weights=weights, pairs="link", intervals=("auto", 0.9), keep_local="pairs", random_state=1
    )
    return {name: value * _alpha(name) for name, value in explained(explanation).items()}


def _alpha(name: str) -> float:
    """The record is for α = 0.5, which multiplied all values of R-sens by √α."""
    table, _, column = name.removeprefix(ROWS_INTERVAL).partition("/")
    if table in ("frame", "pair_frame"):
        return 0.5**0.5 if column.startswith(("value", "lower", "upper", "ends", "part_")) else 1.0
    return 0.5**0.5 if table.removeprefix("local_").removeprefix("pair_") in OF_RSENS else 1.0


OF_RSENS = ("main", "pairs", "parts", "intervals")


def explain_rows_in_groups_and_units() -> Numbers:
    X, _ = data.numeric(120)
    model = data.gp()
    grouped = rsens.explain(model, X, groups={"ab": ["a", "b"]}, random_state=0)
    raw = rsens.explain(model, X, scale="raw", random_state=0)
    given = rsens.explain(model, X, scale=pd.Series({"a": 2.0, "b": 0.5, "c": 1.0}), intervals=False, random_state=0)
    found = flat(grouped=explained(grouped), raw=explained(raw, local=False), given=explained(given, local=False))
    return _intervals_first(found)


def _intervals_first(found: Numbers) -> Numbers:
    """With the mark of intervals over rows at the start of names: one/rows_interval/x becomes rows_interval/one/x."""
    mark = "/rows_interval/"
    return {
        f"rows_interval/{name.replace(mark, '/')}" if mark in name else name: value for name, value in found.items()
    }


def explain_rows_of_classes() -> Numbers:
    X, _ = data.numeric(100)
    two = rsens.GPClassifier(n_restarts=0, random_state=0).fit(data.numeric()[0], data.classes())
    three = rsens.GPClassifier(n_restarts=0, random_state=0).fit(data.numeric()[0], LABELS[data.classes(k=3)])
    explanations = {"two": rsens.explain(two, X, random_state=0), "three": rsens.explain(three, X, random_state=0)}
    return _intervals_first(flat(**{name: explained(each) for name, each in explanations.items()}))


def explain_in_chunks() -> Numbers:
    X, _ = data.numeric(200)
    model = data.gp()
    X.assign(comment="is not read").to_parquet("rows.parquet", row_group_size=64)
    tables = {
        "iterator": (X[k : k + 70] for k in range(0, 200, 70)),
        "parquet": "rows.parquet",
        "polars": pl.from_pandas(X),
    }
    found = {name: rsens.explain(model, rows, random_state=0) for name, rows in tables.items()}
    less = rsens.explain(model, "rows.parquet", keep_local=False, pairs=False, random_state=0)
    numbers = {name: explained(each, local=name == "parquet") for name, each in found.items()}
    numbers["less"] = flat(main=less.main, direction=less.direction, parts=less.parts)
    return _intervals_first(flat(**numbers))


def _with_groups() -> Any:
    X, y = data.numeric()
    model = rsens.BayesianLinearRegression().fit(X, y)
    return rsens.explain(model, X, y, clusters=np.arange(60) // 3, groups={"bc": ["b", "c"]}, random_state=0)


def _of_classes() -> Any:
    X, y = data.numeric()[0], data.classes()
    return rsens.explain(rsens.BayesianLogisticRegression().fit(X, y), X, y, random_state=0)


def _of_counts() -> Any:
    X, _ = data.mixed()
    y = np.random.default_rng(0).poisson(np.exp(0.5 * X["a"] + 0.3 * X["old"]))
    model = rsens.BayesianPoissonRegression().fit(X, y)
    return rsens.explain(model, X, y, numeric=["old"], intervals="rows", random_state=0)


def _of_sklearn() -> Any:
    X, y = data.numeric()
    return rsens.explain(BayesianRidge().fit(X, y), X, y, pairs=False, random_state=0)


#: Explanations by the name of their call.
EXPLANATIONS: dict[str, Callable[[], Any]] = {
    "explain_rows": lambda: rsens.explain(data.gp(), data.numeric(400)[0], random_state=0),
    "explain_fit": lambda: rsens.explain(data.gp(), *data.numeric(), random_state=0),
    "explain_in_two_processes": lambda: rsens.explain(data.gp(), *data.numeric(), n_jobs=2, random_state=3),
    "explain_fit_with_text_and_subgroups": lambda: rsens.explain(
        data.mixed_gp(), *data.mixed(), by=data.mixed()[0]["site"], random_state=0
    ),
    "explain_fit_in_clusters": _with_groups,
    "explain_fit_of_classes": _of_classes,
    "explain_fit_of_counts_with_numeric_and_rows": _of_counts,
    "explain_fit_of_sklearn": _of_sklearn,
}


def _explained(name: str) -> Numbers:
    return explained(EXPLANATIONS[name]())


def explanation_saved() -> Numbers:
    X, y = data.mixed()
    explanation = rsens.explain(data.mixed_gp(), X, y, random_state=0)
    explanation.save("explanation.json")
    again = rsens.Explanation.load("explanation.json")
    explanation.save("less.json", rows=False)
    less = rsens.Explanation.load("less.json")
    return flat(again=explained(again), less={"main": less.main, "pairs": less.pairs, "intervals": less.intervals})


def explanation_of_a_row() -> Numbers:
    X, _ = data.mixed()
    found = {}
    explanation = rsens.explain(data.mixed_gp(), X, random_state=0, keep_local="pairs")
    classes = rsens.explain(
        rsens.GPClassifier(n_restarts=0, random_state=0).fit(data.numeric()[0], data.classes(k=3)), data.numeric()[0]
    )
    for name, row in {
        "third": explanation.row(3),
        "last": explanation.row(position=79),
        "class": classes.row(7),
    }.items():
        of_row = {"frame": row.to_frame(), "prediction": row.prediction}
        found |= flat(**{name: of_row | {"mean": row.mean_prediction, "explained": row.explained}})
    return found


def explanations_compared() -> Numbers:
    X, y = data.numeric()
    gp = rsens.explain(data.gp(), X, y, random_state=0)
    linear = rsens.explain(rsens.BayesianLinearRegression().fit(X, y), X, y, random_state=0)
    difference = gp.difference(linear, names=("process", "line"))
    difference.save("difference.json")
    again = rsens.Difference.load("difference.json")
    found = flat(frame=difference.to_frame(1), pairs=difference.to_frame(2), again=again.to_frame(1))
    rows = data.numeric(120)[0]
    of_rows = rsens.explain(data.gp(), rows, random_state=0).difference(
        rsens.explain(data.gp(120), rows, random_state=0)
    )
    for order in (1, 2):
        found |= without_row_intervals(f"rows_{order}", of_rows.to_frame(order), True, 120)
    return found


SMALL = Budget(
    "small", rows=30, average=30, background=10, permutations=2, coalitions=16, repeats=3, grid=7, pair_grid=5, nodes=7
)


def compare_variables() -> Numbers:
    X, y = data.numeric()
    frame = rsens.compare(data.gp(), X, y, budget=SMALL, random_state=0)
    mixed = rsens.compare(data.mixed_gp(), *data.mixed(), budget=SMALL, random_state=0, groups={"ab": ["a", "b"]})
    frames = {"numbers": frame.drop(columns="seconds"), "groups": mixed.drop(columns="seconds")}
    return flat(**frames)


def compare_pairs() -> Numbers:
    X, y = data.numeric(40)
    return flat(all=rsens.compare(data.gp(), X, y, order=2, budget=SMALL, random_state=0).drop(columns="seconds"))


def compare_by_the_paper() -> Numbers:
    X, _ = data.numeric(40)
    model = rsens.BayesianLogisticRegression().fit(X, data.classes(40))
    methods = ["rsens", "ead", "aed", "apc", "pd", "pfi", "kl"]
    frame = rsens.compare(model, X, data.classes(40), methods=methods, budget="paper", random_state=0)
    return flat(all=frame.drop(columns="seconds"))


def assess() -> Numbers:
    X, y = data.numeric()
    found = {}
    for name, model, target, clusters in (
        ("gp", data.gp(), y, None),
        ("linear", rsens.BayesianLinearRegression(), y, np.arange(60) // 3),
        ("classes", rsens.BayesianLogisticRegression(), data.classes(k=3), None),
        ("counts", rsens.BayesianPoissonRegression(), data.counts(), None),
    ):
        each = rsens.assess(model, X, target, cv=3, clusters=clusters, random_state=0)
        found |= flat(**{name: {"frame": each.to_frame(), "all": _numbers_in(each.to_dict())}})
    return found


def stability() -> Numbers:
    X, y = data.numeric(40)
    model = rsens.GPRegressor(n_restarts=0, random_state=0)
    variables = rsens.stability(model, X, y, n_boot=4, random_state=0)
    linear = rsens.BayesianLinearRegression()
    pairs = rsens.stability(
        linear, X, y, n_boot=5, order=2, methods=["rsens2", "eah"], clusters=np.arange(40) // 2, random_state=0
    )
    variables.save("stability.json")
    again = rsens.Stability.load("stability.json")
    found = {}
    for name, each in {"variables": variables, "pairs": pairs, "again": again}.items():
        of_ranks = {"frame": each.to_frame(), "entropy": each.entropy, "mean_rank": each.mean_rank}
        found |= flat(**{name: of_ranks | {"top": each.top(2)}})
        found |= flat(**{f"{name}/shares": each.rank_shares()})
    return found


def select_interactions() -> Numbers:
    X, y = data.numeric(50)
    model = rsens.GPRegressor(n_restarts=0, random_state=0)
    selection = asked(model, X, y, k=2, cv=3, repeats=1, random_state=0)
    selection.save("selection.json")
    again = rsens.Selection.load("selection.json")
    return flat(
        scores=selection.scores,
        summary=selection.summary(),
        again=again.summary(),
        fits=selection.n_fits,
        model=rsens.rsens(selection.model(1), X[:5]),
    )


def study() -> Numbers:
    X, y = data.mixed()
    table = X.assign(y=y)
    full = rsens.study(table, "y", cv=3, by="site", groups={"ab": ["a", "b"]}, random_state=0)
    linear = rsens.study(
        table.assign(hit=np.where(y > 0.5, "yes", "no")), "hit", drop=["y"], model="linear", null=False, cv=2
    )
    where = rsens.study(table.assign(day=pd.date_range("2024-01-01", periods=80)), "y", where="old=1", null=False, cv=2)
    explanations = {"full": full, "linear": linear, "where": where}
    found = flat(**{name: explained(each.explanation) for name, each in explanations.items()})
    return found | flat(check=_numbers_in(full.assessment.to_dict()))


def _has_data() -> bool:
    """Whether the paper's data sets are here, so that nothing is downloaded."""
    folder = Path(os.environ.get("RSENS_DATA") or "/nowhere")
    return (folder / "slump_test.csv").exists() and (folder / "bike_hour.csv").exists()


def datasets() -> Numbers:
    X, y = load_concrete()
    bikes, rented = load_bike()
    return flat(concrete=X, strength=y, bikes=bikes.describe(), rented=rented[:100], n=len(bikes))


def _drawn(axes: Any) -> Numbers:
    """Content of axes, in the units of the data: lines, bars, points, pictures and where the axes end."""
    found: dict[str, Any] = {}
    for k, ax in enumerate(np.ravel(axes)):
        drawn = {
            "lines": [line.get_xydata() for line in ax.lines],
            "bars": [
                [[p.get_x(), p.get_y(), p.get_width(), p.get_height()]] for p in ax.patches if hasattr(p, "get_height")
            ],
            "points": [each.get_offsets() for each in ax.collections if hasattr(each, "get_offsets")],
            "pictures": [
                np.ma.filled(np.ma.asarray(each.get_array(), dtype=float), np.nan).ravel()
                for each in (*ax.images, *ax.collections)
                if each.get_array() is not None
            ],
        }
        found |= {f"{k}/{kind}": np.concatenate(values) for kind, values in drawn.items() if values}
    return flat(**found)


def plots_of_results() -> Numbers:
    X, y = data.mixed()
    explanation = rsens.explain(data.mixed_gp(), X, y, by=X["site"], random_state=0)
    other = rsens.explain(rsens.BayesianLinearRegression().fit(X, y), X, y, random_state=0)
    numeric, target = data.numeric(40)
    linear = rsens.BayesianLinearRegression()
    made: dict[str, Callable[[Any], Any]] = {
        "bars": lambda ax: plots.bars(explanation, ax=ax),
        "effects": lambda ax: plots.effects(explanation, ax=ax),
        "beeswarm": lambda ax: plots.beeswarm(explanation, ax=ax),
        "heatmap": lambda ax: plots.heatmap(explanation, ax=ax),
        "subgroups": lambda ax: plots.subgroups(explanation, ax=ax),
        "row": lambda ax: plots.row(explanation.row(3), ax=ax),
        "surface": lambda ax: plots.surface(explanation, "a", "b", ax=ax),
        "calibration": lambda ax: plots.calibration(rsens.assess(linear, X, y, cv=3, random_state=0), ax=ax),
        "comparison": lambda ax: plots.comparison(
            rsens.compare(data.gp(), numeric, target, methods=["rsens", "ead"], random_state=0), ax=ax
        ),
        "rank_stability": lambda ax: plots.rank_stability(
            rsens.stability(linear, numeric, target, n_boot=4, random_state=0), ax=ax
        ),
    }
    found = {}
    for name, make in made.items():
        figure, ax = plt.subplots(figsize=(6, 4))
        ax = make(ax)
        figure.canvas.draw()
        found |= flat(**{name: _drawn(ax)})
        plt.close("all")
    found |= flat(
        profile=_drawn(plots.profile(data.mixed_gp(), X, "a")),
        difference=_drawn(plots.difference(explanation.difference(other))),
        pairs=_drawn(plots.difference(explanation.difference(other), order=2)),
        selection=_drawn(plots.selection(asked(_gp(), numeric, target, k=1, cv=2, repeats=1, random_state=0))),
        bars=_drawn(explanation.plot_bars(order=2)),
    )
    plt.close("all")
    return found


#: Names in the command's files that differ from run to run.
UNREPEATABLE = ("seconds", "version", "versions", "time", "date", "made", "python", "platform", "bytes", "memory")


def _numbers_in(value: Any, name: str = "") -> dict[str, Any]:
    """The numbers in something like JSON; a list of numbers becomes one array."""
    found: dict[str, Any] = {}
    if isinstance(value, dict):
        for key, each in value.items():
            if str(key) not in UNREPEATABLE:
                found |= _numbers_in(each, f"{name}/{key}" if name else str(key))
    elif isinstance(value, list | tuple):
        if value and all(isinstance(each, bool | int | float) for each in value):
            found[name] = np.array(value, dtype=float)
        else:
            for k, each in enumerate(value):
                found |= _numbers_in(each, f"{name}/{k}")
    elif isinstance(value, bool | int | float):
        found[name] = float(value)
    elif isinstance(value, pd.DataFrame | pd.Series | np.ndarray):
        found |= flat(**{name: value})
    return found


def _files(folder: str) -> Numbers:
    found: dict[str, Any] = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.name == "summary.json":
            found["summary"] = _numbers_in(json.loads(path.read_text(encoding="utf-8")))
        elif path.suffix == ".csv":
            table = pd.read_csv(path)
            found[path.stem] = table.drop(columns=[each for each in table.columns if each in UNREPEATABLE])
    return flat(**found)


def _command(*arguments: str) -> None:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(arguments))
    assert not code, err.buffer.getvalue().decode()


def _csv() -> None:
    X, y = data.mixed()
    X.assign(price=y).to_csv("data.csv", index=False)


QUICK = ("--target", "price", "--n-jobs", "1")


def _without_rows_of_the_bootstrap(found: Numbers) -> Numbers:
    """Without the ends of intervals over rows, of which there are too few; intervals of subgroups come from sums."""
    ends = ("lower", "upper")
    return {
        name: value
        for name, value in found.items()
        if name.startswith("by/") or not any(part.endswith(ends) for part in name.split("/"))
    }


#: Commands on a small table, by the name of their call.
COMMANDS: dict[str, tuple[str, ...]] = {
    "command_explain": ("explain", "data.csv", *QUICK, "--cv", "3", "--no-report"),
    "command_compare": (
        "compare", "data.csv", *QUICK, "--methods", "rsens,ead,pd,pfi", "--budget", "paper", "--cv", "2",
    ),
    "command_stability": ("stability", "data.csv", *QUICK, "--samples", "3", "--rows", "50", "--cv", "0"),
    "command_select": (
        "select", "data.csv", *QUICK, "--pairs", "1", "--cv", "2", "--repeats", "1", "--rows", "50", "--no-check",
    ),
    "command_demo": ("demo",),
}  # fmt: skip


def _of_command(name: str) -> Numbers:
    _csv()
    _command(*COMMANDS[name], "--out", "out")
    return _files("out")


def command_explain_groups() -> Numbers:
    _csv()
    options = ["--group", "ab=a,b", "--by", "site", "--where", "b<4", "--numeric", "old", "--model", "linear"]
    _command("explain", "data.csv", *QUICK, *options, "--no-report", "--cv", "2", "--out", "out")
    return _without_rows_of_the_bootstrap(_files("out"))


def command_model_file() -> Numbers:
    _csv()
    _command("explain", "data.csv", *QUICK, "--cv", "0", "--no-null", "--no-report", "--out", "first", "--quiet")
    data.mixed(60, 7)[0].to_csv("new.csv", index=False)
    model = str(Path("first") / "model.rsens")
    _command("explain", "new.csv", "--model-file", model, "--no-report", "--out", "out", "--n-jobs", "1")
    return _without_rows_of_the_bootstrap(_files("out"))


def command_json_from_a_process() -> Numbers:
    X, _ = data.mixed(60)
    table = X.drop(columns="old").assign(hit=np.where(data.mixed(60)[1] > 0.5, "yes", "no")).to_csv(index=False)
    options = ["--target", "hit", "--model", "linear", "--no-null", "--cv", "2", "--json", "--n-jobs", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "rsens", "explain", "-", *options, "--out", "out"],
        input=table, capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    return _without_rows_of_the_bootstrap(_files("out") | flat(said=_numbers_in(json.loads(done.stdout))))


def study_written() -> Numbers:
    X, y = data.mixed()
    table = X.assign(hit=np.where(y > 0.5, "yes", "no"))
    study = rsens.study(table, "hit", cv=2, by="site", model="linear", pairs=2, random_state=0)
    study.write("out")
    return _without_rows_of_the_bootstrap(_files("out") | flat(all=_numbers_in(study.to_dict())))


#: All calls: the functions of this file without an underscore, and those in the tables.
CALLS: dict[str, Callable[[], Numbers]] = {
    name: function
    for name, function in list(globals().items())
    if inspect.isfunction(function) and function.__module__ == __name__ and not name.startswith("_")
}
CALLS |= {name: partial(_of_process, name) for name in PROCESSES}
CALLS |= {name: partial(_explained, name) for name in EXPLANATIONS}
CALLS |= {name: partial(_of_command, name) for name in COMMANDS}
if not _has_data():  # nothing is downloaded
    del CALLS["datasets"]
