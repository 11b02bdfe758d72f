"""How exact the formulas are: every family and likelihood against arithmetic of 60 digits, over a grid of extremes.

    make accuracy
    python -m experiments.accuracy --only Gamma --out build/accuracy

The error is relative to the exact value at the float64 parameters given; of a log density below 1 it is the relative
error of the density. The oracles are those of tests/distributions and tests/likelihoods. Writes
docs/results/accuracy.json: the worst error of each quantity and where it is.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from experiments._accuracy import families, likelihoods
from experiments._accuracy.questions import DENSITY, DIVERGENCE, NORM, SECOND, Question
from experiments._progress import progress
from experiments._tables import announce, replace_file
from tests.distributions.precision import PROMISED

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"
FILE = "accuracy.json"

_NEARLY_ONE_OUTPUT = (
    "Outputs with a correlation of 1 − 1e-9: their condition number, 2e9, times the rounding of float64."
)
#: Where the promise does not hold, and why.
LIMITS: dict[tuple[str, str], str] = {
    ("MultivariateNormal", quantity): _NEARLY_ONE_OUTPUT for quantity in (DENSITY, NORM, SECOND, DIVERGENCE)
}


def questions() -> dict[str, list[Question]]:
    """By kind of subject: every family, every likelihood."""
    return {"families": list(families.family_questions()), "likelihoods": list(likelihoods.likelihood_questions())}


def table(asked: dict[str, list[Question]]) -> Iterator[tuple[str, Question, dict[str, Any]]]:
    """The worst point of each question."""
    with progress(sum(map(len, asked.values())), 0, "questions") as bar:
        for kind, group in asked.items():
            for question in group:
                entry = question.worst()
                limit = LIMITS.get((question.subject, question.quantity))
                yield kind, question, {**entry, "limit": limit} if limit else entry
                bar.update()


def main(arguments: list[str] | None = None) -> None:
    """Ask everything, and write the answers."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--only", nargs="+", metavar="NAME", help="families or likelihoods; default: all")
    options.add_argument("--out", type=Path, default=RESULTS, help="default: %(default)s")
    given = options.parse_args(arguments)
    asked = questions()
    if given.only:
        asked = {kind: [q for q in group if q.subject in given.only] for kind, group in asked.items()}
    result: dict[str, Any] = {"command": "make accuracy", "digits": 60, "promised": PROMISED}
    result |= {kind: {} for kind in asked}
    for kind, question, entry in table(asked):
        result[kind].setdefault(question.subject, {})[question.quantity] = entry
    path = given.out / FILE
    replace_file(path, (json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode())
    announce(path)


if __name__ == "__main__":
    main()
