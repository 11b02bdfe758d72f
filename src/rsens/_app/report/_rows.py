"""The rows that can be looked at one by one: their values, prediction and local sensitivities."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rsens._app.report._facts import NAME_LENGTH, Facts, Name
from rsens._explain import LocalRow, adds_up, in_points, local_rows
from rsens._text import aligned, as_label, distinct, number, percent, side_by_side, signed
from rsens._typing import Array
from rsens.plots import INTERVALS, output_names, predictive

#: The most variables and classes shown of a row.
MOST_TERMS, MOST_CLASSES = 12, 6


def rows(facts: Facts) -> dict[str, Any]:
    """The texts and lengths that the page shows for each row, ready for JSON."""
    e = facts.explanation
    local, labels = e.local_main.to_numpy(), e.local_main.index
    shown = facts.shown_rows
    # All rows share one scale, so that they can be compared.
    longest = max(float(local[shown].max(initial=0.0)), float(e.main.max())) or 1.0
    order = np.argsort(np.argsort(local, axis=0, kind="stable"), axis=0, kind="stable")
    below = order / max(len(local) - 1, 1)  # the share of the other rows whose local value is lower
    predictions = _predictions(facts)
    found, _ = local_rows(e, facts.model, facts.X)
    locals_ = list(found.rows(shown))
    picks = _starts(facts)
    return {
        "names": [{"short": facts.names[t].short, "full": facts.names[t].full} for t in e.names],
        "marks": round_to(e.main / longest, 3),
        "start": picks[1][1],
        "picks": picks,
        "rows": [
            {
                "label": as_label(labels[i]),
                "prediction": predictions[k]["text"],
                "shape": predictions[k]["shape"],
                "sentence": _sentence(facts, int(i), local[i], below[i]),
                "terms": _terms(facts, int(i), local[i], longest, locals_[k]),
                "adds": _adds(facts, locals_[k]),
            }
            for k, i in enumerate(shown)
        ],
    }


def _starts(facts: Facts) -> list[tuple[str, int]]:
    """Rows worth a look: the extremes and the middle of the prediction, and the most sensitive."""
    shown = facts.shown_rows
    point = facts.point[shown]
    order = np.argsort(point, kind="stable")
    total = facts.explanation.local_main.to_numpy()[shown].sum(axis=1)
    several = facts.outputs_are_probabilities and np.asarray(facts.family.mean).size > facts.explanation.n
    low, high = ("least certain", "most certain") if several else ("lowest", "highest")
    return [
        (low, int(order[0])),
        ("middle", int(order[(len(order) - 1) // 2])),
        (high, int(order[-1])),
        ("most sensitive", int(total.argmax())),
    ]


def _sentence(facts: Facts, row: int, local: Array, below: Array) -> str:
    """The most important variable of this prediction, in words."""
    if not local.max(initial=0.0) > 0.0:
        return "Nothing moves this prediction."
    top = int(local.argmax())
    name = facts.names[facts.explanation.names[top]].short
    share = float(below[top])
    than = ""
    if facts.explanation.n >= 20:
        than = f", more than in {percent(share)} of the rows" if share >= 0.5 else ", less than in most rows"
        if share >= 0.995:
            than = ", about the most of all rows"
    outside = facts.explanation.extrapolation.iloc[row]
    edge = " This row lies outside the cloud of the data: the model extrapolates." if outside else ""
    return f"Here the prediction depends most on {name} (R-sens {number(local[top])}{than}).{edge}"


def _terms(facts: Facts, row: int, local: Array, longest: float, of_row: LocalRow) -> list[Any]:
    """Number of the variable, its value, R-sens, the length of its bar, its contribution; the largest first."""
    names = facts.explanation.names
    order = np.argsort(-local, kind="stable")[:MOST_TERMS]
    write = aligned(float(local.max(initial=0.0)))
    lengths = round_to(local[order] / longest, 3)
    contributions = signed((100.0 if in_points(facts.explanation) else 1.0) * of_row.contribution[order], digits=3)
    return [
        [int(d), facts.value(row, names[d]), write(float(local[d])), length, contribution]
        for d, length, contribution in zip(order, lengths, contributions, strict=True)
    ]


def _adds(facts: Facts, local: LocalRow) -> str:
    """How far the contributions explain the prediction."""
    points = in_points(facts.explanation)
    difference = local.prediction - local.mean_prediction
    text = adds_up(float(np.nansum(local.contribution)), difference, points)
    return f"Contributions are of first order{', in percentage points' if points else ''}: {text}."


def _predictions(facts: Facts) -> list[dict[str, Any]]:
    """The prediction of each row in words, and its drawing: an interval, or classes with bars."""
    kind, middle, prediction, bands = predictive(facts.family, np.array(INTERVALS))
    shown = facts.shown_rows
    observed = [None if facts.y is None else facts.y.iloc[int(i)] for i in shown]
    if kind == "probability":
        return [_of_classes(facts, prediction[i], y) for i, y in zip(shown, observed, strict=True)]
    if kind == "vector":
        return [{"text": ", ".join(number(v) for v in prediction[i]), "shape": None} for i in shown]
    low, high = _range(facts, bands[shown, :, :, 0])
    return [
        _of_numbers(middle, float(prediction[i, 0]), bands[i, :, :, 0], y, low, high)
        for i, y in zip(shown, observed, strict=True)
    ]


def _range(facts: Facts, bands: Array) -> tuple[float, float]:
    """The axis that all rows share."""
    low, high = float(bands[:, -1, 0].min()), float(bands[:, -1, 1].max())
    if facts.y is not None:
        values = facts.y.to_numpy(dtype=np.float64)
        low, high = min(low, float(values.min())), max(high, float(values.max()))
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _of_numbers(middle: str, value: float, bands: Array, y: Any, low: float, high: float) -> dict[str, Any]:
    def place(v: Any) -> Any:
        return round_to(np.clip((np.asarray(v, dtype=np.float64) - low) / (high - low), 0.0, 1.0), 4)

    inner, outer = bands[0], bands[-1]
    seen = "" if y is None else f"; observed {number(y)}"
    interval = f"{percent(INTERVALS[-1], level=True)} interval {' to '.join(side_by_side(outer, max(map(abs, outer))))}"
    shape = {
        "kind": "interval",
        "value": place(value),
        "inner": place(inner),
        "outer": place(outer),
        "observed": None if y is None else place(y),
        "ends": [number(low), number(high)],
    }
    return {"text": f"Predicted {middle} {number(value)}, {interval}{seen}.", "shape": shape}


def _of_classes(facts: Facts, probabilities: Array, y: Any) -> dict[str, Any]:
    classes = getattr(facts.model, "classes_", None)
    if len(probabilities) == 1:  # the probability of the second class
        probabilities = np.array([1.0 - probabilities[0], probabilities[0]])
        labels = [str(c) for c in classes] if classes is not None and len(classes) == 2 else ["0", "1"]
    else:
        labels = list(output_names(facts.model, "probability", len(probabilities)))
    labels = distinct([as_label(label) for label in labels], NAME_LENGTH)
    order = np.argsort(-probabilities, kind="stable")[:MOST_CLASSES]
    top = int(order[0])
    seen = "" if y is None else f"; observed {Name.of(y).short}"
    bars = [[labels[k], percent(float(probabilities[k])), round_to(probabilities[k], 3)] for k in order]
    text = f"Predicted {labels[top]} with probability {percent(float(probabilities[top]))}{seen}."
    return {"text": text, "shape": {"kind": "classes", "bars": bars}}


def round_to(values: ArrayLike, digits: int = 4) -> Any:
    """Numbers, nested as given, with this many digits; None if not finite."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim:
        return [round_to(part, digits) for part in array]
    if not np.isfinite(array):
        return None
    value = float(f"{float(array):.{digits}g}")
    # A whole number without its point is shorter in a file.
    return int(value) if value == int(value) and abs(value) < 1e15 else value


def json_in_html(content: Any) -> str:
    """JSON for a script element: nothing in it can end the element or begin a comment."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))  # ASCII: no line separators
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
