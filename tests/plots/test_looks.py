"""Every plot with odd names, one variable and many: no text overlaps another one or leaves the figure."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt

from rsens.plots import (
    bars,
    beeswarm,
    calibration,
    comparison,
    difference,
    effects,
    heatmap,
    profile,
    rank_stability,
    row,
    selection,
    subgroups,
    surface,
)
from tests.assess.made import drawn_numbers
from tests.explain.differing import differing
from tests.plots import explained
from tests.plots.compared import METHODS, PAIR_METHODS, compared, pairs, with_failure
from tests.plots.effects_and_rows import mixed_columns, of_classes, with_names
from tests.plots.looks import drawn, outside_figure, overlapping, texts
from tests.plots.pictured import NAMES, ODD_NAMES, THREE_SD, divided, gp_like, in_doubt, pictured
from tests.select_interactions.made import made
from tests.stability.results import noisy

MANY = [f"x{d}" for d in range(60)]
LONG = [f"a long name of variable {d}" for d in range(30)]
REGIONS = ["north", "south", "east", "west", "up to 25", "(others)", *(f"more {k}" for k in range(7))]


def gp_profile(**size: Any) -> Any:
    model, X, y = gp_like()
    ax = plt.subplots(2, 1, sharex=True, layout="constrained", **size)[1] if size else None
    return profile(model, X, "x", y=y, at="median", levels=THREE_SD, ax=ax)


CASES: dict[str, Callable[[], Any]] = {
    "bars of one": lambda: bars(pictured(["only"])),
    "bars of many": lambda: bars(pictured(MANY)),
    "bars of pairs": lambda: bars(in_doubt(pictured(ODD_NAMES)), order=2),
    "beeswarm of one": lambda: beeswarm(pictured(["only"], n=1)),
    "beeswarm": lambda: beeswarm(pictured(ODD_NAMES)),
    "beeswarm of levels": lambda: beeswarm(explained.with_categories()),
    "calibration": lambda: calibration(drawn_numbers(2)),
    "comparison": lambda: comparison(with_failure(compared(ODD_NAMES, METHODS), "ead", "shap is not installed. " * 6)),
    "comparison of pairs": lambda: comparison(compared(pairs(20), [*PAIR_METHODS, "fourth_derivative"]), top=15),
    "difference": lambda: difference(differing(ODD_NAMES, ("the model of the year 2024, fitted in Berlin", "x" * 60))),
    "difference of one": lambda: difference(differing(["only"], ("$a$", "_"))),
    "effects": lambda: effects(mixed_columns()),
    "effects on classes": lambda: effects(of_classes()),
    "effects of odd names": lambda: effects(with_names(ODD_NAMES)),
    "heatmap": lambda: heatmap(in_doubt(pictured(ODD_NAMES))),
    "heatmap of many": lambda: heatmap(pictured(MANY)),
    "profile": gp_profile,
    "profile in small axes": lambda: gp_profile(figsize=(4.0, 4.0)),
    "rank_stability": lambda: rank_stability(noisy(ODD_NAMES), top=3),
    "rank_stability of many": lambda: rank_stability(noisy(pairs(10))),
    "row": lambda: row(with_names(ODD_NAMES).row(0)),
    "selection": lambda: selection(made(12, 1)),
    "selection of one": lambda: selection(made(0, 10)),
    "subgroups": lambda: subgroups(divided(ODD_NAMES, REGIONS)),
    "subgroups of odd names": lambda: subgroups(divided(NAMES, ODD_NAMES)),
    "surface of levels": lambda: surface(explained.levels(), "age", "city"),
    "surface of two levels": lambda: surface(explained.levels(), "city", "sold"),
}


@pytest.mark.parametrize("case", CASES)
def test_nothing_overlaps_and_nothing_leaves_the_figure(case):
    axes = list(np.ravel(np.asarray(CASES[case](), dtype=object)))
    drawn(axes[0])
    for ax in axes:
        # Boxes of slanted texts overlap where the texts do not; lines of equal value carry their numbers.
        on_lines = ax.texts if "surface" in case and ax.images else []
        found = [text for text in [*texts(ax), *ax.artists] if text not in on_lines]
        assert outside_figure(found) == []
        assert overlapping([text for text in found if not getattr(text, "get_rotation", float)()]) == []
        legend = ax.get_legend()
        assert overlapping([legend] if legend else [], [*ax.patches, *ax.texts]) == []


@pytest.mark.parametrize("names", [["only"], NAMES])
def test_small_axes_of_a_figure_with_others(names):
    _, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.5), layout="constrained")
    bars(pictured(names), ax=left)
    comparison(compared(NAMES, METHODS), ax=right)
    drawn(left)
    assert overlapping(left.get_yticklabels()) == overlapping(texts(right)) == []
    assert outside_figure([*texts(left), *texts(right)]) == []
