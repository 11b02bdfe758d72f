"""Attributes of an explanation that show a field of one of its parts."""

from __future__ import annotations

from typing import Any

from rsens._errors import InputError
from rsens._explain._form import FORM
from rsens._explain._tables import table_of


class NotComputedError(InputError, AttributeError):
    """The explanation was made without this; the text names the argument of `explain` that asks for it."""


def shown_field(part: str, field: str, *, name: str | None = None, missing: InputError | None = None) -> Any:
    """An attribute that shows a field of a part; its meaning is the documentation. `missing` is raised for None."""
    declared = FORM.parts[part].fields()[field]

    def shown(self: Any) -> Any:
        values = getattr(self._part(part), field, None)
        if values is None and missing is not None:
            raise missing
        return table_of(self, declared, values, field if name is None else name)

    return property(shown, doc=declared.meaning)
