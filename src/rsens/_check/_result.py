"""What `check` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from rsens import _html as html
from rsens._text import counted
from rsens.derivatives import Description, Finding

#: From good to bad: a model is as good as its worst finding.
VERDICTS = ("ok", "warning", "wrong")
MARKS = {"ok": "ok", "warning": "WARNING", "wrong": "WRONG"}


@dataclass(frozen=True, eq=False)
class Check:
    """What was understood of a model, and what was checked about it. Made by `rsens.check`; print it.

    Example:
        >>> import rsens
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] + X[:, 1], 1.0))
        >>> check = rsens.check(model, [[0.0, 1.0], [1.0, 2.0], [0.5, 3.0]])
        >>> check.verdict
        'ok'
        >>> check.to_frame()[["name", "verdict"]]
                        name verdict
        0         repeatable      ok
        1  rows on their own      ok
        2  first derivatives      ok
    """

    #: What was understood: family, noise, how derivatives are made, which columns.
    description: Description
    #: What was checked, in order.
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> str:
        """The worst of all findings: "ok", "warning" (read it before the numbers) or "wrong" (do not use them)."""
        return max((finding.verdict for finding in self.findings), key=VERDICTS.index, default="ok")

    def to_frame(self) -> pd.DataFrame:
        """One row for each thing that was checked: its name, the verdict, and what to know about it."""
        rows: list[dict[str, Any]] = [vars(finding) for finding in self.findings]
        return pd.DataFrame(rows, columns=["name", "verdict", "text"])

    def __str__(self) -> str:
        width = max((len(finding.name) for finding in self.findings), default=0)
        lines = [f"  {f.name:<{width}}  {MARKS[f.verdict]:<7}  {f.text}" for f in self.findings]
        return "\n".join([str(self.description), *lines, self._conclusion])

    __repr__ = __str__

    @property
    def _conclusion(self) -> str:
        if self.verdict == "ok":
            return f"Nothing to warn about in {counted(len(self.findings), 'check')}."
        bad = sum(finding.verdict != "ok" for finding in self.findings)
        what = "Do not use the numbers before this is mended" if self.verdict == "wrong" else "Read this first"
        return f"{what}: {bad} of {counted(len(self.findings), 'check')}."

    def _repr_html_(self) -> str:
        cells = {"": [MARKS[f.verdict] for f in self.findings], " ": [f.text for f in self.findings]}
        names = [finding.name for finding in self.findings]
        return html.view(
            html.heading(str(self.description)), html.table("Checks", names, cells, left=("", " ")),
            html.paragraph(self._conclusion),
        )  # fmt: skip
