"""Values, parts, directions and units, against answers worked out by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rsens._errors import InputError, RsensWarning
from rsens._explain import explain
from rsens._explain._tables import NotComputedError
from rsens.measures import local_values, rsens, rsens2
from tests.explain.cases import assert_same
from tests.explain.models import BayesianLinear, FirstOrderOnly, Heteroscedastic, Linear, Logistic, Softmax
from tests.small_chunks import rows_at_once

# Sums of a few hundred doubles of size one, in another order: about 1e-15 each, so 1e-12 is rounding and nothing else.
ROUNDING = {"rtol": 1e-12, "atol": 1e-14}


@pytest.fixture
def X() -> pd.DataFrame:
    rng = np.random.default_rng(20)
    return pd.DataFrame(
        rng.normal(size=(300, 3)) * [1.0, 3.0, 0.2], columns=["a", "b", "c"], index=[f"r{i}" for i in range(300)]
    )


def test_linear_normal_is_the_slope_in_noise_units(X, capsys):
    beta, sigma = np.array([1.5, -0.2, 0.0]), 0.4
    result = explain(Linear(beta, sigma), X)
    assert capsys.readouterr() == ("", "")  # silent unless in a terminal
    sd = X.std(ddof=0)
    np.testing.assert_allclose(result.main, np.abs(beta) * sd / sigma, **ROUNDING)
    np.testing.assert_allclose(result.direction, beta * sd, **ROUNDING)
    np.testing.assert_allclose(result.consistency, [1.0, 1.0, np.nan], **ROUNDING)  # c does not move the prediction
    assert list(result.main.index) == ["a", "b", "c"] == list(result.names)
    assert result.local_main.index.equals(X.index)
    assert (result.local_main.shape, result.n, result.family, result.order) == ((300, 3), 300, "Normal", 2)
    assert (result.pairs == 0.0).all()
    assert list(result.pairs.index) == [("a", "b"), ("a", "c"), ("b", "c")]
    pd.testing.assert_series_equal(result.scale, sd, check_names=False)


def test_a_product_is_a_pair(X):
    result = explain(Linear([0.0, 0.0, 1.0], sigma=0.5, gamma=0.7), X, scale="raw")
    np.testing.assert_allclose(result.pairs, [0.7 / 0.5, 0.0, 0.0], **ROUNDING)
    np.testing.assert_allclose(
        result.main, [0.7 * X["b"].abs().mean() / 0.5, 0.7 * X["a"].abs().mean() / 0.5, 2.0], **ROUNDING
    )
    np.testing.assert_allclose(result.direction, [0.7 * X["b"].mean(), 0.7 * X["a"].mean(), 1.0], **ROUNDING)
    shares = [abs(X[name].mean()) / X[name].abs().mean() for name in ("b", "a")]
    np.testing.assert_allclose(result.consistency, [*shares, 1.0], **ROUNDING)


def test_values_are_the_mean_of_the_raw_measures_times_units(X):
    units = {"a": 2.0, "b": 0.5, "c": 10.0}
    model = Heteroscedastic()
    result = explain(model, X, scale=units, keep_local="pairs")
    u = np.array(list(units.values()))
    local, local2 = rsens(model, X) * u, rsens2(model, X) * np.outer(u, u)
    np.testing.assert_allclose(result.local_main, local, **ROUNDING)
    np.testing.assert_allclose(result.local_pairs, local2, **ROUNDING)
    np.testing.assert_allclose(result.main, local.mean(axis=0), **ROUNDING)
    np.testing.assert_allclose(result.pairs, local2.mean(axis=0)[np.triu_indices(3, 1)], **ROUNDING)
    assert result.scale_kind == "given"


@pytest.mark.parametrize("groups", [None, {"bc": ["b", "c"]}])
def test_parts_add_up(X, groups):
    result = explain(Heteroscedastic(), X, groups=groups)
    assert list(result.parts.columns) == ["mean", "variance"]
    np.testing.assert_allclose(result.parts.sum(axis=1), result.main, **ROUNDING)
    assert (result.parts > 0.0).sum().tolist() == [len(result.names), 1]  # only c moves the variance


def test_parts_of_equation_5():
    """mean_i q_im/R_i with the two summands of the paper's equation (5)."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(12, 2))
    model = BayesianLinear().fit(X, X[:, 0] + 0.5 * rng.normal(size=12))
    result = explain(model, X, scale="raw")
    nu, s2 = model.df_, model.s2_
    V = X @ model.precision_
    var = s2 * (1.0 + (V * X).sum(axis=1, keepdims=True))
    of_location = (nu + 1) * model.beta_**2 / ((nu + 3) * var)
    of_scale = 2.0 * nu * s2**2 * V**2 / ((nu + 3) * var**2)
    R = np.sqrt(of_location + of_scale)
    np.testing.assert_allclose(result.main, R.mean(axis=0), **ROUNDING)
    np.testing.assert_allclose(result.parts["location"], (of_location / R).mean(axis=0), **ROUNDING)
    np.testing.assert_allclose(result.parts["scale2"], (of_scale / R).mean(axis=0), **ROUNDING)
    assert explain(Logistic([1.0, 0.2]), X).parts is None  # one parameter


