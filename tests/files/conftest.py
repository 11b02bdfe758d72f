"""The ways in which new results come into a folder."""

from __future__ import annotations

import errno
import os

import pytest

from rsens._files import _commit as commit_module


@pytest.fixture(params=["in one step", "file by file", "inside", "no second names"])
def way(request, monkeypatch):
    """New results come into a folder in several ways, of which a user sees nothing."""

    def refuse(*_, **__):
        raise OSError(errno.EINVAL, "not on this disk")

    if request.param == "file by file":
        monkeypatch.setattr(commit_module, "exchange", refuse)
    elif request.param == "inside":
        monkeypatch.setattr("rsens._files._results_folder._is_current", lambda place: True)
    elif request.param == "no second names":
        monkeypatch.setattr(os, "link", refuse)
    return request.param
