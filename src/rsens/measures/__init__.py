"""Measures of sensitivity: R-sens and R-sens₂, and the methods that the paper compares them with."""

from rsens.measures._ard import ard as ard
from rsens.measures._directional import ActiveSubspace as ActiveSubspace
from rsens.measures._directional import active_subspace as active_subspace
from rsens.measures._directional import directional as directional
from rsens.measures._fourth import fourth_derivative as fourth_derivative
from rsens.measures._groups import group_norms as group_norms
from rsens.measures._groups import group_rsens as group_rsens
from rsens.measures._groups import resolve_groups as resolve_groups
from rsens.measures._kl import kl as kl
from rsens.measures._parts import parts as parts
from rsens.measures._prediction import aed as aed
from rsens.measures._prediction import aeh as aeh
from rsens.measures._prediction import ead as ead
from rsens.measures._prediction import eah as eah
from rsens.measures._prediction import first_of_prediction as first_of_prediction
from rsens.measures._prediction import prediction_derivatives as prediction_derivatives
from rsens.measures._prediction import second_of_prediction as second_of_prediction
from rsens.measures._registry import METHODS as METHODS
from rsens.measures._registry import Measure as Measure
from rsens.measures._registry import importance as importance
from rsens.measures._rsens import rsens as rsens
from rsens.measures._rsens import rsens2 as rsens2
