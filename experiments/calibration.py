"""How often marks, p-values and intervals are wrong, on simulated data with a known truth: docs/calibration.md.

    python -m experiments.calibration                # runs what is missing or stale, then writes the page
    python -m experiments.calibration --check        # says which designs are stale; runs at most one analysis of each
    python -m experiments.calibration --page         # only writes the page

An analysis draws a data set, fits a model and calls `rsens.explain(model, X, y)` with default settings. Every analysis
is written to a file as it finishes (`*.jsonl`, not committed); start the script again to go on. The committed tables
are results/calibration/<code>-designs.csv, -terms.csv and -analyses.csv.

To run earlier code, put it first on the path:

    PYTHONPATH=/path/to/earlier/src:. python -m experiments.calibration --code before
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

from experiments._calibration.analysis import analyse
from experiments._calibration.counts import tables_of
from experiments._calibration.current import CURRENT, UNCHANGED, can_go_on, stamps, state
from experiments._calibration.designs import DESIGNS
from experiments._calibration.page import page
from experiments._calibration.store import read, restamp, update
from experiments._command import RESULTS, Options, parallel, parser
from experiments._journal import Journal, run
from experiments._tables import write_text

DOCS = Path(__file__).parents[1] / "docs"
CODES = ("before", "after")


def options() -> Options:
    """The options of this script."""
    given = parser(__doc__.splitlines()[0], repetitions=100, published=False)
    given.set_defaults(repetitions=None, out=RESULTS / "calibration")
    given.add_argument("--designs", nargs="+", choices=list(DESIGNS), default=list(DESIGNS), metavar="NAME")
    given.add_argument("--code", choices=CODES, default="after", help="name of the present code on the page")
    given.add_argument("--docs", type=Path, default=DOCS, help="folder for the page; default: %(default)s")
    only = given.add_mutually_exclusive_group()
    only.add_argument("--check", action="store_true", help="print which designs are stale, and run nothing")
    only.add_argument("--finished", action="store_true", help="write tables of finished analyses, and run nothing")
    only.add_argument("--page", action="store_true", help="write the page, and run nothing")
    return given


def main(arguments: list[str] | None = None) -> None:
    """Run the script."""
    given = options().parse_args(arguments)
    if given.check:
        raise SystemExit(check(given))
    if given.finished:
        _finished(given)
    elif not given.page:
        _run(given)
    write_text(given.docs / "calibration.md", page(given.out))


def states(given: Namespace) -> dict[str, str]:
    """Whether the tables of each design are current."""
    kept = read(given.out, given.code)
    return {name: state(name, kept, _wanted(given, name), given.seed) for name in given.designs}


def check(given: Namespace) -> int:
    """Print which designs are stale; 1 if any is."""
    found = states(given)
    for name, words in found.items():
        sys.stdout.write(f"{name}: {words}\n")
    return int(any(words not in (CURRENT, UNCHANGED) for words in found.values()))


def _run(given: Namespace) -> None:
    """Run the designs that are missing or stale. Analysis 0 of all designs comes first, then 1 of all, and so on."""
    found = states(given)
    restamp(given.out, given.code, {n: stamps(n, given.seed) for n, words in found.items() if words == UNCHANGED})
    names = [name for name, words in found.items() if words not in (CURRENT, UNCHANGED)]
    journal = _journal(given)
    for name, analyses in _by_design(journal, names).items():
        if not can_go_on(name, analyses, given.seed):
            journal.discard([(name, number) for number in analyses])
    wanted = {name: _wanted(given, name) for name in names}
    keys = [(name, k) for k in range(max(wanted.values(), default=0)) for name in names if k < wanted[name]]
    with parallel(given):
        work = partial(analyse, seed=given.seed)
        run(journal, keys, work, n_jobs=given.n_jobs, label=f"calibration, {given.code}", timed=False)
    _write(given, journal, wanted)


def _finished(given: Namespace) -> None:
    """Tables of every design that has two analyses or more, whichever code made them."""
    journal = _journal(given)
    done = _by_design(journal, given.designs)
    _write(given, journal, {name: len(analyses) for name, analyses in done.items() if len(analyses) > 1})


def _write(given: Namespace, journal: Journal, wanted: dict[str, int]) -> None:
    tables = []
    for name, analyses in _by_design(journal, list(wanted)).items():
        kept = [analyses[number] for number in sorted(analyses)][: wanted[name]]
        tables.append(tables_of(name, DESIGNS[name], kept, stamps(name, given.seed) | {"source": kept[0]["source"]}))
    update(given.out, given.code, tables)


def _journal(given: Namespace) -> Journal:
    return Journal(given.out / f"{given.code}.jsonl", {"experiment": "calibration", "seed": given.seed})


def _by_design(journal: Journal, names: list[str]) -> dict[str, dict[int, Any]]:
    """Finished analyses by number, for each of these designs that has any."""
    found: dict[str, dict[int, Any]] = defaultdict(dict)
    for (name, number), analysis in journal.finished.items():
        if name in names:
            found[name][number] = analysis
    return found


def _wanted(given: Namespace, name: str) -> int:
    return given.repetitions or DESIGNS[name].analyses


if __name__ == "__main__":
    main()
