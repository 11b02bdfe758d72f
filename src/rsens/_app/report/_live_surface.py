"""The model over two variables, as a figure of plotly."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._app.report._facts import Facts
from rsens._app.report._format import LABEL_LENGTH, for_plotly, positions, rounded, shortened
from rsens._app.report._live import PLAIN, Spec
from rsens._app.report._live_profile import DASHES, MOST_TICKS, OUTPUTS
from rsens.plots import SurfaceValues

#: About how many lines of equal R-sens₂.
LINES = 4
SCALE = [[0, "@low"], [0.5, "@middle"], [1, "@high"]]


def surface(facts: Facts, pair: tuple[str, str]) -> Spec:
    """Colours and lines over two numbers, a line for each level of a categorical one, or a table of levels."""
    values = facts.surface(pair)
    if all(values.labels):
        return _cells(values)
    return _level_lines(values) if any(values.labels) else _colours(values)


def _predicted(values: SurfaceValues) -> str:
    of = "" if values.output is None else f" of {for_plotly(shortened([values.output], LABEL_LENGTH)[0])}"
    return f"predicted {'probability' if values.kind == 'probability' else values.middle}{of}"


def _axis(name: str, **options: Any) -> Spec:
    return {"title": {"text": for_plotly(shortened([name], LABEL_LENGTH + 10)[0])}, "showgrid": False} | options


def _level_axis(name: str, labels: tuple[str, ...]) -> Spec:
    texts = [for_plotly(label) for label in shortened(labels, 14)]
    return _axis(name, tickvals=list(range(len(labels))), ticktext=texts)


def _layout(x_axis: Spec, y_axis: Spec) -> Spec:
    return {"height": 400, "showlegend": False, "hovermode": "closest", "xaxis": x_axis, "yaxis": y_axis}


def _grid(values: SurfaceValues, x: list[Any], y: list[Any], hover: str) -> Spec:
    """Cells coloured by the prediction."""
    return {
        "type": "heatmap",
        "x": x,
        "y": y,
        "z": rounded(values.prediction.T),
        "customdata": rounded(np.stack([values.spread.T, values.sensitivity.T], axis=-1), 3),
        "colorscale": SCALE,
        "colorbar": {"title": {"text": _predicted(values), "side": "right"}, "thickness": 10, "outlinewidth": 0},
        "hovertemplate": f"{hover}<br>predicted %{{z:.4~g}} ± %{{customdata[0]}}<br>R-sens₂ %{{customdata[1]}}{PLAIN}",
    }


def _faded(values: SurfaceValues, x: list[Any], y: list[Any]) -> Spec:
    """Over cells that no row is in."""
    return {
        "type": "heatmap",
        "x": x,
        "y": y,
        "z": [[1 if away else None for away in line] for line in values.far.T.tolist()],
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, "@far"], [1, "@far"]],
        "showscale": False,
        "hoverinfo": "skip",
    }


def _far(values: SurfaceValues, x: list[Any], y: list[Any]) -> list[Spec]:
    """Over what is far from all rows: plotly shades what does not meet the constraint, here a distance below 1."""
    if not values.far.any():
        return []
    shade = {
        "type": "contour",
        "x": x,
        "y": y,
        "z": rounded(np.minimum(values.distance.T, 4.0), 3),
        "contours": {"type": "constraint", "operation": "<", "value": 1},
        "fillcolor": "@far",
        "line": {"width": 0},
        "showscale": False,
        "hoverinfo": "skip",
    }
    return [shade]


def _names(values: SurfaceValues) -> list[str]:
    return [for_plotly(shortened([name], LABEL_LENGTH)[0]) for name in values.names]


# ---- two numbers -----------------------------------------------------------------------------------------------------


def _colours(values: SurfaceValues) -> Spec:
    """The prediction as colours, lines of equal R-sens₂, and the rows as points; faded far from them."""
    x, y = positions(values.first), positions(values.second)
    first, second = _names(values)
    main = _grid(values, x, y, f"{first} %{{x:.4~g}}<br>{second} %{{y:.4~g}}") | {"zsmooth": "best"}
    axes = [
        _axis(name, range=positions([at[0], at[-1]]))
        for name, at in zip(values.names, (values.first, values.second), strict=True)
    ]
    lines = _equal_sensitivity(values, x, y)
    return {"data": [main, *_far(values, x, y), *lines, _rows(values)], "layout": _layout(*axes)}


def _equal_sensitivity(values: SurfaceValues, x: list[Any], y: list[Any]) -> list[Spec]:
    """Lines at round values; none where R-sens₂ is the same everywhere."""
    from matplotlib.ticker import MaxNLocator

    low, high = float(values.sensitivity.min()), float(values.sensitivity.max())
    levels = np.asarray(MaxNLocator(LINES).tick_values(low, high))
    levels = levels[(levels > low) & (levels < high)]
    if not len(levels) or high - low < 1e-6 * high:
        return []
    step = float(levels[1] - levels[0]) if len(levels) > 1 else 1.0
    ends = {"start": rounded(levels[0]), "end": rounded(levels[-1]), "size": rounded(step)}
    label = {"showlabels": True, "labelfont": {"color": "@ink", "size": 11}}
    lines = {
        "type": "contour",
        "x": x,
        "y": y,
        "z": rounded(values.sensitivity.T),
        "autocontour": False,
        "contours": {"coloring": "lines", **ends, **label},
        "colorscale": [[0, "@ink"], [1, "@ink"]],
        "line": {"width": 1.2},
        "showscale": False,
        "hoverinfo": "skip",
    }
    return [lines]


def _rows(values: SurfaceValues) -> Spec:
    order = np.argsort(values.data[:, 0], kind="stable")
    chosen = order[np.linspace(0, len(order) - 1, min(len(order), MOST_TICKS)).round().astype(np.intp)]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": positions(values.data[chosen, 0]),
        "y": positions(values.data[chosen, 1]),
        "marker": {"size": 4, "color": "@ink", "opacity": 0.5},
        "hoverinfo": "skip",
    }


# ---- levels ----------------------------------------------------------------------------------------------------------


def _cells(values: SurfaceValues) -> Spec:
    """A cell for every two levels; faded where no row has both."""
    first, second = (labels or () for labels in values.labels)
    x, y = list(range(len(first))), list(range(len(second)))
    main = _grid(values, x, y, "%{text}") | {"xgap": 2, "ygap": 2}
    main["text"] = [[for_plotly(f"{a} × {b}") for a in shortened(first)] for b in shortened(second)]
    axes = _level_axis(values.names[0], first), _level_axis(values.names[1], second)
    return {"data": [main, _faded(values, x, y)], "layout": _layout(*axes)}


def _level_lines(values: SurfaceValues) -> Spec:
    """The prediction along the number, a line for each level; thin where no row of that level is near.

    Of many levels, those with most rows.
    """
    k = 0 if values.labels[0] is not None else 1  # which of the two is categorical
    tables = values.prediction, values.spread, values.sensitivity, values.far
    prediction, spread, sensitivity, far = (table if k == 0 else table.T for table in tables)
    at = (values.second, values.first)[k]
    labels = values.labels[k] or ()
    counts = np.bincount(values.data[:, k].astype(np.intp), minlength=len(labels))
    drawn = sorted(np.argsort(-counts, kind="stable")[: len(OUTPUTS)])
    texts = [for_plotly(label) for label in shortened([labels[code] for code in drawn], 20)]
    x = positions(at)
    data = []
    for row, (code, text) in enumerate(zip(drawn, texts, strict=True)):
        colour, dash = OUTPUTS[row], DASHES[row]
        numbers = rounded(np.column_stack([spread[code], sensitivity[code]]), 3)
        thin: Spec = {"type": "scatter", "mode": "lines", "x": x, "hoverinfo": "skip"}
        thin |= {"showlegend": False, "opacity": 0.4}
        data.append(thin | {"y": rounded(prediction[code]), "line": {"color": colour, "width": 0.8}})
        thick: Spec = {"type": "scatter", "mode": "lines", "x": x, "name": text, "customdata": numbers}
        near = np.where(far[code], np.nan, prediction[code])
        data.append(thick | {"y": rounded(near), "line": {"color": colour, "width": 2.4, "dash": dash}})
        data[-1]["hovertemplate"] = "%{y:.4~g} ± %{customdata[0]}, R-sens₂ %{customdata[1]}"
    layout = _layout(
        _axis(values.names[1 - k], range=positions([at[0], at[-1]])), {"title": {"text": _predicted(values)}}
    )
    legend = {"title": {"text": f"{_names(values)[k]}:", "font": {"size": 12}, "side": "top"}}
    return {"data": data, "layout": layout | {"showlegend": True, "hovermode": "x unified", "legend": legend}}
