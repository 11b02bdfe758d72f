"""The beeswarm as a figure of plotly, in which a click on a point shows its row.

These are plain values, to which the page's script adds fonts, margins and colours. A colour "@ink" is the one that the
theme calls so. The axis of names is numbered, so that plotly reads no name as a number or a date, and every text that
comes from the data goes through `for_plotly`.
"""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from rsens._app.report._facts import LABEL_LENGTH, Facts
from rsens._app.report._json import round_to
from rsens._text import as_label, counted, distinct
from rsens._typing import Positions
from rsens.plots import GREY, SERIES, between_quantiles, in_lanes, level_colours, per_unit

Spec = dict[str, Any]

#: The most variables.
MOST_SWARMS = 10
#: Of a swarm: points across its width, how many lanes, and what of the height of a row they take.
ACROSS, LANES, HEIGHT = 110.0, 81, 0.84
#: The most characters of a name on a phone.
NARROW_LENGTH = 16
#: Hover texts end with this: no box with the name of the trace.
PLAIN = "<extra></extra>"
#: What the theme calls the colours of levels.
NAMED = dict(zip(SERIES, ("@blue", "@vermillion", "@green", "@purple", "@orange", "@sky", "@ink"), strict=True)) | {
    GREY: "@grey"
}


def live_beeswarm(facts: Facts) -> Spec:
    """Local R-sens of the rows that can be looked at."""
    e, terms = facts.explanation, facts.ranked[:MOST_SWARMS]
    local = e.local_main[terms].to_numpy()[facts.shown_rows]
    furthest = float(local.max(initial=0.0)) or 1.0
    numbers, levels, groups = _points(_scale()), _points({}), _points({})
    for k, term in enumerate(terms):
        order = np.argsort(local[:, k], kind="stable")
        lanes = in_lanes(local[order, k] * ACROSS / furthest, 1.0, LANES)
        half = max(float(np.abs(lanes).max(initial=0.0)), 4.0)  # few points do not spread out
        colours, kind = _colours(facts, term, facts.shown_rows[order])
        trace = {"numbers": numbers, "levels": levels, "group": groups}[kind]
        trace["x"] += round_to(local[order, k])
        trace["y"] += round_to(k + 0.5 * HEIGHT * lanes / half, 3)
        trace["marker"]["color"] += colours
        trace["customdata"] += [
            [int(row), for_plotly(facts.row_labels[i]), for_plotly(facts.value(int(i), term))]
            for row, i in zip(order, facts.shown_rows[order], strict=True)
        ]
    means = {
        "type": "scatter",
        "mode": "markers",
        "x": round_to(e.main[terms]),
        "y": list(range(len(terms))),
        "marker": {"symbol": "diamond", "size": 9, "color": "@paper", "line": {"color": "@ink", "width": 1.6}},
        "hovertemplate": f"over all {counted(e.n, 'row')}: %{{x:.3~g}}" + PLAIN,
    }
    layout = {
        "height": 90 + 46 * len(terms),
        "showlegend": False,
        "hovermode": "closest",
        "xaxis": {"title": {"text": f"R-sens {per_unit(e)}"}, "rangemode": "tozero"},
        "yaxis": _name_axis(terms),
    }
    shown = [trace for trace in (numbers, levels, groups) if trace["x"]]
    return {"data": [*shown, means], "layout": layout, "narrow": _labels(terms, NARROW_LENGTH)}


def for_plotly(text: str) -> str:
    """The text as plotly shows it unchanged: it knows a few tags and entities, and replaces %{…} in hover texts."""
    return html.escape(text, quote=False).replace("%{", "%&#123;")


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


def _colours(facts: Facts, term: str, rows: Positions) -> tuple[list[Any], str]:
    """A number from 0, low, to 1, high; for levels the name of a colour; grey for a group."""
    if term not in facts.table.names:
        return ["@grey"] * len(rows), "group"
    column = facts.table.names.index(term)
    values, coding = facts.table.values[:, column], facts.table.coding
    if coding is not None and column in coding.categorical:
        colours = level_colours(coding[column])
        return [NAMED[colours[int(code)]] for code in values[rows]], "levels"
    return round_to(between_quantiles(values)[rows], 2), "numbers"


def _labels(terms: list[str], length: int) -> list[str]:
    return [for_plotly(label) for label in distinct([as_label(term) for term in terms], length)]


def _name_axis(terms: list[str]) -> Spec:
    """Rows of names, the first on top."""
    return {
        "tickvals": list(range(len(terms))),
        "ticktext": _labels(terms, LABEL_LENGTH),
        "range": [len(terms) - 0.4, -0.6],
        "automargin": True,
        "showgrid": False,
        "zeroline": False,
    }
