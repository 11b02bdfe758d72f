"""The answer in a few plain sentences, the same as in the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rsens._app.report import Facts, answer, as_text

if TYPE_CHECKING:
    from rsens._app.study._result import Study


def answer_of(study: Study) -> str:
    """What the prediction depends on, what is above the null level, and what interacts."""
    return " ".join(as_text(sentence) for sentence in answer(Facts.of(study)))
