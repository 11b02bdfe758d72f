"""The door: every model and every X that a user gives comes in here, and is read once."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from rsens._coding import Coding
from rsens._frames import as_pandas
from rsens._table import Table
from rsens.adapters._adapter import WITH_DERIVATIVES, Adapter, expected_model, is_a
from rsens.adapters._gpytorch import GPYTORCH
from rsens.adapters._laplace import LAPLACE
from rsens.adapters._posterior_draws import HOLD_DRAWS
from rsens.adapters._sklearn import SCIKIT_LEARN
from rsens.adapters._statsmodels import STATSMODELS
from rsens.adapters._torch_module import TORCH_MODULE
from rsens.derivatives import Model, rows_of

#: Every kind of object that can be explained as it is. The first adapter that accepts an object adapts it.
ADAPTERS: list[Adapter] = [
    WITH_DERIVATIVES,
    STATSMODELS,
    SCIKIT_LEARN,
    GPYTORCH,
    LAPLACE,
    TORCH_MODULE,  # after GPyTorch, whose models are modules too
]


def as_model(obj: Any) -> Model:
    """The object as a `Model`. Only this function decides what can be explained."""
    if isinstance(obj, Model):
        return obj
    if isinstance(obj, type):
        raise expected_model(f"; got the class {obj.__name__}. Make one: {obj.__name__}(…), and fit it.")
    for adapter in ADAPTERS:
        if adapter.accepts(obj):
            return adapter.adapt(obj)
    parts = obj if isinstance(obj, tuple) and len(obj) == 2 else (obj,)
    for line in filter(None, map(_other_half, parts)):
        got = " and ".join(type(part).__name__ for part in parts)
        raise expected_model(f" with its posterior draws; got {got}. Write {line}.")
    raise expected_model(
        f"; got {type(obj).__name__}. Fitted models of scikit-learn, statsmodels, GPyTorch, BoTorch, NGBoost and "
        "PyTorch are taken as they are, posterior draws by from_draws, from_numpyro, from_pymc or from_bambi. For "
        "anything else wrap a function of rows X that returns a family, such as Normal(mean, variance): from_jax(fn) "
        "or from_torch(fn) if it is written in JAX or PyTorch, from_function(fn) otherwise."
    )


def read_for(model: Any, X: Any, weights: Any = None) -> tuple[Model, Table]:
    """The object as a `Model` that knows its categorical columns, and the rows X with level codes in those columns."""
    X = as_pandas(X)
    source = as_model(model).coded(X, weights)
    return source, rows_of(source, X)


def classes_of(model: Any) -> Any:
    """The class labels that the codes 0, 1, … of the model's predictions stand for; None if it does not say."""
    return as_model(model).classes_


def coding_of(model: Any) -> Coding | None:
    """The categorical columns that a fitted model knows; None if it has none. A function finds them in the rows."""
    return as_model(model).coding


#: Half of a model, a program without its draws or draws without their program: the line to write for each kind.
OTHER_HALF = {
    ("bambi.Model",): "from_bambi(model, posterior), where posterior is what model.fit() returned",
    ("pymc.Model",): (
        'from_pymc(model, posterior, data="X"), where posterior is what pm.sample() returned and the rows are '
        'X = pm.Data("X", …)'
    ),
    ("numpyro.MCMC", "numpyro.Predictive", "numpyro.Messenger"): (
        "from_numpyro(model, mcmc), where model(X, y=None) is the function and mcmc has run"
    ),
    ("numpyro.AutoGuide", "numpyro.SVI", "numpyro.SVIRunResult"): (
        "from_numpyro(model, guide.sample_posterior(key, svi_result.params, sample_shape=(1000,))), where "
        "model(X, y=None) is the function"
    ),
    tuple(f"cmdstanpy.CmdStan{kind}" for kind in ("MCMC", "VB", "Pathfinder", "Laplace")): (
        "from_draws(fn, fit.stan_variables()), where fn(parameters, X) returns the prediction of one draw, such as "
        'Normal(parameters["alpha"] + X @ parameters["beta"], parameters["sigma"] ** 2)'
    ),
    HOLD_DRAWS: (
        "from_pymc(model, posterior) or from_bambi(model, posterior) with the model that was sampled; without one, "
        "from_draws(fn, draws), where fn(parameters, X) returns the prediction of one draw"
    ),
}


def _other_half(obj: Any) -> str | None:
    """The line to write for half of a model; None for other objects."""
    line = next((line for names, line in OTHER_HALF.items() if is_a(obj, *names)), None)
    if line is None and isinstance(obj, FunctionType):  # a program calls something of NumPyro by a global name
        used = (obj.__globals__.get(name) for name in obj.__code__.co_names)
        homes = (value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None) for value in used)
        if any(str(home).partition(".")[0] == "numpyro" for home in homes):
            return next(line for names, line in OTHER_HALF.items() if "numpyro.MCMC" in names)
    return line
