import numpy as np

from rsens.plots import rank_stability
from tests.stability.results import noisy


def test_top_adds_up_the_later_ranks():
    result = noisy([f"x{k}" for k in range(20)])
    ax = rank_stability(result, top=5)
    cells = ax.collections[0].get_array()
    order = result.mean_rank["rsens"].sort_values().index[:5]
    shares = result.rank_shares().loc[order]
    np.testing.assert_allclose(cells[:, :5], shares.iloc[:, :5])
    np.testing.assert_allclose(cells[:, 5], shares.iloc[:, 5:].sum(axis=1))
    assert [label.get_text() for label in ax.get_yticklabels()] == [*order, "… 15 more"]
    assert ax.get_xticklabels()[-1].get_text() == "later"
