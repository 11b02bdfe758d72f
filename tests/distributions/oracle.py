"""Exact values that take too long to compute in every test run: `python -m tests.distributions.oracle` stores them.

Quadrature and long sums in 60 digits (exact_renyi.py) for the families without closed forms; values that are stored
already are kept unless --all is given.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from tests.distributions import exact, test_mixture
from tests.distributions.check import ALPHAS, SLOW, STORED, SUMS, compute, key
from tests.distributions.extremes import EXTREMES
from tests.distributions.precision import mp


def entries() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every stored value: its key, and how to compute it."""
    for name in SLOW:
        pairs = EXTREMES[name].pairs
        for p, q in [*pairs, *((q, p) for p, q in pairs)]:
            for alpha in ALPHAS:
                yield key(name, p, q, alpha), lambda name=name, p=p, q=q, alpha=alpha: compute(name, p, q, alpha)
    for name in SUMS:
        for row, u in EXTREMES[name].directions:
            yield key(name, row, u), lambda name=name, row=row, u=u: exact.FAMILIES[name](**row).norm(u)
    for row, u in test_mixture.DIRECTIONS:
        yield key("Mixture", row, u), lambda row=row, u=u: test_mixture.exact_norm(row, u)
    for p, q in test_mixture.PAIRS:
        for alpha in test_mixture.ALPHAS:
            yield key("Mixture", p, q, alpha), lambda p=p, q=q, alpha=alpha: test_mixture.exact_renyi(p, q, alpha)


def main(everything: bool) -> None:
    old = json.loads(STORED.read_text()) if STORED.exists() and not everything else {}
    values: dict[str, str] = {}
    for name, value in entries():
        if name not in values:
            values[name] = old.get(name) or mp.nstr(value(), 22)
            if name not in old:
                sys.stdout.write(f"{name} = {values[name]}\n")
    STORED.write_text(json.dumps(values, indent=0) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="compute everything again")
    main(parser.parse_args().all)
