"""A study as plain text: the answer, what was done, how good the model is, what moves it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens._app.report import model_and_likelihood, unit_of
from rsens._app.study._answer import answer_of
from rsens._app.study._hints import Hints, in_python
from rsens._app.study._tables import paragraph, table, with_command
from rsens._app.tables import Choice, Note
from rsens._assess import Assessment, held_in
from rsens._explain import (
    Explanation,
    directions,
    directions_legend,
    intervals_legend,
    pairs_legend,
    part_columns,
    shares,
    stars,
    variables_legend,
)
from rsens._text import Pair, aligned, counted, number, on_one_line, p_text, percent, plus_minus, short

if TYPE_CHECKING:
    from rsens._app.study._result import Study

#: How many variables are listed.
VARIABLES = 30
#: The longest bar, in characters.
BAR = 12
#: Pairs that bend the uncertainty and not the prediction.
ONLY = "uncertainty only"
#: Said where no variable has a mark.
NO_LEVEL = "no stars: the null level was not measured"


def text_of(study: Study, *, hints: Hints | None = None, told: Sequence[Note] | None = None) -> str:
    """Everything, without a line end. With `told`, the heading and these notes have already been printed."""
    hints = in_python(study) if hints is None else hints
    heading = heading_of(study.settings, study.model, study.likelihood) if told is None else ""
    left = [note for note in study.notes if told is None or note not in told]
    blocks = [
        warnings_of(left, study.assessment),
        paragraph(answer_of(study)),
        heading,
        notes_of(left),
        _quality(study),
        _variables(study, hints),
        _pairs(study, hints),
    ]
    return "\n\n".join(block for block in blocks if block)


def warnings_of(notes: Iterable[Note], assessment: Assessment | None = None) -> str:
    """What is wrong with the table and with the model."""
    texts = [note.text for note in notes if note.severe] + ([] if assessment is None else assessment.warnings)
    return "\n".join(paragraph(text, "WARNING  ", " " * 9) for text in texts)


def heading_of(settings: dict[str, Any], model: Any, likelihood: Choice) -> str:
    """Which data, which model, and why."""
    rows, used, columns = settings["rows_in_data"], settings["rows_used"], len(settings["columns_used"])
    fitted = f" ({used:,} used)" if used < rows else ""
    data, target = on_one_line(settings["data"]), on_one_line(settings["target"])
    what = f"{data}: {counted(rows, 'row')}{fitted}, {counted(columns, 'column')}; target '{target}'"
    return f"{paragraph(what)}\n{paragraph(model_and_likelihood(model, likelihood))}"


def notes_of(notes: Iterable[Note]) -> str:
    """A list of the notes that are not warnings, or nothing."""
    lines = [paragraph(note.text, "  · ", "    ") for note in notes if not note.severe]
    return "\n".join(["Notes", *lines]) if lines else ""


def _quality(study: Study) -> str:
    a = study.assessment
    if a is None:
        return ""
    lines = [
        f"How good is the model ({a.n_folds}-fold cross-validation, {counted(a.n_rows, 'held-out row')})",
        f"  log score     {plus_minus(a.score, a.standard_error)} per row; a constant has {number(a.baseline)}: "
        f"gain {plus_minus(a.gain, a.gain_error)}",
    ]
    if a.coverage is not None and a.r2 is not None:
        if np.isfinite(a.r2):
            lines.append(f"  R²            {number(a.r2)}")
        lines.append(f"  calibration   {', '.join(held_in(a.coverage))}")
    elif a.accuracy is not None:
        lines.append(f"  accuracy      {percent(a.accuracy)}, where {percent(a.confidence[0])} were expected")
    if a.ok:
        lines.append("  Nothing to warn about.")
    return "\n".join(paragraph(line, "", " " * 16) for line in lines)


# ---- variables and pairs ---------------------------------------------------------------------------------------------


def _variables(study: Study, hints: Hints) -> str:
    e = study.explanation
    frame = e.to_frame()
    shown = frame.head(VARIABLES)
    most = float(frame["value"].max()) or 1.0
    write = aligned(most)
    parts = part_columns(frame)
    columns = {
        "": [str(rank) for rank in shown["rank"]],
        "variable": [str(term) for term in shown["term"]],
        **_values(e, shown, "R-sens", write, most),
        "null": [write(level) for level in shown["null"]],
        "p": [p_text(p) for p in shown["p_value"]],
        _direction_title(study): directions(e, list(shown["term"])),
        "pred.": shares(shown, parts[0]) if parts else [""] * len(shown),
        "unc.": shares(shown, parts[1]) if parts else [""] * len(shown),
    }
    ranked = table(list(columns), _rows(columns), ">~><>>><>>", give_way=[[3], [8, 9], [6], [5]])
    lines = [
        paragraph(f"Variables by R-sens: how far the prediction and its uncertainty move per {unit_of(e)}"),
        ranked,
    ]
    if len(frame) > len(shown):
        lines.append(f"  … and {len(frame) - len(shown)} more in importance.csv")
    lines += _legend_lines(_legend(study, "unc." in ranked.split("\n")[0]))
    if hints.stability:
        lines.append(with_command("Does the ranking hold in other samples of the data?", hints.stability, "  "))
    return "\n".join(lines)


def _pairs(study: Study, hints: Hints) -> str:
    e = study.explanation
    if e.order == 1 or not study.n_pairs or not len(e.pairs):
        return ""
    frame = e.to_frame(order=2)
    shown = frame.head(study.n_pairs)
    most = float(frame["value"].max()) or 1.0
    parts = part_columns(frame)
    columns = {
        "": [str(rank) for rank in shown["rank"]],
        "pair": [Pair(first, second) for first, second in zip(shown["first"], shown["second"], strict=True)],
        **_values(e, shown, "R-sens₂", aligned(most), most),
        "p": [p_text(p) for p in shown["p_value"]],
        "pred.": shares(shown, parts[0]) if parts else [""] * len(shown),
        " ": [ONLY if only else "" for only in shown["uncertainty_only"]] if parts else [""] * len(shown),
    }
    lines = [
        "Largest pairs by R-sens₂",
        table(list(columns), _rows(columns), ">~><>>><", give_way=[[3], [5]]),
    ]
    if len(frame) > len(shown):
        lines.append(f"  … and {len(frame) - len(shown)} more in pairs.csv")
    lines += _legend_lines(pairs_legend(e))
    if hints.select:
        lines.append(with_command("Which pairs does a model need?", hints.select, "  "))
    return "\n".join(lines)


def _values(
    explanation: Explanation, shown: pd.DataFrame, title: str, write: Callable[[float | None], str], most: float
) -> dict[str, list[str]]:
    """The values with their marks, as bars, and their intervals."""
    marks = stars(explanation, shown)
    level = f"{percent(explanation.level, level=True)} " if explanation.intervals_hold else ""
    return {
        f"{title} ": [write(value) + mark for value, mark in zip(shown["value"], marks, strict=True)],
        "  ": ["█" * round(BAR * value / most) for value in shown["value"]],
        f"{level}interval": [
            f"{write(low)} – {write(high)}" if np.isfinite(low) and np.isfinite(high) else ""
            for low, high in zip(shown["lower"], shown["upper"], strict=True)
        ],
    }


def _rows(columns: dict[str, list[str]]) -> list[list[str]]:
    return [list(row) for row in zip(*columns.values(), strict=True)]


def _direction_title(study: Study) -> str:
    classes = study.likelihood.classes
    if classes is None or len(classes) > 2:
        return "direction"
    return f"P({short(str(classes[1]), 14)})"


def _legend(study: Study, split: bool) -> list[str]:
    """What stands below the variables. `split`: the two parts are shown."""
    e, classes = study.explanation, study.likelihood.classes
    lines = [NO_LEVEL] if e.null_levels is None else variables_legend(e)
    lines += intervals_legend(e)
    if classes is not None and len(classes) > 2:
        lines.append("▲ ▼ the class that becomes more probable, and the one that becomes less")
    else:
        lines += directions_legend(e)
    if split:
        lines.append("pred., unc.: how much of R-sens moves the prediction, and how much its uncertainty")
    return lines


def _legend_lines(lines: Iterable[str]) -> list[str]:
    return [paragraph(line, "  ", "    ") for line in lines]
