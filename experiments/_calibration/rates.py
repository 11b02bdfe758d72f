"""From counts to error rates, with Monte Carlo standard errors, and to verdicts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from experiments._calibration.counts import (
    BOTH_RELEVANT,
    INTERACTING,
    IRRELEVANT,
    OTHER,
    RELEVANT,
    Tables,
    truth,
)
from experiments._calibration.designs import DESIGNS

#: The mark claims 5 %; a rate may be two points above it, and two Monte Carlo standard errors more.
NOMINAL, POINTS, ERRORS = 5.0, 2.0, 2.0


@dataclass(frozen=True)
class Rate:
    """A share in percent, with its Monte Carlo standard error; analyses, not terms, count as independent."""

    percent: float
    error: float

    @property
    def known(self) -> bool:
        """Whether there is one: a design without irrelevant terms, or code without this mark, has none."""
        return bool(np.isfinite(self.percent))

    @property
    def holds(self) -> bool:
        """percent ≤ 5 + 2 + 2 standard errors."""
        return not self.known or self.percent <= NOMINAL + POINTS + ERRORS * self.error


NONE = Rate(np.nan, np.nan)


def rate(shares: pd.Series[float]) -> Rate:
    """The mean of one share per analysis, in percent; its error is the standard deviation over √(number)."""
    known = 100.0 * shares.dropna().astype(float)
    if not len(known):
        return NONE
    return Rate(float(known.mean()), float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else np.nan)


@dataclass(frozen=True)
class Rates:
    """The rates of one design with one code.

    `false`: irrelevant variables marked; `some_false`: analyses with one or more; `discovery`: the share of false ones
    among Benjamini and Hochberg's discoveries (0 where there are none); `familywise`: analyses with a false family-wise
    mark; the same for pairs, where `pairs_both` are false pairs of two relevant variables. `found` and `found_pairs`:
    how often each true one is marked. `covered`: intervals that hold the expected value, by what the term is.
    """

    analyses: int
    false: Rate
    some_false: Rate
    discovery: Rate
    familywise: Rate
    pairs_false: Rate
    pairs_both: Rate
    pairs_some_false: Rate
    pairs_discovery: Rate
    found: dict[str, Rate]
    found_pairs: dict[str, Rate]
    covered: dict[str, float]
    interval_kind: str
    warned: float
    warning: str
    seconds: float

    @property
    def pairs_hold(self) -> bool:
        """Both for all false pairs and for false pairs of two relevant variables."""
        return self.pairs_false.holds and self.pairs_both.holds


#: By design: rates with the earlier code and with this one; None where it was not run.
Both = dict[str, tuple[Rates | None, Rates | None]]


def rates(tables: Tables, name: str) -> Rates | None:
    """The rates of a design; None if it was not run."""
    terms, analyses, designs = (tables[t][tables[t]["design"] == name] for t in ("terms", "analyses", "designs"))
    if not len(designs):
        return None
    line, n = designs.iloc[0], len(analyses)
    variables, pairs = (list(truth(DESIGNS[name], kind).values()) for kind in ("variables", "pairs"))
    false_pairs = pairs.count(OTHER) + pairs.count(BOTH_RELEVANT)

    def share(column: str, count: int) -> Rate:
        return rate(analyses[column] / count) if count else NONE

    def some(column: str, count: int) -> Rate:
        return rate((analyses[column] > 0).where(analyses[column].notna())) if count else NONE

    def false_discoveries(prefix: str) -> Rate:
        return rate(analyses[f"{prefix}discovery_false"] / analyses[f"{prefix}discovery"].clip(lower=1))

    def found(what: str) -> dict[str, Rate]:
        own = terms[(terms["truth"] == what) & terms["marked"].notna()]
        return {str(row.term): _binomial(float(row.marked), n) for row in own.itertuples()}

    irrelevant = variables.count(IRRELEVANT)
    return Rates(
        analyses=n,
        false=share("marked_false", irrelevant),
        some_false=some("marked_false", irrelevant),
        discovery=false_discoveries(""),
        familywise=some("familywise_false", irrelevant),
        pairs_false=share("pairs_marked_false", false_pairs),
        pairs_both=share("pairs_marked_both", pairs.count(BOTH_RELEVANT)),
        pairs_some_false=some("pairs_marked_false", false_pairs),
        pairs_discovery=false_discoveries("pairs_"),
        found=found(RELEVANT),
        found_pairs=found(INTERACTING),
        covered={what: _covered(terms[terms["truth"] == what]) for what in (RELEVANT, IRRELEVANT, INTERACTING)},
        interval_kind=str(line["interval_kind"]),
        warned=100.0 * float(line["warned"]) / n,
        warning=str(line["warning"]),
        seconds=float((analyses["fit"] + analyses["explain"]).mean()),
    )


def _binomial(times: float, n: int) -> Rate:
    """A share of n; its error is that of two more successes and failures, so that 12 of 12 is not certain.

    Agresti and Coull, 1998.
    """
    near = (times + 2.0) / (n + 4.0)
    return Rate(100.0 * times / n, 100.0 * float(np.sqrt(near * (1.0 - near) / (n + 4.0))))


def _covered(terms: pd.DataFrame) -> float:
    """The share of all intervals of these terms, in percent."""
    whole = float(terms["intervals"].sum())
    return 100.0 * float(terms["covered"].sum()) / whole if whole else np.nan
