"""Power with the earlier code and with this one, data set by data set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments._calibration.counts import INTERACTING, RELEVANT, Tables, truth
from experiments._calibration.designs import DESIGNS
from experiments._calibration.rates import Both, Rate
from experiments.page._markdown import number, table

Flags = NDArray[np.bool_]

#: How many points of power may be lost, where the level was right before.
LOSS = 5.0
#: What is counted, the truth of its terms, and the column of the analyses that says which of them have a star.
KINDS = (("variables", RELEVANT, "found"), ("pairs", INTERACTING, "pairs_found"))


@dataclass(frozen=True)
class Paired:
    """One true term on the data sets that both codes analysed: how often each marks it, and the points lost."""

    term: str
    data_sets: int
    before: float
    after: float
    lost: Rate

    @property
    def kept(self) -> str:
        """Whether at most five points are lost, as far as two standard errors can tell."""
        if self.lost.percent <= LOSS:
            return "yes"
        return "undecided" if self.lost.percent <= LOSS + 2.0 * self.lost.error else "**no**"


def paired(before: Tables, after: Tables, name: str, kind: str) -> list[Paired]:
    """Every true term of a design; none where the codes share no data set, or did not keep which terms have a star."""
    what, column = next((what, column) for of, what, column in KINDS if of == kind)
    terms = [term for term, of in truth(DESIGNS[name], kind).items() if of == what]
    marks = [of["analyses"][of["analyses"]["design"] == name].set_index("number")[column] for of in (before, after)]
    shared = marks[0].index.intersection(marks[1].index)
    texts = [of.loc[shared] for of in marks]
    if not terms or not len(shared) or any(of.isna().any() for of in texts):
        return []
    bits = [np.array([[bit == "1" for bit in text] for text in of]) for of in texts]
    return [_of_term(term, bits[0][:, t], bits[1][:, t]) for t, term in enumerate(terms)]


def _of_term(term: str, before: Flags, after: Flags) -> Paired:
    """The share of data sets marked before only, minus the share marked now only.

    The standard error is that of half a data set more in each of the four cells, so that 17 of 17 with both is not
    certain (Agresti and Min, 2005).
    """
    n, gone, new = len(before), int((before & ~after).sum()), int((after & ~before).sum())
    error = np.sqrt(gone + new + 1.0 - (gone - new) ** 2 / (n + 2.0)) / (n + 2.0)
    lost = Rate(100.0 * (gone - new) / n, 100.0 * float(error))
    return Paired(term, n, 100.0 * float(before.mean()), 100.0 * float(after.mean()), lost)


def lines(before: Tables | None, after: Tables | None, both: Both) -> list[str]:
    """The table of the page: for each design, how often true terms have a star, and the term that lost most."""
    if before is None or after is None:
        return []
    rows, lost = [], []
    for name, (then, _) in both.items():
        for kind, *_ in KINDS:
            found = paired(before, after, name, kind)
            if not found or then is None:
                continue
            right = then.false.holds if kind == "variables" else then.pairs_hold
            most = max(found, key=lambda each: each.lost.percent)
            rows.append(_row(name, kind, found, most, right))
            if right and most.kept != "yes":
                lost.append(f"{DESIGNS[name].about} ({most.term}: {most.kept.strip('*')})")
    if not rows:
        return []
    head = ["design", "of", "data sets", "terms", "before", "now", "lost most", "points lost", "level right before"]
    verdict = f"Lost by more than that: {'; '.join(lost)}." if lost else "None lost more."
    return [
        "## Power, before and after, on the same data sets",
        "",
        "In percent of the data sets that both codes analysed, for each true term, and the term that lost most: "
        "points lost ± one standard error of paired differences (a minus is a gain). Where the earlier code marked "
        "irrelevant terms at the rate claimed (*level right before*), at most "
        f"{number(LOSS, 0)} points may be lost. Elsewhere stars that were too easy to get are lost along with the "
        f"false ones. {verdict}",
        "",
        *table([*head, "kept"], rows),
    ]


def _row(name: str, kind: str, found: list[Paired], most: Paired, right: bool) -> list[str]:
    return [
        DESIGNS[name].about,
        kind,
        str(most.data_sets),
        ", ".join(each.term for each in found),
        "/".join(number(each.before, 0) for each in found),
        "/".join(number(each.after, 0) for each in found),
        most.term,
        f"{number(most.lost.percent)} ± {number(most.lost.error)}",
        "yes" if right else "no",
        most.kept if right else "",
    ]
