"""`import rsens`: the list of public names, and what it loads."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import rsens

HEAVY = {"jax", "torch", "matplotlib", "sklearn", "pandas", "scipy", "shap", "shapiq"}


def names_for_type_checkers() -> dict[str, str]:
    """Name → module in the `if TYPE_CHECKING:` block, each written `X as X`."""
    tree = ast.parse(Path(rsens.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    names = {}
    for statement in block.body:
        assert isinstance(statement, ast.ImportFrom)
        for alias in statement.names:
            assert alias.asname == alias.name
            names[alias.name] = statement.module
    return names


def modules_after(code: str) -> set[str]:
    """The top-level packages that a fresh interpreter has loaded after running the code."""
    program = f"{code}\nimport sys\nprint('loaded', *{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split()[1:])


def test_the_two_lists_of_public_names_agree():
    assert names_for_type_checkers() == rsens._MODULE_OF


@pytest.mark.parametrize("name", rsens.__all__)
def test_every_public_name_resolves(name):
    value = getattr(rsens, name)
    assert name in dir(rsens)
    if name in rsens._MODULE_OF:
        assert value.__name__ == name
        assert value.__module__.startswith("rsens.")
        assert value.__doc__


def test_no_public_name_is_shadowed_by_a_module():
    """A module named like a public function would replace it once it is imported."""
    folder = Path(rsens.__file__).parent
    modules = {path.stem for path in folder.iterdir()} - set(rsens._SUBPACKAGES)
    assert not modules & set(rsens.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'explian'"):
        rsens.explian  # noqa: B018


def test_import_is_light():
    assert not modules_after("import rsens") & HEAVY


def test_sensitivities_of_a_numpy_function_load_no_bridge_and_no_plots():
    loaded = modules_after(
        "import numpy as np, rsens\n"
        "model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1 + X[:, 0] ** 2))\n"
        "rsens.rsens2(model, np.random.default_rng(0).normal(size=(3, 2)))"
    )
    assert not loaded & {"jax", "torch", "matplotlib", "sklearn", "shap", "shapiq"}


def test_explain_loads_no_bridge_and_no_plots():
    loaded = modules_after(
        "import numpy as np, rsens\n"
        "model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1 + X[:, 0] ** 2))\n"
        "rsens.explain(model, np.random.default_rng(0).normal(size=(9, 2)))"
    )
    assert not loaded & {"jax", "torch", "matplotlib", "shap", "shapiq"}


def test_types_are_shipped():
    assert (Path(rsens.__file__).parent / "py.typed").is_file()
