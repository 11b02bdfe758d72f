"""How good a model is on rows that it has not seen: asked before anything is said about what matters."""

from rsens._assess._assess import HeldOut as HeldOut
from rsens._assess._assess import assess as assess
from rsens._assess._assess import assessment_of as assessment_of
from rsens._assess._assessment import Assessment as Assessment
from rsens._assess._assessment import quality_table as quality_table
from rsens._assess._calibration import held_in as held_in
