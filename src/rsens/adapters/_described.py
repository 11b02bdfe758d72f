"""What models of other libraries say about themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rsens.derivatives import Description, Finding


class Described:
    """Mixed into a model, in front of its other bases, that has these three fields."""

    #: What errors call the model: the class of the object.
    label: str
    about: Description | None
    #: What there is to know before reading numbers.
    findings: tuple[Finding, ...]

    @property
    def name(self) -> str:
        return self.label

    @property
    def description(self) -> Description | None:
        return self.about

    def checks(self, X: Any) -> Iterator[Finding]:
        yield from self.findings
