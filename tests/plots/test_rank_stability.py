from __future__ import annotations

import numpy as np
import pytest

from rsens._errors import InputError
from rsens.plots import rank_stability
from tests.plots.looks import drawn, outside_figure, overlapping, texts
from tests.plots.pictured import NAMES, ODD_NAMES
from tests.stability.results import noisy, result_of


def cells(ax, k: int = 0) -> np.ndarray:
    mesh = ax.collections[k]
    return np.asarray(mesh.get_array())


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
    np.testing.assert_allclose(cells(ax), shares.iloc[:, :5])
    np.testing.assert_allclose(cells(ax, 1)[:, 0], shares.iloc[:, 5:].sum(axis=1))
    assert [label.get_text() for label in ax.get_yticklabels()] == [*order, "… 15 more"]
    assert ax.get_xticklabels()[-1].get_text() == "later"


def test_percentages_are_written_and_zeros_are_not():
    result = result_of([[[2.0, 1.0]] * 200 + [[1.0, 2.0]]], ["a", "b"])
    written = [text.get_text() for text in rank_stability(result).texts]
    assert written == ["100", "100"]  # the other cells hold 0.5 %, less than half a percent rounded


def test_the_same_colours_in_all_pictures():
    norms = [rank_stability(noisy([f"x{k}" for k in range(n)])).collections[0].norm for n in (2, 30)]
    assert [(norm.vmin, norm.vmax) for norm in norms] == [(0.0, 1.0)] * 2


@pytest.mark.parametrize(
    ("terms", "options"),
    [
        (NAMES, {}),
        (["only"], {}),
        (ODD_NAMES, {}),
        (ODD_NAMES, {"top": 3}),
        ([f"x{i}:x{j}" for i in range(10) for j in range(i)], {}),
        ([f"x{i}:x{j}" for i in range(10) for j in range(i)], {"top": 6}),
    ],
)
def test_nothing_overlaps_or_leaves_the_figure(terms, options):
    ax = drawn(rank_stability(noisy(terms), **options))
    ticks = [*ax.get_yticklabels(), *ax.get_xticklabels(), ax.xaxis.label, ax.title]
    shown = [text for text in ticks if text.get_text()]
    assert overlapping(shown) == []
    assert outside_figure(texts(ax)) == []


def test_long_names_are_kept_whole_in_the_ids():
    ax = rank_stability(noisy(ODD_NAMES))
    assert {label.get_gid() for label in ax.get_yticklabels()} == set(ODD_NAMES)
    assert max(len(label.get_text()) for label in ax.get_yticklabels()) <= 40


@pytest.mark.parametrize(
    ("options", "text"),
    [({"top": 0}, "top must be"), ({"method": "kl"}, "method must be one of"), ({"ax": 3}, "ax must be")],
)
def test_wrong_arguments(options, text):
    with pytest.raises(InputError, match=text):
        rank_stability(noisy(NAMES), **options)
