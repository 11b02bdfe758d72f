"""From a table to everything: the data made ready, a model, how good it is, what moves it, and files of all that."""

from rsens._study._result import Study as Study
from rsens._study._verb import study as study
