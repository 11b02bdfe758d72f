"""Models as files: equal after loading, for every estimator; nothing but what was written is accepted."""

import io
import json
import math
import os
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

import rsens
from rsens import InputError
from rsens._coding import Coding, Levels
from rsens.kernels import ALL_KERNELS, EQ, Constant, Linear, additive
from rsens.likelihoods import ALL_LIKELIHOODS, StudentTLikelihood
from rsens.models import BayesianLinearRegression, BayesianLogisticRegression, BayesianPoissonRegression
from rsens.models import _archive as archive
from rsens.models._file_values import (
    kernel_from_dict,
    kernel_to_dict,
    likelihood_from_dict,
    likelihood_to_dict,
)
from rsens.models._files import MODELS, load_model, read_metadata, save_model
from rsens.models._gp import GPClassifier, GPRegressor
from tests.kernels.cases import KERNELS
from tests.likelihoods.cases import CASES as LIKELIHOOD_CASES
from tests.models.test_categorical import FLAT, PROPER, table
from tests.models.test_estimators import ESTIMATORS, WITH_OFFSET, WITH_WEIGHTS, frame
from tests.models.test_gp import LIKELIHOODS, inputs, labels, targets

ONE = {"n_restarts": 0, "random_state": 0}
#: Every likelihood, exact and sparse; both links.
GPS = [
    *(GPRegressor(likelihood=name, **ONE) for name in LIKELIHOODS),
    *(GPRegressor(likelihood=name, inducing=12, **ONE) for name in LIKELIHOODS),
    GPRegressor(standardize=False, kernel=EQ(400.0, (3.0, 40.0, 0.2)), noise_variance=30.0, optimize=False),
    GPRegressor(kernel=additive(3, [(0, 2)]) + Constant() * Linear(), priors=None, max_iter=5, **ONE),
    GPRegressor(likelihood=StudentTLikelihood(0.2, df=5.0), inducing=math.inf, optimize=False),
    GPClassifier(**ONE),
    GPClassifier(link="logit", inducing=12, **ONE),
]
quiet = pytest.mark.filterwarnings("ignore::rsens._errors.RsensWarning")  # max_iter=5


def again(model, tmp_path, **settings):
    path = tmp_path / "model.rsens"
    save_model(model, path, **settings)
    return load_model(path)


def assert_equal(a, b, where=""):
    """Two values are of the same type and the same to the bit, whatever they are made of."""
    assert type(a) is type(b), where
    if isinstance(a, np.ndarray):
        assert a.dtype.kind == b.dtype.kind, where
        np.testing.assert_array_equal(a, b, err_msg=where)
    elif isinstance(a, tuple | list):
        assert len(a) == len(b), where
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            assert_equal(x, y, f"{where}[{i}]")
    elif isinstance(a, Coding | Levels):
        for name in vars(a):
            assert_equal(getattr(a, name), getattr(b, name), f"{where}.{name}")
    else:
        assert a == b, where


def assert_same_model(model, loaded, X, y):
    learned = {name for name in vars(model) if name.endswith("_")}
    assert learned == {name for name in vars(loaded) if name.endswith("_")}
    for name in learned:
        assert_equal(getattr(model, name), getattr(loaded, name), name)
    for name, value in model.get_params().items():
        assert_equal(value, loaded.get_params()[name], name)
    before, after = model.derivatives(X, 2), loaded.derivatives(X, 2)
    assert type(before.distribution) is type(after.distribution)
    for a, b in (
        (model.predict(X), loaded.predict(X)),
        (before.distribution.parameters, after.distribution.parameters),
        (before.first, after.first),
        (before.second, after.second),
        (model.log_predictive_density(X, y), loaded.log_predictive_density(X, y)),
    ):
        np.testing.assert_array_equal(a, b)


# ---- what comes back -------------------------------------------------------------------------------------------------


def test_every_model_is_in_the_table_and_in_the_lists_below():
    from rsens import models

    assert set(MODELS) == {name for name in vars(models) if isinstance(vars(models)[name], type)}
    assert {type(each).__name__ for each in [*ESTIMATORS, *GPS]} == set(MODELS)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_linear_models(estimator, tmp_path):
    X, y = frame(estimator)
    model = clone(estimator).fit(X, y)
    assert_same_model(model, again(model, tmp_path), X, y)


@quiet
@pytest.mark.parametrize("estimator", GPS, ids=repr)
def test_gaussian_processes(estimator, tmp_path):
    X = inputs()
    y = labels(X, 2) if is_classifier(estimator) else targets(getattr(estimator, "likelihood", None), X)
    model = clone(estimator).fit(X, y)
    assert_same_model(model, again(model, tmp_path), inputs(7, seed=3), y[:7])


