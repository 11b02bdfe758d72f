"""What to say of columns that determine one another: once, whoever finds them."""

from __future__ import annotations

from collections.abc import Sequence

from rsens._app.study._groups import ColumnGroups
from rsens._app.study._model_table import ModelTable
from rsens._app.tables import CollinearSet, Note, collinear_sets, naming
from rsens._errors import Argument, RsensWarning, Sentence
from rsens._explain import CollinearityWarning, collinearity_warning
from rsens._labels import columns_of_labels
from rsens._text import listed
from rsens.measures import Terms

#: How many sets are named, the first with what they mean.
MOST_SETS = 3
EFFECT = (
    "They share their effect: each may have a small value although together they matter, and pairs among them show how "
    "unsure the model is rather than interactions."
)


def collinear_notes(table: ModelTable, groups: ColumnGroups) -> list[Note]:
    """A note for each set of columns that determine one another, unless a note says already that they are the same."""
    names = tuple(map(str, table.X.columns))
    same = [set(note.columns) for note in table.notes if note.kind == "same"]
    found = [
        each
        for each in collinear_sets(table.X, Terms.of(groups, names))
        if not any(set(each.names) <= columns for columns in same)
    ]
    levels = {names[d] for d in columns_of_labels(table.X)}
    notes = [_note(each, groups, levels, first=not k) for k, each in enumerate(found[:MOST_SETS])]
    if len(found) > MOST_SETS:
        more = tuple(dict.fromkeys(name for each in found[MOST_SETS:] for name in each.names))
        notes.append(Note("collinear", more, f"{len(found) - MOST_SETS} more such sets: {listed(more, 10)}."))
    return notes


def _note(found: CollinearSet, groups: ColumnGroups, levels: set[str], *, first: bool) -> Note:
    names = found.names
    why = found.formula or f"R² of one on the {'other' if len(names) == 2 else 'others'} {_share(found.r2)}"
    text = f"{listed([repr(name) for name in names])} determine one another ({why}). {EFFECT if first else ''}".strip()
    columns = [column for name in names for column in groups.get(name, (name,))]
    drop = Sentence("leave out what says the same, such as ", naming("drop", [_to_drop(found)]))
    if levels & set(names):
        return Note("collinear", names, Sentence(text, " You can ", drop, "."))
    rank = Sentence(" Rank them as one with ", Argument("groups", {"together": columns}), ", or ", drop, ".")
    return Note("collinear", names, Sentence(text, rank))


def _share(r2: float) -> str:
    return f"{r2:.3f}" if r2 < 0.9995 else "above 0.999"


def _to_drop(found: CollinearSet) -> str:
    """The total, if there is one."""
    return found.names[-1] if found.formula is None else found.formula.partition(" = ")[0]


def not_said_yet(warning: RsensWarning, notes: Sequence[Note]) -> RsensWarning | None:
    """The warning of `explain` on collinear columns without those that a note has named; others as they are."""
    if not isinstance(warning, CollinearityWarning):
        return warning
    said = {name for note in notes if note.kind in ("collinear", "same") for name in note.columns}
    return collinearity_warning(tuple(name for name in warning.names if name not in said))
