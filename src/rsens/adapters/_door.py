"""The door: every model and every X that a user gives comes in here, and is read once."""

from __future__ import annotations

from typing import Any

from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._frames import as_pandas
from rsens._table import Table
from rsens.adapters._adapter import Adapter
from rsens.adapters._gpytorch import GPYTORCH
from rsens.adapters._half_a_model import HALF_A_MODEL
from rsens.adapters._laplace import LAPLACE
from rsens.adapters._sklearn import SCIKIT_LEARN
from rsens.adapters._statsmodels import STATSMODELS
from rsens.adapters._torch_module import TORCH_MODULE
from rsens.adapters._with_derivatives import WITH_DERIVATIVES
from rsens.derivatives import Model, rows_of

#: Every kind of object that can be explained as it is. The first adapter that accepts an object adapts it.
ADAPTERS: list[Adapter] = [
    HALF_A_MODEL,  # before anything that has a method predict
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
        raise InputError(
            "expected a ",
            Argument("model"),
            f"; got the class {obj.__name__}. Make one: {obj.__name__}(…), and fit it.",
        )
    for adapter in ADAPTERS:
        if adapter.accepts(obj):
            return adapter.adapt(obj)
    raise InputError(
        "expected a ",
        Argument("model"),
        f"; got {type(obj).__name__}. Fitted models of scikit-learn, statsmodels, GPyTorch, BoTorch, NGBoost and "
        "PyTorch are taken as they are, posterior draws by from_draws, from_numpyro, from_pymc or from_bambi. For "
        "anything else wrap a function of rows X that returns a family, such as Normal(mean, variance): from_jax(fn) "
        "or from_torch(fn) if it is written in JAX or PyTorch, from_function(fn) otherwise.",
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
