"""Tables as CSV files that are safe to open in a spreadsheet.

A spreadsheet takes text that begins with "=", "+", "-" or "@" for a formula and runs it. Names and levels come from the
user's data, which may come from anyone; an apostrophe before such text makes it text again.
"""

from __future__ import annotations

import os
import unicodedata
from typing import TYPE_CHECKING, Any

from rsens._files._whole import write_whole

if TYPE_CHECKING:
    import pandas as pd

#: How text begins that a spreadsheet may run.
DANGEROUS = frozenset("=+-@\t\r\n")
#: Categories of characters that do not print: controls, and ends of lines and of paragraphs.
INVISIBLE = frozenset(("Cc", "Zl", "Zp"))


def write_csv(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a table without its index. Numbers stay as they are, and what is missing is empty.

    Text that a spreadsheet could run has an apostrophe before it, and control characters are written as escapes.
    """
    import pandas as pd

    columns = [_harmless_column(frame.iloc[:, place]) for place in range(frame.shape[1])]  # names may occur twice
    clean = pd.concat(columns, axis=1, ignore_index=True) if columns else frame
    names = [_harmless(name) for name in frame.columns]
    text = clean.to_csv(index=False, header=names or True)
    write_whole(path, text.encode("utf-8", "backslashreplace"))


def _harmless_column(column: pd.Series[Any]) -> pd.Series[Any]:
    """Columns of numbers, truth values and dates have no text."""
    import pandas as pd

    types = pd.api.types
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    elif not (types.is_object_dtype(column.dtype) or types.is_string_dtype(column.dtype)):
        return column
    return pd.Series([_harmless(cell) for cell in column], index=column.index, dtype=object)


def _harmless(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    # Some spreadsheets also take the wide forms of these characters; NFKC makes them the usual ones.
    dangerous = unicodedata.normalize("NFKC", cell[:1])[:1] in DANGEROUS if cell else False
    return ("'" if dangerous else "") + "".join(_escaped(character) for character in cell)


def _escaped(character: str) -> str:
    if unicodedata.category(character) not in INVISIBLE:
        return character
    return character.encode("unicode_escape").decode("ascii")
