"""Bayesian models that predict a distribution with exact derivatives, as scikit-learn estimators."""

from rsens.models._estimator import PredictiveClassifier as PredictiveClassifier
from rsens.models._estimator import PredictiveRegressor as PredictiveRegressor
from rsens.models._estimator import read_labels as read_labels
from rsens.models._files import load_model as load_model
from rsens.models._files import read_metadata as read_metadata
from rsens.models._files import save_model as save_model
from rsens.models._glm import BayesianLogisticRegression as BayesianLogisticRegression
from rsens.models._glm import BayesianPoissonRegression as BayesianPoissonRegression
from rsens.models._glm import BayesianProbitRegression as BayesianProbitRegression
from rsens.models._gp import GPClassifier as GPClassifier
from rsens.models._gp import GPRegressor as GPRegressor
from rsens.models._inference import LatentFit as LatentFit
from rsens.models._inference import fit_latent as fit_latent
from rsens.models._linear import BayesianLinearRegression as BayesianLinearRegression
from rsens.models._sparse import InducingCheck as InducingCheck


def __dir__() -> list[str]:
    """The names that are exported, without the files they come from."""
    return sorted(name for name in globals() if not name.startswith("_"))
