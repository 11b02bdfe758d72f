"""The answer in a few plain sentences, the same as in the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rsens._app.study._result import Study


def answer_of(study: Study) -> str:
    """What the prediction depends on, what is above the null level, and what interacts."""
    from rsens._app.report._facts import Facts
    from rsens._app.report._words import answer

    sentences = answer(Facts.of(study))
    said = ("".join(part if isinstance(part, str) else part.full for part in each) for each in sentences)
    return " ".join(said).replace("\u00a0", " ")
