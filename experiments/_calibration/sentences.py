"""The words of the page: what the marks mean, how often they are wrong, and where they do not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from experiments._calibration.counts import INTERACTING, IRRELEVANT, RELEVANT
from experiments._calibration.designs import DESIGNS
from experiments._calibration.rates import Both, Rate, Rates
from experiments.page._markdown import number

VARIABLE = "**A star on a variable** means that it reaches more than 95 % of irrelevant columns made like this one."
P_VALUE = (
    "**Its p-value** is how often an irrelevant column made like this one reaches as much. `discovery` keeps the "
    "share of false ones among its marks at 10 % on average, `familywise` keeps the chance of any false mark at 5 %."
)
PAIR = (
    "**A star on a pair** means that the data contradict a model in which these two add up on its latent scale (logit, "
    "log rate), also if other pairs interact. Its p-value is how often chance alone does so."
)
INTERVAL = (
    '**An interval** (95 %) is for new data of this size where the model was refitted (`interval_kind` "refits"); else '
    'it only covers which rows are explained ("rows").'
)


def summary(both: Both) -> list[str]:
    """Explain a mark, a p-value and an interval, and how often they are wrong."""
    after = {name: now for name, (_, now) in both.items() if now is not None}
    lines = [VARIABLE, P_VALUE, PAIR, INTERVAL]
    if not after:
        return [*(f"- {line}" for line in lines), "", "Not run: `python -m experiments.calibration`.", ""]
    n = sum(found.analyses for found in after.values())
    none = {name: found for name, found in after.items() if not DESIGNS[name].relevant}
    some = {name: found for name, found in after.items() if DESIGNS[name].relevant}
    lines[0] += " " + _range("Irrelevant variables have one in", after, lambda r: r.false)
    lines[1] += " " + _range("False discoveries:", after, lambda r: r.discovery)
    lines[1] += " " + _range("A false family-wise mark:", after, lambda r: r.familywise, "of analyses")
    lines[2] += " " + _range("Pairs that do not interact have one in", after, lambda r: r.pairs_false)
    lines[2] += " " + _range("Of two relevant variables:", after, lambda r: r.pairs_both)
    lines[3] += " " + _covers("It holds the expected value of relevant variables in", some, RELEVANT)
    lines[3] += " " + _covers("of irrelevant ones in", some, IRRELEVANT, capital=True)
    lines[3] += " " + _covers("of pairs that interact in", some, INTERACTING, capital=True)
    if none:
        lines.append(_covers("**On pure noise** intervals hold in", none, IRRELEVANT) + " Where nothing has a star, "
                     "read no interval as 95 %.")  # fmt: skip
    for kind, words in ("variables", "Variables"), ("pairs", "Pairs"):
        failed = _failed(after, kind)
        told = [name for name in failed if DESIGNS[name].allows(kind)]
        text = (
            f"{words}: 5 % holds, within two points and two Monte Carlo standard errors, in {len(after) - len(failed)} "
        )
        text += f"of {len(after)} designs" + (
            f"; {len(told)} of the others are of a kind the program warns of" if failed else ""
        )
        lines.append(f"**{text}.**" if len(told) < len(failed) else f"{text}.")
    lines.append(f"{n:,} analyses in {len(after)} designs; " + _before(both))
    return [*(f"- {' '.join(line.split())}" for line in lines), ""]


def _range(words: str, found: dict[str, Rates], of: Callable[[Rates], Rate], unit: str = "") -> str:
    """Mean, smallest and largest over designs."""
    known = [of(each).percent for each in found.values() if of(each).known]
    if not known:
        return ""
    low, high = (number(end) for end in (min(known), max(known)))
    return f"{words} {number(float(np.mean(known)))} %{f' {unit}' if unit else ''} ({low} to {high} by design)."


def _covers(words: str, found: dict[str, Rates], kind: str, *, capital: bool = False) -> str:
    known = [each.covered[kind] for each in found.values() if not np.isnan(each.covered[kind])]
    if not known:
        return ""
    words = words[0].upper() + words[1:] if capital else words
    low, high = (number(end, 0) for end in (min(known), max(known)))
    return f"{words} {number(float(np.mean(known)), 0)} % ({low} to {high} by design)."


def _before(both: Both) -> str:
    """The same shares before, over the designs that both codes ran."""
    shared = [before for before, after in both.values() if before is not None and after is not None]
    if not shared:
        return "the earlier code was not run."

    def mean(values: Iterable[Any]) -> str:
        known = [float(value) for value in values if not np.isnan(value)]
        return number(float(np.mean(known)), 0) if known else "–"

    return (
        f"on {len(shared)} of these, the earlier code marked {mean(found.false.percent for found in shared)} % of "
        f"irrelevant variables and {mean(found.pairs_both.percent for found in shared)} % of pairs of two relevant "
        "variables that add up, and its intervals held the expected value of "
        f"{mean(found.covered[RELEVANT] for found in shared)} % of relevant variables."
    )


def _failed(found: dict[str, Rates], kind: str) -> list[str]:
    """The designs whose 5 % does not hold."""
    return [name for name, r in found.items() if not (r.false.holds if kind == "variables" else r.pairs_hold)]


LIMITS = """\
## Where it may not hold

- **Below 60 rows** an irrelevant variable may have a star more often than claimed.
- **Noise that depends on x**: pairs of relevant variables that add up may have a star more often.
- **Beside a true interaction**, above all a three-way one, so may pairs that share a variable with it.
- **Correlation 0.9**: x₀x₂ is difficult to distinguish from x₀² and x₂². No star means *inconclusive*, not *adds up*.
- **Where nothing has a star**, the intervals do not hold.

The program warns where it can detect this.
"""


def failures(both: Both) -> list[str]:
    """Where the 5 % may fail and where it did, and the program's warnings there."""
    after = {name: now for name, (_, now) in both.items() if now is not None}
    lines = [*LIMITS.splitlines(), ""]
    failed = []
    for kind in "variables", "pairs":
        for name in _failed(after, kind):
            rate = after[name].false if kind == "variables" else _worst(after[name])
            why = DESIGNS[name].allows(kind) or "**none of the known cases**"
            failed.append(f"- {DESIGNS[name].about}, {kind}: {number(rate.percent)} ± {number(rate.error)} % ({why}).")
    if after:
        lines += ["It did not hold here:", "", *failed] if failed else ["It held in every design."]
        lines.append("")
    said = [
        f"- {DESIGNS[name].about}: in {number(found.warned, 0)} % of analyses, mostly “{found.warning} …”"
        for name, found in after.items()
        if found.warned > 0.0
    ]
    return [*lines, *(["The program warned here:", "", *said, ""] if said else [])]


def _worst(found: Rates) -> Rate:
    """The rate of pairs that exceeds its limit by more."""
    return max((r for r in (found.pairs_false, found.pairs_both) if r.known), key=lambda r: r.percent - 2.0 * r.error)
