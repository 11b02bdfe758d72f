"""Local values as a figure of plotly: one point for each row and variable."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._app.report._facts import Facts
from rsens._app.report._format import for_plotly, rounded
from rsens._app.report._live import PLAIN, Spec, name_axis
from rsens._app.report._static import MOST_SWARMS
from rsens._text import counted
from rsens.plots import GREY, SERIES, between_quantiles, in_lanes, level_colours, per_unit

#: Of a swarm: points across its width, how many lanes, and what of the height of a row they take.
ACROSS, LANES, HEIGHT = 110.0, 81, 0.84
#: What the theme calls the colours of levels.
NAMED = dict(zip(SERIES, ("@blue", "@vermillion", "@green", "@purple", "@orange", "@sky", "@ink"), strict=True)) | {
    GREY: "@grey"
}


def beeswarm(facts: Facts) -> Spec:
    """The rows that can be looked at; a click on a point shows its row."""
    e, terms = facts.explanation, facts.ranked[:MOST_SWARMS]
    local = e.local_main[terms].to_numpy()[facts.shown_rows]
    furthest = float(local.max(initial=0.0)) or 1.0
    numbers, levels, rest = _points(_scale()), _points({}), _points({})
    for k, term in enumerate(terms):
        order = np.argsort(local[:, k], kind="stable")
        lanes = in_lanes(local[order, k] * ACROSS / furthest, 1.0, LANES)
        half = max(float(np.abs(lanes).max(initial=0.0)), 4.0)  # few points do not spread out
        colours, kind = _colours(facts, term, facts.shown_rows[order])
        trace = {"numbers": numbers, "levels": levels, "group": rest}[kind]
        trace["x"] += rounded(local[order, k])
        trace["y"] += rounded(k + 0.5 * HEIGHT * lanes / half, 3)
        trace["marker"]["color"] += colours
        trace["customdata"] += [
            [int(row), for_plotly(facts.row_labels[i]), for_plotly(facts.value(int(i), term))]
            for row, i in zip(order, facts.shown_rows[order], strict=True)
        ]
    means = {
        "type": "scatter",
        "mode": "markers",
        "x": rounded(e.main[terms]),
        "y": list(range(len(terms))),
        "marker": {"symbol": "diamond", "size": 9, "color": "@paper", "line": {"color": "@ink", "width": 1.6}},
        "hovertemplate": f"over all {counted(e.n, 'row')}: %{{x:.3~g}}" + PLAIN,
    }
    layout = {
        "height": 90 + 46 * len(terms),
        "showlegend": False,
        "hovermode": "closest",
        "xaxis": {"title": {"text": f"R-sens {per_unit(e)}"}, "rangemode": "tozero"},
        "yaxis": name_axis([facts.labels[term] for term in terms]),
    }
    return {"data": [trace for trace in (numbers, levels, rest) if trace["x"]] + [means], "layout": layout}


def _points(scale: Spec) -> Spec:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [],
        "y": [],
        "customdata": [],
        "marker": {"size": 5, "color": [], **scale},
        "hovertemplate": "row %{customdata[1]}<br>value %{customdata[2]}<br>R-sens %{x:.3~g}" + PLAIN,
    }


def _scale() -> Spec:
    return {
        "cmin": 0,
        "cmax": 1,
        "colorscale": [[0, "@low"], [0.5, "@middle"], [1, "@high"]],
        "colorbar": {
            "title": {"text": "value of the variable", "side": "right"},
            "tickvals": [0, 1],
            "ticktext": ["low", "high"],
            "thickness": 10,
            "outlinewidth": 0,
        },
    }


def _colours(facts: Facts, term: str, rows: NDArray[np.intp]) -> tuple[list[Any], str]:
    """A number from 0, low, to 1, high; for levels the name of a colour; grey for a group."""
    if term not in facts.table.names:
        return ["@grey"] * len(rows), "group"
    column = facts.table.names.index(term)
    values, coding = facts.table.values[:, column], facts.table.coding
    if coding is not None and column in coding.categorical:
        colours = level_colours(coding[column])
        return [NAMED[colours[int(code)]] for code in values[rows]], "levels"
    return rounded(between_quantiles(values)[rows], 2), "numbers"
