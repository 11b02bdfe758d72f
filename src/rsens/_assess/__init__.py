"""The quality of a model on unseen rows: to be checked before any sensitivity is read."""

from rsens._assess._assess import HeldOut, assess, assessment_of
from rsens._assess._assessment import Assessment, quality
