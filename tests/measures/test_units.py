"""The unit of a column of levels, and the warning where values are further apart than a length-scale."""

from types import SimpleNamespace

import numpy as np
import pytest

from rsens import GPRegressor, explain
from rsens._coding import Coding, Levels
from rsens._errors import InputError, RsensWarning
from rsens.derivatives import from_function
from rsens.distributions import Normal
from rsens.kernels import EQ, Constant, Linear, Matern32, Periodic
from rsens.measures import training_inputs
from rsens.measures._lengthscales import gaps, lengthscales
from rsens.measures._terms import level_deviations

QUICK = {"intervals": False, "pairs": False, "random_state": 0}


def unit(*frequencies, labels=None, numeric=False, deviation=np.nan):
    labels = tuple(range(len(frequencies))) if labels is None else labels
    coding = Coding(("c",), (Levels(0, "c", labels, np.array(frequencies), numeric),))
    return level_deviations(np.array([deviation]), coding)[0]


def test_the_unit_is_the_deviation_of_levels_at_distance_1():
    for share in (0.5, 0.1, 0.02):
        zeros_and_ones = np.repeat([0.0, 1.0], [round(1000 * (1 - share)), round(1000 * share)])
        np.testing.assert_allclose(unit(1.0 - share, share), zeros_and_ones.std(), rtol=1e-12)
    # sd² = ½ E[(x − x′)²], over all pairs of rows, with distance 1 between different levels.
    rows = np.random.default_rng(0).choice(4, size=300, p=[0.4, 0.3, 0.2, 0.1])
    distance = (rows[:, None] != rows).astype(float)
    np.testing.assert_allclose(unit(*np.bincount(rows) / 300), np.sqrt(0.5 * (distance**2).mean()), rtol=1e-12)
    assert unit(1.0) == unit(1.0, 0.0) == unit(0.0, 1.0, 0.0) == 0.0
    assert unit(*[1 / 1000] * 1000) == pytest.approx(np.sqrt(0.5), rel=1e-3)  # never above √½
    # Where the fit counted rows differently, its deviation over the gap is the unit.
    assert unit(0.5, 0.5, labels=(2, 7), numeric=True, deviation=2.0) == pytest.approx(0.4)
    assert unit(0.5, 0.5, labels=(2, 7), numeric=True, deviation=0.0) == 0.0


def test_a_gap_needs_rows_on_both_sides():
    values = np.concatenate([np.linspace(0.0, 1.0, 20), [50.0] * 4]).reshape(-1, 1)
    np.testing.assert_allclose(gaps(values), 1 / 19)
    np.testing.assert_allclose(gaps(np.vstack([values, [[50.0]]])), 49.0)
    assert gaps(np.ones((20, 1))) == 0.0
    assert gaps(np.arange(9.0).reshape(-1, 1)) == 0.0  # too few rows for any gap


def test_how_far_a_kernel_reaches():
    assert lengthscales(object(), 2) is None
    np.testing.assert_array_equal(lengthscales(SimpleNamespace(kernel_=EQ(1.0, (0.5, 2.0))), 2), [0.5, 2.0])
    np.testing.assert_array_equal(
        lengthscales(SimpleNamespace(kernel_=EQ(1.0, 0.5, dims=(1,))), 3), [np.inf, 0.5, np.inf]
    )
    product = EQ(1.0, (0.5, 2.0)) * Matern32(1.0, 0.3, dims=(1,)) * Constant(2.0)
    np.testing.assert_array_equal(lengthscales(SimpleNamespace(kernel_=product), 2), [0.5, 0.3])
    total = EQ(1.0, (0.5, 2.0)) + Matern32(1.0, 0.3, dims=(1,)) + Linear(1.0, dims=(0,))
    np.testing.assert_array_equal(lengthscales(SimpleNamespace(kernel_=total), 2), [np.inf, 2.0])
    assert lengthscales(SimpleNamespace(kernel_=Periodic()), 1) == np.inf
    classes = (EQ(1.0, (0.5, 2.0)), EQ(1.0, (3.0, 0.1)))
    np.testing.assert_array_equal(lengthscales(SimpleNamespace(kernel_=classes), 2), [3.0, 2.0])


def codes(n=150, seed=0):
    rng = np.random.default_rng(seed)
    code = rng.integers(0, 3, n)
    X = np.column_stack([rng.normal(size=n), 10.0 * code])
    return X, X[:, 0] + np.array([0.0, 3.0, -2.0])[code] + 0.2 * rng.normal(size=n)


def test_codes_taken_for_numbers_get_a_warning():
    X, y = codes()
    model = GPRegressor(kernel=EQ(1.0, (1.0, 1.0)), standardize=False, optimize=False).fit(X, y)
    with pytest.warns(RsensWarning, match="'x1' has values that are more than two length-scales apart") as caught:
        explain(model, X, **QUICK)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    wide = GPRegressor(kernel=EQ(1.0, (1.0, 6.0)), standardize=False, optimize=False).fit(X, y)
    explain(wide, X, **QUICK)  # warnings are errors here


def test_no_warning_where_the_levels_are_compared():
    X, y = codes()
    two = np.column_stack([X[:, 0], 10.0 * (X[:, 1] > 5.0)])
    model = GPRegressor(kernel=EQ(1.0, (1.0, 1.0)), standardize=False, optimize=False).fit(two, y)
    explain(model, two, **QUICK)  # warnings are errors here
    with pytest.warns(RsensWarning, match="'x1' has values"):
        explain(model, two, numeric=[1], **QUICK)


@pytest.mark.parametrize("draw", ["normal", "lognormal", "poisson"])
def test_no_warning_for_tails(draw):
    rng = np.random.default_rng(0)
    X = getattr(rng, draw)(size=(150, 3)).astype(float)
    y = X[:, 0] + np.sin(1.5 * X[:, 1]) + 0.5 * rng.normal(size=150)
    explain(GPRegressor(n_restarts=0).fit(X, y), X, **QUICK)  # warnings are errors here


@pytest.mark.parametrize("inputs", [np.ones((0, 2)), np.ones((4, 3)), np.ones(2), [[1.0, np.inf]]])
def test_training_inputs_that_do_not_suit_x_are_refused(inputs):
    model = from_function(lambda z: Normal(z[:, 0], 1.0))
    object.__setattr__(model, "training_inputs_", inputs)  # as a model of one's own may have them
    with pytest.raises(InputError, match=r"training_inputs_ of .* must hold finite numbers for each of the 2"):
        training_inputs(model, 2)
