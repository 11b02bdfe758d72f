"""Categorical columns in every measure: toys whose contrasts are written out by hand."""

import re

import numpy as np
import pandas as pd
import pytest

from rsens._errors import InputError
from rsens.adapters import read_for
from rsens.derivatives import from_function, from_jax, from_torch, iterate
from rsens.distributions import Normal, StudentT
from rsens.measures import importance, local_values, pair_parts_of, parts_of, rsens, rsens2, rsens2_of, rsens_of

# Columns: x (continuous), city (three levels), sold (two levels). λ = (mean, variance) of a Normal.
MEAN = np.array([0.0, 1.0, 3.0])  # by city
SLOPE = np.array([1.0, -0.5, 2.0])  # of x, by city
BOTH = np.array([[0.0, 0.5], [0.0, 0.25], [0.0, -2.0]])  # by city and sold
VARIANCE = np.array([0.25, 1.0])  # by sold
SHARE = np.array([0.5, 0.375, 0.125])  # "c" occurs once
SOLD = np.array([0.75, 0.25])

FRAME = pd.DataFrame(
    {
        "x": [0.3, -1.2, 0.7, 2.0, -0.4, 1.1, 0.2, 0.9],
        "city": ["a", "b", "a", "c", "a", "b", "b", "a"],
        "sold": [False, False, True, False, False, True, False, False],
    }
)
X = FRAME["x"].to_numpy()
CITY = np.array([0, 1, 0, 2, 0, 1, 1, 0])
YES = FRAME["sold"].to_numpy().astype(int)


def mean(x, city, sold):
    return MEAN[city] + SLOPE[city] * x + BOTH[city, sold]


def normal(Z):
    city, sold = Z[:, 1].astype(int), Z[:, 2].astype(int)
    return Normal(mean(Z[:, 0], city, sold), VARIANCE[sold])


MODEL = from_function(normal)


def averaged(own, share, value):
    """Σ_{l≠l₀} w_l value(l) / Σ_{l≠l₀} w_l of every row."""
    weights = np.where(np.arange(len(share)) == own[:, None], 0.0, share)
    values = np.stack([value(np.full(len(own), level)) for level in range(len(share))], axis=1)
    return (weights * values).sum(axis=1) / weights.sum(axis=1)


def normal_divergence(m0, v0, m1, v1, alpha):
    """D_α of two Normals, written out (Gil, Alajaji and Linder, 2013)."""
    if alpha == 1.0:
        return 0.5 * (v0 / v1 + (m1 - m0) ** 2 / v1 - 1.0 + np.log(v1 / v0))
    middle = (1.0 - alpha) * v0 + alpha * v1
    spread = (np.log(v1 / v0) + np.log(v1 / middle) / (alpha - 1.0)) / 2.0
    return spread + 0.5 * alpha * (m1 - m0) ** 2 / middle


def expected_main(alpha=1.0):
    here = mean(X, CITY, YES), VARIANCE[YES]

    def root(m1, v1):
        return np.sqrt(2.0 * normal_divergence(*here, m1, v1, alpha) / alpha)

    city = averaged(CITY, SHARE, lambda l: root(mean(X, l, YES), VARIANCE[YES]))
    sold = averaged(YES, SOLD, lambda l: root(mean(X, CITY, l), VARIANCE[l]))
    return np.stack([np.sqrt(alpha) * np.abs(SLOPE[CITY]) / np.sqrt(VARIANCE[YES]), city, sold], axis=1)


def expected_pairs():
    sd = np.sqrt(VARIANCE[YES])
    values = np.zeros((len(X), 3, 3))
    values[:, 0, 1] = averaged(CITY, SHARE, lambda l: np.abs(SLOPE[l] - SLOPE[CITY]) / sd)

    def both(l, m):
        change = mean(X, l, m) - mean(X, l, YES) - mean(X, CITY, m) + mean(X, CITY, YES)
        return np.abs(change) / sd  # the variances cancel: they depend on `sold` only

    values[:, 1, 2] = averaged(CITY, SHARE, lambda l: averaged(YES, SOLD, lambda m: both(l, m)))
    return values + values.swapaxes(1, 2)


