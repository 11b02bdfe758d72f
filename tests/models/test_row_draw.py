"""Random rows for a search: shares, and independence of the order of the rows."""

import numpy as np

from rsens.models._rows import Data, draw_rows


def test_rows_in_another_order_are_the_same_rows():
    rng = np.random.default_rng(0)
    X, y = np.round(rng.normal(size=(5000, 2)), 1), rng.integers(0, 3, 5000).astype(float)  # many copies
    order, none = rng.permutation(5000), np.zeros(5000)
    for draw in (lambda data, rng: data.drawn(200, rng), lambda data, rng: data.thinned_to(200, 150, rng)):
        one = draw(Data(X, y, none), np.random.default_rng(1))
        other = draw(Data(X[order], y[order], none), np.random.default_rng(1))
        np.testing.assert_array_equal(one.X, other.X)
        np.testing.assert_array_equal(one.y, other.y)
        assert len(one.y) == 200
        assert not np.array_equal(one.X, draw(Data(X, y, none), np.random.default_rng(2)).X)


def test_a_draw_has_the_shares_of_the_data():
    """Each row is drawn once at most; of two levels the rare one more often, of a continuous column all alike."""
    X = np.repeat([[0.25], [0.75]], [9000, 1000], axis=0) + np.zeros((1, 3))
    shares = [np.mean(X[draw_rows(X, 1000, np.random.default_rng(seed)), 0] == 0.75) for seed in range(20)]
    # 80 % evenly, so 10 % of these, and 20 % by level, so half of these: 0.18, with a deviation of 0.012 in one draw
    assert abs(np.mean(shares) - 0.18) < 0.01
    x = np.random.default_rng(1).normal(size=(20_000, 1))
    rows = [draw_rows(x, 2000, np.random.default_rng(seed)) for seed in range(10)]
    assert all((np.diff(each) > 0).all() for each in rows)
    assert abs(np.mean([x[each].mean() for each in rows]) - x.mean()) < 4.0 / np.sqrt(20_000)
