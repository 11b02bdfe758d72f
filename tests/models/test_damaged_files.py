"""Model files that are damaged, forged or something else: refused with a sentence, never run, never half read."""

import io
import json
import os
import zipfile

import numpy as np
import pytest
from sklearn.base import clone

from rsens import InputError
from rsens.models import _archive as archive
from rsens.models._files import load_model, read_metadata, save_model
from rsens.models._gp import GPClassifier, GPRegressor
from tests.models.test_categorical import FLAT, table
from tests.models.test_estimators import frame


@pytest.fixture
def fitted():
    X, y = frame(GPRegressor())
    return GPRegressor(optimize=False).fit(X, y)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A file of a model with names, a category and three classes: as many kinds of entries as one model can have."""
    X, _ = table(GPClassifier(), n=24)
    y = np.array(["a", "b", "c"])[np.digitize(X["age"], [35.0, 45.0])]
    path = tmp_path_factory.mktemp("good") / "model.rsens"
    save_model(GPClassifier(inducing=8, optimize=False).fit(X, y), path, metadata={"a": [1]})
    return path


def unpacked(path):
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def packed(members, path, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def edited(path, target, change):
    """The file with a change to its header, which may be one in place."""
    members = unpacked(path)
    header = json.loads(members[archive.HEADER])
    header = change(header) or header
    members[archive.HEADER] = json.dumps(header).encode()
    return packed(members, target)


def with_array(path, target, name, array):
    """The file with another array, and a header that knows it."""
    members = unpacked(path)
    header = json.loads(members[archive.HEADER])
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=(1, 0), allow_pickle=True)
    members[f"{name}.npy"] = file.getvalue()
    header["arrays"][name] = archive.hashlib.sha256(file.getvalue()).hexdigest()
    members[archive.HEADER] = json.dumps(header).encode()
    return packed(members, target)


def parameters_at(path):
    X, _ = table(GPClassifier(), n=24)
    return load_model(path).predict_distribution(X).parameters


def refused_or_equal(path, expected):
    """Damage is found, or has hit a byte without a meaning; nothing else happens."""
    try:
        got = parameters_at(path)
    except InputError:
        return False
    np.testing.assert_array_equal(got, expected)
    return True


def test_flipped_bytes(good, tmp_path):
    content, expected, rng = good.read_bytes(), parameters_at(good), np.random.default_rng(0)
    places = np.concatenate(
        [
            rng.integers(len(content), size=60),
            np.arange(len(content) - 60, len(content)),  # the end of the directory
            len(content) - rng.integers(1, 1500, 80),  # the directory
            np.arange(40),
        ]
    )
    passed = 0
    for place in places:
        broken = bytearray(content)
        broken[place] ^= 1 << rng.integers(8)
        (tmp_path / "broken").write_bytes(broken)
        passed += refused_or_equal(tmp_path / "broken", expected)
    assert passed < len(places) / 2


def test_bytes_flipped_in_the_content(good, tmp_path):
    """In every member, one at a time: all are refused."""
    content = good.read_bytes()
    with zipfile.ZipFile(good) as file:
        members = [(member.header_offset, member.file_size, len(member.filename)) for member in file.infolist()]
    for offset, size, name in members:
        broken = bytearray(content)
        broken[offset + 30 + name + size // 2] ^= 16
        (tmp_path / "broken").write_bytes(broken)
        with pytest.raises(InputError):
            load_model(tmp_path / "broken")


def test_truncated_and_longer_files(good, tmp_path):
    content, expected = good.read_bytes(), parameters_at(good)
    for size in [*np.linspace(0, len(content) - 1, 40).astype(int), len(content) - 1, len(content) - 5]:
        (tmp_path / "short").write_bytes(content[:size])
        with pytest.raises(InputError):
            load_model(tmp_path / "short")
    (tmp_path / "long").write_bytes(b"#!/bin/sh\n" + content + b"more")
    refused_or_equal(tmp_path / "long", expected)


def test_members_in_another_order_are_the_same_file(good, tmp_path):
    members = unpacked(good)
    path = packed(dict(reversed(members.items())), tmp_path / "turned")
    np.testing.assert_array_equal(parameters_at(path), parameters_at(good))


def test_arrays_under_each_others_names(good, tmp_path):
    members = unpacked(good)
    one, other = "gp0_weights.npy", "gp1_weights.npy"
    members[one], members[other] = members[other], members[one]
    with pytest.raises(InputError, match="not the one that was written"):
        load_model(packed(members, tmp_path / "swapped"))


def test_other_files(tmp_path):
    for content in (b"", b"hello", b"PK\x03\x04", b"\x80\x04K\x01.", b"PK\x05\x06" + bytes(18), b"{}"):
        (tmp_path / "file").write_bytes(content)
        with pytest.raises(InputError, match="is not a model file"):
            load_model(tmp_path / "file")
        with pytest.raises(InputError, match="is not a model file"):
            read_metadata(tmp_path / "file")


def test_missing_additional_and_repeated_members(good, tmp_path):
    members = unpacked(good)
    for name in members:
        with pytest.raises(InputError):
            load_model(packed({n: c for n, c in members.items() if n != name}, tmp_path / "less"))
    with pytest.raises(InputError, match="members are not the ones"):
        load_model(packed(members | {"../../evil.py": b"x"}, tmp_path / "more"))
    with pytest.raises(InputError, match="unknown arrays"):
        load_model(with_array(good, tmp_path / "unknown", "more", np.zeros(3)))
    path = packed(members, tmp_path / "twice")
    with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate"):
        file.writestr("input_scale.npy", members["input_scale.npy"])
    with pytest.raises(InputError, match="members are not the ones"):
        load_model(path)


def test_compressed_members_and_bombs(good, tmp_path):
    with pytest.raises(InputError, match="compressed"):
        load_model(packed(unpacked(good), tmp_path / "deflated", zipfile.ZIP_DEFLATED))
    bomb = {archive.HEADER: b" " * 50_000_000 + b"{}"}
    path = packed(bomb, tmp_path / "bomb", zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 100_000
    with pytest.raises(InputError, match="compressed"):
        load_model(path)


def test_a_size_that_the_file_does_not_have(good, tmp_path):
    """The header of an array may claim any shape; nothing of that size is ever made."""
    content = unpacked(good)["gp0_weights.npy"]
    huge = content.replace(b"(8,), ", b"(8" + b"0" * 2 + b",)")
    assert huge != content
    members = unpacked(good) | {"gp0_weights.npy": huge}
    header = json.loads(members[archive.HEADER])
    header["arrays"]["gp0_weights"] = archive.hashlib.sha256(huge).hexdigest()
    header["state"]["gps"][0]["inducing"] = 800
    members[archive.HEADER] = json.dumps(header).encode()
    with pytest.raises(InputError):
        load_model(packed(members, tmp_path / "huge"))
    with pytest.raises(InputError, match="shape"):
        load_model(edited(good, tmp_path / "rows", lambda header: header.update(rows=10**15)))


class Trap:
    """What a pickle would run."""

    def __reduce__(self):
        return (os.abort, ())


def test_pickled_arrays_are_not_opened(good, tmp_path):
    array = np.array([Trap()] * 5, dtype=object)
    with pytest.raises(InputError, match="type object, expected"):
        load_model(with_array(good, tmp_path / "trap", "input_scale", array))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("input_scale", lambda a: a * np.nan),
        ("input_scale", lambda a: a * np.inf),
        ("input_scale", lambda a: -a),
        ("input_scale", lambda a: a[:-1]),
        ("input_scale", lambda a: a[:, None]),
        ("input_scale", lambda a: a.astype(np.float32)),
        ("input_scale", lambda a: a.astype(">f8")),
        ("unit_scale", lambda a: 0.0 * a),
        ("training_inputs", lambda a: a[:-1]),
        ("training_inputs", lambda a: a + 0.5),
        ("gp0_weights", lambda a: a[1:]),
        ("gp1_root", lambda a: a[1:]),
        ("gp2_inducing", lambda a: a[:, 1:]),
    ],
)
def test_wrong_arrays(good, tmp_path, name, change):
    array = np.load(io.BytesIO(unpacked(good)[f"{name}.npy"]))
    with np.errstate(invalid="ignore"):
        changed = change(array)
    with pytest.raises(InputError, match="wrong is not a model file"):
        load_model(with_array(good, tmp_path / "wrong", name, changed))


def test_a_triangle_without_a_positive_diagonal(fitted, tmp_path):
    save_model(fitted, tmp_path / "model.rsens")
    packed_triangle = np.load(io.BytesIO(unpacked(tmp_path / "model.rsens")["gp0_root.npy"]))
    packed_triangle[0] = 0.0
    path = with_array(tmp_path / "model.rsens", tmp_path / "wrong", "gp0_root", packed_triangle)
    with pytest.raises(InputError, match="diagonal of a triangular factor is not positive"):
        load_model(path)


def at(*keys):
    """A change that puts a value at a place in the header."""

    def change(value):
        def apply(header):
            for key in keys[:-1]:
                header = header[key]
            header[keys[-1]] = value

        return apply

    return change


ENTRIES = [
    (("format",), [None, "rsens explanation", 3]),
    (("version",), [0, 2, True, "1", None, 1.0]),
    (("model",), ["os.system", "GPRegressor", "BayesianLogisticRegression", None, ["GPClassifier"], "__init__"]),
    (("parameters",), [None, {}, {"kernel": None}, []]),
    (("parameters", "kernel"), [[1], {"kernel": "exec"}, {"likelihood": "exec"}, {"infinite": 1}, {"x": 1}]),
    (("parameters", "categorical"), ["x", [1], {"columns": 3}, {"levels": [[1]]}, {"levels": [1]}, {"a": 1}]),
    (("rows",), [0, 23, -1, 24.0, None, "24"]),
    (("columns",), [0, 4, None]),
    (("names",), [["a"], ["a"] * 5, [1, 2, 3, 4, 5], "abcde", ["a", "b", "c", "d", "e"]]),
    (("coding",), [{}, [], {"names": [], "columns": []}]),
    (("coding", "columns", 0, "position"), [9, -1, 3, 0, None]),
    (("coding", "columns", 0, "labels"), [[], ["a", "a", "b"], ["a"], [None, 1, 2], [[1], 2, 3]]),
    (("coding", "columns", 0, "frequencies"), [[1.0], [2.0, -1.0, 0.0], [0.1, 0.1, 0.1], ["a", 1, 2]]),
    (("classes",), [None, [], {"type": "O", "labels": ["a", "b"]}]),
    (("classes", "type"), ["U999999999", "i8", "V8", "i4,i4", "M8[s]", "nonsense", 7, "(99999999,)f8"]),
    (("classes", "labels"), [["a"], ["a", "b"], ["a", "a", "b"], ["a", "b", None], ["a", "b", 10**400]]),
    (("state",), [None, {}, []]),
    (("state", "gps"), [[], None, [None] * 3, 3]),
    (("state", "output_scale"), [0.0, -1.0, None, 10**400]),
    (("state", "gps", 0, "kernel"), [None, {"kernel": "Linear", "variance": [1.0, 1.0], "dims": None}]),
    (("state", "gps", 0, "likelihood"), [{"likelihood": "PoissonLikelihood"}, {"likelihood": "eval"}, None]),
    (("state", "gps", 0, "root"), ["triangular", "scaled triangular", "other", None]),
    (("state", "gps", 0, "inducing"), [None, 3, -1, True]),
    (("state", "gps", 0, "mean"), [None, "0", True]),
    (("arrays",), [None, [], {}]),
    (("arrays", "gp0_weights"), ["", None, 3]),
    (("metadata",), [None, 3, []]),
    (("more",), [1]),
]


@pytest.mark.parametrize(("keys", "value"), [(keys, value) for keys, values in ENTRIES for value in values], ids=str)
def test_wrong_entries(good, tmp_path, keys, value):
    path = edited(good, tmp_path / "wrong", at(*keys)(value))
    with pytest.raises(InputError, match=r"wrong is (not a model file|written in version)"):
        read_metadata(path) if keys == ("metadata",) else load_model(path)


LINEAR = [
    (("features",), [[], None, [["a"]], [["a", 0, None]], [["a", 9, None]] * 8]),
    (("features", 0), [["age", 1, None], ["age", 0, 0], ["age", 0.5, None], [3, 0, None]]),
    (("features", 1), [["town", 1, 3], ["town", 1, -1], ["town", 1, None]]),
    (("intercept",), [False, 1, None]),
    (("posteriors",), [0, 2, 10**9]),
    (("noise_variance",), [0.0, None, -1.0]),
    (("degrees_of_freedom",), [0, 1.5, None]),
]


@pytest.mark.parametrize(("keys", "value"), [(keys, value) for keys, values in LINEAR for value in values], ids=str)
def test_wrong_entries_of_a_linear_model(tmp_path, keys, value):
    X, y = table(FLAT)
    save_model(clone(FLAT).fit(X, y), tmp_path / "good")
    path = edited(tmp_path / "good", tmp_path / "wrong", at("state", *keys)(value))
    with pytest.raises(InputError, match="wrong is not a model file"):
        load_model(path)


def test_headers_that_are_no_header(good, tmp_path):
    members = unpacked(good)
    for content in (b"", b"[]", b"null", b"{", b"\xff", b"[" * 100_000, b'{"format": NaN}', b"9" * 5000):
        with pytest.raises(InputError, match="is not a model file"):
            load_model(packed(members | {archive.HEADER: content}, tmp_path / "wrong"))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b'"version"', b'"format": 1, "version"', "the entry 'format' is there twice"),
        (b'"age"', rb'"\ud800"', "half of a character"),
    ],
)
def test_headers_that_say_two_things_or_half_of_one(good, tmp_path, old, new, reason):
    members = unpacked(good)
    assert old in members[archive.HEADER]
    members[archive.HEADER] = members[archive.HEADER].replace(old, new, 1)
    with pytest.raises(InputError, match=reason):
        load_model(packed(members, tmp_path / "x.rsens"))


def test_the_version_is_named(good, tmp_path):
    with pytest.raises(InputError, match="version 2 of the format; this rsens reads version 1"):
        load_model(edited(good, tmp_path / "wrong", at("version")(2)))