@pytest.mark.parametrize("estimator", [FLAT, *PROPER], ids=repr)
def test_categorical_columns(estimator, tmp_path):
    X, y = table(estimator)
    model = clone(estimator).fit(X, y)
    loaded = again(model, tmp_path)
    assert_same_model(model, loaded, X, y)
    with pytest.raises(InputError, match="Did you mean 'Oslo'"):
        loaded.predict(X.assign(town="Olso"))


@pytest.mark.parametrize("kernel", [kernel for kernel in KERNELS if "Matern12" not in repr(kernel)], ids=repr)
def test_models_of_every_kernel(kernel, tmp_path):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(20, 3)), rng.integers(0, 4, 20)])
    model = GPRegressor(kernel=kernel, optimize=False).fit(X, X[:, 0])
    assert_same_model(model, again(model, tmp_path), X[:4], X[:4, 0])


@pytest.mark.parametrize(
    "estimator", [GPClassifier(**ONE), GPClassifier(inducing=9, **ONE), BayesianLogisticRegression()], ids=repr
)
@pytest.mark.parametrize("kind", ["text", "objects", "whole numbers", "numbers"])
def test_three_classes(estimator, kind, tmp_path):
    X = inputs(30)
    y = labels(X, 3)
    codes = np.searchsorted(["a", "b", "c"], y)
    y = {"text": y, "objects": y.astype(object), "whole numbers": codes - 1, "numbers": 2.0 * codes}[kind]
    model = clone(estimator).fit(X, y)
    assert_same_model(model, again(model, tmp_path), X, y)


def test_truth_values_as_classes(tmp_path):
    X = inputs(30)
    y = labels(X, 2) == "a"
    model = BayesianLogisticRegression().fit(X, y)
    assert_same_model(model, again(model, tmp_path), X, y)


@pytest.mark.parametrize("estimator", [*WITH_OFFSET, *GPS[:4]], ids=repr)
def test_offsets(estimator, tmp_path):
    X = inputs()
    y = targets("poisson", X)
    offset = 0.1 * np.arange(len(y))
    model = clone(estimator).fit(X, y, offset=offset)
    loaded = again(model, tmp_path)
    assert_same_model(model, loaded, X, y)
    np.testing.assert_array_equal(model.predict(X, offset=offset), loaded.predict(X, offset=offset))


@pytest.mark.parametrize("estimator", WITH_WEIGHTS, ids=repr)
def test_weights(estimator, tmp_path):
    X, y = frame(estimator)
    model = clone(estimator).fit(X, y, sample_weight=np.arange(len(y)) % 3)
    assert_same_model(model, again(model, tmp_path), X, y)


@pytest.mark.parametrize(
    "categorical", [["x1"], [1], (-2,), np.array([1]), {"x1": [0.0, 1.0, 2.0, 7.0]}, {1: None}], ids=repr
)
def test_named_categorical_columns(categorical, tmp_path):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=30), rng.integers(0, 3, 30), np.full(30, 2.0)])
    model = BayesianPoissonRegression(categorical=categorical).fit(X, rng.poisson(3.0, 30))
    loaded = again(model, tmp_path)
    assert loaded.coding_[1].labels == model.coding_[1].labels
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(clone(loaded).fit(X, np.ones(30)).coef_, clone(model).fit(X, np.ones(30)).coef_)


def test_a_coding_as_categorical(tmp_path):
    X, y = table(FLAT)
    model = BayesianLinearRegression(categorical=Coding.of(X)).fit(X, y)
    loaded = again(model, tmp_path)
    assert_equal(loaded.categorical, model.categorical)
    assert_same_model(model, loaded, X, y)


def test_odd_names_and_labels(tmp_path):
    names = ['a,"b"', "<script>alert(1)</script>", "🌊\n", "x" * 200]
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 4)), columns=names)
    X[names[2]] = rng.choice(["", "é'\\", "<b>&amp;"], 40)
    model = BayesianLinearRegression().fit(X, X[names[0]] + rng.normal(size=40))
    assert_same_model(model, again(model, tmp_path), X, np.zeros(40))


def test_settings_after_the_fit_do_not_matter(tmp_path):
    X, y = table(FLAT)
    model = BayesianLinearRegression().fit(X, y).set_params(fit_intercept=False, prior_precision=3.0)
    assert_same_model(model, again(model, tmp_path), X, y)


