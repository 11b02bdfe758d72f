"""Write docs/trust.md from the result files of benchmarks and checks (`make trust`); without a file, no section."""

from __future__ import annotations

import csv
import json
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE / "trust.md"
RESULTS = HERE / "results"
BENCHMARKS = HERE.parent / "benchmarks" / "results"
#: The file with bounds, its subject, and the page that describes the measurement.
BOUNDS = (
    ("gp", "Gaussian processes", "measured/gp.md"),
    ("foreign", "Models of other libraries, and posterior draws", "measured/foreign.md"),
    ("wide", "Wide tables", "measured/wide.md"),
)


def page() -> str:
    """The whole page."""
    return "\n".join(line for section in SECTIONS for line in section())


def head() -> Iterator[str]:
    """The heading and the first paragraph."""
    yield "# How fast, how exact\n"
    yield from paragraph(
        "Benchmark results that commands of this project write to files; `make trust` makes this page of them. Bounds",
        "are our targets, and missed bounds are shown too.",
    )


def fast() -> Iterator[str]:
    """Ratios to other code on the same machine, with their bounds."""
    found = {name: read_csv(name) for name, _, _ in BOUNDS}
    every = [row for rows in found.values() for row in rows]
    hold = sum(row["holds"] == "True" for row in every)
    yield f"## How fast\n\n`make bench` has {len(every)} bounds, of which {hold} hold.\n"
    for name, title, link in BOUNDS:
        rows = [(row["quantity"], *measured(row), "yes" if row["holds"] == "True" else "**no**") for row in found[name]]
        yield f"### {title}\n"
        yield from table(("Quantity", "Measured", "Bound", "Holds"), rows)
        yield f"\n[How it was measured]({link}).\n"
        if name == "gp":
            yield "Where the time goes in cases that miss their bound: [the parts](measured/gp_parts.md).\n"
    yield from methods()
    yield from paragraph(
        "[All methods](measured/methods.md), [a million rows](measured/scaling.md),",
        "[whole commands](measured/commands.md), and [what a sparse Gaussian process costs](measured/cost_model.md)",
        "have separate pages.",
    )


def methods() -> Iterator[str]:
    """Costs of other methods for the same answer, as multiples of R-sens."""
    rows = [row for row in read_csv("methods") if row["budget"] == "standard"]
    sizes = sorted({(int(row["rows"]), int(row["columns"])) for row in rows})
    cells = {(row["order"], row["method"], int(row["rows"]), int(row["columns"])): float(row["ratio"]) for row in rows}
    names = list(dict.fromkeys((row["order"], row["method"]) for row in rows))
    yield "### Other methods, as multiples of R-sens\n"
    yield from paragraph(
        "Processor time with the budget “standard”; of pairs as multiples of R-sens₂. They answer other questions",
        "([which](comparing.md)).",
    )
    yield from table(
        ("Method", "Of", *(f"{rows:,} rows, {columns} columns" for rows, columns in sizes)),
        [
            (f"`{method}`", "variables" if order == "1" else "pairs", *(_times(cells, order, method, s) for s in sizes))
            for order, method in names
        ],
    )
    yield ""


def _times(cells: Mapping[Any, float], order: str, method: str, size: tuple[int, int]) -> str:
    ratio = cells.get((order, method, *size))
    return "" if ratio is None else f"{number(ratio)} ×"


def exact() -> Iterator[str]:
    """The worst relative errors, by family and likelihood."""
    result = read_json("accuracy")
    if result is None:
        return
    yield "## How exact\n"
    yield from paragraph(
        f"The worst relative error against arithmetic with {result['digits']} digits, over a grid of extreme",
        "parameters; of a log density below 1 it is the error of the density.",
        f"{result['promised']:.0e} is the promise unless stated otherwise. Made by `{result['command']}`.",
    )
    for kind, title in (("families", "Family"), ("likelihoods", "Likelihood")):
        subjects = result[kind]
        quantities = list(dict.fromkeys(name for found in subjects.values() for name in found))
        rows = [
            (f"`{subject}`", points(found), *(error(found.get(quantity)) for quantity in quantities))
            for subject, found in subjects.items()
        ]
        yield from table((title, "Points", *quantities), rows)
        yield ""
    limits = [
        f"- `{subject}`, {quantity}: {entry['limit']}"
        for kind in ("families", "likelihoods")
        for subject, found in result[kind].items()
        for quantity, entry in found.items()
        if entry.get("limit")
    ]
    yield from (["Where it is worse, and why:\n", *limits, ""] if limits else [])


def points(found: Mapping[str, Any]) -> str:
    """At how many points all quantities were compared."""
    return f"{sum(entry['points'] for entry in found.values()):,}"


def error(entry: Mapping[str, Any] | None) -> str:
    """A worst error, as a power of ten; nothing where the quantity does not exist."""
    return "" if entry is None else "0" if entry["worst"] == 0.0 else f"{entry['worst']:.0e}"


