"""From a table to everything: the data made ready, a model, how good it is, what moves it, and files of all that."""

from rsens._app.study._analysis import Analysis as Analysis
from rsens._app.study._explain_task import explain_task as explain_task
from rsens._app.study._folder import Writer as Writer
from rsens._app.study._folder import figure_writers as figure_writers
from rsens._app.study._folder import table_writers as table_writers
from rsens._app.study._folder import write_folder as write_folder
from rsens._app.study._hints import Hints as Hints
from rsens._app.study._listener import Listener as Listener
from rsens._app.study._pipeline import Task as Task
from rsens._app.study._pipeline import analyse as analyse
from rsens._app.study._plain import head_as_dict as head_as_dict
from rsens._app.study._plain import plain as plain
from rsens._app.study._result import Study as Study
from rsens._app.study._result import write_study as write_study
from rsens._app.study._settings import Settings as Settings
from rsens._app.study._setup import ModelSetup as ModelSetup
from rsens._app.study._study import study as study
from rsens._app.study._tables import paragraph as paragraph
from rsens._app.study._tables import table as table
from rsens._app.study._text import heading_of as heading_of
from rsens._app.study._text import notes_of as notes_of
from rsens._app.study._text import text_of as text_of
from rsens._app.study._text import warnings_of as warnings_of
