from __future__ import annotations

import numpy as np

from rsens.plots import rank_stability
from tests.plots.pictured import NAMES
from tests.stability.results import noisy


def cells(ax) -> np.ndarray:
    return np.asarray(ax.collections[0].get_array())


def test_cells_are_the_shares_in_the_order_of_the_mean_rank():
    result = noisy(NAMES)
    ax = rank_stability(result)
    order = result.mean_rank["rsens"].sort_values().index
    np.testing.assert_allclose(cells(ax), result.rank_shares().loc[order])
    assert [label.get_text() for label in ax.get_yticklabels()] == list(order)
    low, high = ax.get_ylim()
    assert low > high  # the first rank is the uppermost
    np.testing.assert_allclose(ax.lines[0].get_xdata(), result.mean_rank["rsens"].sort_values() - 0.5)


def test_top_adds_up_the_later_ranks():
    result = noisy([f"x{k}" for k in range(20)])
    ax = rank_stability(result, top=5)
    order = result.mean_rank["rsens"].sort_values().index[:5]
    shares = result.rank_shares().loc[order]
    np.testing.assert_allclose(cells(ax)[:, :5], shares.iloc[:, :5])
    np.testing.assert_allclose(cells(ax)[:, 5], shares.iloc[:, 5:].sum(axis=1))
    assert [label.get_text() for label in ax.get_yticklabels()] == [*order, "… 15 more"]
    assert ax.get_xticklabels()[-1].get_text() == "later"
