"""How good a model is on rows that it has not seen: asked before anything is said about what matters."""

from rsens._quality._assessment import Assessment as Assessment
from rsens._quality._verb import assess as assess
