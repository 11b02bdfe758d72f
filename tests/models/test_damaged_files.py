"""Model files that are damaged, forged or something else: refused with a sentence, never run, never half read."""

import copy
import json
import random
import re

import numpy as np
import pytest

from rsens import InputError
from rsens._files import document
from rsens.models._files import load_model, read_metadata, save_model
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


def changed(good, change, path):
    content = json.loads(good.read_bytes())["content"]
    change(content)
    path.write_text(document("a model", content))
    return path


def arrays(content):
    if isinstance(content, dict) and "base64" in content:
        yield content
    elif isinstance(content, dict | list):
        for each in content.values() if isinstance(content, dict) else content:
            yield from arrays(each)


def parameters_at(path):
    X, _ = table(GPClassifier(), n=24)
    return load_model(path).predict_distribution(X).parameters


def test_other_files(good, tmp_path):
    whole = good.read_bytes()
    others = [b"", b"hello", b"PK\x03\x04", b"\x80\x04K\x01.", b"{}", b"[]", b"\xff", b"[" * 100_000]
    for content in (*others, re.sub(rb"version \d+", b"version 2", whole)):
        (tmp_path / "file").write_bytes(content)
        for read in (load_model, read_metadata):
            with pytest.raises(InputError, match="is damaged"):
                read(tmp_path / "file")


#: Entries of the longest array or of the model that claim another size, hold objects, or hide a method.
FORGED = [
    *(("array", {"shape": shape}) for shape in ([300_000_000], [10**12, 10**12])),
    *(("array", {"dtype": dtype}) for dtype in ("O", "V1000000000", "(1000,1000)f8", "<f4")),
    *(("array", claim) for claim in ({"order": "X"}, {"base64": "gASVAAAA"}, {"base64": None})),
    *(("model", {"is": name}) for name in ("os.system", "GPRegressor2", "Kernel", "Table")),
    ("model", {"predict": 3}),
]


@pytest.mark.parametrize(("where", "claim"), FORGED, ids=str)
def test_forged_arrays_classes_and_methods(good, tmp_path, where, claim):
    """Nothing of the claimed size is ever made, and no pickle is opened."""

    def change(content):
        longest = max(arrays(content), key=lambda entry: len(entry["base64"]))
        (longest if where == "array" else content["model"]).update(claim)

    with pytest.raises(InputError, match="damaged"):
        load_model(changed(good, change, tmp_path / "wrong"))


def test_damage_of_any_kind_is_an_error(good, tmp_path):
    """Flipped bits, files cut short, and arrays in each other's places."""
    whole, chance, path = good.read_bytes(), random.Random(1), tmp_path / "damaged"
    texts = [entry["base64"].encode() for entry in arrays(json.loads(whole)) if len(entry["base64"]) > 100]
    for case in range(120):
        broken = bytearray(whole)
        if case % 3 == 0:
            broken = broken[: chance.randrange(len(whole) - 2)]
        elif case % 3 == 1:
            for _ in range(chance.choice([1, 1, 5])):
                broken[chance.randrange(len(whole) - 1)] ^= 1 << chance.randrange(7)
        else:
            one, other = chance.sample(sorted(set(texts)), 2)
            broken = whole.replace(one, b"?").replace(other, one).replace(b'"?"', b'"' + other + b'"')
        path.write_bytes(broken)
        with pytest.raises(InputError):
            load_model(path)
    path.write_bytes(whole)
    np.testing.assert_array_equal(parameters_at(path), parameters_at(good))


OTHERS = [None, True, -1, 0.5, "x", "", [], [[]], {}, {"is": "list", "items": []}, {"is": "float", "value": "nan"}]


def test_forged_entries_are_an_error_or_a_model(good, tmp_path):
    """An entry is missing, is another one or has another type: a model that predicts, or an error in our words."""
    chance, path = random.Random(2), tmp_path / "forged"

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
            model = load_model(changed(good, forge, path))
        except InputError:
            continue
        loaded += 1
        moments = [latent.moments(model.training_inputs_) for latent in model._latents]
        assert np.isfinite([(f.mean, f.variance) for f in moments]).all()
    assert loaded < 100
