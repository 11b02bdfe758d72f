from __future__ import annotations

import numpy as np

from rsens.plots import rank_stability
from tests.plots.looks import marks
from tests.plots.pictured import NAMES
from tests.stability.results import noisy, result_of


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


def test_another_method():
    result = noisy(NAMES)
    ax = result.plot(method="ead")
    order = result.mean_rank["ead"].sort_values().index
    np.testing.assert_allclose(cells(ax), result.rank_shares("ead").loc[order])
    assert ax.get_title(loc="left") == f"ead: entropy {result.entropy['ead']:.2f} of at most {np.log(8):.2f}"


def test_top_adds_up_the_later_ranks():
    result = noisy([f"x{k}" for k in range(20)])
    ax = rank_stability(result, top=5)
    order = result.mean_rank["rsens"].sort_values().index[:5]
    shares = result.rank_shares().loc[order]
    np.testing.assert_allclose(cells(ax)[:, :5], shares.iloc[:, :5])
    np.testing.assert_allclose(cells(ax)[:, 5], shares.iloc[:, 5:].sum(axis=1))
    assert [label.get_text() for label in ax.get_yticklabels()] == [*order, "… 15 more"]
    assert ax.get_xticklabels()[-1].get_text() == "later"


def test_percentages_are_written_and_zeros_are_not():
    result = result_of([[[2.0, 1.0]] * 200 + [[1.0, 2.0]]], ["a", "b"])
    written = [text.get_text() for text in marks(rank_stability(result))]
    assert written == ["100", "100"]  # the other cells hold 0.5 %, less than half a percent rounded


def test_the_same_colours_in_all_pictures():
    norms = [rank_stability(noisy([f"x{k}" for k in range(n)])).collections[0].norm for n in (2, 30)]
    assert [(norm.vmin, norm.vmax) for norm in norms] == [(0.0, 1.0)] * 2
