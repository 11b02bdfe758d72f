"""Tables from files, made ready for a model by stated rules, with a note for everything that was done."""

from rsens._data._file import FileData as FileData
from rsens._data._file import column_names as column_names
from rsens._data._file import read_file as read_file
from rsens._data._likelihood import Choice as Choice
from rsens._data._likelihood import choose_likelihood as choose_likelihood
from rsens._data._notes import Note as Note
from rsens._data._prepare import Prepared as Prepared
from rsens._data._prepare import prepare as prepare
from rsens._data._prepare import prepare_again as prepare_again
