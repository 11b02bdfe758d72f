"""From two explanations to their difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._explain._comparable import Comparable, comparable
from rsens._explain._difference import Difference
from rsens._explain._difference_intervals import Uncertainty, uncertainty
from rsens._explain._difference_notes import notes_of
from rsens._explain._difference_parts import Both, ComparedPairs, ComparedTerms

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation


def difference_of(a: Explanation, b: Any, names: Any) -> Difference:
    """The explanation a minus the explanation b."""
    if type(b) is not type(a):
        raise InputError(Argument("other"), f" must be an Explanation, made by rsens.explain; got {type(b).__name__}.")
    called = _two_names(names)
    found = comparable(a, b)
    same = same_rows(a, b)
    marks = a.intervals_hold or b.intervals_hold
    seen = uncertainty(found, 1, a.level, same_rows=same, marks=marks)
    of_terms = ComparedTerms(**_fields(found, 1, seen, ""))
    of_pairs, seen_pairs = None, None
    if a.order == b.order == 2 and len(found.terms) > 1:
        seen_pairs = uncertainty(found, 2, a.level, same_rows=same, marks=marks)
        of_pairs = ComparedPairs(**_fields(found, 2, seen_pairs, "pair_"))
    only = [[name for name in e.names if name not in other.names] for e, other in ((a, b), (b, a))]
    both = Both(
        names=called,
        families=(a.family, b.family),
        rows=(a.n, b.n),
        same_rows=same,
        level=a.level,
        scale=a.scale_kind,
        pair_scale=a.pair_scale,
        terms=found.terms,
        units=found.units,
        converted=found.is_converted,
        only_first=tuple(only[0]),
        only_second=tuple(only[1]),
        only_first_values=np.asarray(a.main[only[0]], dtype=np.float64),
        only_second_values=np.asarray(b.main[only[1]], dtype=np.float64),
        left_out=tuple(found.left_out),
        reasons=tuple(found.left_out.values()),
        notes=tuple(notes_of(a, b, called, found, same, None if seen is None else seen.kind)),
    )
    return Difference(both=both, of_terms=of_terms, of_pairs=of_pairs)


def same_rows(a: Explanation, b: Explanation) -> bool:
    """Whether both explain the same rows: as many, with the same labels, and the same values in all shared columns."""
    if a.n != b.n or not a._index.equals(b._index):
        return False
    one, other = a._rows.column_fingerprints, b._rows.column_fingerprints
    if one is None or other is None:
        return False
    columns = [dict(zip(e._setup.columns, f, strict=True)) for e, f in ((a, one), (b, other))]
    shared = columns[0].keys() & columns[1].keys()
    return bool(shared) and all(columns[0][name] == columns[1][name] for name in shared)


def _fields(both: Comparable, order: int, seen: Uncertainty | None, start: str) -> dict[str, Any]:
    """The fields of a part, from the values and what is known of them."""
    fields: dict[str, Any] = {"value_a": both.first.values(order), "value_b": both.second.values(order)}
    if seen is not None:
        fields |= {
            "interval_kind": seen.kind,
            "intervals_a": seen.first,
            "intervals_b": seen.second,
            "intervals": seen.difference,
            "p_values": seen.p_values,
            "differs": seen.differs,
        }
    return {f"{start}{name}": value for name, value in fields.items()}


def _two_names(names: Any) -> tuple[str, str]:
    wrong = isinstance(names, str) or not isinstance(names, Sequence) or len(names) != 2
    if wrong or str(names[0]) == str(names[1]):
        raise InputError(
            Argument("names"), f" must be two different names, such as ('before', 'after'); got {names!r}."
        )
    return str(names[0]), str(names[1])
