"""Print constraints for the oldest versions that rsens states: `make test-lowest` installs exactly these."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: The project's own tools are as new as in `make test`.
OUR_OWN = {"dev", "docs"}
BOUND = re.compile(r"([A-Za-z0-9._-]+)(?:\[([a-z,]+)\])?>=([0-9.]+)")


def lowest(project: dict) -> dict[str, str]:
    """Package → its lower bound, for dependencies and the extras of users; "dask[distributed]" bounds both."""
    groups = [project["dependencies"], *(g for e, g in project["optional-dependencies"].items() if e not in OUR_OWN)]
    found = {}
    for requirement in (each for group in groups for each in group):
        match = BOUND.fullmatch(requirement)
        if match is None:
            raise ValueError(f"{requirement!r} in pyproject.toml is not of the form name>=version")
        package, parts, bound = match.groups()
        found |= dict.fromkeys([package, *(parts.split(",") if parts else [])], bound)
    return found


def tools() -> list[str]:
    """The pins of constraints.txt for packages that only tests need."""
    wanted = {"pytest", "pytest-xdist", "hypothesis", "mpmath", "polars"}
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.partition("==")[0] in wanted]


if __name__ == "__main__":
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    pins = [f"{package}=={bound}" for package, bound in lowest(pyproject["project"]).items()]
    print("\n".join([*pins, *tools()]))
