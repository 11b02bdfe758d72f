"""Model files that are damaged, forged or something else: refused with a sentence, never run, never half read."""

import copy
import hashlib
import io
import json
import os
import random
import zipfile

import numpy as np
import pytest

from rsens import InputError
from rsens._files import document
from rsens.models._files import HEADER, load_model, read_metadata, save_model
from rsens.models._gp import GPClassifier
from tests.models.test_categorical import table


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
    """The file with a change in its content, and the digest that belongs to it."""
    members = unpacked(path)
    content = json.loads(members[HEADER])["content"]
    change(content)
    return packed(members | {HEADER: document("a model", content).encode()}, target)


def array_entries(content):
    """All entries of arrays that are members."""
    if isinstance(content, dict) and "member" in content:
        yield content
    elif isinstance(content, dict | list):
        for each in content.values() if isinstance(content, dict) else content:
            yield from array_entries(each)


def with_array(path, target, number, array):
    """The file with another array, and a header that knows it."""
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=(1, 0), allow_pickle=True)
    return with_member(path, target, number, file.getvalue())


def with_member(path, target, number, data):
    members = unpacked(path) | {f"{number}.npy": data}
    content = json.loads(members[HEADER])["content"]
    for entry in array_entries(content):
        if entry["member"] == number:
            entry["sha256"] = hashlib.sha256(data).hexdigest()
    return packed(members | {HEADER: document("a model", content).encode()}, target)


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
    members["0.npy"], members["1.npy"] = members["1.npy"], members["0.npy"]
    with pytest.raises(InputError, match="swapped is damaged"):
        load_model(packed(members, tmp_path / "swapped"))


def test_other_files(tmp_path):
    for content in (b"", b"hello", b"PK\x03\x04", b"\x80\x04K\x01.", b"PK\x05\x06" + bytes(18), b"{}"):
        (tmp_path / "file").write_bytes(content)
        for read in (load_model, read_metadata):
            with pytest.raises(InputError, match="file does not hold a model, or is damaged"):
                read(tmp_path / "file")


def test_missing_additional_and_repeated_members(good, tmp_path):
    members = unpacked(good)
    for name in members:
        with pytest.raises(InputError):
            load_model(packed({n: c for n, c in members.items() if n != name}, tmp_path / "less"))
    with pytest.raises(InputError, match="more is damaged"):
        load_model(packed(members | {"../../evil.py": b"x"}, tmp_path / "more"))
    path = packed(members, tmp_path / "twice")
    with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate"):
        file.writestr("0.npy", members["0.npy"])
    with pytest.raises(InputError, match="twice is damaged"):
        load_model(path)


def test_compressed_members_and_bombs(good, tmp_path):
    with pytest.raises(InputError, match="does not hold a model"):
        load_model(packed(unpacked(good), tmp_path / "deflated", zipfile.ZIP_DEFLATED))
    path = packed({HEADER: b" " * 50_000_000 + b"{}"}, tmp_path / "bomb", zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 100_000
    with pytest.raises(InputError, match="does not hold a model"):
        load_model(path)


def test_a_size_that_the_file_does_not_have(good, tmp_path):
    """The header of an array may claim any shape; nothing of that size is ever made."""
    content = unpacked(good)["0.npy"]
    huge = content.replace(b"(3,), }" + b" " * 8, b"(300000000,), }")
    assert huge != content
    with pytest.raises(InputError, match="huge is damaged"):
        load_model(with_member(good, tmp_path / "huge", 0, huge))


class Trap:
    """What a pickle would run."""

    def __reduce__(self):
        return (os.abort, ())


def test_pickled_arrays_are_not_opened(good, tmp_path):
    with pytest.raises(InputError, match="trap is damaged"):
        load_model(with_array(good, tmp_path / "trap", 1, np.array([Trap()] * 5, dtype=object)))


def test_headers_that_are_no_header(good, tmp_path):
    members = unpacked(good)
    for content in (b"", b"[]", b"null", b"{", b"\xff", b"[" * 100_000, b'{"format": NaN}', b"9" * 5000):
        with pytest.raises(InputError, match="does not hold a model"):
            load_model(packed(members | {HEADER: content}, tmp_path / "wrong"))


def test_the_version_is_named(good, tmp_path):
    members = unpacked(good)
    members[HEADER] = members[HEADER].replace(b'"version": 4', b'"version": 2')
    with pytest.raises(InputError, match="version 2 of the format; this rsens reads version 4"):
        load_model(packed(members, tmp_path / "wrong"))


@pytest.mark.parametrize("name", ["os.system", "Popen", "GPRegressor2", "Kernel", "Table"])
def test_a_class_that_is_not_known(good, tmp_path, name):
    path = edited(good, tmp_path / "wrong", lambda content: content["model"].update({"is": name}))
    with pytest.raises(InputError, match=f"it holds '{name}', which this rsens does not know"):
        load_model(path)


def test_attributes_hide_no_methods(good, tmp_path):
    with pytest.raises(InputError, match="wrong is damaged"):
        load_model(edited(good, tmp_path / "wrong", lambda content: content["model"].update(predict=3)))


# ---- a thousand damaged files ----------------------------------------------------------------------------------------


def places(content, found=None):
    """All entries of a document, as (holder, key)."""
    found = [] if found is None else found
    for key, each in content.items() if isinstance(content, dict) else enumerate(content):
        found.append((content, key))
        if isinstance(each, dict | list):
            places(each, found)
    return found


OTHERS = [None, True, -1, 0.5, "x", "", [], [[]], {}, {"is": "list", "items": []}, {"is": "float", "value": "nan"}]


def forged(members, chance):
    """An entry of the document is missing, is another one, or has another type, and the digest is right."""
    content = json.loads(members[HEADER])["content"]
    holder, key = chance.choice(places(content["model"]))
    how = chance.random()
    if how < 0.3:
        holder.pop(key)
    elif how < 0.5:
        other, of = chance.choice(places(content["model"]))
        holder[key] = copy.deepcopy(other[of])
    else:
        holder[key] = chance.choice(OTHERS)
    return members | {HEADER: document("a model", content).encode()}


def shuffled(members, chance):
    one, other = chance.sample(sorted(members), 2)
    return members | {one: members[other], other: members[one]}


def test_damage_of_any_kind_is_one_error(good, tmp_path):
    """Flipped bits, files cut short, and members in each other's places: refused, or a byte without a meaning."""
    whole, expected, chance, path = good.read_bytes(), parameters_at(good), random.Random(1), tmp_path / "damaged"
    passed = 0
    for case in range(600):
        broken = bytearray(whole)
        if case % 3 == 0:
            broken = broken[: chance.randrange(len(whole))]
        elif case % 3 == 1:
            for _ in range(chance.choice([1, 1, 5])):
                broken[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        else:
            packed(shuffled(unpacked(good), chance), path)
            broken = path.read_bytes()
        path.write_bytes(broken)
        passed += refused_or_equal(path, expected)
    assert passed < 60  # a date or a flag in the directory of the archive


def test_forged_entries_are_an_error_or_a_model(good, tmp_path):
    """With the right digest, what loads is a model, if another one: it predicts, or it says in our words why not."""
    members, chance, path = unpacked(good), random.Random(2), tmp_path / "forged"
    loaded = 0
    for _ in range(600):
        packed(forged(members, chance), path)
        try:
            model = load_model(path)
            loaded += 1
            moments = [latent.moments(model.training_inputs_) for latent in model._latents]
            assert np.isfinite([(f.mean, f.variance) for f in moments]).all()
        except InputError:
            pass
    assert loaded < 300
