"""Tables, read and made ready for a model by documented rules, with a note on every decision."""

from rsens._app.tables._checks import collinear_sets as collinear_sets
from rsens._app.tables._columns import Note as Note
from rsens._app.tables._columns import Roles as Roles
from rsens._app.tables._columns import check_unique as check_unique
from rsens._app.tables._columns import find_all as find_all
from rsens._app.tables._columns import name_list as name_list
from rsens._app.tables._columns import name_lists as name_lists
from rsens._app.tables._columns import names_of as names_of
from rsens._app.tables._columns import naming as naming
from rsens._app.tables._columns import read_where as read_where
from rsens._app.tables._columns import shortened_notes as shortened_notes
from rsens._app.tables._columns import split as split
from rsens._app.tables._file import column_names as column_names
from rsens._app.tables._file import read_file as read_file
from rsens._app.tables._likelihood import AS_ASKED as AS_ASKED
from rsens._app.tables._likelihood import CLASSES as CLASSES
from rsens._app.tables._likelihood import Choice as Choice
from rsens._app.tables._likelihood import choose_likelihood as choose_likelihood
from rsens._app.tables._likelihood import likelihood_choices as likelihood_choices
from rsens._app.tables._prepare import ModelTable as ModelTable
from rsens._app.tables._prepare import prepare as prepare
from rsens._app.tables._prepare import prepare_again as prepare_again
from rsens._app.tables._reader import TableReader as TableReader
from rsens._app.tables._reading import as_amounts as as_amounts
from rsens._app.tables._reading import read_dates as read_dates
from rsens._app.tables._where import keep_rows as keep_rows
