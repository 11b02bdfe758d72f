"""Every script runs with tiny settings, writes its tables and figures, and resumes after an interruption."""

import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest
from matplotlib.figure import Figure

from experiments._benchmarks import METHODS
from experiments._tables import agreement
from experiments.beyond import FAMILY_METHODS, PROCESS_METHODS
from experiments.concrete_fits import CHANGES
from rsens import datasets


def few_designs(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("experiments.effects.CORRELATIONS", {"independent": 0.0})
    patch.setattr("experiments.effects.ROWS", 40)


def beyond(folder: Path) -> None:
    families = pd.read_csv(folder / "beyond_families.csv")
    assert (families.loc[families["method"] == "rsens", "ours"] == 0.0).all()
    assert (families["repetitions"] == 2).all()
    assert pd.read_csv(folder / "beyond_kl.csv")["largest"].max() < 1e-4


def fourth_derivative(folder: Path) -> None:
    """R-sens₂ separates true from null pairs better than the full fourth derivative."""
    table = pd.read_csv(folder / "fourth_derivative.csv")
    assert table["rsens2"].is_monotonic_decreasing
    assert list(table["kind"][:3]) == ["true pair"] * 3
    tested = pd.read_csv(folder / "fourth_derivative-claims.csv", index_col="claim")
    assert tested["published"].dropna().to_list() == ["≈ 1", "> 1", "> 0"]
    ratios = tested["ours"]
    separation = ratios["R-sens₂: mean null / mean true"] / ratios["fourth derivative: mean null / mean true"]
    assert separation < 0.5  # about 0.25 at 100 observations, 0.1 at 300


def main_effects(folder: Path) -> None:
    table = pd.read_csv(folder / "main_effects.csv")
    assert not table.duplicated(["inputs", "model", "function", "method"]).any()
    assert table[["published", "published_half", "ours", "ours_half"]].notna().all(axis=None)
    assert set(table["inputs"]) == {"t3", "gaussian", "mixture", "correlated"}
    assert (table["agrees"] == agreement(table)).all()
    assert len((folder / "main_effects.md").read_text(encoding="utf-8").splitlines()) == 338


def profile_bands(folder: Path) -> None:
    """100 data sets have 91 to 97 %; the mean of 4 × 8 curves, which hang together, stays within ten points."""
    table = pd.read_csv(folder / "profile_bands.csv")
    assert table["effect_90"].mean() > 0.83
    assert table["observations_50"].mean() == pytest.approx(0.5, abs=0.1)
    assert table["observations_90"].mean() == pytest.approx(0.9, abs=0.07)


class Script(NamedTuple):
    arguments: str
    rows: dict[str, int]  # of tables
    claims: Callable[[Path], None] = lambda folder: None
    figures: tuple[str, ...] = ("png", "svg")


TWICE = "--repetitions 2"
SCRIPTS = {
    "beyond": Script(
        f"{TWICE} --sizes 40 --families normal",
        {"_families": 2 * 2 * 6 * len(FAMILY_METHODS), "_ard": 6 * len(PROCESS_METHODS)},
        beyond,
    ),
    "concrete_fits": Script("--rows 30 --splits 2", {"": 2 * len(CHANGES)}),
    "differences": Script(f"--designs linear linear-other-sd {TWICE}", {"": 6}, figures=()),
    "effects": Script(f"--models {{models}} {TWICE}", {"": 12}, figures=()),
    "fourth_derivative": Script(TWICE, {"": 66}, fourth_derivative),
    "illustrations": Script("", {}),
    "interactions": Script(f"--sizes 50 {TWICE}", {}),
    "main_effects": Script(f"--inputs all {TWICE}", {"": 336}, main_effects),
    "profile_bands": Script("--repetitions 4 --rows 100", {"": 8}, profile_bands, ()),
    "real_data": Script("--data concrete --rows 30 --pairs 1 --splits 2", {"": 2 * (2 + len(METHODS))}),
    "stability": Script("--data bike --rows 40 --samples 2", {"": 2 * len(METHODS)}),
}
SLOW = ("beyond", "concrete_fits", "fourth_derivative", "illustrations", "real_data")
NEED_DATA = ("concrete_fits", "real_data", "stability")


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in SCRIPTS])
@pytest.mark.filterwarnings("default")  # scripts run as in a separate process
def test_a_script_writes_its_files_and_resumes(name, tmp_path, monkeypatch, capsys, request):
    if name in NEED_DATA:
        request.getfixturevalue("data_folder")
    monkeypatch.setattr(datasets, "_download", lambda source: pytest.fail("a test must not download anything"))
    few_designs(monkeypatch)
    script = SCRIPTS[name]
    arguments = [*script.arguments.split(), *([] if name == "illustrations" else ["--n-jobs", "1"])]
    if name == "effects":
        at = arguments.index("{models}")
        arguments[at : at + 1] = ["linear model", "Poisson regression", "logistic model"]
    main = import_module(f"experiments.{name}").main
    main([*arguments, "--out", str(tmp_path)])
    assert all(line.startswith("wrote ") for line in capsys.readouterr().out.splitlines())
    for table, rows in script.rows.items():
        assert len(pd.read_csv(tmp_path / f"{name}{table}.csv")) == rows
    script.claims(tmp_path)
    written = {path: path.read_bytes() for path in tmp_path.iterdir() if path.name != "timings.csv"}
    assert set(script.figures) <= {path.suffix[1:] for path in written}
    for path in [path for path in written if path.suffix == ".jsonl"]:  # killed while it wrote the last line
        lines = written[path].splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])
    if name != "illustrations":  # other figures are laid out, but not drawn
        monkeypatch.setattr(Figure, "savefig", lambda figure, path, **_: shutil.copy(__file__, path))
    main([*arguments, "--out", str(tmp_path)])
    for path, before in written.items():
        if path.suffix in (".csv", ".md") or name == "illustrations":
            assert path.read_bytes() == before, path.name
        if path.suffix == ".jsonl":
            assert len(path.read_bytes().splitlines()) == len(before.splitlines())
