"""A study for notebooks: the answer, what was done, how good the model is, what moves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rsens import _html as html
from rsens._app.study._answer import answer_of
from rsens._app.study._text import heading_lines
from rsens._assess import quality_table
from rsens._explain import html_tables

if TYPE_CHECKING:
    from rsens._app.study._result import Study


def as_html(study: Study) -> str:
    """What the print says, with the tables of the explanation."""
    warnings = [note.text for note in study.notes if note.severe]
    notes = [note.text for note in study.notes if not note.severe]
    quality = []
    if study.assessment is not None:
        warnings += study.assessment.warnings
        quality = [quality_table(study.assessment)]
    return html.view(
        *map(html.warning, warnings),
        html.heading(answer_of(study)),
        *map(html.paragraph, heading_lines(study.settings, study.model, study.likelihood)),
        html.notes("Notes", notes),
        *quality,
        *html_tables(study.explanation),
    )
