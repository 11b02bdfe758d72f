"""The project's own files agree with each other."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def package(requirement: str) -> str:
    return re.match(r"[A-Za-z0-9._-]+", requirement).group().lower()


def pins(file: str = "constraints.txt") -> dict[str, str]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def test_constraints_pin_every_dependency():
    required = {package(r) for group in [PROJECT["dependencies"], *EXTRAS.values()] for r in group} - {"rsens"}
    assert required <= set(pins())


def test_constraints_of_the_other_environment_pin_its_packages():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (installed,) = re.findall(r"^\$\(ADAPTERS\)/\.installed: MORE := (.*)$", makefile, re.MULTILINE)
    required = {*installed.split(), *map(package, PROJECT["dependencies"])}
    assert required <= set(pins("constraints-adapters.txt"))


@pytest.mark.parametrize("file", ["constraints.txt", "constraints-adapters.txt"])
def test_constraints_are_plain_versions(file):
    """No host, no address, no local version label: any index serves them."""
    assert all(re.fullmatch(r"[0-9][0-9a-z.]*", version) for version in pins(file).values())


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in ROOT.glob("docs/*.md"))])
def test_links_and_named_files_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", text)
    made = {"auto_gallery/index.rst": "gallery/README.rst"}  # the build makes this page from that file
    assert all(((ROOT / page).parent / made.get(link, link)).exists() for link in links), links
    files = re.findall(r"`((?:src|tests|docs|examples)/[\w./-]+)`", text)
    missing = [file for file in files if not (ROOT / file).exists()]
    assert not missing
