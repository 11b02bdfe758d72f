"""Help: quick, complete, and without the libraries that do the work."""

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import rsens
from rsens._app.cli._main import main
from rsens.likelihoods import likelihood_names

COMMANDS = ("explain", "compare", "stability", "select", "demo")
NEVER = {"sklearn", "pandas", "matplotlib", "joblib", "tqdm", "jinja2"}
HEAVY = NEVER | {"numpy", "scipy"}


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], HEAVY),
        (["--version"], HEAVY),
        ([], HEAVY),
        (["demo", "--help"], HEAVY),
        (["explain", "--help"], NEVER),  # lists the likelihoods, which need NumPy
    ],
)
def test_help_loads_nothing_heavy(arguments, heavy):
    program = f"""
import sys
from rsens._app.cli import main
main({arguments})
print('loaded', *{{name.partition('.')[0] for name in sys.modules}})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not set(done.stdout.splitlines()[-1].split()) & heavy


def test_help_lists_the_commands_the_main_one_first(capsys):
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    assert [line.split()[0] for line in said.split("Commands:\n")[1].split("\n\n")[0].splitlines()] == list(COMMANDS)
    assert "rsens explain data.csv --target price" in said


@pytest.mark.parametrize("command", COMMANDS[:-1])
def test_every_command_has_the_shared_options_and_examples(command, capsys):
    assert main([command, "--help"]) == 0
    said = capsys.readouterr().out
    shared = ["target", "likelihood", "missing", "drop", "columns", "categorical", "numeric", "cluster", "rows"]
    shared += ["inducing", "seed", "out", "overwrite", "n-jobs", "json", "quiet", "traceback"]
    assert all(f"--{option} " in said for option in shared)
    assert f"rsens {command} data.csv --target price" in said


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"rsens, version {rsens.__version__}\n"


def test_likelihoods_are_those_of_the_library(capsys):
    main(["explain", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert f"{', '.join(likelihood_names())}, classification, or auto" in said


def test_the_entry_point_is_this_command():
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["scripts"]["rsens"].partition(":")
    assert getattr(import_module(module), name) is main
