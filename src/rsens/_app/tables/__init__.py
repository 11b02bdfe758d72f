"""Tables from files, made ready for a model by stated rules, with a note for everything that was done."""

from rsens._app.tables._columns import columns_to_read as columns_to_read
from rsens._app.tables._columns import find_all as find_all
from rsens._app.tables._columns import name_list as name_list
from rsens._app.tables._columns import split as split
from rsens._app.tables._file import FileData as FileData
from rsens._app.tables._file import column_names as column_names
from rsens._app.tables._file import read_file as read_file
from rsens._app.tables._likelihood import AS_ASKED as AS_ASKED
from rsens._app.tables._likelihood import CLASSES as CLASSES
from rsens._app.tables._likelihood import Choice as Choice
from rsens._app.tables._likelihood import choose_likelihood as choose_likelihood
from rsens._app.tables._likelihood import likelihood_choices as likelihood_choices
from rsens._app.tables._notes import Note as Note
from rsens._app.tables._notes import naming as naming
from rsens._app.tables._prepare import PreparedTable as PreparedTable
from rsens._app.tables._prepare import prepare as prepare
from rsens._app.tables._prepare import prepare_again as prepare_again
