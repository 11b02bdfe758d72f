"""Parquet files, read in batches: only the columns that are needed, and only the rows that are kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
import pandas as pd

from rsens._app.tables._columns import header_names
from rsens._app.tables._notes import Note
from rsens._app.tables._sample import RowSample
from rsens._errors import InputError, MissingExtraError

BLOCK = 16_384
#: Where pandas puts an index that is no column.
INDEX = re.compile(r"__index_level_\d+__")


@dataclass
class ParquetTable:
    """An open Parquet file: its names are known, its rows are still to be read."""

    names: list[str]
    notes: list[Note]
    what: str
    _file: Any
    _arrow: Any

    def read(self, columns: list[str], sample: RowSample, as_text: Any) -> pd.DataFrame:
        """The rows of the sample. Columns have the types that the file gives them."""
        batches, numbers = [], []
        schema = self._file.schema_arrow
        labels = [schema.names[self._position(name)] for name in columns]
        try:
            for batch in self._file.iter_batches(BLOCK, columns=labels):
                start = sample.seen
                places = sample.choose(batch.num_rows)
                batches.append(batch.select(labels).take(self._arrow.array(places)))
                numbers.append(start + places)
            fields = [schema.field(label) for label in labels]
            table = self._arrow.Table.from_batches(batches, schema=self._arrow.schema(fields)).unify_dictionaries()
            frame = table.to_pandas(ignore_metadata=True, date_as_object=False)
        except (OSError, self._arrow.ArrowException) as error:
            raise _damaged(self.what, error) from None
        number = np.concatenate([np.empty(0, dtype=np.int64), *numbers])
        kept = np.flatnonzero(np.isin(number, sample.rows))
        frame = frame.iloc[kept].set_axis(columns, axis=1)
        return frame.set_axis(pd.Index(number[kept]), axis=0)

    def _position(self, name: str) -> int:
        names = [each.strip() for each in self._file.schema_arrow.names]
        return names.index(name) if name in names else int(name.removeprefix("Unnamed: "))


def open_parquet(file: IO[bytes], what: str) -> ParquetTable:
    """A table from a file that can be searched."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet") from None
    try:
        opened = pyarrow.parquet.ParquetFile(file)
    except (OSError, pyarrow.ArrowException) as error:
        raise _damaged(what, error) from None
    names = [name for name in opened.schema_arrow.names if not INDEX.fullmatch(name)]
    if not names:
        raise InputError(f"{what} has no columns.")
    return ParquetTable(header_names(names, what), [], what, opened, pyarrow)


def _damaged(what: str, error: Exception) -> InputError:
    reason = str(error).splitlines()[0].rstrip(".")
    return InputError(f"{what} begins like a Parquet file but cannot be read: {reason}. Write the file again.")
