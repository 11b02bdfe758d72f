"""What is written, that it can be read, and that there is all of it or nothing."""

import json

import numpy as np
import pandas as pd
import pytest

import rsens
from rsens import Explanation, InputError, study
from rsens._app.report import _figures as report_figures
from rsens._app.study import _result
from rsens._files import SUMMARY
from tests.app.study.tables import ODD_NAMES, numbers, odd

QUICK = {"cv": 0, "null": False}


@pytest.fixture(scope="module")
def result():
    return study(numbers(40), "y", **QUICK)


def files_in(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_files(result, tmp_path):
    written = result.write(tmp_path / "a" / "out", report=False)
    assert {path.name for path in written} == {
        "effects.csv",
        "importance.csv",
        "pairs.csv",
        "local.parquet",
        "explanation.json",
        "model.rsens",
        "summary.json",
    }
    assert all(path.is_file() for path in written)
    folder = tmp_path / "a" / "out"
    importance = pd.read_csv(folder / "importance.csv")
    pd.testing.assert_frame_equal(
        importance[["term", "value"]], result.explanation.to_frame()[["term", "value"]], check_dtype=False
    )
    pairs = pd.read_csv(folder / "pairs.csv")
    assert tuple(pairs.loc[0, ["first", "second"]]) == ("b", "c")
    local = pd.read_parquet(folder / "local.parquet").set_index("row")
    np.testing.assert_array_equal(local, result.explanation.local_main)
    loaded = Explanation.load(folder / "explanation.json")
    pd.testing.assert_series_equal(loaded.main, result.explanation.main)
    model = rsens.load_model(folder / "model.rsens")
    np.testing.assert_array_equal(model.predict(result.X), result.model.predict(result.X))
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["variables"][0]["name"] == "a"
    for name, line in (("importance", importance), ("pairs", pairs)):
        assert {"lower", "upper", "interval_kind", "above_null", "p_value", "discovery", "null_kind"} <= set(line), name
    assert set(summary["files"]) == {path.name for path in written}


def test_local_values_without_pyarrow(result, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    result.write(tmp_path / "out", report=False)
    local = pd.read_csv(tmp_path / "out" / "local.csv", index_col="row")
    np.testing.assert_allclose(local, result.explanation.local_main, rtol=1e-12)


def test_odd_names_everywhere(tmp_path, monkeypatch):
    """Also in the figures and the report, whose own tests look closer; the report has a profile of each name."""
    monkeypatch.setattr(_result, "VARIABLES", 1)
    for module in (_result, report_figures):
        monkeypatch.setattr(module, "PAIRS", 1)
    target = 't,"<b>\x1b[2J'
    result = study(odd(), target, pairs=3, **QUICK)
    written = result.write(tmp_path / "out")
    assert written[0].name == "report.html"
    assert {path.suffix for path in written if path.parent.name == "figures"} == {".png", ".svg"}
    assert all(path.name.isascii() and len(path.name) < 100 for path in written)
    visible = {name.replace("\x1b", "\\x1b") for name in ODD_NAMES}  # control characters are escapes in CSV
    assert set(pd.read_csv(tmp_path / "out" / "importance.csv")["term"]) == visible
    assert set(pd.read_parquet(tmp_path / "out" / "local.parquet").columns) == {"row", *ODD_NAMES}
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["target"] == target
    assert {line["name"] for line in summary["variables"]} == set(ODD_NAMES)
    report = written[0].read_text(encoding="utf-8")
    assert "<script>alert(1)</script>" not in report
    assert all("<script>alert" not in p.read_text(encoding="utf-8") for p in written if p.suffix == ".svg")


def test_nothing_is_left_if_something_fails(result, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(_result, "save_model", fail)
    with pytest.raises(KeyboardInterrupt):
        result.write(tmp_path / "new" / "out", report=False)
    assert not list(tmp_path.iterdir())


def test_results_of_an_earlier_run_are_replaced_and_other_files_stay(result, tmp_path):
    out = tmp_path / "out"
    result.write(out, report=False)
    (out / "mine.txt").write_text("mine")
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="rsens did not write"):
        result.write(tmp_path / "theirs", report=False)
    assert files_in(tmp_path / "theirs") == {"mine.txt"}
    result.write(tmp_path / "theirs", report=False, overwrite=True)
    before = files_in(out)
    assert files_in(tmp_path / "theirs") == before
    one_column = study(numbers(30)[["a", "y"]], "y", **QUICK)
    one_column.write(out, report=False)
    assert files_in(out) == before - {"pairs.csv"}
    assert json.loads((out / SUMMARY).read_text())["data"]["columns"] == ["a"]


def test_results_of_another_target_are_refused(result, tmp_path):
    result.write(tmp_path, report=False)
    before = (tmp_path / SUMMARY).read_bytes()
    other = study(numbers(40)[["a", "b"]], "a", **QUICK)
    with pytest.raises(InputError, match=r"another question \(target was y\)\. Give another folder, or overwrite=True"):
        other.write(tmp_path, report=False)
    assert (tmp_path / SUMMARY).read_bytes() == before
    other.write(tmp_path, report=False, overwrite=True)
    assert "pairs.csv" not in files_in(tmp_path)
