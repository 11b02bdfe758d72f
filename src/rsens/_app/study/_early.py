"""What can be said before the refits are done: the ranking, and then how good the model is."""

from __future__ import annotations

from rsens._app.study._tables import paragraph, table
from rsens._app.study._text import quality_of, warnings_of
from rsens._assess import Assessment
from rsens._explain import Explanation, directions
from rsens._text import aligned

#: How many variables are listed.
VARIABLES = 12


def early_ranking(explanation: Explanation) -> str:
    """The leading variables, by value and direction."""
    frame = explanation.to_frame()
    shown = frame.head(VARIABLES)
    write = aligned(float(frame["value"].max()) or 1.0)
    rows = [
        [str(rank), str(term), write(value), direction]
        for rank, term, value, direction in zip(
            shown["rank"], shown["term"], shown["value"], directions(explanation, list(shown["term"])), strict=True
        )
    ]
    lines = [
        paragraph("Variables by R-sens, without null level and intervals yet"),
        table(["", "variable", "R-sens", "direction"], rows, ">~><"),
    ]
    if len(frame) > VARIABLES:
        lines.append(f"  … and {len(frame) - VARIABLES} more")
    return "\n".join(lines)


def early_quality(assessment: Assessment) -> str:
    """How good the model is; first what is wrong with it."""
    return "\n\n".join(block for block in (warnings_of([], assessment), quality_of(assessment)) if block)
