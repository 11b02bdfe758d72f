"""A study as plain text: the answer, what was done, how good the model is, what moves it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens._app.report import RARELY, model_and_likelihood, unit_of
from rsens._app.study._answer import answer_of
from rsens._app.study._hints import Hints, in_python
from rsens._app.study._tables import paragraph, table, with_command
from rsens._app.tables import Choice, Note
from rsens._assess import Assessment, held_in
from rsens._text import Pair, aligned, counted, number, on_one_line, percent, plus_minus, short
from rsens.measures import arrows

if TYPE_CHECKING:
    from rsens._app.study._result import Study

#: How many variables are listed.
VARIABLES = 30
#: The longest bar, in characters.
BAR = 12


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
    parts = _parts(frame)
    directions = _directions(study, shown)
    rows = []
    for i, line in enumerate(shown.to_dict("records")):
        value = float(line["value"])
        shares = [float(line[part]) / value if value > 0.0 else 0.0 for part in parts]
        rows.append(
            [
                str(line["rank"]),
                str(line["term"]),
                write(value) + _mark(line),
                "█" * round(BAR * value / most),
                _interval(line, write),
                directions[i],
                *([percent(share) for share in shares] or ["", ""]),
            ]
        )
    header = ["", "variable", "R-sens", "", f"{percent(e.level, level=True)} interval", _direction_title(study)]
    ranked = table([*header, "pred.", "unc."], rows, ">~><><>>", give_way=[[3], [6, 7]])
    lines = [
        paragraph(f"Variables by R-sens: how far the prediction and its uncertainty move per {unit_of(e)}"),
        ranked,
    ]
    if len(frame) > len(shown):
        lines.append(f"  … and {len(frame) - len(shown)} more in importance.csv")
    return "\n".join([*lines, *_legend(study, hints, write, "unc." in ranked.split("\n")[0])])


def _parts(frame: pd.DataFrame) -> list[str]:
    """The columns of the parts "prediction" and "uncertainty", if there are the two and the second is ever moved."""
    parts = [column for column in frame.columns if column.startswith("part_")]
    return parts if len(parts) == 2 and frame[parts[1]].any() else []


def _pairs(study: Study, hints: Hints) -> str:
    e = study.explanation
    if e.order == 1 or not study.n_pairs:
        return ""
    frame = e.to_frame(order=2)
    shown = frame.head(study.n_pairs)
    most = float(frame["value"].max()) or 1.0
    write = aligned(most)
    rows = [
        [
            str(line["rank"]),
            Pair(line["first"], line["second"]),
            write(float(line["value"])) + _mark(line),
            "█" * round(BAR * float(line["value"]) / most),
            _interval(line, write),
        ]
        for line in shown.to_dict("records")
    ]
    lines = [paragraph("Strongest pairs: R-sens₂, how far one variable changes the effect of the other")]
    header = ["", "pair", "R-sens₂", "", f"{percent(e.level, level=True)} interval"]
    lines.append(table(header, rows, ">~><<", give_way=[[3]]))
    if getattr(e, "null_pairs", None) is not None:
        marks = [_mark(line) for line in frame.to_dict("records")]
        above = f"* above its null level: {marks.count('*')} of {counted(len(frame), 'pair')}"
        just = f"; ~ only just: {marks.count('~')}" if "~" in marks else ""
        lines.append(f"  {above}{just}")
    if hints.select:
        lines.append(with_command("Does the data need them?", hints.select, "  "))
    return "\n".join(lines)


def _interval(line: dict[Any, Any], write: Callable[[float], str]) -> str:
    low, high = float(line["lower"]), float(line["upper"])
    return f"{write(low)} – {write(high)}" if np.isfinite(low) and np.isfinite(high) else ""


def _mark(line: dict[Any, Any]) -> str:
    """* above the null level, ~ above it but reached by some probes; a space keeps the numbers in line."""
    if pd.isna(line["above_null"]) or not line["above_null"]:
        return " "
    return "~" if line["reached"] > 0.0 else "*"


def _directions(study: Study, frame: pd.DataFrame) -> list[str]:
    """The arrow and the slope; of several classes, those that become more and less probable."""
    direction = study.explanation.direction
    if isinstance(direction, pd.Series):
        signs = arrows(frame["direction"], frame["consistency"])
        slopes = zip(signs, frame["direction"], strict=True)
        return [f"{sign} {number(abs(slope))}" if sign in ("▲", "▼") else sign for sign, slope in slopes]
    outputs = [short(name, 14) for name in direction.columns]
    lines = direction.loc[frame["term"]].to_numpy()
    return [_classes(outputs, line) if np.isfinite(line).all() and line.any() else "" for line in lines]


def _classes(outputs: list[str], slopes: Any) -> str:
    return f"▲ {outputs[int(slopes.argmax())]} ▼ {outputs[int(slopes.argmin())]}"


def _direction_title(study: Study) -> str:
    classes = study.likelihood.classes
    if classes is None or len(classes) > 2:
        return "direction"
    return f"P({short(str(classes[1]), 14)})"


def _legend(study: Study, hints: Hints, write: Callable[[float], str], split: bool) -> list[str]:
    e = study.explanation
    lines = []
    levels = e.null_levels
    if levels is not None:
        kinds = {"": [name for name in e.names if name not in e.categorical], "categories ": list(e.categorical)}
        said = [f"{kind}{write(float(levels[names].max()))}" for kind, names in kinds.items() if names]
        lines.append(f"* above the null level ({', '.join(said)}), {RARELY}")
        if any(_mark(line) == "~" for line in e.to_frame().to_dict("records")):
            lines.append("~ only just: some shuffled columns reach as high")
    if study.likelihood.classes is not None and len(study.likelihood.classes) > 2:
        lines.append("▲ ▼ the class that becomes more probable, and the one that becomes less")
    else:
        lines.append(f"▲ ▼ mean slope of the prediction per {unit_of(e)}; ± goes both ways")
    if split:
        lines.append("pred., unc.: how much of R-sens moves the prediction, and how much its uncertainty")
    lines = [paragraph(line, "  ", "    ") for line in lines]
    if e.intervals is not None and hints.stability:
        lines.append(with_command("interval: this model; for other samples of the data run", hints.stability, "  "))
    elif e.intervals is not None:
        lines.append("  interval: this model")
    return lines
