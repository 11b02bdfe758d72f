"""How often the interval of a difference holds the expected difference, and how often ≠ marks one that is not there.

    python -m experiments.differences

A data set is drawn (two for two samples), both sides are explained with `rsens.explain(model, X, y)` without a null
level, and `Explanation.difference` compares them. Two samples of one design do not differ, so every mark is false. Two
models of the same rows, or a subgroup and the other rows, may differ in expectation; the expected difference is the
mean over all data sets. Every data set is written to a file as it finishes (differences.jsonl, not committed); start
the script again to go on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

import rsens
from experiments._calibration import simulation as s
from experiments._calibration.designs import MODELS
from experiments._command import Options, parallel, parser
from experiments._journal import Journal, run
from experiments._tables import write_csv

ROWS, COLUMNS = 150, 5
Explanation = Any


@dataclass(frozen=True)
class Design:
    """The two sides: two samples, or two models of one sample; `spread` is the deviation of x₀ in the second.

    `differing` are the terms that differ in expectation; others do not, by design. For two models `differing` is None:
    any term may.
    """

    about: str
    models: tuple[str, str] = ("linear", "linear")
    latents: tuple[s.Latent, s.Latent] = (s.linear, s.linear)
    same_rows: bool = False
    same_folds: bool = True
    spread: float = 1.0
    relevant: tuple[str, ...] = ("x0", "x1", "x2")
    differing: tuple[str, ...] | None = ()
    repetitions: int = 200
    subgroups: Callable[[np.random.Generator, pd.DataFrame], Any] | None = None  # labels of rows, instead of two sides

    def lines(self, rng: np.random.Generator, seed: int) -> list[list[Any]]:
        """One line for each term, pair, or term and subgroup: its name, the difference, its interval and p."""
        return self._of_sides(rng, seed) if self.subgroups is None else self._of_subgroups(rng, seed)

    def _of_sides(self, rng: np.random.Generator, seed: int) -> list[list[Any]]:
        first, second = self.sides(rng, seed)
        found = first.difference(second)
        return [
            _line(line["term"], line, "a_minus_b", "", found.units, line["term"].split(":"))
            for order in (1, 2)
            for line in found.to_frame(order).to_dict("records")
        ]

    def _of_subgroups(self, rng: np.random.Generator, seed: int) -> list[list[Any]]:
        assert self.subgroups is not None
        X, y = _draw(rng, self.latents[0])
        found = _explained(self.models[0], X, y, seed, by=self.subgroups(rng, X), pairs=False)
        return [
            _line(
                f"{line['term']} in {line['subgroup']}", line, "difference", "difference_", found.scale, [line["term"]]
            )
            for line in found.by_frame().to_dict("records")
        ]

    def sides(self, rng: np.random.Generator, seed: int) -> tuple[Explanation, Explanation]:
        """Both explanations."""
        data = _draw(rng, self.latents[0])
        first = _explained(self.models[0], *data, seed)
        if not self.same_rows:
            data = _draw(rng, self.latents[1], self.spread)
        return first, _explained(self.models[1], *data, seed if self.same_folds else seed + 1)


def _draw(rng: np.random.Generator, latent: s.Latent, spread: float = 1.0) -> tuple[pd.DataFrame, Any]:
    X = s.independent(rng, ROWS, COLUMNS)
    X[:, 0] *= spread
    return s.table(X, []), s.normal(rng, X, latent(X))


def _explained(model: str, X: pd.DataFrame, y: Any, seed: int, **options: Any) -> Explanation:
    return rsens.explain(MODELS[model](seed).fit(X, y), X, y, null=False, random_state=seed, **options)


def _line(name: str, line: dict[str, Any], value: str, start: str, units: Any, columns: list[str]) -> list[Any]:
    """The numbers of a line per natural unit of the columns: a difference, its interval, and p."""
    unit = np.prod([units[column] for column in columns])
    numbers = [float(line[column] / unit) for column in (value, f"{start}lower", f"{start}upper")]
    return [name, *numbers, float(line["p_value"])]


def _at_random(rng: np.random.Generator, X: pd.DataFrame) -> Any:
    """Subgroups of about 90, 45 and 15 rows that have nothing to do with the model."""
    return rng.choice(["most", "some", "few"], len(X), p=[0.6, 0.3, 0.1])


def _by_sign(rng: np.random.Generator, X: pd.DataFrame) -> Any:
    """Rows in which x₀ is above 0, and the others."""
    return np.where(X["x0"] > 0.0, "above 0", "below 0")


def _weaker(X: s.Array) -> s.Array:
    """f = ½x₀ + 0.6x₁ + 0.3x₂."""
    return s.linear(X) - 0.5 * X[:, 0]


GP: dict[str, Any] = {"models": ("GP", "GP"), "repetitions": 60}
NOISE: dict[str, Any] = {"latents": (s.nothing, s.nothing), "relevant": ()}
ADDITIVE = s.additive()
INTERACTING = s.plus(ADDITIVE, {(0, 2): 0.7})
DESIGNS: dict[str, Design] = {
    "linear": Design("two samples, linear model"),
    "linear-other-sd": Design("two samples, linear model, x₀ three times as spread", spread=3.0),
    "linear-weaker": Design(
        "two samples, linear model, x₀ half as strong", latents=(s.linear, _weaker), differing=("x0",)
    ),
    "linear-noise": Design("two samples of pure noise, linear model", **NOISE),
    "gp": Design("two samples, GP", latents=(ADDITIVE, ADDITIVE), **GP),
    "gp-interaction": Design(
        "two samples, GP, x₀ and x₂ interact in the second", latents=(ADDITIVE, INTERACTING), differing=None, **GP
    ),
    "gp-noise": Design("two samples of pure noise, GP", **NOISE, **GP),
    "linear-gp": Design(
        "linear model and GP, same rows", ("linear", "GP"), same_rows=True, differing=None, repetitions=60
    ),
    "linear-gp-folds": Design(
        "linear model and GP, same rows, other folds",
        ("linear", "GP"), same_rows=True, same_folds=False, differing=None, repetitions=60,
    ),
    "linear-subgroups": Design("subgroups at random, linear model", subgroups=_at_random),
    "gp-subgroups": Design("subgroups at random, GP", latents=(ADDITIVE, ADDITIVE), subgroups=_at_random, **GP),
    "gp-subgroups-x0": Design(
        "x₀ above 0 and below, GP, x₀ and x₂ interact",
        latents=(INTERACTING, INTERACTING), subgroups=_by_sign, differing=None, **GP,
    ),
}  # fmt: skip


def repetition(name: str, number: int, *, seed: int) -> list[list[Any]]:
    """The result of one data set for each term."""
    rng = np.random.default_rng([seed, number, crc32(name.encode())])
    return DESIGNS[name].lines(rng, int(rng.integers(2**31)))


def summary(name: str, results: list[Any]) -> pd.DataFrame:
    """One line for each kind of term: how often intervals hold, and how often a term is marked."""
    design = DESIGNS[name]
    lines = pd.DataFrame(
        [[number, *line] for number, result in enumerate(results) for line in result],
        columns=["number", "term", "difference", "lower", "upper", "p"],
    )
    expected = lines.groupby("term")["difference"].transform("mean")
    if design.differing is not None:  # two samples of one design: exactly 0, not estimated from this many data sets
        expected = expected.where(lines["term"].isin(design.differing), 0.0)
    held = (lines["lower"] <= expected) & (expected <= lines["upper"])
    lines = lines.assign(kind=lines["term"].map(partial(_kind, design)), held=held, marked=lines["p"] <= 0.05)
    rates = []
    for kind, of_kind in lines.groupby("kind"):
        by_number = of_kind.groupby("number")[["held", "marked"]].mean()
        rates.append(
            {
                "design": name,
                "about": design.about,
                "terms": kind,
                "data_sets": len(results),
                "held": 100.0 * by_number["held"].mean(),
                "held_error": 100.0 * by_number["held"].sem(),
                "marked": 100.0 * by_number["marked"].mean(),
                "marked_error": 100.0 * by_number["marked"].sem(),
            }
        )
    return pd.DataFrame(rates)


def _kind(design: Design, term: str) -> str:
    """The group that a term is counted in."""
    if " in " in term:
        term, _, subgroup = term.partition(" in ")
        return f"{_kind(design, term)}, {subgroup}"
    if ":" in term:
        return "pairs"
    if design.differing and term in design.differing:
        return "differing"
    return "relevant" if term in design.relevant else "irrelevant"


def options() -> Options:
    """The options of this script."""
    given = parser(__doc__.splitlines()[0], repetitions=60, published=False)
    given.set_defaults(repetitions=None)
    given.add_argument("--designs", nargs="+", choices=list(DESIGNS), default=list(DESIGNS), metavar="NAME")
    return given


def main(arguments: list[str] | None = None) -> None:
    """Run the script."""
    given = options().parse_args(arguments)
    journal = Journal(given.out / "differences.jsonl", {"experiment": "differences", "seed": given.seed})
    wanted = {name: given.repetitions or DESIGNS[name].repetitions for name in given.designs}
    keys = [(name, k) for k in range(max(wanted.values())) for name in wanted if k < wanted[name]]
    work: Callable[..., Any] = partial(repetition, seed=given.seed)
    with parallel(given):
        found = run(journal, keys, work, n_jobs=given.n_jobs, label="differences", timed=False)
    tables = [summary(name, [found[key] for key in found if key[0] == name]) for name in DESIGNS if (name, 0) in found]
    write_csv(pd.concat(tables, ignore_index=True), given.out / "differences.csv")


if __name__ == "__main__":
    main()
