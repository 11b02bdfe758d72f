"""A file is written whole or not at all."""

from __future__ import annotations

import errno
import os

import pytest

from rsens._errors import InputError
from rsens._files import whole_file, write_whole


def test_bytes_and_text(tmp_path):
    write_whole(tmp_path / "x", b"\xff\x00")
    assert (tmp_path / "x").read_bytes() == b"\xff\x00"
    write_whole(str(tmp_path / "x"), "ü\n")
    assert (tmp_path / "x").read_bytes() == b"\xc3\xbc\n"
    assert os.listdir(tmp_path) == ["x"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failure_leaves_the_file_of_before(tmp_path, monkeypatch, call):
    write_whole(tmp_path / "x", "old")

    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(InputError, match=r"x cannot be written: the disk is full\.$"):
        write_whole(tmp_path / "x", "new")
    assert (tmp_path / "x").read_text() == "old"
    assert os.listdir(tmp_path) == ["x"]


def test_the_writer_fails(tmp_path):
    with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "x") as file:
        file.write(bytes(1 // (file.write(b"half") - 4)))
    assert os.listdir(tmp_path) == []


def test_a_link_is_replaced_not_followed(tmp_path):
    (tmp_path / "there").write_text("mine")
    (tmp_path / "x").symlink_to("there")
    write_whole(tmp_path / "x", "new")
    assert (tmp_path / "there").read_text() == "mine"
    assert (tmp_path / "x").read_text() == "new"


@pytest.mark.parametrize("path", ["", ".", "/"])
def test_paths_without_a_name(path):
    with pytest.raises(InputError, match="path must be the name of a file; got") as error:
        write_whole(path, "")
    assert error.value.argument == "path"
