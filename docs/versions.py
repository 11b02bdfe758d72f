"""Write docs/versions.md from pyproject.toml and docs/results/versions.json (`make release-check`, if all is well)."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("versions.md")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RESULT = Path(__file__).parent / "results" / "versions.json"
OUR_OWN = {"dev", "docs"}
HEAD = """# Versions

rsens runs on Python {first} to {last}. NumPy, SciPy, pandas, matplotlib and scikit-learn are supported for two years
after a release, as [SPEC 0](https://scientific-python.org/specs/spec-0000/) has it; so are, as far as we can, all other
dependencies. SPEC 0 supports a Python for three years. We support it longer while the newest NumPy, or the release
before, still runs on it. Support ends in a minor release, never in a bug-fix release, and the changelog
lists it.

Public names, file formats and the columns of tables do not change within a minor version (0.1.x). Names that go away
in a later one warn for at least one minor version before. A file in another version of the format
is refused: read the file with the rsens that wrote it, or write it again.
"""
LOWEST = """## The oldest

`make test-lowest` installs exactly these, and runs the tests of computing, reading and writing.
"""
NEWEST = """## The newest

`make test` runs everything with the versions in `constraints.txt`. `make release-check` installs the wheel into an
empty environment for every line here, with the newest versions that pip finds then, and tries it ({platform}).
"""


def page() -> str:
    """The whole page."""
    minors = [each.rpartition(" ")[2] for each in PROJECT["classifiers"] if "Python :: 3." in each]
    result = json.loads(RESULT.read_text(encoding="utf-8"))
    words = {"first": minors[0], "last": minors[-1], "platform": result["platform"]}
    texts = [HEAD, LOWEST, *lowest(), "", NEWEST, *newest(result["environments"])]
    return "\n".join(text.format(**words) for text in texts) + "\n"


def lowest() -> Iterator[str]:
    """Requirements in pyproject.toml, by extra."""
    groups = {"": PROJECT["dependencies"]} | PROJECT["optional-dependencies"]
    rows = [
        (named(extra), ", ".join(group).replace(">=", " ")) for extra, group in groups.items() if extra not in OUR_OWN
    ]
    yield from table(("Installed as", "Oldest versions"), rows)


def newest(environments: list[dict]) -> Iterator[str]:
    """Versions found in each environment."""
    rows = [
        (e["python"], named(e["extra"]), ", ".join(f"{n} {v}" for n, v in e["versions"].items())) for e in environments
    ]
    yield from table(("Python", "Installed as", "Versions"), rows)


def named(extra: str) -> str:
    """Arguments for pip."""
    return f"`rsens[{extra}]`" if extra else "`rsens`"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """A table in Markdown."""
    for row in (head, ("---",) * len(head), *rows):
        yield f"| {' | '.join(row)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
