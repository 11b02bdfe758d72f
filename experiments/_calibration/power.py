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
Array = NDArray[np.float64]

#: How many points of power may be lost, where the level was right before.
LOSS = 5.0
#: The kind of term, the truth of its terms, the column of the analyses with the terms that have a star, and the
#: beginning of the columns that count stars.
KINDS = (("variables", RELEVANT, "found", ""), ("pairs", INTERACTING, "pairs_found", "pairs_"))


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
    """Every true term of a design, or all together where it was not kept which of them have a star.

    Empty where the codes share no data set, or there is no true term.
    """
    what, column, prefix = next((what, column, prefix) for of, what, column, prefix in KINDS if of == kind)
    terms = [term for term, of in truth(DESIGNS[name], kind).items() if of == what]
    own = [of["analyses"][of["analyses"]["design"] == name].set_index("number") for of in (before, after)]
    shared = own[0].index.intersection(own[1].index)
    own = [of.loc[shared] for of in own]
    if not terms or not len(shared):
        return []
    if any(of[column].isna().any() for of in own):
        if len(own[0]) == len(own[1]) == _most(before, after, name):
            return _of_counts(before, after, name, terms, len(shared))
        counts = [of[f"{prefix}marked"] - of[f"{prefix}marked_false"] for of in own]
        return [_together(counts[0].to_numpy(dtype=float), counts[1].to_numpy(dtype=float), len(terms))]
    bits = [np.array([[bit == "1" for bit in text] for text in of[column]]) for of in own]
    return [_of_term(term, bits[0][:, t], bits[1][:, t]) for t, term in enumerate(terms)]


def _most(before: Tables, after: Tables, name: str) -> int:
    """How many data sets the code analysed that analysed more."""
    return max(int((of["analyses"]["design"] == name).sum()) for of in (before, after))


def _of_counts(before: Tables, after: Tables, name: str, terms: list[str], n: int) -> list[Paired]:
    """Every true term from the counts alone, where both codes analysed the same data sets and no others.

    The difference equals the paired one; its standard error, as of two separate series, is too large.
    """
    marked = [of["terms"].set_index(["design", "term"])["marked"] for of in (before, after)]
    found = []
    for term in terms:
        times = [float(of[name, term]) for of in marked]
        near = [(k + 2.0) / (n + 4.0) for k in times]
        error = np.sqrt(sum(share * (1.0 - share) for share in near) / (n + 4.0))
        then, now = (100.0 * k / n for k in times)
        found.append(Paired(term, n, then, now, Rate(then - now, 100.0 * float(error))))
    return found


def _together(before: Array, after: Array, terms: int) -> Paired:
    """All true terms: the mean share with a star, and the points that all of them lost, added up."""
    then, now = (100.0 * float(of.mean()) / terms for of in (before, after))
    lost = 100.0 * (before - after)
    error = float(lost.std(ddof=1) / np.sqrt(len(lost))) if len(lost) > 1 else np.nan
    return Paired("together", len(lost), then, now, Rate(float(lost.mean()), error))


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
    for name, (then, now) in both.items():
        for kind, *_ in KINDS:
            found = paired(before, after, name, kind)
            if not found or then is None or now is None:
                continue
            most = max(found, key=lambda each: each.lost.percent)
            right = then.false.holds if kind == "variables" else then.pairs_hold
            false = [of.false if kind == "variables" else of.pairs_both for of in (then, now)]
            rows.append([*_row(name, kind, found, most), *map(_percent, false), most.kept if right else ""])
            if right and most.kept != "yes":
                lost.append(f"{DESIGNS[name].about} ({most.term}: {most.kept.strip('*')})")
    if not rows:
        return []
    head = ["design", "of", "data sets", "true terms", "before", "now", "lost most", "points lost"]
    verdict = f"More, so far as these data sets tell: {'; '.join(lost)}." if lost else "None lost more."
    return [
        "## Power, before and after, on the same data sets",
        "",
        "How often true terms have a star, in percent of the data sets that both codes analysed, and the term that "
        "lost most: points lost ± one standard error of paired differences (a minus is a gain). *Together*: the points "
        "of all true terms added up, and the mean of their shares, where it was not kept which of them had a star. "
        "Beside it the share of false terms with a star: all irrelevant variables, or pairs of two relevant variables "
        "that add up. Where the earlier code kept 5 % within two points and two standard errors, at most "
        f"{number(LOSS, 0)} points may be lost; elsewhere stars that were too easy to get go with the false ones, and "
        f"nothing is asked. {verdict}",
        "",
        *table([*head, "false, before", "now", "kept"], rows),
    ]


def at_same_rate(before: Tables, after: Tables, name: str) -> tuple[float, list[Paired]] | None:
    """Variables, if this code marked as many false ones as the earlier one did: p ≤ c, with the c that does that.

    The share of false marks, and every relevant variable; None where p-values or marks were not kept.
    """
    if "p" not in after["analyses"] or not DESIGNS[name].relevant:
        return None
    own = [of["analyses"][of["analyses"]["design"] == name].set_index("number") for of in (before, after)]
    shared = own[0].index.intersection(own[1].index)
    own = [of.loc[shared] for of in own]
    if not len(shared) or own[0]["found"].isna().any() or own[1]["p"].isna().any():
        return None
    found = np.array([[bit == "1" for bit in text] for text in own[0]["found"]])
    p = np.array([[float(value or "nan") for value in text.split("/")] for text in own[1]["p"]])
    relevant = list(DESIGNS[name].relevant)
    false = np.delete(p, relevant, axis=1)
    if not false.size:
        return None
    share = float(own[0]["marked_false"].mean()) / false.shape[1]
    marked = p[:, relevant] <= np.nanquantile(false, share)
    return 100.0 * share, [_of_term(f"x{j}", found[:, t], marked[:, t]) for t, j in enumerate(relevant)]


def same_rate(before: Tables | None, after: Tables | None, both: Both) -> list[str]:
    """The table of power at the same share of false stars."""
    if before is None or after is None:
        return []
    rows = []
    for name in both:
        at = at_same_rate(before, after, name)
        if at is not None:
            most = max(at[1], key=lambda each: each.lost.percent)
            rows.append([*_row(name, "variables", at[1], most), number(at[0])])
    if not rows:
        return []
    head = ["design", "of", "data sets", "true terms", "before", "now", "lost most", "points lost", "false stars, both"]
    return [
        "A code that marks more of everything also finds more. So here a variable counts as found now if p ≤ c, with c "
        "such that as many irrelevant variables pass as the earlier code marked (designs whose p-values were kept):",
        "",
        *table(head, rows),
    ]


def _row(name: str, kind: str, found: list[Paired], most: Paired) -> list[str]:
    return [
        DESIGNS[name].about,
        kind,
        str(most.data_sets),
        ", ".join(each.term for each in found),
        "/".join(number(each.before, 0) for each in found),
        "/".join(number(each.after, 0) for each in found),
        most.term,
        f"{number(most.lost.percent)} ± {number(most.lost.error)}",
    ]


def _percent(rate: Rate) -> str:
    return number(rate.percent) if rate.known else ""
