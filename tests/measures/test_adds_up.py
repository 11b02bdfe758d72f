"""Which models add up by construction, and which only seem to."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax

from rsens import distributions as ds
from rsens import from_function
from rsens.adapters import read_for
from rsens.kernels import additive
from rsens.measures import Terms, adds_up, is_linear
from rsens.models import GPClassifier, GPRegressor
from tests.measures.test_link import ADDING_UP, COUNTS, LABELS, QUICK, X

Z = np.random.default_rng(3).normal(size=(80, 3))
ALL = np.ones((3, 3), dtype=bool)


def found(model, X, terms=None):
    return adds_up(model, *read_for(model, X), terms)


@pytest.mark.parametrize("name", ADDING_UP)
def test_our_models(name):
    got = found(ADDING_UP[name](), X)
    numbers, linear = [0, 1, 2], "GP" not in name
    assert got[~np.eye(5, dtype=bool)].all()
    assert got[[3, 4], [3, 4]].all()  # between levels there is no half-way
    assert got[numbers, numbers].tolist() == [linear] * 3
    assert got.all() == linear


def test_only_the_pairs_that_the_kernel_has():
    kernel = additive(5, pairs=[(0, 3), (1, 2)], categorical=[3, 4])
    got = found(GPRegressor(kernel, likelihood="poisson", **QUICK).fit(X, COUNTS), X)
    off = {(int(i), int(j)) for i, j in np.argwhere(~got) if i < j}
    assert off == {(0, 3), (1, 2)}
    np.testing.assert_array_equal(got, got.T)
    # The default kernel adds up nowhere.
    assert not found(GPClassifier(**QUICK).fit(X, LABELS), X).any(where=~np.diag([False, False, False, True, True]))


FUNCTIONS = {
    "linear on the logit": (lambda Z: ds.Bernoulli(logit=Z @ [1.0, -2.0, 0.0]), []),
    "the same, by probability": (lambda Z: ds.Bernoulli(1.0 / (1.0 + np.exp(-Z @ [1.0, -2.0, 0.0]))), []),
    "single precision": (lambda Z: ds.Poisson(np.exp((Z @ [0.1, 0.2, 0.3]).astype(np.float32))), []),
    "a bend": (lambda Z: ds.Poisson(np.exp(Z[:, 0] + np.sin(Z[:, 1]))), [(1, 1)]),
    "linear, far from 0": (lambda Z: ds.Normal(1e6 + Z @ [1.0, 2.0, 3.0], 1.0), []),
    "a small interaction": (lambda Z: ds.Normal(Z[:, 0] + 1e-4 * Z[:, 1] * Z[:, 2], 1.0), [(1, 2)]),
    "ReLU": (lambda Z: ds.Normal(np.maximum(Z[:, 0] + Z[:, 1], 0.0), 1.0), [(0, 0), (1, 1), (0, 1)]),
    "a tree": (lambda Z: ds.Normal(1.0 * (Z[:, 0] > 1.5) * (Z[:, 2] > 1.5), 1.0), [(0, 0), (2, 2), (0, 2)]),
    "a softmax": (lambda Z: ds.Categorical(softmax(Z * [1.0, 2.0, 0.0], axis=1)), []),
    "constant": (lambda Z: ds.Normal(np.zeros(len(Z)), 1.0), []),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    fn, bends = FUNCTIONS[name]
    got = found(from_function(fn), Z)
    expected = ALL.copy()
    for i, j in bends:
        expected[i, j] = expected[j, i] = False
    np.testing.assert_array_equal(got, expected)


def test_nothing_is_claimed_without_a_link_or_without_predictions():
    mixture = from_function(lambda Z: ds.Mixture([ds.Normal(Z[:, 0], 1.0), ds.Normal(Z[:, 1], 1.0)], [0.5, 0.5]))
    assert not found(mixture, Z).any()

    def picky(Z):
        if len(Z) > 80:
            raise KeyError("a row that does not occur")
        return ds.Normal(Z[:, 0], 1.0)

    assert not found(from_function(picky), Z).any()


def test_rare_values_constant_columns_and_single_rows_are_tried_too():
    frame = pd.DataFrame({"flag": np.arange(400) == 123, "x": np.linspace(-1, 1, 400), "one": 1.0, "town": "Bergen"})
    frame["flag"] = frame["flag"].astype(float)

    def fn(Z):
        return ds.Normal(Z[:, 0] * Z[:, 1] + Z[:, 2] * Z[:, 1], 1.0)

    got = found(from_function(fn), frame)
    assert not got[0, 1]
    assert not got[1, 2]
    assert got[0, 2]
    assert not found(from_function(fn), frame.iloc[[5]])[0, 1]


def test_groups():
    model = from_function(lambda Z: ds.Normal(Z[:, 0] * Z[:, 1] + Z[:, 2], 1.0))
    got = found(model, Z, Terms(("ab", "c"), ((0, 1), (2,))))
    assert got.tolist() == [[False, True], [True, True]]


@pytest.mark.parametrize(("function", "linear"), [
    (lambda z: z @ np.arange(1.0, 81.0), True),
    (lambda z: z @ np.arange(1.0, 81.0) + z[:, 3] ** 2, False),
    (lambda z: z @ np.arange(1.0, 81.0) + z[:, 3] * z[:, 70], False),
])  # fmt: skip
def test_of_many_columns_one_path_tells_whether_a_model_is_linear(function, linear):
    many = np.random.default_rng(5).normal(size=(30, 80))
    model = from_function(lambda z: ds.Normal(function(z), np.ones(len(z))))
    source, table = read_for(model, many)
    assert is_linear(model, source, table, Terms.single(80)) is linear
    assert bool(adds_up(model, source, table).all()) is linear
