"""Measures of sensitivity: R-sens and R-sens₂, and the methods that the paper compares them with."""

from rsens.measures._adds_up import adds_up as adds_up
from rsens.measures._adds_up import is_linear as is_linear
from rsens.measures._lengthscales import ard as ard
from rsens.measures._lengthscales import warn_of_gaps as warn_of_gaps
from rsens.measures._link import on_link as on_link
from rsens.measures._prediction import BOTH as BOTH
from rsens.measures._prediction import DOWN as DOWN
from rsens.measures._prediction import UP as UP
from rsens.measures._prediction import arrows as arrows
from rsens.measures._prediction import consistency as consistency
from rsens.measures._prediction import first_of_prediction as first_of_prediction
from rsens.measures._prediction import first_of_spread as first_of_spread
from rsens.measures._prediction import second_of_prediction as second_of_prediction
from rsens.measures._prediction import spread_of as spread_of
from rsens.measures._registry import METHODS as METHODS
from rsens.measures._registry import ComparedMethod as ComparedMethod
from rsens.measures._registry import Measure as Measure
from rsens.measures._registry import importance as importance
from rsens.measures._registry import local_values as local_values
from rsens.measures._rsens import check_alpha as check_alpha
from rsens.measures._rsens import finite as finite
from rsens.measures._rsens import pair_parts_of as pair_parts_of
from rsens.measures._rsens import parts as parts
from rsens.measures._rsens import parts_of as parts_of
from rsens.measures._rsens import rsens as rsens
from rsens.measures._rsens import rsens2 as rsens2
from rsens.measures._rsens import rsens2_of as rsens2_of
from rsens.measures._rsens import rsens_of as rsens_of
from rsens.measures._rsens import switches_of as switches_of
from rsens.measures._terms import Terms as Terms
from rsens.measures._terms import check_group_columns as check_group_columns
from rsens.measures._terms import check_groups as check_groups
from rsens.measures._terms import check_weights as check_weights
from rsens.measures._terms import column_units as column_units
from rsens.measures._terms import deviations_of as deviations_of
from rsens.measures._terms import read_scale as read_scale
from rsens.measures._terms import training_inputs as training_inputs


def __dir__() -> list[str]:
    """The names that are exported, without the files they come from."""
    return sorted(name for name in globals() if not name.startswith("_"))