def test_direction_of_several_outputs(X):
    weights = np.array([[1.0, 0.0, -1.0], [0.1, 0.3, 0.0], [2.0, 0.0, 1.0]])
    result = explain(Softmax(weights), X)
    assert list(result.parts.columns) == ["joint"]  # dependent parameters
    np.testing.assert_array_equal(result.parts["joint"], result.main)
    assert result.direction.shape == (3, 3)
    assert list(result.direction.columns) == ["y0", "y1", "y2"]
    np.testing.assert_allclose(result.direction.sum(axis=1), 0.0, atol=1e-15)  # probabilities add up to 1
    assert result.direction.loc["a", "y0"] > 0.0 > result.direction.loc["a", "y2"]
    named = explain(Softmax(weights, classes_=["red", "green", "blue"]), X, pairs=False)
    assert list(named.direction.columns) == list(named.consistency.columns) == ["red", "green", "blue"]
    assert {"direction_red", "direction_blue", "consistency_red"} <= set(named.to_frame().columns)
    local = local_values("aed", Softmax(weights), X)
    consistency = (np.abs(local.mean(axis=0)) / np.abs(local).mean(axis=0)).T
    np.testing.assert_allclose(result.consistency, consistency, **ROUNDING)


def test_units_that_are_given_and_training_deviations_where_the_model_knows_them(X):
    model = Linear([1.0, 1.0, 1.0], sigma=1.0)
    expected = pd.Series({"a": 3.0, "b": 0.0, "c": 7.0})
    for scale in (expected, expected[::-1], expected.to_dict(), [3.0, 0.0, 7.0], np.array([3, 0, 7])):
        np.testing.assert_allclose(explain(model, X, scale=scale).main, expected, **ROUNDING)
    model.input_scale_ = [2.0, 3.0, 4.0]
    for rows in (X, X.iloc[:1]):  # even for one row
        np.testing.assert_allclose(explain(model, rows).main, [2.0, 3.0, 4.0], **ROUNDING)
    del model.input_scale_
    model.training_inputs_ = np.array([[0.0, 0.0, 0.0], [2.0, 4.0, 6.0]])
    np.testing.assert_allclose(explain(model, X).main, [1.0, 2.0, 3.0], **ROUNDING)


def test_standard_deviations_do_not_depend_on_units(X):
    """Rescaling a column and the model with it changes nothing in standard deviations."""
    once = explain(Linear([1.0, 2.0, 3.0], gamma=0.5), X)
    factors = np.array([1e-6, 1e8, 10.0])
    scaled = explain(Linear(np.array([1.0, 2.0, 3.0]) / factors, gamma=0.5 / (factors[0] * factors[1])), X * factors)
    np.testing.assert_allclose(scaled.main, once.main, **ROUNDING)
    np.testing.assert_allclose(scaled.pairs, once.pairs, **ROUNDING)


@pytest.mark.parametrize("constant", [0.1, 0.0, -1e9])
def test_a_constant_column_gives_zero_and_a_warning(X, constant):
    X = X.assign(b=constant)
    with pytest.warns(RsensWarning, match="'b'"):
        result = explain(Linear([1.0, 1.0, 1.0], gamma=1.0), X)
    assert result.main["b"] == 0.0
    assert result.main["a"] > 0.0
    assert result.pairs["a", "b"] == 0.0
    assert result.direction["b"] == 0.0
    np.testing.assert_allclose(explain(Linear([1.0, 1.0, 1.0], sigma=1.0), X, scale="raw").main, 1.0, **ROUNDING)


def test_one_row(X):
    row = X.iloc[[3]]
    with pytest.raises(InputError, match="no column of X varies"):
        explain(Linear([1.0, 2.0, 0.0]), row)
    result = explain(Linear([1.0, 2.0, 0.0], sigma=0.5), row, scale="raw")
    np.testing.assert_allclose(result.main, [2.0, 4.0, 0.0], **ROUNDING)
    assert result.intervals.isna().all(axis=None)  # one row has no spread
    assert not result.extrapolation.any()
    assert "1 row," in repr(result)


