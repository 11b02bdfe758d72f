"""The model along one variable, as a figure of plotly."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._app.report._facts import Facts
from rsens._app.report._format import LABEL_LENGTH, for_plotly, positions, rounded, shortened
from rsens._app.report._live import PART_COLOURS, Spec
from rsens._app.report._static import BANDS, GRID
from rsens.plots import ProfileValues, part_labels, percent, profile_settings, profile_values

#: Colours and dashes of several outputs, such as classes.
OUTPUTS = ("@blue", "@orange", "@green", "@purple", "@sky", "@grey")  # R-sens is vermillion
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
PART_DASHES = ("dash", "dot", "dashdot", "longdash")
#: How hover texts show the number of a line.
NUMBER = "%{y:.3~g}"
#: Of more rows than this the ticks are evenly spaced quantiles.
MOST_TICKS = 200
#: Where the panels of a profile are, as shares of its height: prediction, ticks of the data, R-sens.
UPPER, TICKS, LOWER = [0.43, 1.0], [0.36, 0.41], [0.0, 0.34]


def profile(facts: Facts, term: str) -> Spec:
    """The prediction with its bands above, R-sens and its parts below, and the data as ticks between them."""
    settings = profile_settings(facts.explanation, term, facts.model, facts.X)
    unit = settings.pop("unit")
    found = profile_values(variable=term, grid=GRID, levels=BANDS, **settings)
    levels = found.line.labels is not None
    data = (_level_predictions if levels else _predictions)(found) + _sensitivities(found, levels)
    x_axis: Spec = {"title": {"text": for_plotly(shortened([term], LABEL_LENGTH + 10)[0])}, "anchor": "y2"}
    if levels:
        labels = [for_plotly(label) for label in shortened(list(found.line.labels or ()), 14)]
        x_axis |= {"tickvals": list(range(len(labels))), "ticktext": labels, "range": [-0.5, len(labels) - 0.5]}
    else:
        ends = positions([found.line.values[0], found.line.values[-1]])
        x_axis |= {"range": ends}
        data.append(_ticks(found))
    kind = found.numbers.kind
    y_axis: Spec = {"domain": UPPER, "title": {"text": "probability" if kind == "probability" else "prediction"}}
    if kind == "probability":
        y_axis |= {"range": [0, 1.02]}
    layout = {
        "height": 380,
        "showlegend": False,
        "hovermode": "x unified",
        "hoversubplots": "axis",
        "legend": {"traceorder": "normal"},
        "xaxis": x_axis,
        "yaxis": y_axis,
        "yaxis2": {
            "domain": LOWER,
            "title": {"text": f"R-sens {found.line.unit if unit is None else unit}"},
            "rangemode": "tozero",
        },
        "yaxis3": {"domain": TICKS, "visible": False, "range": [-1, 1], "fixedrange": True},
    }
    return {"data": data, "layout": layout}


def line_of(x: list[Any], y: Any, name: str, colour: str, **options: Any) -> Spec:
    line = {"color": colour, "width": options.pop("width", 2), "dash": options.pop("dash", "solid")}
    base: Spec = {"type": "scatter", "mode": "lines", "x": x, "y": rounded(y), "name": name, "line": line}
    return base | {"hovertemplate": NUMBER} | options


def _predictions(found: ProfileValues) -> list[Spec]:
    x, numbers = positions(found.line.values), found.numbers
    if numbers.kind in ("number", "count"):
        traces = []
        for k in reversed(range(len(found.shares))):  # the wide band behind the narrow
            colour = "@band" if k == 0 else "@band-wide"
            low, high = numbers.bands[:, k, :, 0].T
            label = percent(found.shares[k])
            edge: Spec = {"width": 0, "fillcolor": colour, "hoverinfo": "skip", "hovertemplate": None}
            traces.append(line_of(x, low, label, colour, **edge))
            traces.append(line_of(x, high, label, colour, fill="tonexty", **edge))
        return [*traces, line_of(x, numbers.prediction[:, 0], numbers.middle, "@ink", **_with_intervals(found))]
    names = [for_plotly(name) for name in shortened(found.outputs, LABEL_LENGTH)]
    if numbers.kind == "probability" and numbers.prediction.shape[1] == 1:
        return [line_of(x, numbers.prediction[:, 0], "probability", "@ink")]
    return [
        line_of(x, numbers.prediction[:, k], name, OUTPUTS[k % len(OUTPUTS)], dash=DASHES[k % len(DASHES)])
        for k, name in enumerate(names)
    ]


def _level_predictions(found: ProfileValues) -> list[Spec]:
    """Points with their intervals, at each level."""
    numbers = found.numbers
    x = list(range(len(numbers.prediction)))
    if numbers.kind not in ("number", "count"):
        names = [for_plotly(name) for name in shortened(found.outputs, LABEL_LENGTH)]
        alone = numbers.prediction.shape[1] == 1
        return [
            dots_of(x, numbers.prediction[:, k], "probability" if alone else name, "@ink" if alone else colour)
            for k, (name, colour) in enumerate(zip(names, OUTPUTS * len(names), strict=False))
        ]
    middle = numbers.prediction[:, 0]
    traces = []
    for k in reversed(range(len(found.shares))):
        low, high = numbers.bands[:, k, :, 0].T
        label, colour = percent(found.shares[k]), "@band" if k == 0 else "@band-wide"
        ends = [value for pair in zip(rounded(low), rounded(high), strict=True) for value in (*pair, None)]
        where = [value for i in x for value in (i, i, None)]
        bar = {"color": colour, "width": 12}
        stroke: Spec = {"type": "scatter", "mode": "lines", "x": where, "y": ends, "name": label, "line": bar}
        traces.append(stroke | {"hoverinfo": "skip"})
    return [*traces, dots_of(x, middle, numbers.middle, "@ink", **_with_intervals(found))]


def _with_intervals(found: ProfileValues) -> Spec:
    """A hover text that has the intervals too."""
    bands = found.numbers.bands[..., 0]  # (g, bands, 2)
    ends = [
        f"<br>{percent(share)}: %{{customdata[{2 * k}]}} to %{{customdata[{2 * k + 1}]}}"
        for k, share in enumerate(found.shares)
    ]
    return {"customdata": rounded(bands.reshape(len(bands), -1), 3), "hovertemplate": NUMBER + "".join(ends)}


def dots_of(x: list[Any], y: Any, name: str, colour: str, **options: Any) -> Spec:
    marker = {"color": colour, "size": 9}
    base: Spec = {"type": "scatter", "mode": "markers", "x": x, "y": rounded(y), "name": name, "marker": marker}
    return base | {"hovertemplate": NUMBER} | options


def _sensitivities(found: ProfileValues, levels: bool) -> list[Spec]:
    numbers = found.numbers
    parts = zip(part_labels(numbers.parts), numbers.parts.values(), strict=True)
    if levels:
        x = list(range(len(numbers.rsens)))
        return [dots_of(x, numbers.rsens, "R-sens", "@vermillion", yaxis="y2")]
    x = positions(found.line.values)
    traces = [line_of(x, numbers.rsens, "R-sens", "@vermillion", yaxis="y2", width=2.4)]
    for k, (label, part) in enumerate(parts):
        dash = PART_DASHES[k % len(PART_DASHES)]
        traces.append(line_of(x, part, label, PART_COLOURS[k % len(PART_COLOURS)], yaxis="y2", dash=dash))
    return traces


def _ticks(found: ProfileValues) -> Spec:
    data = found.line.data
    if len(data) > MOST_TICKS:
        data = np.quantile(data, np.linspace(0.0, 1.0, MOST_TICKS), method="nearest")
    return {
        "type": "scatter",
        "mode": "markers",
        "x": positions(np.sort(data)),
        "y": [0] * len(data),
        "yaxis": "y3",
        "marker": {"symbol": "line-ns", "size": 8, "line": {"color": "@muted", "width": 1}},
        "hoverinfo": "skip",
    }
