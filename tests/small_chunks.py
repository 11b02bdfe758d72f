"""Rows that the model is asked about a few at a time, as if memory were small."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from rsens.derivatives import _model


@contextmanager
def rows_at_once(rows: int) -> Iterator[None]:
    with patch.object(_model, "_rows_at_once", lambda *_: rows):
        yield
