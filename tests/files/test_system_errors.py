"""What the system refuses is said in plain words."""

from __future__ import annotations

import errno
import os
import pickle
import subprocess
import sys

import pytest

from rsens._errors import InputError, Sentence, spelled_by
from rsens._files import (
    Checkpoint,
    MissingPathError,
    as_input_error,
    check_folder,
    new_files,
    reason_of,
    write_json,
    write_summary,
    write_whole,
    writing,
)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (errno.ENOSPC, "x cannot be written: the disk is full."),
        (errno.EFBIG, "x cannot be written: the file is larger than the system allows."),
        (errno.EDQUOT, "x cannot be written: the quota of the disk is used up."),
        (errno.EROFS, "x cannot be written: the disk is read-only. Give another folder."),
        (errno.EACCES, "x cannot be written: permission denied. Give another folder."),
        (errno.EPERM, "x cannot be written: permission denied. Give another folder."),
        (errno.ENAMETOOLONG, "x cannot be written: the name is too long. Give another folder."),
        (errno.ENOTDIR, "x cannot be written: a part of its path is a file, not a folder. Give another folder."),
        (errno.ENOENT, "x cannot be written: there is no folder to write it into. Make it first."),
        (errno.ENOTCONN, f"x cannot be written: {os.strerror(errno.ENOTCONN)}."),
    ],
)
def test_sentences(code, sentence):
    with pytest.raises(InputError) as error, writing("x", "folder"):
        raise OSError(code, os.strerror(code), "somewhere")
    assert str(error.value) == sentence
    assert isinstance(error.value, OSError)  # as before there were sentences
    with spelled_by(lambda _: "--out"):
        assert Sentence(error.value.sentence) == sentence.replace("another folder", "another --out")
    assert str(pickle.loads(pickle.dumps(error.value))) == sentence


def test_errors_travel_where_distributed_has_changed_pickle():
    code = (
        "import pickle, tblib.pickling_support as t; t.install()\n"
        "from rsens._files import MissingPathError; from rsens._files._io import CannotWriteError\n"
        "for kind in (MissingPathError, CannotWriteError):\n"
        "    print(pickle.loads(pickle.dumps(kind('x', ' is gone'))))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "x is gone\n" * 2


def test_what_is_no_error_of_the_system_stays_what_it_is():
    given = InputError("rows must be …")
    with pytest.raises(InputError) as error, writing("x"):
        raise given
    assert error.value is given
    with pytest.raises(ValueError, match="not JSON"), writing("x"):
        raise ValueError("not JSON")
    with pytest.raises(OSError, match="disk full"), writing("x"):
        raise OSError("disk full")


def test_errors_that_nobody_has_caught():
    full = OSError(errno.ENOSPC, "No space left on device")
    assert str(as_input_error(full)) == "a file cannot be used: the disk is full."
    closed = PermissionError(errno.EACCES, "Permission denied", b"data\x1b.csv")
    assert str(as_input_error(closed)) == "data\\x1b.csv cannot be used: permission denied."
    for other in (ValueError("x"), OSError("x"), BrokenPipeError(errno.EPIPE, "x"), KeyError("x")):
        assert reason_of(other) is None
        assert as_input_error(other) is None
    known = InputError("rows must be …")
    assert as_input_error(known) is known


def every_writer(path):
    """What writes at a path, and the argument that names it."""
    yield lambda: write_whole(path, ""), "path"
    yield lambda: write_json({}, path), "path"
    yield lambda: check_folder(path, False), "folder"
    yield lambda: new_files(path).__enter__(), "folder"
    yield lambda: Checkpoint.open(path, {}), "folder"


@pytest.mark.parametrize("long", ["x" * 300, "/".join(["x" * 250] * 20)])
def test_paths_that_are_too_long(tmp_path, long):
    for call, argument in every_writer(tmp_path / long):
        with pytest.raises(InputError, match=r"cannot be written: the name is too long\. Give another") as error:
            call()
        assert error.value.argument == argument
        assert len(str(error.value)) < 300
    assert list(tmp_path.iterdir()) == []


def test_null_characters(tmp_path):
    for call, argument in every_writer(tmp_path / "a\0b"):
        with pytest.raises(InputError, match=r"a\\x00b cannot be written: its name has a null character") as error:
            call()
        assert error.value.argument == argument
    assert list(tmp_path.iterdir()) == []


def test_files_in_the_way(tmp_path):
    (tmp_path / "f").write_text("")
    for call, _ in every_writer(tmp_path / "f" / "g"):
        with pytest.raises(InputError, match="cannot be written: a part of its path is a file"):
            call()


def test_links_that_go_round(tmp_path):
    (tmp_path / "f").symlink_to("g")
    (tmp_path / "g").symlink_to("f")
    for call, _ in every_writer(tmp_path / "f" / "h"):
        with pytest.raises(InputError, match="cannot be written: links in its path go round in circles"):
            call()


def test_no_folder_to_write_into(tmp_path):
    with pytest.raises(MissingPathError, match="x cannot be written: there is no folder to write it into"):
        write_whole(tmp_path / "none" / "x", "")


# ---- in the block of new_files ---------------------------------------------------------------------------------------


def test_whatever_is_written_in_the_block(tmp_path):
    """The sentence is about the folder that the user gave, not the hidden one."""

    def fill(_):
        with open("/dev/full", "wb", buffering=0) as file:
            file.write(b"x")

    for write in (fill, lambda path: write_whole(path / ("x" * 300), "")):
        text = rf"^{tmp_path}/out cannot be written: the (disk is full|name is too)"
        with pytest.raises(InputError, match=text), new_files(tmp_path / "out") as temporary:
            write(temporary)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError(errno.ENOENT, "No such file", "model"),
        PermissionError(errno.EACCES, "Permission denied", "/somewhere/else/font"),
        ConnectionError("x"),
        InputError("x"),
    ],
)
def test_other_errors_of_the_block_stay_what_they_are(tmp_path, error):
    with pytest.raises(type(error)) as raised, new_files(tmp_path / "out"):
        raise error
    assert raised.value is error


