"""How models are fitted again."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rsens._errors import InputError
from rsens._refits import Fit, check_refit, reason_of, with_seed
from rsens._refits._fit import quick
from rsens.models import GPRegressor

SEED = np.random.SeedSequence(0)


def test_what_has_no_random_state_gets_one():
    """Also the parts of a pipeline, each another number; what is set stays."""
    estimator = make_pipeline(RandomForestRegressor(), GPRegressor(), GPRegressor(random_state=7))
    found = with_seed(estimator, SEED)
    states = [step.random_state for _, step in found.steps]
    assert [step.random_state for _, step in estimator.steps] == [None, None, 7]
    assert states[2] == 7
    assert len(set(states)) == 3
    assert states == [step.random_state for _, step in with_seed(estimator, SEED).steps]
    assert states != [step.random_state for _, step in with_seed(estimator, np.random.SeedSequence(1)).steps]


def test_a_copy_is_fitted():
    estimator = GPRegressor(optimize=False)
    model = Fit(estimator)(np.arange(4.0)[:, None], np.arange(4.0), SEED)
    assert not hasattr(estimator, "kernel_")
    assert hasattr(model, "kernel_")
    assert Fit(None, lambda X, y: (X, y))(1, 2, SEED) == (1, 2)


def test_what_cannot_be_fitted():
    for estimator, refit, text in (
        (GPRegressor, None, r"give an instance, GPRegressor\(…\)"),
        (None, None, "fit and get_params"),
        (GPRegressor(), 3, "refit must be a function"),
    ):
        with pytest.raises(InputError, match=text):
            check_refit(estimator, refit)


def test_reasons_are_one_line():
    errors = [InputError("y must\n be numbers."), RuntimeError("no  way"), MemoryError()]
    assert list(map(reason_of, errors)) == ["y must be numbers.", "RuntimeError: no way", "MemoryError"]


def test_quick_fits_search_on_fewer_rows_and_once():
    """Also with further columns; the estimator of the user stays as it is."""
    estimator, rows = GPRegressor(optimize=False), np.arange(8.0).reshape(4, 2)
    how = Fit(estimator).quick()
    assert Fit(estimator)(rows, rows[:, 0], SEED).search_rows == 5_000
    for each in (how, how.for_columns(rows, rows[:, 0], [0, 1])):
        assert each(rows, rows[:, 0], SEED).search_rows == 2_000
    pipeline = make_pipeline(StandardScaler(), GaussianProcessRegressor(n_restarts_optimizer=5))
    assert quick(pipeline)[-1].n_restarts_optimizer == 0
    assert pipeline[-1].n_restarts_optimizer == 5
