"""Files: single ones, written whole or not at all; the store; folders of results; finished pieces of long work."""

from rsens._files._checkpoint import Checkpoint, difference, fingerprint
from rsens._files._folder import SUMMARY, check_folder, new_files, read_summary, write_summary
from rsens._files._io import MissingPathError, as_input_error, open_file, read_file, whole_file, write_csv, write_whole
from rsens._files._store import (
    NUMBERS,
    Known,
    decode,
    document,
    encode,
    known_classes,
    parse_json,
    read_document,
    reading,
    write_json,
)
