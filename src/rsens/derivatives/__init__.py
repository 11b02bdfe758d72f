"""Derivatives of a predictive distribution's parameters in x, from closed forms, JAX, PyTorch or differences."""

from rsens.derivatives._contrasts import Contrast, contrasts_at
from rsens.derivatives._derivatives import (
    Derivatives,
    Inner,
    chain_rule,
    matched_record,
    normalized,
    normalized_derivatives,
    without_columns,
    without_derivatives,
    zero_in,
)
from rsens.derivatives._difference_checks import NoSecondDerivativesError
from rsens.derivatives._differences import Quotients, extrapolated, step_unit
from rsens.derivatives._draws import Draws, DrawsModel, from_draws, read_weights
from rsens.derivatives._function import from_function
from rsens.derivatives._jax import JaxModel, from_jax
from rsens.derivatives._model import (
    MAX_BYTES,
    Around,
    Counter,
    Description,
    Finding,
    Function,
    Model,
    check_order,
    iterate,
    prepare,
    result_bytes,
    rows_for,
    rows_of,
)
from rsens.derivatives._output import spread_out
from rsens.derivatives._prediction_model import AsGiven, PredictionModel
from rsens.derivatives._torch import TorchModel, check_evaluation_mode, from_torch


def __dir__() -> list[str]:
    """The names that are exported, without the files they come from."""
    return sorted(name for name in globals() if not name.startswith("_"))
