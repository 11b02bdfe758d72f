"""Variables and pairs as figures of plotly: plain values, to which the page's script adds fonts, margins and colours.

A colour "@ink" is the one that the theme calls so. Axes of names are numbered, so that plotly reads no name as a number
or a date, and every text that comes from the data goes through `for_plotly`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._app.report._facts import Facts
from rsens._app.report._format import aligned, for_plotly, number, percent, rounded
from rsens._app.report._static import MOST_BARS, MOST_CELLS
from rsens._typing import Array
from rsens.measures import arrows
from rsens.plots import AUTO_ANNOTATE, part_labels, per_unit, square

Spec = dict[str, Any]

PART_COLOURS = ("@blue", "@orange", "@green", "@purple")
#: Hover texts end with this: no box with the name of the trace.
PLAIN = "<extra></extra>"


def bars(facts: Facts) -> Spec:
    """Ranked bars with parts, intervals and null level."""
    e = facts.explanation
    terms = facts.ranked[:MOST_BARS]
    rows = list(range(len(terms)))
    main = e.main[terms].to_numpy()
    hover = _bar_texts(facts, terms)
    parts = e.parts if e.parts is not None and e.parts.shape[1] > 1 else None
    values = {"R-sens": main} if parts is None else {n: parts[n][terms].to_numpy() for n in parts.columns}
    names = ["R-sens"] if parts is None else part_labels(parts.columns)
    data = [
        _bar(name, rows, part, PART_COLOURS[k % len(PART_COLOURS)], hover)
        for k, (name, part) in enumerate(zip(names, values.values(), strict=True))
    ]
    if e.intervals is not None:
        data.append(_whiskers(rows, e.intervals.loc[terms].to_numpy()))
    if e.null_levels is not None:
        data.append(_null_line(e.null_levels[terms].to_numpy()))
    layout = {
        "barmode": "stack",
        "bargap": 0.3,
        "height": 96 + 27 * len(terms),
        "showlegend": parts is not None or e.null_levels is not None,
        "legend": {"traceorder": "normal"},
        "xaxis": {"title": {"text": f"R-sens {per_unit(e)}"}, "rangemode": "tozero", "showgrid": True},
        "yaxis": name_axis([facts.labels[term] for term in terms]),
        "annotations": _signs(facts, terms),
    }
    return {"data": data, "layout": layout}


def _bar(name: str, rows: list[int], values: Array, colour: str, hover: list[str]) -> Spec:
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "x": rounded(values),
        "y": rows,
        "marker": {"color": colour},
        "customdata": hover,
        "hovertemplate": "%{customdata}" + PLAIN,
    }


def _bar_texts(facts: Facts, terms: list[str]) -> list[str]:
    e = facts.explanation
    texts = []
    for term in terms:
        lines = [f"<b>{for_plotly(facts.names[term].short)}</b>", f"R-sens {number(e.main[term])}"]
        if e.intervals is not None:
            low, high = e.intervals.loc[term]
            lines.append(f"{percent(e.level)} interval {number(low)} to {number(high)}")
        if e.parts is not None and e.parts.shape[1] > 1 and e.main[term] > 0.0:
            shares = zip(part_labels(e.parts.columns), e.parts.loc[term] / e.main[term], strict=True)
            lines += [f"{label}: {percent(share)}" for label, share in shares]
        if e.null_levels is not None:
            lines.append(f"null level {number(e.null_levels[term])}")
        texts.append("<br>".join(lines))
    return texts


def _whiskers(rows: list[int], ends: Array) -> Spec:
    """Around their own middle: a percentile interval need not hold the value itself."""
    half = 0.5 * (ends[:, 1] - ends[:, 0])
    return {
        "type": "scatter",
        "mode": "markers",
        "x": rounded(ends.mean(axis=1)),
        "y": rows,
        "marker": {"size": 0.1, "color": "@ink"},
        "error_x": {"type": "data", "array": rounded(half), "color": "@ink", "thickness": 1.2, "width": 3},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _null_line(levels: Array) -> Spec:
    """A piece in each row, joined where the level is the same."""
    known = rounded(levels)
    x: list[float | None] = []
    y: list[float | None] = []
    for row, level in enumerate(known):
        if row and level != known[row - 1]:
            x.append(None)
            y.append(None)
        x += [level, level]
        y += [row - 0.5, row + 0.5]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "null level",
        "x": x,
        "y": y,
        "line": {"color": "@ink", "dash": "dash", "width": 1.4},
        "hoverinfo": "skip",
    }


def _signs(facts: Facts, terms: list[str]) -> list[Spec]:
    """Which way the prediction goes, at the right end of the rows."""
    direction, consistency = facts.explanation.direction, facts.explanation.consistency
    if direction.ndim != 1:
        return []
    signs = arrows(direction[terms], consistency[terms])
    style: Spec = {"xref": "paper", "x": 1.0, "xanchor": "left", "xshift": 5, "showarrow": False}
    return [style | {"y": row, "text": sign, "font": {"color": "@muted"}} for row, sign in enumerate(signs) if sign]


def name_axis(labels: list[str]) -> Spec:
    """Rows of names, the first on top."""
    return {
        "tickvals": list(range(len(labels))),
        "ticktext": labels,
        "range": [len(labels) - 0.4, -0.6],
        "automargin": True,
        "showgrid": False,
        "zeroline": False,
    }


def heatmap(facts: Facts) -> Spec:
    """Each pair once, below the diagonal; in the order of the largest pairs."""
    e = facts.explanation
    values, null = square(e.pairs), square(e.null_pairs)
    assert values is not None
    order = np.argsort(-values.max(axis=1), kind="stable")[:MOST_CELLS]
    terms = [e.names[d] for d in order]
    inside = np.tri(len(order) - 1, dtype=bool)
    cells = np.ix_(order[1:], order[:-1])
    z = np.where(inside, values[cells], np.nan)
    above = np.zeros_like(inside) if null is None else inside & (values[cells] > null[cells])
    texts = np.array(aligned(z.ravel())).reshape(z.shape)
    written = len(order) <= AUTO_ANNOTATE
    trace = {
        "type": "heatmap",
        "z": rounded(z),
        "zmin": 0,
        "zmax": rounded(max(float(np.nanmax(z)), 1e-300)),
        "xgap": 2,
        "ygap": 2,
        "colorscale": [[0, "@heat-low"], [1, "@heat-high"]],
        "colorbar": {"title": {"text": "R-sens₂", "side": "right"}, "thickness": 10, "outlinewidth": 0},
        "text": [[texts[i, j] if inside[i, j] else "" for j in range(len(z))] for i in range(len(z))],
        "customdata": [
            [
                _pair_text(facts, terms[i + 1], terms[j], texts[i, j], null is not None, bool(above[i, j]))
                if inside[i, j]
                else ""
                for j in range(len(z))
            ]
            for i in range(len(z))
        ],
        "hovertemplate": "%{customdata}" + PLAIN,
        "hoverongaps": False,
    }
    if written:
        trace["texttemplate"] = "%{text}"
    rows, columns = np.nonzero(above)
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": (columns + 0.36).tolist(),
        "y": (rows - 0.34).tolist(),
        "marker": {"size": 5, "color": "@ink", "line": {"color": "@paper", "width": 1}},
        "hoverinfo": "skip",
    }
    labels = [facts.labels[term] for term in terms]
    layout = {
        "height": 130 + max(150, 38 * (len(terms) - 1)),
        "xaxis": name_axis(labels[:-1]) | {"range": [-0.5, len(z) - 0.5], "tickangle": -40, "showline": False},
        "yaxis": name_axis(labels[1:]) | {"range": [len(z) - 0.5, -0.5], "showline": False},
        "showlegend": False,
    }
    return {"data": [trace, dots] if len(rows) else [trace], "layout": layout}


def _pair_text(facts: Facts, first: str, second: str, value: str, known: bool, above: bool) -> str:
    names = " × ".join(for_plotly(facts.names[term].short) for term in (second, first))
    level = f"<br>{'above' if above else 'below'} the null level" if known else ""
    return f"<b>{names}</b><br>R-sens₂ {value}{level}"
