"""The files of the project agree: versions, constraints, links, and workflows, which run existing targets."""

import json
import re
import runpy
import tomllib
from pathlib import Path

import pytest
import yaml

import rsens

ROOT = Path(__file__).parents[1]
CHECK = runpy.run_path(str(ROOT / "tools" / "release_check.py"))
LOWEST = runpy.run_path(str(ROOT / "tools" / "lowest.py"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def citation() -> dict:
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_version_changelog_and_citation_agree():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version, day = re.search(r"^## \[(\d.*?)\] - (\S+)$", changelog, re.MULTILINE).groups()
    assert rsens.__version__ == citation()["version"] == version == "0.1.0"
    assert str(citation()["date-released"]) == day
    assert changelog.index("## [Unreleased]") < changelog.index(f"## [{version}]")


def test_supported_pythons_are_those_of_the_workflows():
    (test,) = (workflow(path) for path in WORKFLOWS if path.stem == "test")
    assert test["jobs"]["test"]["strategy"]["matrix"]["python"] == CHECK["supported"]() == ["3.11", "3.12", "3.13"]
    assert PROJECT["requires-python"] == f">={CHECK['supported']()[0]}"
    assert PYPROJECT["tool"]["mypy"]["python_version"] == CHECK["supported"]()[0]


def test_every_extra_of_users_is_tried():
    smoke = (ROOT / "tools" / "smoke.py").read_text(encoding="utf-8")
    extras = {extra for minor in CHECK["supported"]() for extra in CHECK["extras_for"](minor)}
    assert extras == {"", *PROJECT["optional-dependencies"]} - CHECK["OUR_OWN"]
    assert all(f"\ndef {extra}(" in smoke for extra in extras - {""})
    assert "torch" in CHECK["extras_for"]("3.11")
    assert "torch" not in CHECK["extras_for"]("3.12")


def test_lowest_versions_are_the_stated_bounds():
    project = {"dependencies": ["a>=1.2"], "optional-dependencies": {"x": ["b[c]>=3"], "dev": ["d>=4"]}}
    assert LOWEST["lowest"](project) == {"a": "1.2", "b": "3", "c": "3"}
    assert LOWEST["lowest"](PROJECT)["numpy"] == "2.2"


def test_every_extra_was_tried_on_every_python():
    tried = json.loads(CHECK["RESULT"].read_text(encoding="utf-8"))["environments"]
    wanted = [(minor, extra) for minor in CHECK["supported"]() for extra in CHECK["extras_for"](minor)]
    assert [(each["python"], each["extra"]) for each in tried] == wanted
    assert tried == CHECK["merged"](tried, [])


def workflow(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def steps(path: Path) -> list[dict]:
    return [step for job in workflow(path)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_are_whole(path):
    """They name targets that the Makefile has and actions with a version, and may do no more than they need."""
    read = workflow(path)
    assert read["permissions"] == {"contents": "read"}
    assert read[True], "`on`, which YAML reads as true"
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    used = {word for step in steps(path) for word in re.findall(r"\bmake ([a-z-]+)", step.get("run", ""))}
    assert used <= targets, used - targets
    for step in steps(path):
        assert ("run" in step) != ("uses" in step)
        assert re.fullmatch(r"[\w/-]+@(v\d+|release/v1|[0-9a-f]{40})", step.get("uses", "a/b@v1"))
    assert {job["runs-on"] for job in read["jobs"].values()} <= {"ubuntu-latest", "${{ matrix.os }}"}


def test_only_the_job_that_publishes_has_an_identity():
    (release,) = (workflow(path) for path in WORKFLOWS if path.stem == "release")
    publish = release["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"] == "pypi"
    assert publish["needs"] == "build"
    assert publish["steps"][-1] == {"uses": "pypa/gh-action-pypi-publish@release/v1", "with": {"attestations": True}}
    assert "permissions" not in release["jobs"]["build"]
    assert "secrets." not in (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")


def package(requirement: str) -> str:
    return re.match(r"[A-Za-z0-9._-]+", requirement).group().lower()


def pins(file: str = "constraints.txt") -> dict[str, str]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def test_constraints_pin_every_dependency():
    required = {
        package(r) for group in [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()] for r in group
    } - {"rsens"}
    assert required <= set(pins())


def test_constraints_of_the_other_environment_pin_its_packages():
    (installed,) = re.findall(r"^\$\(ADAPTERS\)/\.installed: MORE := (.*)$", MAKEFILE, re.MULTILINE)
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
