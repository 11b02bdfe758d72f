"""The document of a study: the answer, the data, the model's quality, and its sensitivities; and the same as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rsens._app.report import Facts, answer, as_text, model_and_likelihood
from rsens._app.tables import Choice, Note
from rsens._assess import Assessment, quality
from rsens._document import Column, Document, Notes, Sentences, ShownTable, records
from rsens._explain import Explanation, directions, effects, pairs, subgroups, variables
from rsens._text import aligned, counted, on_one_line
from rsens.models import GPClassifier, GPRegressor

if TYPE_CHECKING:
    from rsens._app.study._pipeline import Analysis
    from rsens._app.study._result import Study

#: How many variables are listed, and how many before the refits are done.
VARIABLES, EARLY_VARIABLES = 30, 12


class Hints(NamedTuple):
    """The calls that answer how many interactions are needed and whether the ranking holds; empty without any."""

    select: str
    stability: str


def document_of(study: Study, *, hints: Hints | None = None, printed: Sequence[Note] | None = None) -> Document:
    """Everything. With `printed`, the heading and these notes have already been printed."""
    hints, e = in_python(study) if hints is None else hints, study.explanation
    by = study.settings["arguments"].get("by")
    return with_heading(study, [answer_of(study)], [table for table in (
        quality(study.assessment) if study.assessment is not None else None,
        ranked(study, hints),
        effects(e),
        pairs(e, study.n_pairs, where="in pairs.csv", hint=asked("Which pairs does a model need?", hints.select)),
        subgroups(e, VARIABLES, where="in by.csv", name="" if by is None else f" by '{on_one_line(by)}'"),
    ) if table is not None], printed)  # fmt: skip


def ranked(study: Study, hints: Hints) -> ShownTable:
    """The variables, with the question on their ranking."""
    classes = study.likelihood.classes
    event = str(classes[1]) if classes is not None and len(classes) == 2 else None
    hint = asked("Does the ranking hold in other samples of the data?", hints.stability)
    return variables(study.explanation, VARIABLES, where="in importance.csv", event=event, hint=hint)


def asked(question: str, call: str) -> tuple[str, str] | None:
    """A question with the call that answers it, if there is one."""
    return (question, call) if call else None


def with_heading(
    analysis: Analysis[Any], answers: Sequence[str], tables: Iterable[ShownTable], printed: Sequence[Note] | None = None
) -> Document:
    """Warnings, the answer, the data and the model, notes, and the tables; `printed` as in `document_of`."""
    left = [note for note in analysis.notes if printed is None or note not in printed]
    heading = heading_lines(analysis.settings, analysis.model, analysis.likelihood) if printed is None else []
    warnings, notes = of_notes(left)
    severe = [*warnings.texts, *([] if analysis.assessment is None else analysis.assessment.warnings)]
    return Document([Sentences(severe, "warning"), Sentences(answers), Sentences(heading), notes, *tables])


def early_document(settings: dict[str, Any], model: Any, likelihood: Choice, notes: Iterable[Note]) -> Document:
    """The first lines, when the table has been read: warnings, the data and the model, and notes."""
    warnings, others = of_notes(notes)
    return Document([warnings, Sentences(heading_lines(settings, model, likelihood)), others])


def of_notes(notes: Iterable[Note]) -> tuple[Sentences, Notes]:
    """The severe notes as warnings, and a list of the others."""
    notes = list(notes)
    warnings = [note.text for note in notes if note.severe]
    return Sentences(warnings, "warning"), Notes("Notes", [note.text for note in notes if not note.severe])


def heading_lines(settings: dict[str, Any], model: Any, likelihood: Choice) -> list[str]:
    """A line on the data, and one on the model and the reason for it."""
    rows, used, columns = settings["rows_in_data"], settings["rows_used"], len(settings["columns_used"])
    there, kept = counted(rows, "row"), settings.get("rows_kept")
    if kept is not None:
        rows = kept["rows"]
        there = f"{rows:,} of {counted(kept['of'], 'row')} where {on_one_line(kept['where'])}"
    fitted = f" ({used:,} used)" if used < rows else ""
    data, target = on_one_line(settings["data"]), on_one_line(settings["target"])
    data = f"{data}: {there}{fitted}, {counted(columns, 'column')}; target '{target}'"
    return [data, model_and_likelihood(model, likelihood)]


def answer_of(study: Study) -> str:
    """The first paragraph: the leading variables, the stars, and the interactions."""
    return " ".join(as_text(sentence) for sentence in answer(Facts.of(study)))


def in_python(study: Study) -> Hints:
    """The calls of the library."""
    if study.y is None:
        return Hints("", "")
    # Interactions are selected for Gaussian processes: a study of another model takes a new one.
    process = GPClassifier if study.likelihood.kind == "classification" else GPRegressor
    model = "study.model" if isinstance(study.model, GPClassifier | GPRegressor) else f"rsens.{process.__name__}()"
    arguments = study.settings["arguments"]
    rows = ["study.X", "study.y"]
    rows += [] if study.clusters is None else ["clusters=study.clusters"]
    rows += [f"numeric={arguments['numeric']!r}"] if arguments.get("numeric") else []
    rows += [f"random_state={arguments['seed']}"] if arguments.get("seed") else []
    grouped = ["groups=study.groups"] if study.groups else []
    return Hints(
        f"rsens.select_interactions({', '.join([model, *rows])})",
        f"rsens.stability({', '.join(['study.model', *rows, *grouped])})",
    )


def early_ranking(explanation: Explanation) -> Document:
    """The leading variables, by value and direction, before the refits are done."""
    frame = explanation.to_frame()
    shown = frame.head(EARLY_VARIABLES)
    names, write = list(map(str, shown["term"])), aligned(float(frame["value"].max()) or 1.0)
    columns = [
        Column("", [str(rank) for rank in shown["rank"]]),
        Column("variable", names, "name"),
        Column("R-sens", [write(value) for value in shown["value"]]),
        Column("direction", directions(explanation, names), "words"),
    ]
    more = [f"… and {len(frame) - EARLY_VARIABLES} more"] if len(frame) > EARLY_VARIABLES else []
    return Document([ShownTable("Variables by R-sens, without null level and intervals yet", columns, more)])


def early_quality(assessment: Assessment) -> Document:
    """How good the model is; warnings first."""
    return Document([Sentences(assessment.warnings, "warning"), quality(assessment)])


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


def head_as_dict(analysis: Analysis[Any]) -> dict[str, Any]:
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
