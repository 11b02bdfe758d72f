"""The house rules that a reader relies on: who imports whom, what things are called, how large packages are."""

import ast
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "rsens"
FILES = sorted(SOURCE.rglob("*.py"))
#: Names that do not describe a file.
EMPTY_NAMES = {"_verb", "_record", "_show", "_utils", "_helpers", "_misc", "_common"}
#: Two public classes: a predictive family, and a kernel of categorical columns.
SHARED_NAMES = {"Categorical"}


@cache
def statements(path: Path) -> list[ast.ImportFrom | ast.ClassDef]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in nodes if isinstance(node, ast.ImportFrom | ast.ClassDef)]


def imports(path: Path) -> list[list[str]]:
    """The modules of rsens that a file imports from, as lists of names after "rsens"."""
    modules = [node.module or "" for node in statements(path) if isinstance(node, ast.ImportFrom)]
    return [module.split(".")[1:] for module in modules if module.startswith("rsens.")]


def is_private(module: list[str]) -> bool:
    """Whether the module is a private one inside a package; `_text` and other leaves are separate modules."""
    return any(name.startswith("_") for name in module[1:])


def test_no_file_reaches_into_another_package():
    """Import these names from the package, which exports what its neighbours use."""
    reaching = [
        f"{path.relative_to(SOURCE)}: rsens.{'.'.join(module)}"
        for path in FILES
        for module in imports(path)
        if module[0] != path.relative_to(SOURCE).parts[0] and is_private(module)
    ]
    assert not reaching


def test_tests_reach_into_the_package_that_they_test_only():
    """A test of `rsens.x` may open `rsens.x`; all others use what packages export."""
    reaching = [
        f"{path.relative_to(ROOT)}: rsens.{'.'.join(module)}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if re.search(r"\brsens\.[\w.]*\._", path.read_text(encoding="utf-8"))  # most files need not be parsed
        for module in imports(path)
        if is_private(module) and module[0].lstrip("_") not in path.relative_to(ROOT).parts
    ]
    assert not reaching


def test_files_are_named_after_their_content():
    assert not [path for path in FILES if path.stem in EMPTY_NAMES]


def test_no_two_classes_share_a_name():
    names = Counter(
        node.name
        for path in FILES
        for node in statements(path)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, times in names.items() if times > 1} == SHARED_NAMES


def test_functions_have_few_parameters():
    counts = [
        (
            f"{path.stem}.{node.name}",
            sum(each.arg not in ("self", "cls") for each in [*args.posonlyargs, *args.args, *args.kwonlyargs]),
        )
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        for args in [node.args]
    ]
    many = {"_study.study", "_explain.explain", "_stability.stability", "_compare.compare", "_gp.__init__"}
    assert {name for name, count in counts if count > 10} == many
    assert sum(count > 10 for _, count in counts) == len(many)
    assert max(count for _, count in counts) <= 18


def package(path: Path) -> str:
    """The room that a file belongs to; files at the top of the package share one."""
    folders = path.relative_to(SOURCE).parts[:-1]
    return ".".join(folders[: 2 if "_app" in folders else 1]) or "leaves"


def test_packages_stay_within_their_budgets():
    """Raise a budget in pyproject.toml if a feature is worth its lines: the decision is then visible in the diff."""
    budgets = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["rsens"]["budgets"]
    lines: Counter[str] = Counter()
    for path in FILES:
        lines[package(path)] += len(path.read_text(encoding="utf-8").splitlines())
    assert lines.keys() == budgets.keys()
    assert not {name: f"{lines[name]} lines, budget {budgets[name]}" for name in budgets if lines[name] > budgets[name]}
