"""How good a model is on rows that it has not seen: asked before anything is said about what matters."""

from rsens._assess._assess import HeldOut, assess, assessment_of
from rsens._assess._assessment import Assessment, quality_table
from rsens._assess._calibration import held_in
