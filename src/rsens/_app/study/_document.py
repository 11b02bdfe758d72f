"""The document of a study: the answer, the data, the model's quality, and its sensitivities; and the same as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from rsens._app.report import answer, heading, tables
from rsens._app.study._setup import Analysis
from rsens._app.tables import Note
from rsens._document import Document, Notes, Sentences, ShownTable, records
from rsens._explain import Explanation, pairs, variables
from rsens.models import GPClassifier, GPRegressor

if TYPE_CHECKING:
    from rsens._app.study._result import Study

#: How many variables are listed, and how many before the refits are done.
VARIABLES, EARLY_VARIABLES = 30, 12
STABILITY = "Does the ranking hold in other samples of the data?"
SELECT = "Which pairs does a model need?"


class Hints(NamedTuple):
    """The calls that answer how many interactions are needed and whether the ranking holds; empty without any."""

    select: str = ""
    stability: str = ""


def document_of(study: Study, *, hints: Hints | None = None, printed: Sequence[Note] | None = None) -> Document:
    """Everything. With `printed`, the heading and these notes have already been printed."""
    hints = in_python(study) if hints is None else hints
    found = tables(study, VARIABLES, study.n_pairs)
    for name, question, call in (("variables", STABILITY, hints.stability), ("pairs", SELECT, hints.select)):
        if call and name in found:
            found[name] = replace(found[name], hint=(question, call))
    return with_heading(study, [answer(study)], found.values(), printed)


def with_heading(
    analysis: Analysis, answers: Sequence[str], shown: Iterable[ShownTable] = (), printed: Sequence[Note] | None = None
) -> Document:
    """Warnings, the answer, the data and the model, notes, and tables; `printed` as in `document_of`."""
    notes = [note for note in analysis.notes if printed is None or note not in printed]
    severe = [note.text for note in notes if note.severe]
    severe += [] if analysis.assessment is None else analysis.assessment.warnings
    others = Notes("Notes", [note.text for note in notes if not note.severe])
    head = heading(analysis) if printed is None else []
    return Document([Sentences(severe, "warning"), Sentences(answers), Sentences(head), others, *shown])


def in_python(study: Study) -> Hints:
    """The calls of the library."""
    if study.y is None:
        return Hints()
    # Interactions are selected for Gaussian processes: a study of another model takes a new one.
    process = "rsens.GPClassifier()" if study.likelihood.kind == "classification" else "rsens.GPRegressor()"
    model = "study.model" if isinstance(study.model, GPClassifier | GPRegressor) else process
    rows = f"study.X, study.y{'' if study.clusters is None else ', clusters=study.clusters'}"
    groups = ", groups=study.groups" if study.groups else ""
    return Hints(f"rsens.select_interactions({model}, {rows})", f"rsens.stability(study.model, {rows}{groups})")


def early_ranking(explanation: Explanation) -> Document:
    """The leading variables before the refits are done."""
    title = "Variables by R-sens, without null level and intervals yet"
    return Document([replace(variables(explanation, EARLY_VARIABLES), title=title, legend=())])


# ---- JSON: what `--json` prints and summary.json holds; docs/command-line.md lists the keys --------------------------


def as_dict(study: Study) -> dict[str, Any]:
    """A study, ready for JSON: unknown values are None."""
    e, by = study.explanation, study.explanation.by_frame()
    shown = pairs(e, study.n_pairs or 1)
    found = {
        "variables": variables(e).json(),
        "effects": records(e.effects),
        "pairs": None if e.order == 1 else [] if shown is None else shown.json()[: study.n_pairs],
        "intervals_hold": None if e.intervals is None else e.intervals_hold,
    }
    head = head_as_dict(study)
    last = {name: head.pop(name) for name in ("notes", "settings")}
    return head | found | ({} if by is None else {"by": records(by)}) | last


def head_as_dict(analysis: Analysis) -> dict[str, Any]:
    """All but the findings, as plain values: the keys that the JSON of every command has."""
    settings, choice = analysis.settings, analysis.likelihood
    kept = {"rows_kept": settings["rows_kept"]} if "rows_kept" in settings else {}
    return {
        "data": {
            "name": settings["data"],
            "rows": settings["rows_in_data"],
            "rows_used": settings["rows_used"],
            **kept,
            "columns": settings["columns_used"],
        },
        "target": settings["target"],
        "likelihood": {
            "kind": choice.kind,
            "reason": choice.reason,
            "classes": None if choice.classes is None else [str(label) for label in choice.classes],
        },
        "model": type(analysis.model).__name__,
        "quality": None if analysis.assessment is None else analysis.assessment.to_dict(),
        "notes": [
            {"kind": note.kind, "columns": list(note.columns), "text": note.text, "severe": note.severe}
            for note in analysis.notes
        ],
        "settings": settings,
    }
