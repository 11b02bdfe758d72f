"""ExactGP of GPyTorch: in closed form where its kernel and mean are known, else by automatic differentiation."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.adapters._gpytorch._approximate import inducing_points
from rsens.adapters._gpytorch._autograd import Autograd
from rsens.adapters._gpytorch._checks import State
from rsens.adapters._gpytorch._closed_form import closed_form, remembered
from rsens.adapters._gpytorch._copies import numpy_of, working_copy
from rsens.adapters._gpytorch._model import GaussianProcess
from rsens.adapters._gpytorch._moments import LatentMoments
from rsens.adapters._gpytorch._noise import gaussian_moments, read_noise
from rsens.adapters._gpytorch._refusals import check_single_exact
from rsens.adapters._gpytorch._source import LatentSource
from rsens.adapters._gpytorch._transforms import AffineInputs, Outcome
from rsens.derivatives import Finding


def exact_gp(model: Any, likelihood: Any = None) -> GaussianProcess:
    """The model with its own likelihood, or with another one for new observations: `likelihood(model(X))`."""
    check_single_exact(model)
    copy = working_copy(model)
    given = copy.likelihood if likelihood is None or likelihood is model.likelihood else working_copy(likelihood)
    inputs = numpy_of(copy.train_inputs[0])
    moments, observation = gaussian_moments(model, copy, given)
    own = read_noise(copy.likelihood)
    source: LatentSource | None = None
    if own is not None and isinstance(moments, LatentMoments):
        source = remembered(model, closed_form(copy, own.variances, AffineInputs.none(inputs.shape[1])))
    if source is None:
        source = Autograd.of(moments, _anchors(copy, inputs), inputs, len(inputs))
    finding = Finding("noise", "ok", f"The prediction is of an observation: noise {observation.noise}.")
    return GaussianProcess(source, Outcome(), observation, State.of(model, inputs.shape[1], finding), inputs)


def _anchors(copy: Any, inputs: Array) -> Array:
    """The training rows, and the inducing points of a sparse kernel."""
    points = inducing_points(copy)
    return inputs if points is None or points.shape[1] != inputs.shape[1] else np.concatenate([inputs, points])
