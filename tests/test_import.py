"""`import rsens`: the list of public names, and the modules that are loaded."""

import ast
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import rsens
from rsens import distributions

HEAVY = {"jax", "torch", "matplotlib", "sklearn", "pandas", "scipy", "shap", "shapiq"}


def imports_for_type_checkers() -> tuple[dict[str, str], list[str]]:
    """The `if TYPE_CHECKING:` block: name → module, each written `X as X`, and the modules it takes all names from."""
    tree = ast.parse(Path(rsens.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    names, stars = {}, []
    for statement in block.body:
        assert isinstance(statement, ast.ImportFrom)
        for alias in statement.names:
            if alias.name == "*":
                stars.append(statement.module)
            else:
                assert alias.asname == alias.name
                names[alias.name] = statement.module
    return names, stars


def modules_after(code: str) -> set[str]:
    """The top-level packages that a fresh interpreter has loaded after running the code."""
    program = f"{code}\nimport sys\nprint('loaded', *{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split()[1:])


def test_type_checkers_see_every_public_name():
    names, stars = imports_for_type_checkers()
    assert names == rsens._MODULE_OF
    assert stars == ["rsens.distributions"]
    for family in distributions.ALL_FAMILIES:
        assert getattr(distributions, family.__name__) is family  # `X as X` there, so that * brings it along


def test_every_public_name_resolves():
    for name in rsens.__all__:
        value = getattr(rsens, name)
        assert name in dir(rsens)
        if name not in rsens._SUBPACKAGES:
            assert value.__name__ == name
            assert value.__module__.startswith("rsens.")
            assert value.__doc__


def test_packages_list_what_they_export():
    """Listed names exist and come from rsens; no modules, no private names."""
    for package in (getattr(rsens, name) for name in rsens._SUBPACKAGES):
        assert dir(package) == sorted(dir(package))
        for each in dir(package):
            value = getattr(package, each)
            assert not each.startswith("_")
            assert not isinstance(value, ModuleType)
            assert not isinstance(value, type | FunctionType) or value.__module__.startswith("rsens.")


def test_no_public_name_is_shadowed_by_a_module():
    """A module named like a public function would replace it once it is imported."""
    folder = Path(rsens.__file__).parent
    modules = {path.stem for path in folder.iterdir()} - set(rsens._SUBPACKAGES)
    assert not modules & set(rsens.__all__)


def test_import_is_light():
    assert not modules_after("import rsens") & HEAVY


def test_explain_loads_no_bridge_and_no_plots():
    loaded = modules_after(
        "import numpy as np, rsens\n"
        "model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1 + X[:, 0] ** 2))\n"
        "rsens.explain(model, np.random.default_rng(0).normal(size=(9, 2)))"
    )
    assert not loaded & {"jax", "torch", "matplotlib", "polars", "shap", "shapiq"}
