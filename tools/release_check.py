"""`make release-check`: build what a release would publish, and try it where nothing else is installed.

It builds the source archive and the wheel, checks their metadata and contents, and installs the wheel into an empty
environment for every supported Python that is here, without extras and with each extra. `smoke.py` then runs in each of
them, away from the source. What passed goes to docs/results/versions.json, and docs/versions.md is written from that.
Environments that passed with the same wheel are not made again, so an interrupted run goes on where it was.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "release"
RESULT = ROOT / "docs" / "results" / "versions.json"
SMOKE = ROOT / "tools" / "smoke.py"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: The environments of the project itself: `make test` and `make docs` install these extras and use them.
OUR_OWN = {"dev", "docs"}
#: Extras that are tried on some Pythons only. Wheels of PyTorch are large, and constraints.txt has one for 3.11.
ONLY_ON = {"torch": {"3.11"}}
#: Files that the source archive must hold next to the code.
DOCUMENTS = {"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "SECURITY.md", "CODE_OF_CONDUCT.md"}


def main() -> int:
    """Check everything; 0 if all is well."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=2, help="environments at the same time")
    parser.add_argument("--only", nargs="*", help='environments, such as "3.12" or "3.12 jax"')
    asked = parser.parse_args()

    archive, wheel = built()
    problems = [*wheel_problems(names_in(wheel), tracked()), *archive_problems(names_in(archive), tracked())]
    for problem in problems:
        say(f"FAILED  {problem}")
    pythons = found_pythons()
    for minor in supported():
        if minor not in pythons:
            say(f"skipped Python {minor}: not found")
    cases = [(minor, extra) for minor in pythons for extra in extras_for(minor)]
    if asked.only is not None:
        cases = [case for case in cases if " ".join(case).strip() in asked.only]
    with ThreadPoolExecutor(asked.jobs) as pool:
        results = list(pool.map(lambda case: tried(pythons[case[0]], *case, wheel), cases))
    say(table(results))
    failed = [each for each in results if "failure" in each]
    if not problems:
        note(results)
    say(f"release-check: {len(results) - len(failed)} of {len(results)} environments passed.")
    return int(bool(problems or failed))


def say(text: str) -> None:
    """A line on screen, at once."""
    print(text, flush=True)


