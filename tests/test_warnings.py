"""Warnings of many pieces are shown once; deprecations follow the filters of the user."""

from __future__ import annotations

import warnings

import pytest

from rsens._errors import RsensWarning, emit_once, warnings_once


def test_a_repeated_warning_is_shown_once():
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        with warnings_once():
            for step in range(5):
                warnings.warn(RsensWarning(f"step {step} is too wide"), stacklevel=1)
    assert len(shown) == 1


def test_pieces_are_counted():
    pieces = [[(RsensWarning, "fit 1 failed"), (UserWarning, "x")], [(RsensWarning, "fit 2 failed")], []]
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        emit_once(pieces, 3, "fold")
    assert [str(each.message) for each in shown] == ["In 2 of 3 folds: fit 1 failed", "x"]


@pytest.mark.parametrize("category", [DeprecationWarning, PendingDeprecationWarning])
def test_hidden_deprecations_stay_hidden(category):
    """Filters name the module that warns, as Python's own do; a warning raised again elsewhere would pass them."""
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=category, module="old")
        with warnings_once():
            warnings.warn_explicit("old.f is deprecated", category, "old.py", 1, module="old")
    assert not shown
