"""Uncertainty-aware sensitivity analysis: which variables and interactions move a predictive distribution.

Start with `rsens.explain(model, X)`. Public names are loaded when they are first used, so that `import rsens` is quick
and needs none of the optional packages.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rsens._version import __version__ as __version__

if TYPE_CHECKING:
    from rsens._app.study import Study as Study
    from rsens._app.study import study as study
    from rsens._app.tables import TableReader as TableReader
    from rsens._assess import Assessment as Assessment
    from rsens._assess import assess as assess
    from rsens._check import Check as Check
    from rsens._check import check as check
    from rsens._compare import compare as compare
    from rsens._conversions import as_family as as_family
    from rsens._errors import InputError as InputError
    from rsens._errors import MissingExtraError as MissingExtraError
    from rsens._errors import RsensWarning as RsensWarning
    from rsens._explain import Difference as Difference
    from rsens._explain import Explanation as Explanation
    from rsens._explain import explain as explain
    from rsens._select_interactions import Selection as Selection
    from rsens._select_interactions import select_interactions as select_interactions
    from rsens._stability import Stability as Stability
    from rsens._stability import stability as stability
    from rsens.adapters import from_bambi as from_bambi
    from rsens.adapters import from_dropout as from_dropout
    from rsens.adapters import from_ensemble as from_ensemble
    from rsens.adapters import from_gpytorch as from_gpytorch
    from rsens.adapters import from_numpyro as from_numpyro
    from rsens.adapters import from_pymc as from_pymc
    from rsens.adapters import from_statsmodels as from_statsmodels
    from rsens.derivatives import Derivatives as Derivatives
    from rsens.derivatives import Model as Model
    from rsens.derivatives import from_draws as from_draws
    from rsens.derivatives import from_function as from_function
    from rsens.derivatives import from_jax as from_jax
    from rsens.derivatives import from_torch as from_torch
    from rsens.distributions import *  # noqa: F403 (every family is a public name here)
    from rsens.measures import rsens as rsens
    from rsens.measures import rsens2 as rsens2
    from rsens.models import BayesianLinearRegression as BayesianLinearRegression
    from rsens.models import BayesianLogisticRegression as BayesianLogisticRegression
    from rsens.models import BayesianPoissonRegression as BayesianPoissonRegression
    from rsens.models import BayesianProbitRegression as BayesianProbitRegression
    from rsens.models import GPClassifier as GPClassifier
    from rsens.models import GPRegressor as GPRegressor
    from rsens.models import load_model as load_model
    from rsens.models import save_model as save_model

#: The module of each public name: the same list as above, for run time. `distributions.ALL_FAMILIES` has the families.
_EXPORTS = {
    "rsens._check": "Check check",
    "rsens._compare": "compare",
    "rsens._conversions": "as_family",
    "rsens._errors": "InputError MissingExtraError RsensWarning",
    "rsens._explain": "Difference Explanation explain",
    "rsens._assess": "Assessment assess",
    "rsens._select_interactions": "Selection select_interactions",
    "rsens._stability": "Stability stability",
    "rsens._app.study": "Study study",
    "rsens._app.tables": "TableReader",
    "rsens.adapters": "from_bambi from_dropout from_ensemble from_gpytorch from_numpyro from_pymc from_statsmodels",
    "rsens.derivatives": "Derivatives Model from_draws from_function from_jax from_torch",
    "rsens.measures": "rsens rsens2",
    "rsens.models": "BayesianLinearRegression BayesianLogisticRegression BayesianPoissonRegression "
    "BayesianProbitRegression GPClassifier GPRegressor load_model save_model",
}
_MODULE_OF = {name: module for module, names in _EXPORTS.items() for name in names.split()}
_SUBPACKAGES = (
    *("black_box", "datasets", "derivatives", "distributions", "kernels", "likelihoods", "measures", "models", "plots"),
)


def _families() -> dict[str, Any]:
    """Look up the families by name at every use: a family added to the list is a public name at once."""
    return {family.__name__: family for family in import_module("rsens.distributions").ALL_FAMILIES}


def __getattr__(name: str) -> Any:
    """Load a public name on first use (PEP 562)."""
    if name == "__all__":
        return [*sorted([*_MODULE_OF, *_families()]), *_SUBPACKAGES]
    if name in _MODULE_OF:
        globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
        return globals()[name]
    if name in _SUBPACKAGES:
        return import_module(f"rsens.{name}")  # which also sets the attribute
    if not name.startswith("_") and name in (families := _families()):
        return families[name]
    raise AttributeError(f"module 'rsens' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__getattr__("__all__"), "__version__"])
