"""Wrong arguments: an error about the argument."""

import numpy as np
import pytest

from rsens._errors import InputError
from rsens.kernels import EQ, Categorical, Matern12, Periodic, Sum, additive
from tests.kernels.cases import X, Z

#: A call, the argument that its error is about, and a key word.
WRONG = {
    "negative variance": (lambda: EQ(-1.0), "variance", "positive and finite; got -1.0"),
    "zero length-scale": (lambda: EQ(1.0, 0.0), "lengthscale", "positive and finite"),
    "not a number": (lambda: Periodic(period=np.nan), "period", "positive and finite"),
    "a variance per column": (lambda: EQ((1.0, 2.0)), "variance", "one number"),
    "length-scales and dims": (lambda: EQ(1.0, (1.0, 2.0), dims=(0, 1, 2)), "lengthscale", "dims, 3; got 2"),
    "periods": (lambda: Periodic(1.0, (1.0, 2.0), (1.0, 2.0, 3.0)), None, "the same length"),
    "negative dims": (lambda: EQ(dims=(-1,)), "dims", "column numbers"),
    "boolean dims": (lambda: EQ(dims=(True, False)), "dims", "column numbers"),
    "repeated dims": (lambda: Categorical(dims=(1, 1)), "dims", "once"),
    "one term": (lambda: Sum((EQ(),)), "terms", "two kernels or more"),
    "theta too short": (lambda: EQ().with_theta([0.0]), "theta", "2 entries"),
    "theta too large": (lambda: EQ().with_theta([0.0, 800.0]), "theta", "±700"),
    "too few columns": (lambda: EQ(dims=(7,))(X), "dims", "8 columns; got X with 4"),
    "length-scales and columns": (lambda: EQ(1.0, (1.0, 2.0))(X), "dims", "2 columns; got X with 4"),
    "different columns": (lambda: EQ()(X, Z[:, :3]), None, "same number of columns"),
    "no rows": (lambda: EQ()(X[:0]), None, "X has no rows"),
    "additive with a fraction": (lambda: additive(2.5), "n_columns", "whole number"),
    "a categorical column out of range": (lambda: additive(3, categorical=[3]), "categorical", "got"),
    "a pair of one": (lambda: additive(3, [(1, 1)]), "pairs", r"two columns from 0 to 2.*got \(1, 1\)"),
    "a pair of three": (lambda: additive(3, [(0, 1, 2)]), "pairs", "two columns"),
    "a pair twice": (lambda: additive(3, [(0, 1), (1, 0)]), "pairs", "different"),
}


@pytest.mark.parametrize(("call", "argument", "word"), WRONG.values(), ids=WRONG)
def test_wrong_arguments(call, argument, word):
    with pytest.raises(InputError, match=word) as raised:
        call()
    assert raised.value.argument == argument


@pytest.mark.parametrize(
    "kernel", [Matern12(), Matern12(dims=(0,)) + EQ(), EQ(dims=(0,)) * Matern12(dims=(1,))], ids=repr
)
def test_matern12_gives_values_only(kernel):
    at = kernel.at(X, Z)
    np.testing.assert_allclose(at.value, kernel(X, Z), rtol=1e-13)
    ones = np.ones(len(Z))
    for derivative in (lambda at: at.first, lambda at: at.weighted_first(ones), lambda at: at.second(ones)):
        with pytest.raises(InputError, match="Matern12 has no derivatives in x"):
            derivative(at)
