"""The door: every model and every X that a user gives comes in here, and is read once."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from rsens._coding import Coding
from rsens._conversions import package_of
from rsens._errors import InputError
from rsens._frames import as_pandas
from rsens._table import Table
from rsens.adapters._adapter import WITH_DERIVATIVES, Adapter, expected_model, first_line
from rsens.adapters._gpytorch import GPYTORCH
from rsens.adapters._posterior_draws import line_for
from rsens.adapters._pytorch import LAPLACE, TORCH_MODULE
from rsens.adapters._sklearn import SCIKIT_LEARN
from rsens.adapters._statsmodels import STATSMODELS
from rsens.derivatives import Model, rows_of

#: Every kind of object that needs no wrapping. The first adapter that accepts an object adapts it.
ADAPTERS: list[Adapter] = [
    WITH_DERIVATIVES,
    STATSMODELS,
    SCIKIT_LEARN,
    GPYTORCH,
    LAPLACE,
    TORCH_MODULE,  # after GPyTorch, whose models are modules too
]
#: Entry points in which other packages offer adapters, each under the name of the package whose objects it adapts.
ENTRY_POINTS = "rsens.adapters"


def as_model(obj: Any) -> Model:
    """The object as a `Model`. Only this function decides what can be explained."""
    if isinstance(obj, Model):
        return obj
    if isinstance(obj, type):
        raise expected_model(f"; got the class {obj.__name__}. Make one: {obj.__name__}(…), and fit it.")
    found = _adapted_elsewhere(obj)
    if found is not None:
        return found
    for adapter in ADAPTERS:
        if adapter.accepts(obj):
            return adapter.adapt(obj)
    parts = obj if isinstance(obj, tuple) and len(obj) == 2 else (obj,)
    for line in filter(None, map(line_for, parts)):
        got = " and ".join(type(part).__name__ for part in parts)
        raise expected_model(f" with its posterior draws; got {got}. Write {line}.")
    raise expected_model(
        f"; got {type(obj).__name__}. Fitted models of scikit-learn, statsmodels, GPyTorch, BoTorch, NGBoost and "
        "PyTorch need no wrapping; posterior draws go through from_draws, from_numpyro, from_pymc or from_bambi. For "
        "anything else wrap a function of rows X that returns a family, such as Normal(mean, variance): from_jax(fn) "
        "or from_torch(fn) if it is written in JAX or PyTorch, from_function(fn) otherwise."
    )


def _adapted_elsewhere(obj: Any) -> Model | None:
    """The model that the adapter of another package makes of the object; None if no package offers one for it."""
    packages = {package_of(kind) for kind in type(obj).__mro__}
    for entry in offered_adapters():
        if entry.name not in packages:
            continue
        try:
            model = entry.load()(obj)
        except InputError:
            raise
        except Exception as error:  # code of another package may raise anything
            raise InputError(
                f"the adapter {entry.value} of {_package(entry)} failed ({type(error).__name__}: {first_line(error)}). "
                "Update or uninstall that package, or wrap what the model predicts: from_function(fn)."
            ) from error
        if isinstance(model, Model):
            return model
        if model is not None:
            raise InputError(
                f"the adapter {entry.value} of {_package(entry)} must return an rsens.Model, such as from_function "
                f"makes, or None for objects that it does not know; got {type(model).__name__}."
            )
    return None


@cache
def offered_adapters() -> tuple[EntryPoint, ...]:
    """The adapters that installed packages offer, not loaded yet."""
    return tuple(entry_points(group=ENTRY_POINTS))


def _package(entry: EntryPoint) -> str:
    return "an installed package" if entry.dist is None else entry.dist.name


def read_for(model: Any, X: Any, weights: Any = None) -> tuple[Model, Table]:
    """The object as a `Model` that knows its categorical columns, and the rows X with level codes in those columns."""
    X = as_pandas(X)
    source = as_model(model).coded(X, weights)
    return source, rows_of(source, X)


def classes_of(model: Any) -> Any:
    """The class labels behind the codes 0, 1, … of the model's predictions; None if they are not known."""
    return as_model(model).classes_


def coding_of(model: Any) -> Coding | None:
    """The categorical columns that a fitted model knows; None if it has none. A function finds them in the rows."""
    return as_model(model).coding
