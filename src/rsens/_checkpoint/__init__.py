"""Long work that can be stopped and taken up again: its finished pieces, as JSON files in a folder."""

from rsens._checkpoint._fingerprint import fingerprint as fingerprint
from rsens._checkpoint._folder import Checkpoint as Checkpoint
