"""Random rows that do not depend on the order of the rows."""

import numpy as np

from rsens._contents import row_keys
from rsens.models._rows import draw_rows


def draw(X, n=200, seed=0):
    return draw_rows(X, row_keys(X), n, np.random.default_rng(seed))


def test_rows_in_another_order_are_the_same_rows():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(5000, 2)), 1)  # many copies
    order = rng.permutation(5000)
    one, other = X[draw(X)], X[order][draw(X[order])]
    np.testing.assert_array_equal(np.sort(one.view("f8,f8").ravel()), np.sort(np.array(other).view("f8,f8").ravel()))


def test_rows_are_drawn_once_and_in_order():
    rows = draw(np.random.default_rng(0).normal(size=(3000, 2)), n=500)
    assert len(rows) == 500
    assert (np.diff(rows) > 0).all()


def test_a_draw_has_the_shares_of_the_data():
    """Copies of one row are drawn one by one: keys of copies differ."""
    X = np.repeat([[0.25], [0.75]], [9000, 1000], axis=0) + np.zeros((1, 3))
    shares = [np.mean(X[draw(X, n=1000, seed=seed), 0] == 0.75) for seed in range(20)]
    # 80 % evenly, so 10 % of these, and 20 % by level, so half of these: 0.18, with a deviation of 0.012 in one draw
    assert abs(np.mean(shares) - 0.18) < 0.01
    assert np.std(shares) < 0.03


def test_a_continuous_column_is_drawn_evenly():
    x = np.random.default_rng(1).normal(size=(20_000, 1))
    means = [x[draw(x, n=2000, seed=seed)].mean() for seed in range(10)]
    assert abs(np.mean(means) - x.mean()) < 4.0 / np.sqrt(20_000)


def test_another_seed_draws_other_rows():
    X = np.random.default_rng(0).normal(size=(3000, 2))
    assert not np.array_equal(draw(X), draw(X, seed=1))


def test_keys_are_those_of_the_numbers():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0], [0.0, 1.0 + 1e-15]])
    keys = row_keys(X)
    assert keys[0] == keys[1]
    assert len(set(keys.tolist())) == 3
    np.testing.assert_array_equal(row_keys(X[:, 0], X[:, 1]), keys)
