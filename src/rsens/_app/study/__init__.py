"""From a table to everything: the data made ready, a model, how good it is, what moves it, and files of all that."""

from rsens._app.study._document import Hints as Hints
from rsens._app.study._document import document_of as document_of
from rsens._app.study._document import early_ranking as early_ranking
from rsens._app.study._document import head_as_dict as head_as_dict
from rsens._app.study._document import with_heading as with_heading
from rsens._app.study._pipeline import Listener as Listener
from rsens._app.study._pipeline import Task as Task
from rsens._app.study._pipeline import Unfinished as Unfinished
from rsens._app.study._pipeline import analyse as analyse
from rsens._app.study._pipeline import check_model as check_model
from rsens._app.study._pipeline import explain_task as explain_task
from rsens._app.study._result import REFITS as REFITS
from rsens._app.study._result import Study as Study
from rsens._app.study._result import figure_writers as figure_writers
from rsens._app.study._result import file_name as file_name
from rsens._app.study._result import table_writers as table_writers
from rsens._app.study._result import write_folder as write_folder
from rsens._app.study._result import write_study as write_study
from rsens._app.study._settings import Settings as Settings
from rsens._app.study._setup import Analysis as Analysis
from rsens._app.study._study import study as study
