"""Models as files: equal after loading, for every estimator; a failed save leaves no file."""

import inspect
import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from rsens import InputError
from rsens._coding import Coding, Levels
from rsens._files import decode, encode
from rsens.kernels import ALL_KERNELS, EQ, Constant, Linear, additive
from rsens.likelihoods import ALL_LIKELIHOODS, StudentTLikelihood
from rsens.models import BayesianLinearRegression
from rsens.models._files import MODELS, _known, load_model, read_metadata, save_model
from rsens.models._gp import GPClassifier, GPRegressor
from tests.kernels.cases import KERNELS
from tests.likelihoods.cases import CASES as LIKELIHOOD_CASES
from tests.models.test_categorical import FLAT, PROPER, table
from tests.models.test_estimators import ESTIMATORS, frame
from tests.models.test_gp import LIKELIHOODS, inputs, labels, targets

ONE = {"n_restarts": 0, "random_state": 0}
#: Every likelihood, exact and sparse; both links.
GPS = [
    *(GPRegressor(likelihood=name, **ONE) for name in LIKELIHOODS),
    *(GPRegressor(likelihood=name, inducing=12, **ONE) for name in LIKELIHOODS),
    GPRegressor(standardize=False, kernel=EQ(400.0, (3.0, 40.0, 0.2)), noise_variance=30.0, optimize=False),
    GPRegressor(kernel=additive(3, [(0, 2)]) + Constant() * Linear(), priors=None, tolerance=0.01, **ONE),
    GPRegressor(likelihood=StudentTLikelihood(0.2, df=5.0), inducing=math.inf, optimize=False),
    GPRegressor(priors={"lengthscale": (4.0, 1.0), "noise_variance": (2.0, 0.5)}, **ONE),
    GPClassifier(**ONE),
    GPClassifier(link="logit", inducing=12, **ONE),
]
quiet = pytest.mark.filterwarnings("ignore::rsens._errors.RsensWarning")


def again(model, tmp_path, **settings):
    path = tmp_path / "model.rsens"
    save_model(model, path, **settings)
    return load_model(path)


def assert_equal(a, b, where=""):
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


def test_every_model_is_in_the_table_and_in_the_lists_below():
    from rsens import models

    kinds = {name: each for name, each in vars(models).items() if isinstance(each, type)}
    estimators = {name for name, each in kinds.items() if hasattr(each, "fit") and not inspect.isabstract(each)}
    assert set(MODELS) == estimators
    assert {type(each).__name__ for each in [*ESTIMATORS, *GPS]} == set(MODELS)


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


def test_random_state_is_kept_only_as_a_number(tmp_path):
    X, y = frame(GPRegressor())
    for given, kept in ((7, 7), (np.int64(7), 7), (np.random.RandomState(0), None), (None, None)):
        model = GPRegressor(optimize=False, random_state=given).fit(X, y)
        assert again(model, tmp_path).random_state == kept


PARTS = [*KERNELS, *(case.likelihood for case in LIKELIHOOD_CASES)]
PARTS += [kind() for kind in (*ALL_KERNELS, *ALL_LIKELIHOODS)]


@pytest.mark.parametrize("part", PARTS, ids=repr)
def test_kernels_and_likelihoods(part):
    assert decode(json.loads(json.dumps(encode(part, _known()))), _known()) == part


@pytest.fixture
def fitted():
    X, y = frame(GPRegressor())
    return GPRegressor(optimize=False).fit(X, y)


def test_models_that_cannot_be_stored(fitted, tmp_path):
    class Mine(GPRegressor):
        pass

    X = pd.DataFrame({"age": pd.cut(np.arange(30.0), 3), "x": np.random.default_rng(0).normal(size=30)})
    with_intervals = BayesianLinearRegression().fit(X, np.random.default_rng(1).normal(size=30))
    gp = fitted._gps[0]
    fitted._gps = (replace(gp, posterior=replace(gp.posterior, weights=gp.posterior.weights * np.nan)),)
    for model, word in (
        *(
            (other, "save_model stores fitted models of rsens")
            for other in (LinearRegression(), Mine(), GPRegressor, None)
        ),
        (with_intervals, r"Interval.*cannot be stored.*astype\(str\)"),
        (fitted, r"cannot be stored.*Fit the model again"),
    ):
        with pytest.raises(InputError, match=word):
            save_model(model, tmp_path / "model.rsens")
    with pytest.raises(NotFittedError):
        save_model(GPRegressor(), tmp_path / "model.rsens")
    assert not list(tmp_path.iterdir())


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
