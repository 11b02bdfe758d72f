"""Derivatives of a predictive distribution's parameters in x, from closed forms, JAX, PyTorch or differences."""

from rsens.derivatives._contrasts import Contrast as Contrast
from rsens.derivatives._contrasts import contrasts_at as contrasts_at
from rsens.derivatives._derivatives import Derivatives as Derivatives
from rsens.derivatives._derivatives import Inner as Inner
from rsens.derivatives._derivatives import chain_rule as chain_rule
from rsens.derivatives._derivatives import without_columns as without_columns
from rsens.derivatives._derivatives import without_derivatives as without_derivatives
from rsens.derivatives._derivatives import zero_in as zero_in
from rsens.derivatives._difference_checks import NoSecondDerivativesError as NoSecondDerivativesError
from rsens.derivatives._differences import Quotients as Quotients
from rsens.derivatives._differences import extrapolated as extrapolated
from rsens.derivatives._differences import step_unit as step_unit
from rsens.derivatives._draws import Draws as Draws
from rsens.derivatives._draws import DrawsModel as DrawsModel
from rsens.derivatives._draws import from_draws as from_draws
from rsens.derivatives._draws import read_weights as read_weights
from rsens.derivatives._function import from_function as from_function
from rsens.derivatives._jax import JaxModel as JaxModel
from rsens.derivatives._jax import from_jax as from_jax
from rsens.derivatives._model import MAX_BYTES as MAX_BYTES
from rsens.derivatives._model import Around as Around
from rsens.derivatives._model import Counter as Counter
from rsens.derivatives._model import Description as Description
from rsens.derivatives._model import Finding as Finding
from rsens.derivatives._model import Function as Function
from rsens.derivatives._model import Model as Model
from rsens.derivatives._model import check_order as check_order
from rsens.derivatives._model import iterate as iterate
from rsens.derivatives._model import prepare as prepare
from rsens.derivatives._model import result_bytes as result_bytes
from rsens.derivatives._model import rows_for as rows_for
from rsens.derivatives._model import rows_of as rows_of
from rsens.derivatives._output import spread_out as spread_out
from rsens.derivatives._prediction_model import AsGiven as AsGiven
from rsens.derivatives._prediction_model import PredictionModel as PredictionModel
from rsens.derivatives._records import draw_records as draw_records
from rsens.derivatives._records import is_of_draws as is_of_draws
from rsens.derivatives._records import matched_record as matched_record
from rsens.derivatives._records import normalized as normalized
from rsens.derivatives._records import normalized_derivatives as normalized_derivatives
from rsens.derivatives._torch import TorchModel as TorchModel
from rsens.derivatives._torch import check_evaluation_mode as check_evaluation_mode
from rsens.derivatives._torch import from_torch as from_torch


def __dir__() -> list[str]:
    """The names that are exported, without the files they come from."""
    return sorted(name for name in globals() if not name.startswith("_"))
