"""The figures of the page, from the list `rsens.plots.PLOTS`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from rsens._app.report._facts import Facts, Name
from rsens._app.report._live_beeswarm import Spec, live_beeswarm
from rsens._app.report._svg import draw_svg
from rsens.plots import PLOTS, Plot, Section

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: How many variables have a figure of their own, such as a profile, and how many pairs, such as a surface.
VARIABLES, PAIRS = 6, 4
#: What plotly draws as well, by the name of the plot: what the mouse is for.
LIVE = {"beeswarm": live_beeswarm}
#: A figure with more points than this is drawn as pixels, which take less room in the file.
PIXELS = 1000


@dataclass(frozen=True)
class Picture:
    """One figure of the page. `names` are the variables that it is about, where it is not about all."""

    id: str
    alt: str
    caption: str
    svg: str
    names: tuple[Name, ...] = ()
    live: Spec | None = field(default=None, repr=False)


def pictures(facts: Facts, *, interactive: bool) -> dict[str, list[Picture]]:
    """Draw everything, by the section of the page that it belongs to."""
    found: dict[str, list[Picture]] = {section: [] for section in get_args(Section)}
    for plot in PLOTS:
        result = facts.result_of(plot)
        if result is None:
            continue
        for k, terms in enumerate(_terms(facts, plot)):
            figure_id = f"{plot.name}-{k}" if terms else plot.name
            live = LIVE[plot.name](facts) if interactive and plot.name in LIVE else None
            caption = plot.caption(result, *terms) + ("" if live is None else _how_to_use(facts))
            picture = Picture(
                id=figure_id,
                alt=plot.alt(result, *terms),
                caption=caption,
                svg=_svg(facts, plot, result, terms, figure_id),
                names=tuple(facts.names[term] for term in terms),
                live=live,
            )
            found[plot.section].append(picture)
    return found


def _terms(facts: Facts, plot: Plot) -> list[tuple[str, ...]]:
    """The variables, or pairs of them, that have a figure of this kind; () for a figure of all."""
    if plot.of == "variable":
        return [(term,) for term in facts.columns_that_vary[:VARIABLES]]
    if plot.of == "pair":
        # In the order of the columns, as everywhere: the first has the horizontal axis.
        values = facts.explanation.pairs
        pairs: list[tuple[str, ...]] = [pair for pair in facts.pairs_that_vary if values[pair] > 0.0]
        return pairs[:PAIRS]
    return [()]


def _svg(facts: Facts, plot: Plot, result: Any, terms: tuple[str, ...], figure_id: str) -> str:
    layout = plot.layout(result)
    rows = {name: value for name, value in (("model", facts.model), ("X", facts.X)) if name in plot.takes}

    def draw(figure: Figure) -> None:
        axes = plot.draw(result, *terms, ax=layout.axes(figure), **rows, **layout.options)
        plot.add_tips(result, axes)
        points = [each for panel in np.ravel(np.asarray(axes, dtype=object)) for each in panel.collections]
        if sum(len(each.get_offsets()) for each in points) > PIXELS:
            for each in points:
                each.set_rasterized(True)

    return draw_svg(figure_id, layout.width, layout.height, draw)


def _how_to_use(facts: Facts) -> str:
    shown, n = len(facts.shown_rows), facts.explanation.n
    some = f" {shown:,} of {n:,} rows are shown, evenly over the ranks of the prediction." if shown < n else ""
    return f"{some} Click a point to see its row below."