LIMITED = """
import resource, sys
from pathlib import Path
import matplotlib
matplotlib.use("Agg")
import numpy as np, pandas as pd
from matplotlib import pyplot as plt
from rsens import InputError
from rsens._files import Checkpoint, new_files, write_csv, write_json
from rsens.models import BayesianLinearRegression, save_model

numbers = np.random.default_rng(0).normal(size=(3000, 3))
frame = pd.DataFrame(numbers, columns=["a", "b", "c"])
model = BayesianLinearRegression().fit(numbers[:, :2], numbers[:, 2])
axes = plt.plot(numbers)[0].axes
work = Checkpoint.open(Path(sys.argv[1]) / "work", {})
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
writers = {
    "x.png": axes.figure.savefig,
    "x.svg": axes.figure.savefig,
    "x.csv": lambda path: write_csv(frame, path),
    "x.parquet": frame.to_parquet,
    "x.json": lambda path: write_json(numbers.tolist(), path),
    "x.rsens": lambda path: save_model(model, path),
    "piece": lambda path: work.put("a", numbers.tolist()),
}
for name, write in writers.items():
    try:
        with new_files(Path(sys.argv[1]) / "out") as temporary:
            write(temporary / name)
        print(name, "was written")
    except InputError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_a_limit_on_the_size_of_files(tmp_path):
    # What measures coverage writes files too, and would meet the limit.
    alone = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    command = [sys.executable, "-c", LIMITED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=alone)
    assert done.stderr == ""
    said = f"{tmp_path / 'out'} cannot be written: the file is larger than the system allows."
    assert done.stdout.splitlines() == [said] * 7
    assert [path.name for path in tmp_path.iterdir()] == ["work"]
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["manifest.json"]


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 64 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    try:
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no disk can be mounted here: {error}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def write(folder, text):
    with new_files(folder) as temporary:
        (temporary / "x").write_text(text)
        write_summary(temporary, "explain", {})


def test_a_full_disk(small_disk):
    work = Checkpoint.open(small_disk / "work", {})
    work.put("a", "old")
    write(small_disk / "out", "old")
    with pytest.raises(InputError, match="out cannot be written: the disk is full"):
        write(small_disk / "out", "x" * 100_000)
    with pytest.raises(InputError, match="cannot be written: the disk is full"):
        work.put("a", "x" * 100_000)
    assert (small_disk / "out" / "x").read_text() == work.get("a") == "old"
    assert sorted(os.listdir(small_disk)) == ["out", "work"]


def test_a_folder_that_is_a_disk(small_disk):
    """It cannot be exchanged for another."""
    write(small_disk, "1")
    write(small_disk, "2")
    assert (small_disk / "x").read_text() == "2"
    assert sorted(os.listdir(small_disk)) == ["summary.json", "x"]


def test_a_disk_inside_the_folder_stays(small_disk):
    out = small_disk.parent
    (small_disk / "mine").write_text("m")
    write(out, "1")
    write(out, "2")
    assert os.path.ismount(small_disk)
    assert (small_disk / "mine").read_text() == "m"
    assert sorted(os.listdir(out)) == ["disk", "summary.json", "x"]
