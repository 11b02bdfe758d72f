"""Files: written whole or not at all, read with every entry checked, and folders of them."""

from rsens._files._checkpoint import Checkpoint as Checkpoint
from rsens._files._fingerprint import fingerprint as fingerprint
from rsens._files._json import Form as Form
from rsens._files._json import MissingPathError as MissingPathError
from rsens._files._json import Reader as Reader
from rsens._files._json import array_of as array_of
from rsens._files._json import label as label
from rsens._files._json import number as number
from rsens._files._json import number_or_nan as number_or_nan
from rsens._files._json import or_none as or_none
from rsens._files._json import plain_json as plain_json
from rsens._files._json import read_json as read_json
from rsens._files._json import text as text
from rsens._files._json import truth as truth
from rsens._files._json import tuple_of as tuple_of
from rsens._files._json import whole as whole
from rsens._files._json import write_json as write_json
from rsens._files._question import Question as Question
from rsens._files._question import difference as difference
from rsens._files._results_folder import check_folder as check_folder
from rsens._files._results_folder import new_files as new_files
from rsens._files._results_folder import read_summary as read_summary
from rsens._files._results_folder import write_summary as write_summary
