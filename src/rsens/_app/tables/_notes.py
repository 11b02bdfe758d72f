"""Notes: what was done to a table and why, in small records that can be printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rsens._errors import Argument, Sentence
from rsens._text import quoted

#: Of more notes than this that are alike, only the first are written out.
MOST_ALIKE, FIRST = 5, 3
#: What a note can be about.
KINDS = (
    "sample",  # rows were drawn at random
    "where",  # rows that were asked for
    "by",  # how rows were divided into subgroups
    "encoding",  # text that is not UTF-8
    "row_names",  # a first column without a name
    "header",  # a first line without names
    "converted",  # text that became numbers
    "date",  # dates that became days
    "ambiguous",  # text that may be numbers or dates, and stays text
    "odd_cells",  # a few cells that keep a column from being numbers
    "two_values",  # numbers, compared like levels
    "whole_numbers",  # few different whole numbers, taken as numbers
    "identifier",  # names of rows
    "same",  # columns with the same numbers up to scale, or with the numbers of the target
    "settled",  # levels in which the target does not vary
    "clusters",  # rows that belong together
    "group",  # columns that belong together
    "collinear",  # columns that determine one another
    "levels",  # text that hardly repeats, or has many levels
    "missing_code",  # a number that may stand for a missing value
    "constant",
    "empty",
    "unsupported",  # lists and the like
    "infinite",
    "missing",
    "target",  # what the likelihood does not know about the target
    "model",  # what the model can and cannot do
    "skipped",  # what was not computed, and why
    "warning",  # what the computations warned of
)


@dataclass(frozen=True)
class Note:
    """One thing that was done or seen: its kind (one of `KINDS`), the columns it is about, and a sentence.

    The text is a `Sentence` where it mentions an argument, so that the command line can name the option instead. A
    severe note is a warning, shown before any result: the answer is probably wrong unless the table is mended.
    """

    kind: str
    columns: tuple[str, ...]
    text: str
    severe: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is no kind of note")

    def __str__(self) -> str:
        return self.text


def gathered(notes: Sequence[Note]) -> list[Note]:
    """The notes; of many that are alike, each about one column, the first few and one more that names the others."""
    alike: dict[tuple[str, bool], list[Note]] = {}
    for note in notes:
        if len(note.columns) == 1:
            alike.setdefault((note.kind, note.severe), []).append(note)
    result: list[Note] = []
    for note in notes:
        group = alike.get((note.kind, note.severe), []) if len(note.columns) == 1 else []
        if len(group) <= MOST_ALIKE or any(note is first for first in group[:FIRST]):
            result.append(note)
        elif note is group[FIRST]:
            others = tuple(other.columns[0] for other in group[FIRST:])
            result.append(Note(note.kind, others, f"Likewise {quoted(others)}.", note.severe))
    return result


def naming(argument: str, names: Sequence[str], most: int = 3) -> Sentence:
    """An argument with the names to give it, the first few if there are many."""
    return Sentence(Argument(argument, list(names[:most])), " and so on" if len(names) > most else "")
