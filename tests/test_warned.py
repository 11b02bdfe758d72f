"""Warnings of many pieces: each is said once; those about other people's code follow the filters that are there."""

from __future__ import annotations

import warnings

import pytest
from rsens._warned import saying_once

from rsens._errors import RsensWarning


def test_what_is_warned_of_often_is_said_once():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with saying_once():
            for step in range(5):
                warnings.warn(RsensWarning(f"step {step} is too wide"), stacklevel=1)
    assert len(said) == 1


@pytest.mark.parametrize("category", [DeprecationWarning, PendingDeprecationWarning])
def test_deprecations_that_a_filter_hides_stay_hidden(category):
    """Filters name the module that warns, as Python's own do; a warning said again from elsewhere would pass them."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=category, module="old")
        with saying_once():
            warnings.warn_explicit("old.f is deprecated", category, "old.py", 1, module="old")
    assert not said
