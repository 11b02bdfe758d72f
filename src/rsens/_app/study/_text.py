"""A study as plain text: the answer, what was done, how good the model is, what moves it."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens._app.report import Facts, answer, as_text, model_and_likelihood, unit_of
from rsens._app.tables import Choice, Note
from rsens._assess import Assessment, held_in
from rsens._explain import (
    Explanation,
    by_columns,
    by_legend,
    directions,
    directions_legend,
    effect_lines,
    effects_legend,
    hidden,
    intervals_legend,
    pairs_legend,
    part_columns,
    shares,
    stars,
    variables_legend,
)
from rsens._text import (
    NAME_WIDTH,
    Pair,
    aligned,
    counted,
    number,
    on_one_line,
    p_text,
    percent,
    plus_minus,
    safe,
    short,
    side_by_side,
    width_of,
)
from rsens.models import GPClassifier, GPRegressor

if TYPE_CHECKING:
    from rsens._app.study._pipeline import Analysis
    from rsens._app.study._result import Study


#: How many variables are listed.
VARIABLES = 30
#: Of how many variables effects are listed; summary.json has all.
EFFECTS = 5
#: The longest bar, in characters.
BAR = 8
#: Pairs that bend the uncertainty and not the prediction.
ONLY = "uncertainty only"
#: Said where no variable has a mark.
NO_LEVEL = "no stars: the null level was not measured"


def text_of(study: Study, *, hints: Hints | None = None, told: Sequence[Note] | None = None) -> str:
    """Everything, without a line end. With `told`, the heading and these notes have already been printed."""
    hints = in_python(study) if hints is None else hints
    found = [_variables(study, hints), _effects(study), _pairs(study, hints), _subgroups(study)]
    return with_heading(study, paragraph(answer_of(study)), [quality_of(study.assessment), *found], told)


def with_heading(
    analysis: Analysis[Any], answer: str, details: Iterable[str], told: Sequence[Note] | None = None
) -> str:
    """Warnings, the answer, which data and model it comes from, notes, and the details; `told` as in `text_of`."""
    left = [note for note in analysis.notes if told is None or note not in told]
    heading = heading_of(analysis.settings, analysis.model, analysis.likelihood) if told is None else ""
    blocks = [warnings_of(left, analysis.assessment), answer, heading, notes_of(left), *details]
    return "\n\n".join(block for block in blocks if block)


def warnings_of(notes: Iterable[Note], assessment: Assessment | None = None) -> str:
    """What is wrong with the table and with the model."""
    texts = [note.text for note in notes if note.severe] + ([] if assessment is None else assessment.warnings)
    return "\n".join(paragraph(text, "WARNING  ", " " * 9) for text in texts)


def heading_of(settings: dict[str, Any], model: Any, likelihood: Choice) -> str:
    """Which data, which model, and why."""
    return "\n".join(paragraph(line) for line in heading_lines(settings, model, likelihood))


def heading_lines(settings: dict[str, Any], model: Any, likelihood: Choice) -> list[str]:
    """The same, as a line on the data and a line on the model."""
    rows, used, columns = settings["rows_in_data"], settings["rows_used"], len(settings["columns_used"])
    there, kept = counted(rows, "row"), settings.get("rows_kept")
    if kept is not None:
        rows = kept["rows"]
        there = f"{rows:,} of {counted(kept['of'], 'row')} where {on_one_line(kept['where'])}"
    fitted = f" ({used:,} used)" if used < rows else ""
    data, target = on_one_line(settings["data"]), on_one_line(settings["target"])
    what = f"{data}: {there}{fitted}, {counted(columns, 'column')}; target '{target}'"
    return [what, model_and_likelihood(model, likelihood)]


def notes_of(notes: Iterable[Note]) -> str:
    """A list of the notes that are not warnings, or nothing."""
    lines = [paragraph(note.text, "  · ", "    ") for note in notes if not note.severe]
    return "\n".join(["Notes", *lines]) if lines else ""


def quality_of(assessment: Assessment | None) -> str:
    """How good the model is; nothing if it was not checked."""
    a = assessment
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


def _variables(study: Study, hints: Hints) -> str:
    e = study.explanation
    frame = e.to_frame()
    shown, parts = frame.head(VARIABLES), part_columns(frame)
    columns = {
        "": [str(rank) for rank in shown["rank"]],
        "variable": [str(term) for term in shown["term"]],
        **_values(e, frame, shown, "R-sens", "null"),
        "p": [p_text(p) for p in shown["p_value"]],
        _direction_title(study): directions(e, list(shown["term"])),
        "pred.": shares(shown, parts[0]) if parts else [""] * len(shown),
        "unc.": shares(shown, parts[1]) if parts else [""] * len(shown),
    }
    ranked = table(columns, ">~><>>><>>", give_way=[[3], [8, 9], [6], [5]])
    legend = [*hidden(e, frame, VARIABLES, "in importance.csv"), *_legend(study, "unc." in ranked.split("\n")[0])]
    title = f"Variables by R-sens: how far the prediction and its uncertainty move per {unit_of(e)}"
    hint = with_command("Does the ranking hold in other samples of the data?", hints.stability, "  ")
    return block(title, ranked, legend) + (f"\n{hint}" if hints.stability else "")


def _effects(study: Study) -> str:
    """What a change of the leading variables does."""
    e = study.explanation
    lines = effect_lines(e, EFFECTS)
    if not lines:
        return ""
    columns = {
        "variable": [line.name for line in lines],
        "step": [line.step for line in lines],
        "effect": [line.effect for line in lines],
        f"{_level(e)}interval": [f"{line.lower} to {line.upper}" if line.lower else "" for line in lines],
        "per unit": [line.per_unit for line in lines],
        "percent": [line.percent for line in lines],
        "spread": [line.spread for line in lines],
    }
    shown = table(columns, "~<>>>>>", give_way=[[6], [4], [5]])
    return block("Effects: what a change does", shown, effects_legend(e, lines))


def _pairs(study: Study, hints: Hints) -> str:
    e = study.explanation
    if e.order == 1 or not study.n_pairs or not len(e.pairs):
        return ""
    frame = e.to_frame(order=2)
    shown, parts = frame.head(study.n_pairs), part_columns(frame)
    columns: dict[str, Sequence[str]] = {
        "": [str(rank) for rank in shown["rank"]],
        "pair": [Pair(first, second) for first, second in zip(shown["first"], shown["second"], strict=True)],
        **_values(e, frame, shown, "R-sens₂"),
        "p": [p_text(p) for p in shown["p_value"]],
        "pred.": shares(shown, parts[0]) if parts else [""] * len(shown),
        " ": [ONLY if only else "" for only in shown["uncertainty_only"]] if parts else [""] * len(shown),
    }
    legend = [*hidden(e, frame, study.n_pairs, "in pairs.csv"), *pairs_legend(e)]
    ranked = block("Largest pairs by R-sens₂", table(columns, ">~><>>><", give_way=[[3], [5]]), legend)
    hint = with_command("Which pairs does a model need?", hints.select, "  ")
    return ranked + (f"\n{hint}" if hints.select else "")


def _subgroups(study: Study) -> str:
    e = study.explanation
    if e.by is None:
        return ""
    terms, cells = by_columns(e, VARIABLES)
    rest = len(e.names) - len(terms)
    more = [f"… and {counted(rest, 'more variable')} in by.csv"] if rest else []
    by = on_one_line(str(study.settings["arguments"].get("by")))
    title = f"Subgroups by '{by}': R-sens over all rows, and within each"
    return block(title, table({"variable": terms, **cells}, "~" + ">" * len(cells)), [*more, *by_legend(e)])


def _values(
    explanation: Explanation, frame: pd.DataFrame, shown: pd.DataFrame, title: str, *further: str
) -> dict[str, list[str]]:
    """The values with their marks, as bars, their intervals, and further columns of such numbers."""
    most = float(frame["value"].max()) or 1.0
    names = ["value", "lower", "upper", *further]
    lines = [side_by_side(line, most) for line in shown[names].to_numpy(dtype=float).tolist()]
    return {
        f"{title} ": [line[0] + mark for line, mark in zip(lines, stars(explanation, shown), strict=True)],
        "  ": ["█" * round(BAR * value / most) for value in shown["value"]],
        f"{_level(explanation)}interval": [f"{line[1]} – {line[2]}" if line[1] and line[2] else "" for line in lines],
        **{name: [line[3 + k] for line in lines] for k, name in enumerate(further)},
    }


def _level(explanation: Explanation) -> str:
    return f"{percent(explanation.level, level=True)} " if explanation.intervals_hold else ""


def _direction_title(study: Study) -> str:
    classes = study.likelihood.classes
    return "direction" if classes is None or len(classes) > 2 else f"P({short(str(classes[1]), 14)})"


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


#: The width of paragraphs, and of everything where there is no terminal.
WIDTH = 96
#: The least width of names, and of a terminal that says it has none.
LEAST_NAME, LEAST_WIDTH = 12, 40


def terminal_width() -> int:
    """Columns of the terminal, or what the variable COLUMNS says."""
    return max(LEAST_WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)


def block(title: str, lines: str, legend: Iterable[str]) -> str:
    """A title, a table, and what its columns mean."""
    return "\n".join([paragraph(title), lines, *(paragraph(line, "  ", "    ") for line in legend if line)])


def table(columns: Mapping[str, Sequence[str]], align: str, *, give_way: Iterable[Iterable[int]] = ()) -> str:
    """Columns of cells side by side, "<" or ">" each, or "~" for the one on the left whose names lose letters.

    Empty columns are left out. Where there is no room, names first lose what is beyond `NAME_WIDTH`, then the groups of
    columns in `give_way` go one after the other, then names lose more.
    """
    indent, header, rows = "  ", list(columns), [list(row) for row in zip(*columns.values(), strict=True)]
    room = terminal_width() - len(indent)
    natural = [max(width_of(on_one_line(line[k])) for line in (header, *rows)) for k in range(len(header))]
    kept = [k for k in range(len(header)) if any(row[k] for row in rows)]
    for leaving in map(set, give_way):
        if _total(min(natural[k], NAME_WIDTH) if align[k] == "~" else natural[k] for k in kept) <= room:
            break
        kept = [k for k in kept if k not in leaving]
    widths = [natural[k] for k in kept]
    flexible = next((i for i, k in enumerate(kept) if align[k] == "~"), None)
    if flexible is not None:
        least = min(LEAST_NAME, widths[flexible])
        widths[flexible] = max(least, min(widths[flexible], widths[flexible] + room - _total(widths)))
    lines = []
    for line in (header, *rows):
        cells = [short(line[k], widths[i]) if i == flexible else line[k] for i, k in enumerate(kept)]
        padded = (_pad(cell, width, align[k]) for cell, width, k in zip(cells, widths, kept, strict=True))
        lines.append((indent + "  ".join(padded)).rstrip())
    return "\n".join(lines)


def paragraph(text: str, first: str = "", indent: str = "") -> str:
    """Lines no longer than the width."""
    return textwrap.fill(
        safe(text).replace("\n", " "),
        min(WIDTH, terminal_width()),
        initial_indent=first,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def with_command(text: str, command: str, indent: str) -> str:
    """A line that ends with a command to copy. If it does not fit, the command has a line of its own."""
    line = f"{indent}{safe(text)} {safe(command)}"
    if width_of(line) <= min(WIDTH, terminal_width()):
        return line
    return f"{paragraph(text, indent, indent)}\n{indent * 2}{safe(command)}"


def _total(widths: Iterable[int]) -> int:
    """Of columns with two spaces between them."""
    widths = list(widths)
    return sum(widths) + 2 * (len(widths) - 1)


def _pad(text: str, width: int, side: str) -> str:
    space = " " * (width - width_of(text))
    return space + text if side == ">" else text + space


@dataclass(frozen=True)
class Hints:
    """The calls that say how many interactions are needed, and whether the ranking holds; empty where there is none."""

    select: str
    stability: str


def in_python(study: Study) -> Hints:
    """As calls of the library."""
    if study.y is None:
        return Hints("", "")
    # Interactions are selected for Gaussian processes: a study of another model takes a new one.
    process = GPClassifier if study.likelihood.kind == "classification" else GPRegressor
    model = "study.model" if isinstance(study.model, GPClassifier | GPRegressor) else f"rsens.{process.__name__}()"
    asked = study.settings["arguments"]
    rows = ["study.X", "study.y"]
    rows += [] if study.clusters is None else ["clusters=study.clusters"]
    rows += [f"numeric={asked['numeric']!r}"] if asked.get("numeric") else []
    rows += [f"random_state={asked['seed']}"] if asked.get("seed") else []
    grouped = ["groups=study.groups"] if study.groups else []
    return Hints(
        f"rsens.select_interactions({', '.join([model, *rows])})",
        f"rsens.stability({', '.join(['study.model', *rows, *grouped])})",
    )


def answer_of(study: Study) -> str:
    """What the prediction depends on, what is above the null level, and what interacts."""
    return " ".join(as_text(sentence) for sentence in answer(Facts.of(study)))


#: How many variables are listed before the refits are done.
EARLY_VARIABLES = 12


def early_ranking(explanation: Explanation) -> str:
    """The leading variables, by value and direction, before the refits are done."""
    frame = explanation.to_frame()
    shown = frame.head(EARLY_VARIABLES)
    write = aligned(float(frame["value"].max()) or 1.0)
    columns = {
        "": [str(rank) for rank in shown["rank"]],
        "variable": [str(term) for term in shown["term"]],
        "R-sens": [write(value) for value in shown["value"]],
        "direction": directions(explanation, list(shown["term"])),
    }
    more = [f"… and {len(frame) - EARLY_VARIABLES} more"] if len(frame) > EARLY_VARIABLES else []
    return block("Variables by R-sens, without null level and intervals yet", table(columns, ">~><"), more)


def early_quality(assessment: Assessment) -> str:
    """How good the model is; first what is wrong with it."""
    return "\n\n".join(block for block in (warnings_of([], assessment), quality_of(assessment)) if block)
