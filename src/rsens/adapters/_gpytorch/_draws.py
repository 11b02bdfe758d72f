"""Fully Bayesian models of BoTorch: one GP per draw of the hyperparameters, and the prediction is their mixture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._gpytorch._autograd import Autograd
from rsens.adapters._gpytorch._checks import State, findings
from rsens.adapters._gpytorch._closed_form import closed_form
from rsens.adapters._gpytorch._copies import working_copy
from rsens.adapters._gpytorch._model import GaussianProcess, numbers
from rsens.adapters._gpytorch._moments import PosteriorMoments
from rsens.adapters._gpytorch._noise import observed, read_noise
from rsens.adapters._gpytorch._source import LatentSource
from rsens.adapters._gpytorch._transforms import affine_inputs, original_inputs, read_outcome, refuse_outcome
from rsens.derivatives import Derivatives, Description, Finding, Model, check_order
from rsens.distributions import Distribution, Mixture


@dataclass(frozen=True, eq=False)
class DrawnProcesses(Model):
    """The mixture of one GP per draw, all with the same weight; λ stacks the parameters of all of them."""

    processes: tuple[GaussianProcess, ...]
    state: State
    noise: str
    training_inputs_: Array
    takes_tables = True

    @property
    def name(self) -> str:
        return self.state.name

    def derivatives(self, X: Any, order: int) -> Derivatives:
        check_order(order)
        rows = numbers(self, X, self.state.n_columns)
        records = [process.derivatives(rows, order) for process in self.processes]
        seconds = [record.second for record in records if record.second is not None]
        return Derivatives(
            self._mixture([record.distribution for record in records]),
            np.concatenate([record.first for record in records], 1),
            np.concatenate(seconds, 1) if seconds else None,
        )

    def predict_distribution(self, X: Any) -> Distribution:
        rows = numbers(self, X, self.state.n_columns)
        return self._mixture([process.predict_distribution(rows) for process in self.processes])

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        least = min(process.rows_per_chunk(n_columns, order) for process in self.processes)
        return max(1, least // len(self.processes))

    @property
    def description(self) -> Description:
        first = self.processes[0]
        family = f"Mixture of {len(self.processes)} {first.observation.family}"
        return Description(self.state.title, family, self.noise, first.source.way, self.state.columns)

    def checks(self, X: Any) -> Iterator[Finding]:
        rows = numbers(self, X, self.state.n_columns)
        yield from findings(self.state, self.processes[0].source, rows, self.training_inputs_)

    def _mixture(self, components: list[Distribution]) -> Distribution:
        return Mixture(components, np.full(len(components), 1.0 / len(components))).checked()


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
    processes, variances = [], []
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
    finding = Finding("noise", "ok", f"The prediction is of an observation: noise {text}.")
    return DrawnProcesses(tuple(processes), State.of(model, inputs.shape[1], finding), text, inputs)