# ---- weights, subgroups, groups --------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", ["sd", "raw"])
def test_a_weight_is_a_repetition(X, scale):
    counts = np.random.default_rng(3).integers(0, 4, size=len(X))
    repeated = X.iloc[np.repeat(np.arange(len(X)), counts)]
    options = {"scale": scale}
    weighted = explain(Heteroscedastic(), X, weights=counts, **options)
    plain = explain(Heteroscedastic(), repeated, **options)
    for name in ("main", "pairs", "parts", "direction", "consistency", "scale"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(plain, name), **ROUNDING)
    rescaled = explain(Heteroscedastic(), X, weights=counts * 1e300, **options)
    np.testing.assert_allclose(rescaled.main, weighted.main, **ROUNDING)


def test_groups_take_the_place_of_their_columns(X):
    groups = {"ends": ["a", "c"]}
    result = explain(Heteroscedastic(), X, groups=groups, keep_local="pairs")
    assert result.names == ("ends", "b")
    assert result.groups == {"ends": ("a", "c")}
    expected = local_values("rsens", Heteroscedastic(), X, groups=groups, scale=X.std(ddof=0))
    np.testing.assert_allclose(result.local_main, expected, **ROUNDING)
    assert np.isnan(result.direction["ends"])
    assert np.isnan(result.consistency["ends"])
    assert np.isfinite(result.direction["b"])
    assert list(result.pairs.index) == [("ends", "b")]
    assert result.scale.index.tolist() == ["a", "b", "c"]


def test_pair_of_a_column_and_a_group_is_the_steepest_direction(X):
    """Normal(γ x_0 x_1, σ²) with x_0 and x_1 rotated into three columns: the pair keeps its value."""

    class Rotated:
        def derivatives(self, Z, order):
            turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.6, 0.8], [0.0, -0.8, 0.6]])
            record = Linear([0.0, 0.0, 0.0], sigma=0.5, gamma=0.7).derivatives(np.asarray(Z) @ turn.T, order)
            first = record.first @ turn
            second = None if record.second is None else turn.T @ record.second @ turn
            return type(record)(record.distribution, first, second)

    result = explain(Rotated(), X, groups={"bc": ["b", "c"]}, scale="raw", keep_local="pairs")
    np.testing.assert_allclose(result.pairs["a", "bc"], 0.7 / 0.5, **ROUNDING)
    np.testing.assert_allclose(result.local_pairs, np.swapaxes(result.local_pairs, 1, 2), rtol=0)


def test_order_one_does_not_pay_for_second_derivatives(X):
    """Pairs are automatic up to thirty columns."""
    result = explain(FirstOrderOnly([1.0, 2.0, 3.0]), X, pairs=False)
    assert result.order == 1
    assert result.pair_intervals is result.pair_parts is None
    with pytest.raises(NotComputedError, match="keep_local='pairs'"):
        _ = result.local_pairs
    for pairs in (lambda: result.pairs, lambda: result.to_frame(order=2)):
        with pytest.raises(NotComputedError, match="pairs=True"):
            pairs()
    assert getattr(result, "pairs", "none") == "none"  # an AttributeError too
    wide = np.random.default_rng(5).normal(size=(4, 31))
    assert explain(Linear(np.ones(30)), wide[:, :30], intervals=False).order == 2
    assert explain(FirstOrderOnly(np.ones(31)), wide, intervals=False).order == 1
    assert explain(Linear(np.ones(31)), wide, intervals=False, pairs=True).order == 2


def test_chunks_change_nothing(X):
    whole, small = Heteroscedastic(), Heteroscedastic()
    one = explain(whole, X, random_state=0, keep_local="pairs")
    with rows_at_once(len(X) // 35):
        many = explain(small, X, random_state=0, keep_local="pairs")
    assert whole.calls == 1
    assert small.calls > 30
    assert_same(one, many)


def test_what_is_done_to_a_table_leaves_the_explanation_alone(X):
    result = explain(Heteroscedastic(), X, by=np.arange(300) % 2, keep_local="pairs")
    before = repr(result), result.local_main.sum().sum()
    tables = "main pairs direction consistency parts intervals pair_intervals by scale local_main extrapolation"
    for name in tables.split():
        table = getattr(result, name)
        table.iloc[...] = True if name == "extrapolation" else -1
    assert (repr(result), result.local_main.sum().sum()) == before
    with pytest.raises(ValueError, match="read-only"):
        result.local_pairs[0] = 0.0
