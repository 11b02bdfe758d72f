"""Wrong arguments: an error that says what, got what, do what."""

import numpy as np
import pytest

from rsens._errors import InputError
from rsens.kernels import (
    EQ,
    Categorical,
    Constant,
    Linear,
    Matern12,
    Periodic,
    Product,
    RationalQuadratic,
    Sum,
    additive,
)
from tests.kernels.cases import X, Z

WRONG = {
    "negative variance": (lambda: EQ(-1.0), "EQ: variance must be positive and finite; got -1.0"),
    "zero length-scale": (lambda: EQ(1.0, 0.0), "lengthscale must be positive and finite; got 0.0"),
    "infinite alpha": (lambda: RationalQuadratic(alpha=np.inf), "alpha must be positive and finite"),
    "not a number": (lambda: Periodic(period=np.nan), "period must be positive and finite"),
    "text": (lambda: EQ("large"), "variance must be a positive number; got 'large'"),
    "a variance per column": (lambda: EQ((1.0, 2.0)), r"variance must be one number; got \(1.0, 2.0\)"),
    "a matrix": (lambda: EQ(1.0, np.ones((2, 2))), "lengthscale must be one number or one per column"),
    "no length-scale": (lambda: EQ(1.0, ()), "lengthscale must be one number or one per column"),
    "length-scales and dims": (lambda: EQ(1.0, (1.0, 2.0), dims=(0, 1, 2)), "one per column of dims, 3; got 2"),
    "linear and dims": (lambda: Linear((1.0, 2.0), dims=(1,)), "one per column of dims, 1; got 2"),
    "periods": (
        lambda: Periodic(1.0, (1.0, 2.0), (1.0, 2.0, 3.0)),
        r"the same length; got \[2, 3\]",
    ),
    "negative dims": (lambda: EQ(dims=(-1,)), r"dims must be column numbers from 0, such as \(0, 3\); got"),
    "fractional dims": (lambda: EQ(dims=(0.5,)), "dims must be column numbers"),
    "boolean dims": (lambda: EQ(dims=(True, False)), "dims must be column numbers"),
    "no dims": (lambda: EQ(dims=()), "dims must be column numbers"),
    "repeated dims": (lambda: Categorical(dims=(1, 1)), "dims must name each column once"),
    "one term": (lambda: Sum((EQ(),)), "terms must be two kernels or more; got 1"),
    "not kernels": (lambda: Product((EQ(), 2.0)), "factors must be a tuple of kernels"),
    "theta too short": (lambda: EQ().with_theta([0.0]), r"theta must have 2 entries.*got shape \(1,\)"),
    "theta of a sum": (lambda: (EQ() + Constant()).with_theta([0.0, 0.0]), "theta must have 3 entries"),
    "theta too large": (lambda: EQ().with_theta([0.0, 800.0]), "must lie in ±700"),
    "theta not a number": (lambda: EQ().with_theta([0.0, np.nan]), "must lie in ±700"),
    "too few columns": (lambda: EQ(dims=(7,))(X), "the kernel uses 8 columns; got X with 4"),
    "too few columns in a sum": (lambda: (EQ() + Linear(dims=(5,))).at(X, Z), "uses 6 columns; got X with 4"),
    "length-scales and columns": (lambda: EQ(1.0, (1.0, 2.0))(X), "has values for 2 columns; got X with 4 columns"),
    "different columns": (lambda: EQ()(X, Z[:, :3]), "same number of columns; got shapes"),
    "one row": (lambda: EQ()(X[0]), "X must be a matrix .*got 1 dimensions. Reshape it"),
    "no rows": (lambda: EQ()(X[:0]), "X has no rows"),
    "no rows in Z": (lambda: EQ().at(X, Z[:0]), "Z has no rows"),
    "additive without columns": (lambda: additive(0), "n_columns must be a positive whole number; got 0"),
    "additive with a fraction": (lambda: additive(2.5), "must be a positive whole number"),
    "a categorical column out of range": (lambda: additive(3, categorical=[3]), r"from 0 to 2; got \[3\]"),
    "a pair of one": (lambda: additive(3, [(1, 1)]), r"two different columns from 0 to 2; got \(1, 1\)"),
    "a pair out of range": (lambda: additive(3, [(0, 3)]), "two different columns from 0 to 2"),
    "a pair of three": (lambda: additive(3, [(0, 1, 2)]), "two different columns"),
    "a pair of text": (lambda: additive(3, ["ab"]), "two different columns from 0 to 2; got 'ab'"),
    "a column for a pair": (lambda: additive(3, [5]), "two different columns from 0 to 2; got 5"),
    "a number for pairs": (lambda: additive(3, pairs=5), r"pairs must be a list of pairs of columns.*got 5"),
    "a number for categorical": (lambda: additive(3, categorical=5), r"categorical must be columns from 0 to 2; got"),
    "a truth value for columns": (lambda: additive(True), "must be a positive whole number; got True"),
    "a pair twice": (lambda: additive(3, [(0, 1), (1, 0)]), "pairs must name each pair once"),
}


@pytest.mark.parametrize(("call", "text"), WRONG.values(), ids=WRONG)
def test_wrong_arguments(call, text):
    with pytest.raises(InputError, match=text):
        call()


@pytest.mark.parametrize(
    ("case", "argument"),
    [
        ("negative variance", "variance"),
        ("text", "variance"),
        ("a matrix", "lengthscale"),
        ("linear and dims", "variance"),
        ("fractional dims", "dims"),
        ("repeated dims", "dims"),
        ("one term", "terms"),
        ("not kernels", "factors"),
        ("theta too short", "theta"),
        ("theta too large", "theta"),
        ("additive with a fraction", "n_columns"),
        ("a categorical column out of range", "categorical"),
        ("a pair of one", "pairs"),
        ("a pair twice", "pairs"),
    ],
)
def test_errors_know_their_argument(case, argument):
    with pytest.raises(InputError) as raised:
        WRONG[case][0]()
    assert raised.value.argument == argument


@pytest.mark.parametrize(
    "kernel", [Matern12(), Matern12(dims=(0,)) + EQ(), EQ(dims=(0,)) * Matern12(dims=(1,))], ids=repr
)
@pytest.mark.parametrize(
    "derivative",
    [lambda at: at.first, lambda at: at.weighted_first(np.ones(len(Z))), lambda at: at.second(np.ones(len(Z)))],
    ids=["first", "weighted_first", "second"],
)
def test_matern12_gives_values_only(kernel, derivative):
    at = kernel.at(X, Z)
    np.testing.assert_allclose(at.value, kernel(X, Z), rtol=1e-13)
    with pytest.raises(InputError, match=r"Matern12 has no derivatives in x.*Matern32, Matern52 or EQ"):
        derivative(at)


@pytest.mark.parametrize("other", [2.0, None, "EQ()"])
def test_only_kernels_add_and_multiply(other):
    with pytest.raises(TypeError):
        EQ() + other
    with pytest.raises(TypeError):
        EQ() * other
