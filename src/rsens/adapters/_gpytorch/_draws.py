"""Fully Bayesian models of BoTorch: one GP per draw of the hyperparameters, and the prediction is their mixture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens.adapters._ensemble import EnsembleModel
from rsens.adapters._gpytorch._autograd import Autograd
from rsens.adapters._gpytorch._checks import State
from rsens.adapters._gpytorch._closed_form import closed_form
from rsens.adapters._gpytorch._copies import working_copy
from rsens.adapters._gpytorch._model import GaussianProcess
from rsens.adapters._gpytorch._moments import PosteriorMoments
from rsens.adapters._gpytorch._noise import observed, read_noise
from rsens.adapters._gpytorch._source import LatentSource
from rsens.adapters._gpytorch._transforms import affine_inputs, original_inputs, read_outcome, refuse_outcome
from rsens.derivatives import Description, Finding, Model


class DrawnProcesses(EnsembleModel):
    """The mixture of one GP per draw, all with the same weight."""

    def __init__(self, processes: Sequence[Model], state: State, noise: str) -> None:
        super().__init__(processes, np.full(len(processes), 1.0 / len(processes)))
        self._state, self._noise = state, noise

    @property
    def name(self) -> str:
        return self._state.name

    @property
    def description(self) -> Description | None:
        first = self._members[0].description
        family = None if first is None else f"Mixture of {len(self._members)} {first.family}"
        return first if first is None or family is None else replace(first, family=family, noise=self._noise)

    def checks(self, X: Any) -> Iterator[Finding]:
        """Of the first draw, except for the noise."""
        yield Finding("noise", "ok", f"The prediction is of an observation: noise {self._noise}.")
        yield from (finding for finding in self._members[0].checks(X) if finding.name != "noise")

    def _each(self, members: Sequence[Model]) -> DrawnProcesses:
        return DrawnProcesses(members, self._state, self._noise)


def drawn_gps(model: Any) -> DrawnProcesses:
    """The fully Bayesian model as one GP per draw."""
    if model.covar_module is None:
        raise InputError(f"{type(model).__name__} is not fitted. Call fit_fully_bayesian_model_nuts(model) first.")
    copy = working_copy(model)
    inputs, outcome = original_inputs(copy), read_outcome(copy)
    if outcome is None:
        raise refuse_outcome(model)
    units = affine_inputs(copy, inputs)
    if hasattr(copy, "outcome_transform"):
        del copy.outcome_transform
    processes: list[GaussianProcess] = []
    variances = []
    for draw in range(copy.num_mcmc_samples):
        noise = read_noise(copy.likelihood, draw)
        if noise is None:
            raise InputError(f"{type(model).__name__} has a likelihood that rsens does not know: {copy.likelihood}.")
        source: LatentSource | None = None if units is None else closed_form(copy, noise.variances, units, draw)
        if source is None:
            moments = PosteriorMoments(copy, observation_noise=False, draw=draw)
            source = Autograd.of(moments, inputs, inputs, len(inputs) * copy.num_mcmc_samples)
        observation, finding = observed(noise, outcome)
        state = State.of(model, inputs.shape[1], finding)
        processes.append(GaussianProcess(source, outcome, observation, state, inputs))
        variances.append(noise.mean * outcome.scale**2)
    text = f"included: of each draw, {min(variances):.3g} to {max(variances):.3g}"
    return DrawnProcesses(processes, processes[0].state, text)
