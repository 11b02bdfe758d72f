"""What a user's function can do that looks right and would silently give another number."""

import numpy as np
import pandas as pd
import pytest

import rsens
from rsens import InputError, Normal, from_function, from_jax, from_torch

X = np.random.default_rng(0).normal(size=(6, 2))


def test_a_list_of_tensors_keeps_its_derivative():
    model = from_torch(lambda Z: Normal([2.0 * Z[i, 0] for i in range(len(Z))], 1.0))
    np.testing.assert_allclose(rsens.rsens(model, X), np.tile([2.0, 0.0], (6, 1)), rtol=1e-12)


@pytest.mark.parametrize("source", [from_jax, from_torch, from_function])
def test_complex_parameters_are_refused(source):
    with pytest.raises(InputError, match="complex"):
        rsens.rsens(source(lambda Z: Normal(Z[:, 0] * (1.0 + 2.0j), 1.0)), X)


def test_steps_by_name_are_refused_not_misread():
    with pytest.raises(InputError, match="in the order of the columns"):
        from_function(lambda Z: Normal(Z[:, 0], 1.0), step=pd.Series({"b": 1e-3, "a": 0.5}))


def test_the_number_of_parameters_decides_how_many_rows_fit():
    few = from_function(lambda Z: Normal(Z[:, 0], 1.0)).prepared(X)
    many = from_function(lambda Z: rsens.Categorical(np.full((len(Z), 100), 0.01))).prepared(X)
    assert many.rows_per_chunk(10, 2) < few.rows_per_chunk(10, 2) / 10