def test_normal_toy():
    np.testing.assert_allclose(rsens(MODEL, FRAME), expected_main(), rtol=1e-9, atol=0)
    pairs = rsens2(MODEL, FRAME)
    np.testing.assert_allclose(pairs, expected_pairs(), rtol=0, atol=9e-6)
    np.testing.assert_allclose(pairs[:, 1], expected_pairs()[:, 1], rtol=1e-8, atol=1e-8)
    np.testing.assert_array_equal(pairs[:, 1, 1], 0.0)
    kl = local_values("kl", MODEL, FRAME)
    np.testing.assert_allclose(kl, rsens(MODEL, FRAME), rtol=1e-6)
    np.testing.assert_array_equal(kl[:, 1:], rsens(MODEL, FRAME)[:, 1:])


@pytest.mark.parametrize("alpha", [0.5, 0.9, 1.2])
def test_alpha_by_the_formula(alpha):
    np.testing.assert_allclose(rsens(MODEL, FRAME, alpha=alpha), expected_main(alpha), rtol=1e-9)
    np.testing.assert_allclose(
        rsens2(MODEL, FRAME, alpha=alpha)[:, 1], np.sqrt(alpha) * expected_pairs()[:, 1], atol=1e-8
    )


def test_an_infinite_divergence_is_named():
    """Of variances 1 against 0.25 the divergence is infinite from order 4/3 on."""
    with pytest.raises(InputError, match="order 2 between levels of column 'sold' is infinite in 2 rows"):
        rsens(MODEL, FRAME, alpha=2.0)


def relabelled(order):
    """The same data and function with other names for the cities, which sort differently."""
    names = {level: f"{rank} {level}" for rank, level in enumerate(order)}
    codes = np.array(["abc".index(level) for level in order])

    def fn(Z):
        Z = Z.copy()
        Z[:, 1] = codes[Z[:, 1].astype(int)]
        return normal(Z)

    return from_function(fn), FRAME.assign(city=FRAME["city"].map(names))


@pytest.mark.parametrize("order", ["bca", "cab", "acb"])
@pytest.mark.parametrize("name", ["rsens", "rsens2", "ead", "eah", "kl"])
def test_names_and_codes_of_levels_change_nothing(order, name):
    model, X = relabelled(order)
    np.testing.assert_allclose(local_values(name, model, X), local_values(name, MODEL, FRAME), rtol=1e-13, atol=1e-13)


def test_given_levels_keep_codes_and_weights_of_the_rest():
    """Without "b" the codes would be others; with the levels named they stay, and only what occurs has weight."""
    X = FRAME[FRAME["city"] != "b"]
    model = from_function(normal, categorical={"city": ["a", "b", "c"]})
    value = rsens(model, X)[:, 1]
    here, rows = X["city"].map({"a": 0, "c": 2}).to_numpy(), X["x"].to_numpy()
    sold = X["sold"].to_numpy().astype(int)
    expected = np.abs(mean(rows, 2 - here, sold) - mean(rows, here, sold)) / np.sqrt(VARIANCE[sold])
    np.testing.assert_allclose(value, expected, rtol=1e-13)


def test_prediction_measures():
    city = averaged(CITY, SHARE, lambda l: np.abs(mean(X, l, YES) - mean(X, CITY, YES)))
    sold = averaged(YES, SOLD, lambda l: np.abs(mean(X, CITY, l) - mean(X, CITY, YES)))
    expected = np.stack([SLOPE[CITY], city, sold], axis=1)
    np.testing.assert_allclose(local_values("aed", MODEL, FRAME)[:, 0], expected, rtol=1e-9)
    np.testing.assert_allclose(local_values("ead", MODEL, FRAME), np.abs(expected), rtol=1e-9)
    pairs = expected_pairs() * np.sqrt(VARIANCE[YES])[:, None, None]
    np.testing.assert_allclose(local_values("eah", MODEL, FRAME), pairs, atol=1e-5)
    np.testing.assert_allclose(local_values("eah", MODEL, FRAME)[:, 1], pairs[:, 1], atol=1e-8)
    np.testing.assert_allclose(local_values("aeh", MODEL, FRAME)[:, 0][:, 1], pairs[:, 1], atol=1e-8)


