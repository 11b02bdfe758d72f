"""Errors of other libraries about rows that they do not take, as ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rsens._errors import InputError


@contextmanager
def foreign_errors(name: str) -> Iterator[None]:
    """Say what the model said about the rows, as an `InputError`."""
    try:
        yield
    except InputError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{name} does not take these rows: {reason}") from error
