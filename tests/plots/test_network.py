from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

from rsens._errors import InputError
from rsens.plots import network
from rsens.plots._style import BLUE
from tests.plots.looks import drawn, outside_figure, overlapping, texts
from tests.plots.pictured import NAMES, ODD_NAMES, in_doubt, pictured


def circles(ax):
    """Area and colour of each variable, by name."""
    *_, nodes = [c for c in ax.collections if not isinstance(c, LineCollection)]
    sizes, faces = nodes.get_sizes(), nodes.get_facecolors()
    return {
        text.get_text(): (size, to_hex(face).upper()) for text, size, face in zip(ax.texts, sizes, faces, strict=True)
    }


def positions(ax):
    return {text.get_text(): np.array(text.xy) for text in ax.texts}


def lines(ax):
    """Width of each line, by the names at its ends."""
    (found,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    at = positions(ax)

    def name(point):
        return min(at, key=lambda key: np.linalg.norm(at[key] - point))

    return {
        frozenset({name(a), name(b)}): width
        for (a, b), width in zip(found.get_segments(), found.get_linewidths(), strict=True)
    }


def said(ax) -> str:
    return " ".join(ax.get_xlabel().split("\n"))


def test_areas_are_r_sens():
    explanation = pictured(NAMES)
    found = circles(network(explanation))
    largest = max(area for area, _ in found.values())
    for name in NAMES:
        assert found[name][0] / largest == pytest.approx(explanation.main[name] / explanation.main.max(), rel=1e-12)


def test_widths_are_r_sens2_of_the_pairs_that_the_test_marks():
    explanation = pictured(NAMES)
    found = lines(network(explanation))
    above = explanation.pairs[explanation.pair_above]
    assert found.keys() == {frozenset(pair) for pair in above.index}
    for pair, value in above.items():
        assert found[frozenset(pair)] == pytest.approx(8.0 * value / above.max(), rel=1e-12)
    ax = network(explanation)
    count = len(explanation.pairs) - len(above)
    assert said(ax) == f"{count} pairs without a line: no interaction found by the test"


def test_a_pair_that_the_test_marks_has_a_line_however_small():
    explanation = pictured(NAMES)
    above = explanation.pairs.index[explanation.pair_above]
    small = explanation.but(pairs=explanation.pairs.where(explanation.pairs.index != above[0], 1e-4))
    found = lines(network(small))
    assert found.keys() == {frozenset(pair) for pair in above}
    assert found[frozenset(above[0])] == 0.75


def test_the_note_says_why_pairs_have_no_line():
    explanation = in_doubt(pictured(NAMES))
    doubtful, none = int(explanation.pair_unclear.sum()), explanation.pair_above & False
    assert f"; in {doubtful} of them it cannot be told, as columns are collinear" in said(network(explanation))
    ax = network(explanation.but(pair_above=none, pair_additive=~none, test_scale="log"))
    assert not any(isinstance(c, LineCollection) for c in ax.collections)
    assert said(ax) == "28 pairs without a line: the model adds up on the log scale by construction"


def test_without_a_test_all_pairs_that_can_be_seen_have_lines():
    explanation = pictured(NAMES).but(null_levels=None).untested()
    ax = network(explanation)
    assert len(lines(ax)) == (explanation.pairs >= 0.02 * explanation.pairs.max()).sum()
    assert ax.get_xlabel() == ""
    (found,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert (np.diff(found.get_linewidths()) >= 0.0).all()  # the widest on top


def test_a_null_level_that_is_not_known_hides_nothing():
    explanation = pictured(NAMES)
    unknown = explanation.but(
        pair_p_values=explanation.pair_p_values * np.nan,
        pair_above=explanation.pair_above & False,
        null_levels=explanation.null_levels * np.nan,
    )
    assert len(lines(network(unknown))) == (explanation.pairs >= 0.02 * explanation.pairs.max()).sum()
    assert {colour for _, colour in circles(network(unknown)).values()} == {BLUE}


def test_variables_stand_in_the_order_of_r_sens_from_the_top_clockwise():
    explanation = pictured(NAMES)
    at = positions(network(explanation))
    ranked = list(explanation.main.sort_values(ascending=False).index)
    angles = [np.arctan2(*at[name]) % (2.0 * np.pi) for name in ranked]  # from the top, clockwise
    np.testing.assert_allclose(angles, 2.0 * np.pi * np.arange(8) / 8, atol=1e-12)


def test_variables_below_the_null_level_are_hollow():
    explanation = pictured([f"x{d}" for d in range(30)])
    ax = network(explanation)
    below = {name for name, (_, colour) in circles(ax).items() if colour == "#FFFFFF"}
    assert below == set(explanation.main.index[explanation.main <= 0.4]) != set()
    assert "not above the null level" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_legend_has_a_circle_and_a_line_of_round_values():
    explanation = pictured(NAMES).but(scale_kind="raw")
    ax = network(explanation)
    circle, line = ax.get_legend().legend_handles
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "R-sens 0.7 per unit",
        "R-sens$_2$ 0.8 per unit × unit",
    ]
    largest = max(area for area, _ in circles(ax).values())
    assert circle.get_markersize() ** 2 == pytest.approx(0.7 * largest / explanation.main.max(), rel=1e-9)
    above = explanation.pairs[explanation.pair_above]
    assert line.get_linewidth() == pytest.approx(0.8 * 8.0 / above.max(), rel=1e-9)


def test_top_shows_the_largest_and_counts_the_rest():
    explanation = pictured(NAMES)
    ax = network(explanation, top=3)
    assert set(circles(ax)) == set(explanation.main.nlargest(3).index)
    assert "5 more variables not shown" in said(ax)
    forty = network(pictured([f"x{d}" for d in range(40)]))
    assert len(circles(forty)) == 30
    assert "10 more variables not shown" in said(forty)


@pytest.mark.parametrize(
    "names",
    [
        ["only"],
        ["a", "b"],
        list("abcd"),
        NAMES,
        ODD_NAMES,
        *([f"variable {d}" for d in range(n)] for n in (13, 20, 30)),
    ],
)
@pytest.mark.parametrize("with_null", [True, False])
def test_nothing_overlaps_and_nothing_leaves_the_figure(names, with_null):
    explanation = pictured(names)
    if not with_null:
        explanation = explanation.but(null_levels=None).untested()
    ax = drawn(network(explanation))
    assert outside_figure(texts(ax)) == []
    if len(names) <= 13:  # boxes of turned texts overlap where the texts do not
        assert overlapping(texts(ax)) == []
    else:
        legend = ax.get_legend().get_texts()
        assert overlapping(ax.texts, [*legend, ax.xaxis.label]) == []


def test_a_long_unit_makes_room_for_itself():
    explanation = pictured([f"s{d}" for d in range(10)]).but(categorical=("s1",))
    ax = drawn(network(explanation))
    assert outside_figure(texts(ax)) == []
    assert overlapping(texts(ax)) == []
    _, small = plt.subplots(figsize=(3.5, 4.0))
    network(explanation, ax=small)
    drawn(small)
    assert overlapping(texts(small)) == []
    low, high = (text.get_window_extent().y0 for text in small.get_legend().get_texts()[:2])
    assert low != high  # one below the other


def test_turned_names_have_room_for_their_lines():
    figure, ax = plt.subplots(figsize=(7.0, 7.5))
    network(pictured([f"variable {d}" for d in range(30)]), ax=ax)
    figure.canvas.draw()
    starts = np.array([ax.transData.transform(text.xy) for text in ax.texts]) * 72.0 / figure.dpi
    between = np.linalg.norm(starts - np.roll(starts, 1, axis=0), axis=1)
    assert between.min() > 1.15 * ax.texts[0].get_fontsize()


def test_small_axes_get_shorter_names():
    figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.6))
    for ax in axes:
        network(pictured(ODD_NAMES), ax=ax)
    figure.canvas.draw()
    assert max(len(text.get_text()) for text in axes[0].texts) <= 16
    assert overlapping(axes[0].texts, axes[1].texts) == []
    assert overlapping(axes[0].texts) == []