def test_a_loaded_model_explains_itself(tmp_path):
    X, y = table(PROPER[4])
    model = clone(PROPER[4]).fit(X, y)
    before, after = (rsens.explain(each, X, random_state=0) for each in (model, again(model, tmp_path)))
    pd.testing.assert_frame_equal(before.to_frame(), after.to_frame())
    assert pickle.loads(pickle.dumps(again(model, tmp_path))).get_params() == model.get_params()


def test_random_state_is_kept_only_as_a_number(tmp_path):
    X, y = frame(GPRegressor())
    for given, kept in ((7, 7), (np.int64(7), 7), (np.random.RandomState(0), None), (None, None)):
        model = GPRegressor(optimize=False, random_state=given).fit(X, y)
        assert again(model, tmp_path).random_state == kept


# ---- kernels and likelihoods as dictionaries -------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [*KERNELS, *(kind() for kind in ALL_KERNELS)], ids=repr)
def test_kernels_as_dictionaries(kernel):
    assert kernel_from_dict(json.loads(json.dumps(kernel_to_dict(kernel)))) == kernel


@pytest.mark.parametrize(
    "likelihood", [*(c.likelihood for c in LIKELIHOOD_CASES), *(kind() for kind in ALL_LIKELIHOODS)]
)
def test_likelihoods_as_dictionaries(likelihood):
    assert likelihood_from_dict(json.loads(json.dumps(likelihood_to_dict(likelihood)))) == likelihood


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        {},
        {"kernel": "os.system"},
        {"kernel": "Kernel"},
        {"kernel": ["EQ"]},
        {"kernel": "EQ"},
        {"kernel": "EQ", "variance": -1.0, "lengthscale": 1.0, "dims": None},
        {"kernel": "EQ", "variance": True, "lengthscale": 1.0, "dims": None},
        {"kernel": "EQ", "variance": 1.0, "lengthscale": [], "dims": None},
        {"kernel": "EQ", "variance": 1.0, "lengthscale": [[1.0]], "dims": None},
        {"kernel": "EQ", "variance": 1.0, "lengthscale": 1.0, "dims": [-1]},
        {"kernel": "EQ", "variance": 1.0, "lengthscale": 1.0, "dims": [0.5]},
        {"kernel": "EQ", "variance": 1.0, "lengthscale": 1.0, "dims": None, "more": 1},
        {"kernel": "Sum", "parts": []},
        {"kernel": "Sum", "parts": [{"kernel": "Constant", "variance": 1.0}]},
        {"kernel": "Sum", "parts": 3},
    ],
)
def test_wrong_kernels(content):
    with pytest.raises((ValueError, TypeError)):
        kernel_from_dict(content)


def test_a_kernel_of_too_many_levels():
    content = {"kernel": "Constant", "variance": 1.0}
    for kind in ("Sum", "Product") * 40:
        content = {"kernel": kind, "parts": [content, {"kernel": "Constant", "variance": 1.0}]}
    with pytest.raises(ValueError, match="too many levels"):
        kernel_from_dict(content)


# ---- what cannot be written ------------------------------------------------------------------------------------------


@pytest.fixture
def fitted():
    X, y = frame(GPRegressor())
    return GPRegressor(optimize=False).fit(X, y)


def test_other_models_and_models_without_a_fit(fitted, tmp_path):
    class Mine(GPRegressor):
        pass

    for model in (LinearRegression(), Mine(), GPRegressor, None):
        with pytest.raises(InputError, match="save_model stores fitted models of rsens"):
            save_model(model, tmp_path / "model.rsens")
    with pytest.raises(NotFittedError):
        save_model(GPRegressor(), tmp_path / "model.rsens")
    assert not list(tmp_path.iterdir())


def test_a_kernel_of_someone_else(tmp_path):
    class EQ2(EQ):
        pass

    model = GPRegressor(kernel=EQ2(), optimize=False).fit(np.eye(3), np.arange(3.0))
    with pytest.raises(InputError, match="kernel of type EQ2 cannot be stored"):
        save_model(model, tmp_path / "model.rsens")
    assert not list(tmp_path.iterdir())


def test_labels_that_json_cannot_hold(tmp_path):
    X = pd.DataFrame({"age": pd.cut(np.arange(30.0), 3), "x": np.random.default_rng(0).normal(size=30)})
    model = BayesianLinearRegression().fit(X, np.random.default_rng(1).normal(size=30))
    with pytest.raises(InputError, match=r"'age' has the label Interval.*astype\(str\)"):
        save_model(model, tmp_path / "model.rsens")
    assert not list(tmp_path.iterdir())


