"""Random rows for a search: shares, and independence of the order of the rows."""

import numpy as np

from rsens.models._rows import draw_rows


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
