"""From a table to everything: the data made ready, a model, how good it is, what moves it, and files of all that."""

from rsens._app.study._result import Study as Study
from rsens._app.study._study import study as study
