"""The data sets: the places of the files, wrong files, and their content. Nothing here leaves this machine."""

import hashlib
import io
import zipfile
from urllib.error import HTTPError

import numpy as np
import pytest

from rsens import datasets
from rsens._errors import InputError

#: Two rows in the form of each file, with UCI's line ends.
CONCRETE = (
    b"No,Cement,Slag,Fly ash,Water,SP,Coarse Aggr.,Fine Aggr.,SLUMP(cm),FLOW(cm),Compressive Strength (28-day)(Mpa)\r\n"
    b"1,273,82,105,210,9,904,680,23,62,34.99\r\n2,163,149,191,180,12,843,746,0,20,41.14\r\n"
)
BIKE = (
    b"instant,dteday,season,yr,mnth,hr,holiday,weekday,workingday,weathersit,temp,atemp,hum,windspeed,casual,"
    b"registered,cnt\r\n1,2011-01-01,1,0,1,0,0,6,0,1,0.24,0.2879,0.81,0,3,13,16\r\n"
    b"2,2011-02-01,1,0,2,1,0,6,0,1,0.22,0.2727,0.8,0.1,8,32,40\r\n"
)


def zipped(content, name="slump_test.data"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content)
    return file.getvalue()


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Both files are two rows; no folder is given; the cache is empty; `answer` is the content of downloads."""
    for name, content in (("CONCRETE", CONCRETE), ("BIKE", BIKE)):
        source = getattr(datasets, name)._replace(sha256=hashlib.sha256(content).hexdigest())
        monkeypatch.setattr(datasets, name, source)
    monkeypatch.setenv("RSENS_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    answer(monkeypatch, HTTPError("c.zip", 404, "not found", None, None))
    return tmp_path


def answer(monkeypatch, content):
    def urlopen(address, timeout):
        assert address.startswith("https://archive.ics.uci.edu/static/public/")
        if isinstance(content, bytes):
            return io.BytesIO(content)
        raise content

    monkeypatch.setattr(datasets, "urlopen", urlopen)


def test_a_file_is_found_by_either_name_and_with_either_line_ends(small):
    for name, ends in [("slump_test.csv", b"\r\n"), ("slump_test.data", b"\n")]:
        (small / name).write_bytes(CONCRETE.replace(b"\r\n", ends))
        X, y = datasets.load_concrete()
        assert list(X) == ["Cement", "Slag", "Fly ash", "Water", "SP", "Coarse Aggr.", "Fine Aggr."]
        np.testing.assert_array_equal(X.iloc[1], [163, 149, 191, 180, 12, 843, 746])
        np.testing.assert_array_equal(y, [34.99, 41.14])
        (small / name).unlink()


def test_months_and_columns_of_bike(small):
    (small / "bike_hour.csv").write_bytes(BIKE)
    X, y = datasets.load_bike(columns=["weekday", "hum"])
    assert X.to_numpy().tolist() == [[6.0, 0.8]]
    assert y.tolist() == [40.0]
    assert list(X.index) == list(y.index) == [0]
    assert list(datasets.load_bike(1)[0]) == list(datasets.BIKE_COLUMNS)


def test_wrong_arguments_and_a_changed_file(small):
    (small / "bike_hour.csv").write_bytes(BIKE)
    for name, value in [("month", 13), ("month", 0), ("columns", "hr"), ("columns", []), ("columns", ["registered"])]:
        with pytest.raises(InputError) as error:
            datasets.load_bike(**{name: value})
        assert error.value.argument == name
    (small / "slump_test.csv").write_bytes(CONCRETE.replace(b"34.99", b"35.99"))
    with pytest.raises(InputError, match=rf"slump_test.csv .* SHA-256 .*{datasets.CONCRETE.sha256}\. Remove it"):
        datasets.load_concrete()


def test_a_download_is_kept_and_used_again(small, monkeypatch):
    answer(monkeypatch, zipped(CONCRETE))
    first = datasets.load_concrete()
    assert [path.name for path in (small / "cache" / "rsens").iterdir()] == ["slump_test.csv"]
    answer(monkeypatch, OSError("no network"))
    assert first[0].equals(datasets.load_concrete()[0])


def test_anything_else_is_an_error_and_is_not_kept(small, monkeypatch):
    wrong = [b"<html>", zipped(CONCRETE, "other.data"), zipped(CONCRETE + b"\r\n")]
    for content in [OSError("CERTIFICATE_VERIFY_FAILED"), *wrong]:
        answer(monkeypatch, content)
        with pytest.raises(InputError, match="SHA-256"):
            datasets.load_concrete()
        assert not (small / "cache").exists()
