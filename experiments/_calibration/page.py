"""docs/calibration.md from the committed tables. No number on it is typed by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from experiments._calibration import cost, power, sentences
from experiments._calibration.counts import INTERACTING, IRRELEVANT, RELEVANT
from experiments._calibration.designs import DESIGNS
from experiments._calibration.rates import Both, Rate, Rates, rates
from experiments._calibration.store import read
from experiments.page._markdown import number, table

HOW = """\
## How it is made

An analysis draws a data set from a design, fits the model and calls `rsens.explain(model, X, y, random_state=…)` with
default settings. "Before" is commit c0a28b0, on the same data sets. By default a design has 150 rows,
8 columns and a GP, and y = x₀ + sin 1.5x₁ + ½x₂ + ½ε; "one interaction" adds ½x₀x₂, "two" add 0.7x₀x₂ + 0.7x₁x₃.
`experiments/_calibration/designs.py` has them all.

```sh
make calibration                              # runs what is missing or stale, then writes this page; hours
make calibration-quick                        # a few designs, two analyses each, into build/calibration-quick
python -m experiments.calibration --check     # which designs are stale
python -m experiments.cost                    # processor seconds of a whole study
```

A run can be interrupted and goes on where it stopped. Each design notes a hash of the sources that made it. If the
sources change, its first analysis is done again, and if that gives other numbers the design is stale and runs again.
"""


def page(folder: Path) -> str:
    """The whole page."""
    kept = [read(folder, code) for code in ("before", "after")]
    both: Both = {}
    for name in DESIGNS:
        before, after = (None if tables is None else rates(tables, name) for tables in kept)
        if before is not None or after is not None:
            both[name] = before, after
    lines = [
        "# How often a mark is wrong",
        "",
        *sentences.summary(both),
        *_variables(both),
        *_found(both),
        *_pairs(both),
        *_intervals(both),
        *power.lines(*kept, both),
        *power.same_rate(*kept, both),
        *sentences.failures(both),
        *_cost(both, folder),
        *HOW.splitlines(),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


# ---- cells -----------------------------------------------------------------------------------------------------------


def _cell(found: Rates | None, of: Callable[[Rates], Rate]) -> str:
    """5.0 ± 1.2, or empty."""
    if found is None or not of(found).known:
        return ""
    return f"{number(of(found).percent)} ± {number(of(found).error)}"


def _plain(found: Rates | None, of: Callable[[Rates], Rate]) -> str:
    """5, without its error."""
    return "" if found is None or not of(found).known else number(of(found).percent, 0)


def _each(found: dict[str, Rate] | None) -> str:
    """100/98/72, in the order of the columns."""
    return "/".join(number(each.percent, 0) for each in (found or {}).values())


def _counts(before: Rates | None, after: Rates | None) -> str:
    """Analyses before and after."""
    return "/".join("–" if found is None else str(found.analyses) for found in (before, after))


def verdict(holds: bool, excuse: str) -> str:
    """Whether the 5 % holds, and if not why it may fail."""
    return "yes" if holds else f"**no**: {excuse}" if excuse else "**no**"


def _rows(both: Both, row: Callable[[str, Rates | None, Rates | None], list[str] | None]) -> Iterable[list[str]]:
    for name, (before, after) in both.items():
        cells = row(name, before, after)
        if cells is not None and any(cells):
            yield [DESIGNS[name].about, *cells]


# ---- tables ----------------------------------------------------------------------------------------------------------


def _variables(both: Both) -> list[str]:
    def row(name: str, before: Rates | None, after: Rates | None) -> list[str]:
        holds = (
            ""
            if after is None or not after.false.known
            else verdict(after.false.holds, DESIGNS[name].allows("variables"))
        )
        return [
            _counts(before, after),
            _cell(before, lambda r: r.false),
            _cell(after, lambda r: r.false),
            holds,
            _plain(after, lambda r: r.some_false),
            _plain(after, lambda r: r.discovery),
            _plain(after, lambda r: r.familywise),
        ]

    head = ["design", "analyses", "before", "now", "holds", "some false star", "false discoveries", "family-wise"]
    return [
        "## Irrelevant variables with a star",
        "",
        "In percent of irrelevant variables, ± one Monte Carlo standard error (before and now). 5 is claimed; it "
        "*holds* up to 7 plus two standard errors. Then, in percent of analyses with this code: some irrelevant "
        "variable has a star; the share of false ones among the discoveries (`discovery`, at most 10 is claimed); "
        "some irrelevant variable has the family-wise mark (`familywise`, at most 5 is claimed).",
        "",
        *table(head, _rows(both, row)),
    ]


def _found(both: Both) -> list[str]:
    def row(name: str, before: Rates | None, after: Rates | None) -> list[str] | None:
        if not DESIGNS[name].relevant:
            return None
        columns = ", ".join(f"x{j}" for j in DESIGNS[name].relevant)
        return [columns, *(_each(found and found.found) for found in (before, after))]

    return [
        "## Relevant variables with a star",
        "",
        "In percent of analyses, for each relevant variable.",
        "",
        *table(["design", "relevant", "before", "now"], _rows(both, row)),
    ]


def _pairs(both: Both) -> list[str]:
    def row(name: str, before: Rates | None, after: Rates | None) -> list[str]:
        holds = (
            ""
            if after is None or not after.pairs_false.known
            else verdict(after.pairs_hold, DESIGNS[name].allows("pairs"))
        )
        return [
            _cell(before, lambda r: r.pairs_false),
            _cell(after, lambda r: r.pairs_false),
            _cell(before, lambda r: r.pairs_both),
            _cell(after, lambda r: r.pairs_both),
            holds,
            _plain(after, lambda r: r.pairs_some_false),
            _plain(after, lambda r: r.pairs_discovery),
            _each(before and before.found_pairs),
            _each(after and after.found_pairs),
        ]

    head = ["design", "before", "now", "both relevant, before", "now", "holds", "some false star"]
    head += ["false discoveries", "true pairs, before", "now"]
    return [
        "## Pairs with a star",
        "",
        "In percent of pairs that do not interact: all of them, then those of two relevant variables, which are the "
        "hard ones. It holds if both do. The last two columns: how often each pair that does interact has a star. A "
        "model that adds up by construction (linear, logistic, Poisson regression) never marks a pair now.",
        "",
        *table(head, _rows(both, row)),
    ]


def _intervals(both: Both) -> list[str]:
    kinds = (RELEVANT, IRRELEVANT, INTERACTING)

    def row(name: str, before: Rates | None, after: Rates | None) -> list[str]:
        cells = [
            "" if found is None or np.isnan(found.covered[kind]) else number(found.covered[kind], 0)
            for kind in kinds
            for found in (before, after)
        ]
        return [*cells, "" if after is None else after.interval_kind]

    head = ["design", "relevant, before", "now", "irrelevant, before", "now", "true pairs, before", "now", "kind"]
    return [
        "## Intervals that hold the expected value",
        "",
        "In percent of intervals; 95 is claimed. The expected value is the mean over all data sets of the design. "
        '`interval_kind` names what an interval covers: "refits", new data of this size; "rows", only which rows '
        "are explained.",
        "",
        *table(head, _rows(both, row)),
    ]


def _cost(both: Both, folder: Path) -> list[str]:
    rows = [
        (DESIGNS[name].about, f"{before.seconds:.2f}", f"{after.seconds:.2f}")
        for name, (before, after) in both.items()
        if before is not None and after is not None
    ]
    lines = ["## Cost", "", *cost.lines(folder)]
    if rows:
        lines += ["Processor seconds of fit and `explain` per analysis:", "", *table(["design", "before", "now"], rows)]
    return lines
