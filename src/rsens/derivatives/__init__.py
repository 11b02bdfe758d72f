"""Derivatives of a predictive distribution's parameters in x, from closed forms, JAX, PyTorch or differences."""

from rsens.derivatives._chain import chain_rule as chain_rule
from rsens.derivatives._differences import from_function as from_function
from rsens.derivatives._jax import from_jax as from_jax
from rsens.derivatives._model import Model as Model
from rsens.derivatives._model import as_model as as_model
from rsens.derivatives._model import iterate as iterate
from rsens.derivatives._record import Derivatives as Derivatives
from rsens.derivatives._torch import from_torch as from_torch
