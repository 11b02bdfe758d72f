"""Help: quick, complete, and without the libraries that do the work."""

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import rsens
from rsens._app.cli._main import main
from rsens._app.cli._terminal import in_encoding
from rsens.likelihoods import likelihood_names

COMMANDS = ("explain", "compare", "stability", "select", "demo")
HEAVY = {"sklearn", "pandas", "matplotlib", "joblib", "tqdm", "jinja2", "numpy", "scipy"}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], [], ["demo", "--help"], ["explain", "--help"]])
def test_help_loads_nothing_heavy(arguments):
    program = f"""
import sys
from rsens._app.cli import main
main({arguments})
print('loaded', *{{name.partition('.')[0] for name in sys.modules}})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not set(done.stdout.splitlines()[-1].split()) & HEAVY


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
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"rsens, version {rsens.__version__}\n"


def test_likelihoods_are_those_of_the_library(capsys):
    main(["explain", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert f"{', '.join(likelihood_names())}, classification, or auto" in said


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437", "no such encoding"])
def test_output_can_be_written_on_terminals_that_know_few_signs(encoding):
    line = "1  a…b  −0.5 ± 0.1 – 2  ███  ▲ ±  × R-sens₂ R²"
    assert in_encoding(line, None) == in_encoding(line, "utf-8") == line
    assert in_encoding(line, encoding) == "1  a~b  -0.5 +- 0.1 - 2  ###  ^ +- x R-sens2 R2"
    assert {len(in_encoding(line, encoding)) for line in ("  ▲ 1.0   10 %", "  ±        5 %")} == {14}


def test_the_entry_point_is_this_command():
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["scripts"]["rsens"].partition(":")
    assert getattr(import_module(module), name) is main