def test_a_parameter_that_json_cannot_hold(fitted, tmp_path):
    with pytest.raises(InputError, match=r"max_iter=.* cannot be stored"):
        save_model(fitted.set_params(max_iter=[3]), tmp_path / "model.rsens")
    assert not list(tmp_path.iterdir())


def test_a_model_that_is_not_finite(fitted, tmp_path):
    gp = fitted._gps[0]
    for broken in (
        replace(gp, posterior=replace(gp.posterior, weights=gp.posterior.weights * np.nan)),
        replace(gp, log_marginal_likelihood=np.nan),
    ):
        fitted._gps = (broken,)
        with pytest.raises(InputError, match="cannot be stored"):
            save_model(fitted, tmp_path / "model.rsens")
    assert not list(tmp_path.iterdir())


def test_folders(fitted, tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        save_model(fitted, tmp_path / "nowhere" / "model.rsens")
    with pytest.raises(InputError, match="is a folder"):
        save_model(fitted, tmp_path)
    with pytest.raises(InputError, match="is a folder"):
        load_model(tmp_path)
    with pytest.raises(InputError, match="there is no file"):
        load_model(tmp_path / "nothing.rsens")


def test_a_failure_leaves_the_old_file_and_no_other(fitted, tmp_path, monkeypatch):
    path = tmp_path / "model.rsens"
    save_model(fitted, path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        save_model(fitted, path, metadata={"new": 1})
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["model.rsens"]


def test_the_same_model_gives_the_same_bytes(fitted, tmp_path):
    for name in ("a", "b"):
        save_model(fitted, str(tmp_path / name))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_metadata(fitted, tmp_path):
    path = tmp_path / "model.rsens"
    given = {"columns": {"date": {"origin": "2011-01-01"}}, "seed": 3, "text": "<é🌊>", "none": None, "list": [1, 2.5]}
    save_model(fitted, path, metadata=given)
    assert read_metadata(path) == given
    load_model(path)
    save_model(fitted, path)
    assert read_metadata(path) == {}
    for wrong in ({"x": math.nan}, {"x": np.zeros(2)}, {1: 2}, {"x": (1, 2)}, {"x": {3}}):
        with pytest.raises(InputError, match="metadata must"):
            save_model(fitted, path, metadata=wrong)


# ---- what is not read ------------------------------------------------------------------------------------------------


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
        with pytest.raises(InputError, match="is no model file"):
            load_model(tmp_path / "file")
        with pytest.raises(InputError, match="is no model file"):
            read_metadata(tmp_path / "file")


def test_missing_additional_and_repeated_members(good, tmp_path):
    members = unpacked(good)
    for name in members:
        with pytest.raises(InputError):
            load_model(packed({n: c for n, c in members.items() if n != name}, tmp_path / "less"))
    with pytest.raises(InputError, match="members are not those"):
        load_model(packed(members | {"../../evil.py": b"x"}, tmp_path / "more"))
    with pytest.raises(InputError, match="unknown arrays"):
        load_model(with_array(good, tmp_path / "unknown", "more", np.zeros(3)))
    path = packed(members, tmp_path / "twice")
    with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate"):
        file.writestr("input_scale.npy", members["input_scale.npy"])
    with pytest.raises(InputError, match="members are not those"):
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
    with pytest.raises(InputError, match="wrong is no model file"):
        load_model(with_array(good, tmp_path / "wrong", name, changed))


def test_a_triangle_without_a_positive_diagonal(fitted, tmp_path):
    save_model(fitted, tmp_path / "model.rsens")
    packed_triangle = np.load(io.BytesIO(unpacked(tmp_path / "model.rsens")["gp0_root.npy"]))
    packed_triangle[0] = 0.0
    path = with_array(tmp_path / "model.rsens", tmp_path / "wrong", "gp0_root", packed_triangle)
    with pytest.raises(InputError, match="positive diagonal"):
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
    with pytest.raises(InputError, match=r"wrong is (no model file|written in version)"):
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
    with pytest.raises(InputError, match="wrong is no model file"):
        load_model(path)


def test_headers_that_are_no_header(good, tmp_path):
    members = unpacked(good)
    for content in (b"", b"[]", b"null", b"{", b"\xff", b"[" * 100_000, b'{"format": NaN}', b"9" * 5000):
        with pytest.raises(InputError, match="is no model file"):
            load_model(packed(members | {archive.HEADER: content}, tmp_path / "wrong"))


def test_the_version_is_named(good, tmp_path):
    with pytest.raises(InputError, match="version 2 of the format; this rsens reads version 1"):
        load_model(edited(good, tmp_path / "wrong", at("version")(2)))
