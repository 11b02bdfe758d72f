"""ApproximateGP of GPyTorch: the latent moments by automatic differentiation, our map to the observation on top."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.adapters._adapter import is_a
from rsens.adapters._gpytorch._autograd import Autograd
from rsens.adapters._gpytorch._checks import State
from rsens.adapters._gpytorch._copies import numpy_of, working_copy
from rsens.adapters._gpytorch._model import GaussianProcess
from rsens.adapters._gpytorch._moments import LatentMoments, Moments
from rsens.adapters._gpytorch._noise import gaussian_moments
from rsens.adapters._gpytorch._observations import read_observation
from rsens.adapters._gpytorch._refusals import check_variational, refuse_without_likelihood
from rsens.adapters._gpytorch._transforms import Outcome
from rsens.derivatives import Finding


def approximate_gp(model: Any, likelihood: Any = None) -> GaussianProcess:
    """The model with this likelihood, or with its attribute `likelihood` where it has one."""
    given = getattr(model, "likelihood", None) if likelihood is None else likelihood
    if not is_a(given, "gpytorch.Likelihood"):
        raise refuse_without_likelihood(model)
    check_variational(model)
    copy, likelihood = working_copy(model), working_copy(given)
    moments: Moments
    if is_a(likelihood, "gpytorch._GaussianLikelihoodBase"):
        moments, observation = gaussian_moments(model, copy, likelihood)
    else:
        moments, observation = LatentMoments(copy), read_observation(likelihood)
    anchors = inducing_points(copy)
    source = Autograd.of(moments, anchors, None, 1000 if anchors is None else len(anchors))
    finding = Finding("noise", "ok", f"The prediction is of an observation: noise {observation.noise}.")
    return GaussianProcess(source, Outcome(), observation, State.of(model, None, finding))


def inducing_points(model: Any) -> Array | None:
    """Where kernels measure distances from, besides training rows; None if there are none, or it is not said."""
    points = [getattr(part, "inducing_points", None) for part in model.modules()]
    found = [numpy_of(each) for each in points if each is not None and each.ndim == 2]
    return np.concatenate(found) if found and len({each.shape[1] for each in found}) == 1 else None
