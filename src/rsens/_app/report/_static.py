"""The figures of the report as drawn by `rsens.plots`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rsens._app.report._facts import Facts
from rsens._app.report._svg import drawn
from rsens.plots import bars as draw_bars
from rsens.plots import beeswarm as draw_beeswarm
from rsens.plots import calibration as draw_calibration
from rsens.plots import drawn_surface, profile_settings
from rsens.plots import heatmap as draw_heatmap
from rsens.plots import network as draw_network
from rsens.plots import profile as draw_profile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Inches: on a phone the text is still readable, on paper a figure is about as wide as the text.
WIDTH = 5.6
#: Of figures beside each other.
NARROW = 4.9
#: How many variables at most.
MOST_BARS, MOST_CELLS, MOST_SWARMS = 20, 15, 10
#: Central intervals of profiles, the same as in the assessment.
BANDS = (0.5, 0.9)
#: Points along a profile.
GRID = 61
#: Above this many points a swarm is drawn as pixels, which take less room in the file.
PIXELS = 1000


def bars(facts: Facts) -> str:
    """Ranked bars."""
    rows = min(len(facts.ranked), MOST_BARS + 1)
    top = MOST_BARS if len(facts.ranked) > MOST_BARS else None

    def draw(figure: Figure) -> None:
        draw_bars(facts.explanation, top=top, ax=figure.add_subplot())

    return drawn("bars", WIDTH, max(2.2, 0.9 + 0.29 * rows), draw)


def calibration(facts: Facts) -> str:
    """The PIT histogram or the reliability diagram."""
    classes = facts.assessment.kind == "classes"

    def draw(figure: Figure) -> None:
        draw_calibration(facts.assessment, ax=figure.add_subplot())

    return drawn("calibration", 4.4 if classes else WIDTH, 4.4 if classes else 3.2, draw)


def heatmap(facts: Facts) -> str:
    """The pairs."""
    top = min(len(facts.explanation.names), MOST_CELLS)
    side = max(2.0, min(0.5 * top, 4.2))

    def draw(figure: Figure) -> None:
        draw_heatmap(facts.explanation, top=top, ax=figure.add_subplot())

    return drawn("heatmap", min(WIDTH, side + 2.4), side + 1.2, draw)


def network(facts: Facts) -> str:
    """Variables and pairs."""
    top = min(len(facts.explanation.names), MOST_CELLS)

    def draw(figure: Figure) -> None:
        figure.set_layout_engine("none")
        draw_network(facts.explanation, top=top, ax=figure.add_axes((0.0, 0.08, 1.0, 0.92)))

    return drawn("network", NARROW, 4.4, draw)


def beeswarm(facts: Facts) -> str:
    """Local values."""
    top = min(len(facts.ranked), MOST_SWARMS)

    def draw(figure: Figure) -> None:
        ax = draw_beeswarm(facts.explanation, top=top, X=facts.X, ax=figure.add_subplot())
        if top * facts.explanation.n > PIXELS:
            for points in ax.collections:
                points.set_rasterized(True)

    return drawn("beeswarm", WIDTH, max(2.2, 0.9 + 0.45 * top), draw)


def profile(facts: Facts, number: int, term: str) -> str:
    """Prediction and R-sens along one variable."""
    settings = profile_settings(facts.explanation, term, facts.model, facts.X)

    def draw(figure: Figure) -> None:
        axes = figure.subplots(2, 1, sharex=True, height_ratios=(4.0, 3.0))
        figure.align_ylabels(axes)
        draw_profile(variable=term, ax=axes, levels=BANDS, grid=GRID, **settings)
        axes[0].set_ylabel("probability" if facts.outputs_are_probabilities else "prediction")

    return drawn(f"profile-{number}", NARROW, 4.3, draw)


def surface(facts: Facts, number: int, pair: tuple[str, str]) -> str:
    """Prediction and R-sens₂ over two variables."""

    def draw(figure: Figure) -> None:
        drawn_surface(facts.explanation, facts.surface(pair), ax=figure.add_subplot())

    return drawn(f"surface-{number}", NARROW, 4.0, draw)
