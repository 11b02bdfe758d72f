"""The data sets: where they are looked for, what is refused, and what is in them. Nothing here leaves this machine."""

import hashlib
import io
import ssl
import subprocess
import threading
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

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


def like(source, content, **changes):
    """The source, if UCI's file had this content."""
    return replace(source, size=len(content), sha256=hashlib.sha256(content).hexdigest(), **changes)


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Both files are two rows; no folder is given; the cache is empty; a download is an error."""
    monkeypatch.setattr(datasets, "CONCRETE", like(datasets.CONCRETE, CONCRETE))
    monkeypatch.setattr(datasets, "BIKE", like(datasets.BIKE, BIKE))
    monkeypatch.delenv("RSENS_DATA", raising=False)
    monkeypatch.setattr(datasets, "_cache", lambda: tmp_path / "cache" / "rsens")
    monkeypatch.setattr(datasets, "_download", lambda source: pytest.fail("it must not be downloaded"))
    return tmp_path


@pytest.mark.parametrize("name", ["slump_test.csv", "slump_test.data"])
@pytest.mark.parametrize("ends", [b"\r\n", b"\n"])
def test_a_file_is_found_by_either_name_and_with_either_line_ends(small, monkeypatch, name, ends):
    (small / name).write_bytes(CONCRETE.replace(b"\r\n", ends))
    monkeypatch.setenv("RSENS_DATA", str(small))
    X, y = datasets.load_concrete()
    assert list(X) == ["Cement", "Slag", "Fly ash", "Water", "SP", "Coarse Aggr.", "Fine Aggr."]
    np.testing.assert_array_equal(X.iloc[1], [163, 149, 191, 180, 12, 843, 746])
    np.testing.assert_array_equal(y, [34.99, 41.14])


def test_the_given_folder_comes_before_the_cache(small, monkeypatch):
    (small / "cache" / "rsens").mkdir(parents=True)
    (small / "cache" / "rsens" / "bike_hour.csv").write_bytes(b"not the file")
    (small / "bike_hour.csv").write_bytes(BIKE)
    monkeypatch.setenv("RSENS_DATA", str(small))
    assert len(datasets.load_bike(None)[1]) == 2


def test_the_cache_is_used_where_the_given_folder_lacks_the_file(small, monkeypatch):
    (small / "bike_hour.csv").write_bytes(BIKE)
    monkeypatch.setenv("RSENS_DATA", str(small / "empty"))
    assert len(datasets.load_bike(None, folder=small)[1]) == 2


def test_months_and_columns_of_bike(small):
    (small / "bike_hour.csv").write_bytes(BIKE)
    X, y = datasets.load_bike(columns=["weekday", "hum"], folder=small)
    assert X.to_numpy().tolist() == [[6.0, 0.8]]
    assert y.tolist() == [40.0]
    assert list(X.index) == list(y.index) == [0]
    assert list(datasets.load_bike(1, folder=small)[0]) == list(datasets.BIKE_COLUMNS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"month": 13}, "month must be 1 … 12"),
        ({"month": 0}, "month"),
        ({"columns": "hr"}, "columns must be a list"),
        ({"columns": []}, "columns must be a list"),
        ({"columns": ["hour"]}, "no predictor 'hour'. There are season, yr"),
        ({"columns": ["registered"]}, "no predictor 'registered'"),
    ],
)
def test_wrong_arguments(small, arguments, message):
    (small / "bike_hour.csv").write_bytes(BIKE)
    with pytest.raises(InputError, match=message) as error:
        datasets.load_bike(**arguments, folder=small)
    assert error.value.argument == next(iter(arguments))


def test_a_changed_file_is_refused(small):
    (small / "slump_test.csv").write_bytes(CONCRETE.replace(b"34.99", b"35.99"))
    with pytest.raises(InputError, match=r"slump_test.csv is not the file .* SHA-256 .* Remove it") as error:
        datasets.load_concrete(folder=small)
    assert datasets.CONCRETE.sha256 in str(error.value)


# ---- downloads, from a server on this machine ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """The files of a key and of a certificate for 127.0.0.1."""
    folder = tmp_path_factory.mktemp("certificate")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    files = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    try:
        subprocess.run([*command.split(), *files], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed, which makes the certificate of the test server")
    return certificate, key


@pytest.fixture
def served(tmp_path, monkeypatch, certificate):
    """An https server of this machine: its files {path: (status, headers, content)}, the cache, its address."""
    monkeypatch.setattr(datasets, "_cache", lambda: tmp_path / "cache")
    for name in ("RSENS_DATA", *(f"{kind}_proxy" for kind in ("http", "https", "all"))):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    files = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, headers, content = files.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address = f"https://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(datasets, "CONCRETE", like(datasets.CONCRETE, CONCRETE, archive=f"{address}/c.zip"))
    yield files, tmp_path / "cache", address
    server.shutdown()
    server.server_close()
    thread.join()


def zipped(content, name="slump_test.data"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content)
    return file.getvalue()


def test_a_download_is_kept_and_used_again(served):
    files, cache, _ = served
    files["/c.zip"] = (200, {}, zipped(CONCRETE))
    first = datasets.load_concrete()
    assert [path.name for path in cache.iterdir()] == ["slump_test.csv"]
    files.clear()
    assert first[0].equals(datasets.load_concrete()[0])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((404, {}, b""), r"could not be downloaded .*404.*\(SHA-256 .* RSENS_DATA"),
        ((200, {}, b"<html>"), "is not a zip file with slump_test.data"),
        ((200, {}, zipped(CONCRETE, "other.data")), "is not a zip file with slump_test.data"),
        ((200, {}, zipped(CONCRETE + b"\r\n")), "is not the file it should be"),
        ((200, {}, b"0" * (datasets.MOST_BYTES + 1)), "is not a zip file with slump_test.data"),
    ],
)
def test_anything_else_is_an_error_and_is_not_kept(served, answer, message):
    files, cache, _ = served
    files["/c.zip"] = answer
    with pytest.raises(InputError, match=message):
        datasets.load_concrete()
    assert not cache.exists() or not list(cache.iterdir())


def test_redirects_are_followed(served):
    files, _, address = served
    files["/c.zip"] = (301, {"Location": f"{address}/new.zip"}, b"")
    files["/new.zip"] = (200, {}, zipped(CONCRETE))
    assert len(datasets.load_concrete()[1]) == 2


def test_a_server_that_cannot_be_trusted_is_refused(served, monkeypatch):
    files, _, _ = served
    files["/c.zip"] = (200, {}, zipped(CONCRETE))
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(InputError, match=r"could not be downloaded .*CERTIFICATE"):
        datasets.load_concrete()


def test_a_folder_that_cannot_be_written_to_does_not_matter(served):
    files, cache, _ = served
    files["/c.zip"] = (200, {}, zipped(CONCRETE))
    cache.write_bytes(b"a file where the folder should be")
    assert len(datasets.load_concrete()[1]) == 2


def test_addresses_are_those_of_uci():
    for source in (datasets.CONCRETE, datasets.BIKE):
        assert source.archive.startswith("https://archive.ics.uci.edu/static/public/")
        assert source.page.startswith("https://archive.ics.uci.edu/dataset/")


# ---- the files themselves --------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("data_folder")
def test_the_real_files():
    X, y = datasets.load_concrete()
    assert X.shape == (103, 7)
    assert (y.min(), y.max()) == (17.19, 58.53)
    X, y = datasets.load_bike()
    assert X.shape == (1341, 6)
    assert X["yr"].value_counts().to_dict() == {0.0: 649, 1.0: 692}
    assert len(datasets.load_bike(None)[1]) == 17379