def fuzzed() -> Iterator[str]:
    """Random tables, models and functions."""
    result = read_json("fuzz")
    if result is None:
        return
    library, files = result["library"], result["files"]
    ended: Counter[str] = Counter()
    for counts in library["calls"].values():
        ended.update(counts)
    yield "## Odd data\n"
    yield from paragraph(
        f"The last run of `python -m fuzz` gave the library {library['cases']:,} random tables, models and functions,",
        f"and the command line {files['cases']:,} files: all scales, duplicates, constants, collinear columns, extreme",
        "probabilities, every type of column, odd names. Each must end in finite, symmetric results of the right sign,",
        "or in one of our",
        f"errors. Defects: {len(library['defects'])} in the library, {len(files['defects'])} in files.",
    )
    kinds = sorted(ended)
    yield from table(
        ("Call", "Cases", *kinds),
        [
            (f"`{name}`", f"{sum(counts.values()):,}", *(f"{counts.get(kind, 0):,}" for kind in kinds))
            for name, counts in library["calls"].items()
        ],
    )
    yield ""


def mutated() -> Iterator[str]:
    """Faults put into the code."""
    areas = {"mutation": "families and measures", "mutation_calls": "explain, adapters, models and tables"}
    parts = [line for file, area in areas.items() for line in mutated_area(file, area)]
    yield from ["## Would the tests notice?\n", *parts] if parts else []


def mutated_area(file: str, area: str) -> Iterator[str]:
    """Faults put into one area, and how many the tests noticed."""
    result = read_json(file)
    if result is None:
        return
    left = result["run"] - result["noticed"] - result["equivalent"]
    yield from paragraph(
        f"`{result['command']}` puts small faults into the code of {area}, one at a time:",
        f"{result['run']:,} of {result['faults that could be made']:,}, drawn at random. The tests noticed",
        f"{result['noticed']:,} ({result['score']:.1%}). {result['equivalent']:,} of the rest change nothing that",
        f"could be seen, which leaves {left:,}: {result['score without equivalent']:.1%} of the faults that matter are",
        "noticed.",
    )
    groups: dict[str, Counter[str]] = {}
    for file, counts in result["by file"].items():
        package = file.rpartition("/")[0].partition("/_sklearn")[0]
        groups.setdefault(package, Counter()).update({key: counts[key] for key in ("run", "noticed", "equivalent")})
    rows = [(f"`{p}`", *(f"{c[key]:,}" for key in ("run", "noticed", "equivalent"))) for p, c in groups.items()]
    yield from table(("Package", "Faults", "Noticed", "Equivalent"), rows)
    yield ""


def covered() -> Iterator[str]:
    """Lines and branches that the tests run."""
    result = read_json("coverage")
    if result is None:
        return
    total = result["total"]
    yield "## What the tests run\n"
    yield from paragraph(
        f"{total['lines covered']:.1%} of {total['lines']:,} lines; with both ways of every condition,",
        f"{total['with branches']:.1%}. Made by `{result['command']}`.",
    )
    rows = [
        (f"`{name}`", f"{e['lines']:,}", f"{e['lines covered']:.1%}", f"{e['with branches']:.1%}")
        for name, e in result["by package"].items()
    ]
    yield from table(("Package", "Lines", "Run", "With branches"), rows)
    yield ""


def versions() -> Iterator[str]:
    """Where the wheel was installed and tried."""
    result = read_json("versions")
    if result is None:
        return
    environments = result["environments"]
    pythons = sorted({each["python"] for each in environments}, key=lambda v: [int(part) for part in v.split(".")])
    yield "## Versions tried\n"
    yield from paragraph(
        f"`make release-check` installs the wheel into {len(environments)} empty environments, with Python",
        f"{', '.join(pythons)}, bare and with extras, and runs it there ({result['platform']}).",
        "[All versions](versions.md), the oldest included.",
    )


SECTIONS = (head, fast, exact, fuzzed, mutated, covered, versions)


def read_json(name: str) -> Any:
    """A result; None if it was not committed."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def read_csv(name: str) -> list[dict[str, str]]:
    """The lines of a benchmark."""
    with (BENCHMARKS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def measured(row: Mapping[str, str]) -> tuple[str, str]:
    """The value and its bound; a time, which is about the machine, as a share of its bound."""
    ratio, bound = float(row["ratio"]), float(row["bound"])
    if row["quantity"].endswith(("seconds", "minutes")):
        return f"{ratio / bound:.0%} of the bound", ""
    return number(ratio), f"{'≥' if row['more_is_better'] == 'True' else '≤'} {bound:g}"


def number(value: float) -> str:
    """Three digits."""
    return f"{value:,.0f}" if abs(value) >= 100.0 else f"{value:.3g}"


def paragraph(*pieces: str) -> Iterator[str]:
    """Sentences, in lines of a page's width."""
    yield textwrap.fill(" ".join(pieces), 130, break_long_words=False, break_on_hyphens=False) + "\n"


def table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table in Markdown."""
    for cells in (names, ("---",) * len(names), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
