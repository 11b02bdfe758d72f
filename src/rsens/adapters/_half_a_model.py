"""Half of a model: a program without its draws, or draws without their program. The error says what to write."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any, NoReturn

from rsens._errors import Argument, InputError
from rsens.adapters._adapter import Adapter
from rsens.adapters._origin import is_a
from rsens.adapters._posterior_draws import is_posterior


def _line(obj: Any) -> str | None:
    """What to write for an object that is half of a model; None for others."""
    if isinstance(obj, tuple) and len(obj) == 2:
        return _line(obj[0]) or _line(obj[1])
    if is_a(obj, "bambi.Model"):
        return "from_bambi(model, posterior), where posterior is what model.fit() returned"
    if is_a(obj, "pymc.Model"):
        return (
            'from_pymc(model, posterior, data="X"), where posterior is what pm.sample() returned and the rows are '
            'X = pm.Data("X", …)'
        )
    if is_a(obj, "numpyro.MCMC", "numpyro.Predictive") or _is_numpyro_program(obj):
        return "from_numpyro(model, mcmc), where model(X, y=None) is the function and mcmc has run"
    if is_a(obj, "numpyro.AutoGuide", "numpyro.SVI", "numpyro.SVIRunResult"):
        return (
            "from_numpyro(model, guide.sample_posterior(key, svi_result.params, sample_shape=(1000,))), where "
            "model(X, y=None) is the function"
        )
    if is_a(
        obj, "cmdstanpy.CmdStanMCMC", "cmdstanpy.CmdStanVB", "cmdstanpy.CmdStanPathfinder", "cmdstanpy.CmdStanLaplace"
    ):
        return (
            "from_draws(fn, fit.stan_variables()), where fn(parameters, X) returns the prediction of one draw, such as "
            'Normal(parameters["alpha"] + X @ parameters["beta"], parameters["sigma"] ** 2)'
        )
    if is_posterior(obj):
        return (
            "from_pymc(model, posterior) or from_bambi(model, posterior) with the model that was sampled; without one, "
            "from_draws(fn, draws), where fn(parameters, X) returns the prediction of one draw"
        )
    return None


def _is_numpyro_program(obj: Any) -> bool:
    """Whether a function calls something of NumPyro by a global name. A handler around it does too."""
    if is_a(obj, "numpyro.Messenger"):
        return True
    if not isinstance(obj, FunctionType):
        return False
    used = (obj.__globals__.get(name) for name in obj.__code__.co_names)
    homes = (value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None) for value in used)
    return any(str(home).partition(".")[0] == "numpyro" for home in homes)


def _refuse(obj: Any) -> NoReturn:
    got = " and ".join(type(part).__name__ for part in obj) if isinstance(obj, tuple) else type(obj).__name__
    raise InputError("expected a ", Argument("model"), f" with its posterior draws; got {got}. Write {_line(obj)}.")


HALF_A_MODEL = Adapter("programs without draws, draws without a program", lambda obj: _line(obj) is not None, _refuse)
