"""How good a model is on rows that it has not seen: asked before anything is said about what matters."""

from rsens._assess._assess import assess as assess
from rsens._assess._assessment import Assessment as Assessment
from rsens._assess._text import held_in as held_in
