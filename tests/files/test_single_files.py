"""A file is written whole or not at all, and errors of the system become sentences."""

import errno
import os
import pickle
import subprocess
import sys

import pytest

from rsens._errors import InputError, Sentence, spelled_by
from rsens._files import Checkpoint, MissingPathError, as_input_error, check_folder, new_files, whole_file, write_whole
from rsens._files._io import writing


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failure_leaves_the_previous_file(tmp_path, monkeypatch, call):
    write_whole(tmp_path / "x", "old")

    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(InputError, match="x cannot be written: no space left on device"):
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


def test_sentences():
    for code in (errno.ENOSPC, errno.EACCES, errno.ENOTDIR, errno.ENOTCONN):
        with pytest.raises(InputError) as error, writing("x", "folder"):
            raise OSError(code, os.strerror(code), "somewhere")
        reason = os.strerror(code)
        assert str(error.value) == f"x cannot be written: {reason[0].lower()}{reason[1:]}. Give another folder."
        with spelled_by(lambda _: "--out"):
            assert Sentence(error.value.sentence).endswith("Give another --out.")


def test_a_missing_folder_is_also_a_file_not_found_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"x cannot be written: .*does not exist") as error:
        write_whole(tmp_path / "none" / "x", "")
    assert isinstance(error.value, MissingPathError)
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_errors_travel_where_distributed_has_changed_pickle():
    code = (
        "import pickle, tblib.pickling_support as t; t.install()\n"
        "from rsens._files import MissingPathError\n"
        "print(pickle.loads(pickle.dumps(MissingPathError('x', ' is gone'))))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "x is gone\n"


def test_other_errors_are_not_changed():
    for given in (InputError("rows must be …"), ValueError("not JSON"), KeyError("x")):
        with pytest.raises(type(given)) as error, writing("x"):
            raise given
        assert error.value is given


def test_uncaught_errors_of_the_system():
    full = OSError(errno.ENOSPC, "No space left on device")
    assert str(as_input_error(full)) == "a file cannot be used: no space left on device."
    closed = PermissionError(errno.EACCES, "Permission denied", b"data\x1b.csv")
    assert str(as_input_error(closed)) == "data\\x1b.csv cannot be used: permission denied."
    for other in (ValueError("x"), OSError("x"), BrokenPipeError(errno.EPIPE, "x"), KeyError("x")):
        assert as_input_error(other) is None
    known = InputError("rows must be …")
    assert as_input_error(known) is known


def writers(path):
    """Functions that write at a path, and the argument that names it."""
    yield lambda: write_whole(path, ""), "path"
    yield lambda: check_folder(path, False), "folder"
    yield lambda: new_files(path).__enter__(), "folder"
    yield lambda: Checkpoint.open(path, {}), "folder"


@pytest.mark.parametrize("name", ["x" * 300, "/".join(["x" * 250] * 20), "a\0b", "f/g", "loop/h"])
def test_paths_that_cannot_be_used(tmp_path, name):
    (tmp_path / "f").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    before = sorted(os.listdir(tmp_path))
    for call, argument in writers(tmp_path / name):
        with pytest.raises(InputError, match=r"cannot be written: .*Give another") as error:
            call()
        assert error.value.argument == argument
        assert len(str(error.value)) < 300
    assert sorted(os.listdir(tmp_path)) == before
