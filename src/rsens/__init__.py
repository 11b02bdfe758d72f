"""Uncertainty-aware sensitivity analysis: which variables and interactions move a predictive distribution.

Start with `rsens.explain(model, X)`. Every public name is listed here and loaded when it is first used, so that
`import rsens` is quick and needs none of the optional packages.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rsens._version import __version__ as __version__

if TYPE_CHECKING:
    from rsens._app.study import Study as Study
    from rsens._app.study import study as study
    from rsens._assess import Assessment as Assessment
    from rsens._assess import assess as assess
    from rsens._compare import compare as compare
    from rsens._errors import InputError as InputError
    from rsens._errors import MissingExtraError as MissingExtraError
    from rsens._errors import RsensWarning as RsensWarning
    from rsens._explain import Explanation as Explanation
    from rsens._explain import explain as explain
    from rsens._select_interactions import Selection as Selection
    from rsens._select_interactions import select_interactions as select_interactions
    from rsens._stability import Stability as Stability
    from rsens._stability import stability as stability
    from rsens.derivatives import Derivatives as Derivatives
    from rsens.derivatives import Model as Model
    from rsens.derivatives import from_function as from_function
    from rsens.derivatives import from_jax as from_jax
    from rsens.derivatives import from_torch as from_torch
    from rsens.distributions import Bernoulli as Bernoulli
    from rsens.distributions import Beta as Beta
    from rsens.distributions import Binomial as Binomial
    from rsens.distributions import Categorical as Categorical
    from rsens.distributions import Exponential as Exponential
    from rsens.distributions import Gamma as Gamma
    from rsens.distributions import LogNormal as LogNormal
    from rsens.distributions import Mixture as Mixture
    from rsens.distributions import MultivariateNormal as MultivariateNormal
    from rsens.distributions import NegativeBinomial as NegativeBinomial
    from rsens.distributions import Normal as Normal
    from rsens.distributions import Poisson as Poisson
    from rsens.distributions import StudentT as StudentT
    from rsens.distributions import Weibull as Weibull
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

#: Where each public name lives: the same list as above, for run time.
_EXPORTS: dict[str, tuple[str, ...]] = {
    "rsens._compare": ("compare",),
    "rsens._errors": ("InputError", "MissingExtraError", "RsensWarning"),
    "rsens._explain": ("Explanation", "explain"),
    "rsens._assess": ("Assessment", "assess"),
    "rsens._select_interactions": ("Selection", "select_interactions"),
    "rsens._stability": ("Stability", "stability"),
    "rsens._app.study": ("Study", "study"),
    "rsens.derivatives": ("Derivatives", "Model", "from_function", "from_jax", "from_torch"),
    "rsens.distributions": (
        "Bernoulli",
        "Beta",
        "Binomial",
        "Categorical",
        "Exponential",
        "Gamma",
        "LogNormal",
        "Mixture",
        "MultivariateNormal",
        "NegativeBinomial",
        "Normal",
        "Poisson",
        "StudentT",
        "Weibull",
    ),
    "rsens.measures": ("rsens", "rsens2"),
    "rsens.models": (
        "BayesianLinearRegression",
        "BayesianLogisticRegression",
        "BayesianPoissonRegression",
        "BayesianProbitRegression",
        "GPClassifier",
        "GPRegressor",
        "load_model",
        "save_model",
    ),
}
_MODULE_OF = {name: module for module, names in _EXPORTS.items() for name in names}
_SUBPACKAGES = (
    "black_box",
    "datasets",
    "derivatives",
    "distributions",
    "kernels",
    "likelihoods",
    "measures",
    "models",
    "plots",
)

__all__ = [*sorted(_MODULE_OF), *_SUBPACKAGES]


def __getattr__(name: str) -> Any:
    """Load a public name on first use (PEP 562)."""
    if name in _MODULE_OF:
        value = getattr(import_module(_MODULE_OF[name]), name)
    elif name in _SUBPACKAGES:
        value = import_module(f"rsens.{name}")
    else:
        raise AttributeError(f"module 'rsens' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
