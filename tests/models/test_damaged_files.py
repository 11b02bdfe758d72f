"""Model files that are damaged, forged or something else: refused with a sentence, never run, never half read."""

import copy
import hashlib
import io
import json
import os
import random
import re
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


def with_header(members, change):
    """The members with a change in the content of the header, and the digest that belongs to it."""
    content = json.loads(members[HEADER])["content"]
    change(content)
    return members | {HEADER: document("a model", content).encode()}


def with_array(members, number, data):
    """The members with other bytes of an array, and a header that knows their digest."""

    def entries(content):
        if isinstance(content, dict) and "member" in content:
            yield content
        elif isinstance(content, dict | list):
            for each in content.values() if isinstance(content, dict) else content:
                yield from entries(each)

    def change(content):
        for entry in entries(content):
            if entry["member"] == number:
                entry["sha256"] = hashlib.sha256(data).hexdigest()

    return with_header(members | {f"{number}.npy": data}, change)


def parameters_at(path):
    X, _ = table(GPClassifier(), n=24)
    return load_model(path).predict_distribution(X).parameters


def test_other_files(good, tmp_path):
    members = unpacked(good)
    others = [b"", b"hello", b"PK\x03\x04", b"\x80\x04K\x01.", b"PK\x05\x06" + bytes(18), b"{}"]
    headers = [b"", b"[]", b"\xff", b"[" * 100_000, re.sub(rb"version \d+", b"version 2", members[HEADER])]
    others += [packed(members | {HEADER: header}, tmp_path / "header").read_bytes() for header in headers]
    bomb = packed({HEADER: b" " * 50_000_000 + b"{}"}, tmp_path / "bomb", zipfile.ZIP_DEFLATED).read_bytes()
    assert len(bomb) < 100_000
    for content in (*others, bomb):
        (tmp_path / "file").write_bytes(content)
        for read in (load_model, read_metadata):
            with pytest.raises(InputError, match="is damaged"):
                read(tmp_path / "file")


def test_missing_additional_and_repeated_members(good, tmp_path):
    members = unpacked(good)
    for name in members:
        with pytest.raises(InputError):
            load_model(packed({n: c for n, c in members.items() if n != name}, tmp_path / "less"))
    with pytest.raises(InputError, match="damaged"):
        load_model(packed(members | {"../../evil.py": b"x"}, tmp_path / "more"))
    path = packed(members, tmp_path / "twice")
    with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate"):
        file.writestr("0.npy", members["0.npy"])
    with pytest.raises(InputError, match="damaged"):
        load_model(path)


class Trap:
    """An object whose pickle runs code."""

    def __reduce__(self):
        return (os.abort, ())


def test_arrays_that_claim_a_size_or_hold_objects(good, tmp_path):
    """The header of an array may claim any shape; nothing of that size is ever made, and no pickle is opened."""
    members, trap = unpacked(good), io.BytesIO()
    huge = members["0.npy"].replace(b"(3,), }" + b" " * 8, b"(300000000,), }")
    assert huge != members["0.npy"]
    np.lib.format.write_array(trap, np.array([Trap()] * 5, dtype=object), version=(1, 0), allow_pickle=True)
    for content in (huge, trap.getvalue()):
        with pytest.raises(InputError, match="damaged"):
            load_model(packed(with_array(members, 0, content), tmp_path / "wrong"))


@pytest.mark.parametrize(
    "claim", [{"is": "os.system"}, {"is": "GPRegressor2"}, {"is": "Kernel"}, {"is": "Table"}, {"predict": 3}], ids=str
)
def test_classes_that_are_not_known_and_attributes_that_hide_methods(good, tmp_path, claim):
    wrong = with_header(unpacked(good), lambda content: content["model"].update(claim))
    with pytest.raises(InputError, match="damaged"):
        load_model(packed(wrong, tmp_path / "wrong"))


def test_damage_of_any_kind_is_one_error(good, tmp_path):
    """Flipped bits, files cut short, and members in each other's places: refused, or a byte without a meaning."""
    whole, expected, chance, path = good.read_bytes(), parameters_at(good), random.Random(1), tmp_path / "damaged"
    members, passed = unpacked(good), 0
    for case in range(240):
        broken = bytearray(whole)
        if case % 3 == 0:
            broken = broken[: chance.randrange(len(whole))]
        elif case % 3 == 1:
            for _ in range(chance.choice([1, 1, 5])):
                broken[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        else:
            one, other = chance.sample(sorted(members), 2)
            broken = packed(members | {one: members[other], other: members[one]}, path).read_bytes()
        path.write_bytes(broken)
        try:
            np.testing.assert_array_equal(parameters_at(path), expected)
            passed += 1
        except InputError:
            pass
    assert passed < 24  # a date or a flag in the directory of the archive


OTHERS = [None, True, -1, 0.5, "x", "", [], [[]], {}, {"is": "list", "items": []}, {"is": "float", "value": "nan"}]


def test_forged_entries_are_an_error_or_a_model(good, tmp_path):
    """An entry is missing, is another one or has another type: a model that predicts, or an error in our words."""
    members, chance, path = unpacked(good), random.Random(2), tmp_path / "forged"

    def places(content):
        """All entries of a document, as (holder, key)."""
        for key, each in content.items() if isinstance(content, dict) else enumerate(content):
            yield content, key
            if isinstance(each, dict | list):
                yield from places(each)

    def forge(content):
        holder, key = chance.choice(list(places(content["model"])))
        how = chance.random()
        if how < 0.3:
            holder.pop(key)
        elif how < 0.5:
            other, of = chance.choice(list(places(content["model"])))
            holder[key] = copy.deepcopy(other[of])
        else:
            holder[key] = chance.choice(OTHERS)

    loaded = 0
    for _ in range(200):
        try:
            model = load_model(packed(with_header(members, forge), path))
        except InputError:
            continue
        loaded += 1
        moments = [latent.moments(model.training_inputs_) for latent in model._latents]
        assert np.isfinite([(f.mean, f.variance) for f in moments]).all()
    assert loaded < 100