def test_groups_of_one_categorical_column():
    expected = rsens(MODEL, FRAME)
    np.testing.assert_allclose(local_values("rsens", MODEL, FRAME, groups={"place": ["city"]}), expected, rtol=1e-14)
    np.testing.assert_allclose(
        local_values("rsens", MODEL, FRAME, scale=[1.0, 2.0, 1.0])[:, 1], 2 * expected[:, 1], rtol=1e-14
    )
    with pytest.raises(InputError, match=re.escape("groups: 'g' has the categorical column 'city', 'sold'")):
        local_values("rsens", MODEL, FRAME, groups={"g": ["x", "city", "sold"]})


def test_the_family_and_its_fixed_arguments_must_be_the_same_at_all_levels():
    with pytest.raises(InputError, match="df depends on x"):
        rsens(from_function(lambda Z: StudentT(Z[:, 0], 1.0, 3.0 + Z[:, 1])), FRAME[["x", "city"]])

    def fn(Z):
        return Normal(Z[:, 0], 1.0) if (Z[:, 1] == 0).any() else StudentT(Z[:, 0], 1.0, 3.0)

    with pytest.raises(InputError, match=r"the same family, of the same size, at all levels of 'city'; got Normal"):
        rsens(from_function(fn), FRAME[["x", "city"]].iloc[[0, 1, 0, 0, 0, 0]].reset_index(drop=True))


def test_derivatives_in_a_categorical_column_are_not_taken():
    """The function knows a slope in the code, which would mean nothing."""
    X = FRAME[["x", "city"]]
    for wrap, power in ((from_jax, 2), (from_torch, 2), (from_function, 0.5)):
        record = wrap(lambda Z, power=power: Normal(Z[:, 0] + Z[:, 1] ** power, 1.0)).derivatives(X, 2)
        np.testing.assert_array_equal(record.first[:, :, 1], 0.0)
        np.testing.assert_array_equal(record.second[:, :, 1], 0.0)
        np.testing.assert_allclose(record.first[:, 0, 0], 1.0, rtol=1e-9)


def test_units_are_factors_of_numbers_and_levels_alike():
    """R-sens is per unit of the column, R-sens₂ per product of units, and their parts add up to them."""
    ((_, record),) = iterate(*read_for(MODEL, FRAME), 2)
    units = np.array([2.0, 0.25, 3.0])
    main, pairs = rsens_of(record, 0.5), rsens2_of(record, 0.5)
    by_unit, pairs_by_unit = rsens_of(record, 0.5, units), rsens2_of(record, 0.5, units)
    np.testing.assert_allclose(by_unit, main * units, rtol=1e-12)
    np.testing.assert_allclose(pairs_by_unit, pairs * np.outer(units, units), rtol=1e-12, atol=1e-15)
    assert main.all()
    assert pairs[:, 0, 1].all()
    np.testing.assert_allclose(sum(parts_of(record, 0.5, units).values()), by_unit, rtol=1e-12)
    np.testing.assert_allclose(sum(parts_of(record, 0.5).values()), main, rtol=1e-12)
    upper = np.triu_indices(3, 1)
    for given, expected in ((None, pairs), (units, pairs_by_unit)):
        found = pair_parts_of(record, expected, 0.5, given)
        assert all((part >= 0.0).all() for part in found.values())
        np.testing.assert_allclose(sum(found.values()), expected[:, *upper], rtol=1e-12)


@pytest.mark.parametrize("name", ["rsens", "rsens2"])
def test_a_weight_of_two_is_a_row_given_twice(name):
    weights = np.array([1, 2, 1, 3, 1, 1, 1, 2])
    twice = FRAME.loc[np.repeat(FRAME.index, weights)].reset_index(drop=True)
    got = importance(name, MODEL, FRAME, weights=weights)
    np.testing.assert_allclose(got[1:], importance(name, MODEL, twice)[1:], rtol=1e-6, atol=1e-8)