def run(*command: object, **options: object) -> str:
    """The output of a command that sees no PYTHONPATH; if it fails, an error with the whole output."""
    told = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([str(c) for c in command], env=told, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def built() -> tuple[Path, Path]:
    """The source archive, and the wheel that is made from it; their metadata and README are checked."""
    folder = WORK / "dist"
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    (archive,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    run(sys.executable, "-m", "twine", "check", "--strict", archive, wheel)
    for file in (archive, wheel):
        say(f"ok      {file.name}, {file.stat().st_size / 1e6:.1f} MB, metadata checked")
    return archive, wheel


def names_in(file: Path) -> set[str]:
    """The files in an archive, without its top folder, or in a wheel."""
    if file.suffix == ".whl":
        with ZipFile(file) as opened:
            return set(opened.namelist())
    with tarfile.open(file) as opened:
        return {name.partition("/")[2] for name in opened.getnames()}


def tracked() -> set[str]:
    """The files that git knows."""
    return set(run("git", "ls-files", "-z", cwd=ROOT).split("\0")) - {""}


def wheel_problems(names: set[str], known: set[str]) -> Iterator[str]:
    """The wheel holds src/rsens, the licence and its list of files, and nothing else."""
    expected = {file.removeprefix("src/") for file in known if file.startswith("src/rsens/")}
    about = {name for name in names if ".dist-info/" in name}
    yield from (f"the wheel lacks {name}" for name in sorted(expected - names))
    yield from (f"the wheel should not hold {name}" for name in sorted(names - expected - about))
    wanted = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    if (found := {name.partition("/")[2] for name in about}) != wanted:
        yield f"the wheel describes itself with {sorted(found)}, not {sorted(wanted)}"


def archive_problems(names: set[str], known: set[str]) -> Iterator[str]:
    """The source archive holds all code and documents, and nothing that git does not know."""
    needed = DOCUMENTS | {file for file in known if file.startswith(("src/", "tests/", "docs/"))}
    yield from (f"the source archive lacks {name}" for name in sorted(needed - names))
    yield from (f"the source archive should not hold {name}" for name in sorted(names - known - {"PKG-INFO"}))


def supported() -> list[str]:
    """The Python versions that pyproject.toml names, such as "3.11"."""
    start = "Programming Language :: Python :: 3."
    return [each.removeprefix(start[:-2]) for each in PROJECT["classifiers"] if each.startswith(start)]


def extras_for(minor: str) -> list[str]:
    """The extras to try on a Python, none of them first."""
    return ["", *(e for e in PROJECT["optional-dependencies"] if e not in OUR_OWN and minor in ONLY_ON.get(e, {minor}))]


def found_pythons() -> dict[str, Path]:
    """An interpreter for each supported version that is here: on the path, or where pyenv keeps its own."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = {}
    for minor in supported():
        for python in [f"python{minor}", sys.executable, *sorted(pyenv.glob(f"{minor}.*/bin/python"))]:
            if version_of(python) == minor:
                found[minor] = Path(shutil.which(python) or python)
                break
    return found


def version_of(python: str | Path) -> str | None:
    """Such as "3.11"; None if it does not run. (The path may hold a stand-in for a Python that is not there.)"""
    try:
        return run(python, "-c", 'import sys; print("%d.%d" % sys.version_info[:2])').strip()
    except (OSError, RuntimeError):
        return None


def tried(python: Path, minor: str, extra: str, wheel: Path) -> dict[str, object]:
    """Install the wheel into an empty environment and run the smoke test there, in an empty folder."""
    place = WORK / f"{minor}-{extra or 'base'}"
    stamp = place / "passed.json"
    key = hashlib.sha256(wheel.read_bytes() + SMOKE.read_bytes()).hexdigest()
    if stamp.exists() and (old := json.loads(stamp.read_text(encoding="utf-8"))).pop("key") == key:
        return old
    result: dict[str, object] = {"python": minor, "extra": extra}
    try:
        # The pip of this environment installs into that one, which has none. Python compiles only imported modules.
        run(python, "-m", "venv", "--clear", "--without-pip", place)
        inside = place / ("Scripts" if os.name == "nt" else "bin") / "python"
        pip = (sys.executable, "-m", "pip", "--python", inside, "--disable-pip-version-check", "--quiet")
        run(*pip, "install", "--no-compile", "-c", large_pins(), f"{wheel}[{extra}]" if extra else wheel)
        with tempfile.TemporaryDirectory() as folder:
            found = json.loads(run(inside, "-I", SMOKE, *([extra] if extra else []), cwd=folder))
        result["versions"] = {name: number.partition("+")[0] for name, number in found.items()}  # no "+cpu"
    except RuntimeError as error:
        say(f"FAILED  Python {minor} {extra}\n{error}")
        return result | {"failure": str(error)}
    stamp.write_text(json.dumps(result | {"key": key}), encoding="utf-8")
    say(f"ok      Python {minor} {extra}")
    return result


def large_pins() -> Path:
    """Constraints for the extras of `ONLY_ON`; of everything else, the newest that pip would give to a user."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    file = WORK / "large.txt"
    file.write_text("\n".join(line for line in lines if line.partition("==")[0] in ONLY_ON), encoding="utf-8")
    return file


def table(results: Iterable[dict[str, object]]) -> str:
    """One line per environment."""
    return "\n".join(
        f"  {each['python']:5} {each['extra'] or 'base':12} "
        + ("FAILED" if "failure" in each else ", ".join(f"{n} {v}" for n, v in each["versions"].items()))  # type: ignore[attr-defined]
        for each in results
    )


def note(results: list[dict[str, object]]) -> None:
    """Write the versions that passed, and the page that shows them."""
    old = json.loads(RESULT.read_text(encoding="utf-8"))["environments"] if RESULT.exists() else []
    found = {"platform": f"{platform.system()} {platform.machine()}", "environments": merged(old, results)}
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    run(sys.executable, ROOT / "docs" / "versions.py")


def merged(old: list[dict[str, object]], new: list[dict[str, object]]) -> list[dict[str, object]]:
    """The results of every environment that is still wanted: the new result where there is one, and no failures."""
    known = {(each["python"], each["extra"]): each for each in [*old, *new]}
    wanted = [known.get((minor, extra), {}) for minor in supported() for extra in extras_for(minor)]
    return [each for each in wanted if each.get("versions")]


if __name__ == "__main__":
    sys.exit(main())