def test_names_are_drawn_as_they_are_and_kept_whole():
    ax = drawn(network(pictured(ODD_NAMES)))
    assert "cost in $ per $_unit^2" in [text.get_text() for text in ax.texts]
    assert not any(text.get_parse_math() for text in ax.texts)
    assert {text.get_gid() for text in ax.texts} == set(ODD_NAMES)
    assert len({text.get_text() for text in ax.texts}) == len(ODD_NAMES)


def test_all_zero_is_drawn():
    explanation = pictured(NAMES)
    zero = explanation.but(main=explanation.main * 0.0, pairs=explanation.pairs * 0.0, null_levels=None).untested()
    ax = drawn(network(zero))
    assert not any(isinstance(c, LineCollection) for c in ax.collections)
    assert ax.get_legend() is None
    assert all(area > 0.0 for area, _ in circles(ax).values())


def test_given_axes_are_used_and_nothing_global_changes():
    figure, (given, other) = plt.subplots(1, 2)
    before, current = dict(matplotlib.rcParams), plt.gca()
    assert network(pictured(NAMES), ax=given) is given
    assert plt.gca() is current
    assert dict(matplotlib.rcParams) == before
    assert figure.axes == [given, other]
    assert not other.has_data()


def test_wrong_arguments_are_errors_before_anything_is_drawn():
    with pytest.raises(InputError, match="top must be"):
        network(pictured(NAMES), top=0)
    with pytest.raises(InputError, match="ax must be"):
        network(pictured(NAMES), ax=3)
    assert plt.get_fignums() == []
