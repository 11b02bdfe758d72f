"""From real tables to answers, through the command; what the data are known for comes out on top."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

import rsens._app.report._figures
import rsens._app.study._result
from rsens import Explanation
from tests.app.cli.command import rsens as command
from tests.app.cli.command import rsens_process


def ranked(said: str) -> list[str]:
    """The variables in the printed table, in order."""
    lines = said.split("Variables by R-sens")[1].split("\n\n")[0].splitlines()
    return [line.split("  ")[2].strip() if line[2] == " " else line.split("  ")[2] for line in lines if "█" in line]


def told(done) -> bool:
    """Whether all went well, and standard error has what was read and nothing else."""
    return done.returncode == 0 and " rows" in done.stderr.split("\n")[0] and "arning" not in done.stderr


def with_labels(data) -> pd.DataFrame:
    return data.data.assign(label=[str(data.target_names[k]) for k in data.target])


def test_demo(tmp_path, monkeypatch):
    """A regression, with everything; body mass index, blood pressure and s5 lead every analysis of these data.

    Of figures that come in dozens, one for a variable and one for a pair.
    """
    for module in (rsens._app.report._figures, rsens._app.study._result):
        monkeypatch.setattr(module, "VARIABLES", 1)
        monkeypatch.setattr(module, "PAIRS", 1)
    done = command("demo", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    answer = " ".join(done.stdout.partition("\n\n")[0].split())
    assert re.match(r"The prediction of progression depends most on s5 \(▲ 2\d per sd\), bmi \(▲ 2\d per sd\)", answer)
    assert "Based on 442 rows, the model explains 50 % of the variation on unseen rows (R²)" in answer
    assert "\n\ndiabetes: 442 rows, 10 columns; target 'progression'\n" in done.stdout
    assert "How good is the model" in done.stdout
    assert "use --numeric sex." in " ".join(done.stdout.split())
    assert "numeric=" not in done.stdout
    explanation = Explanation.load(tmp_path / "rsens-demo" / "explanation.json")
    assert set(explanation.main.nlargest(3).index) == {"bmi", "bp", "s5"}
    assert ranked(done.stdout)[:3] == list(explanation.main.nlargest(3).index)
    assert (explanation.main > explanation.null)[["bmi", "bp", "s5"]].all()
    page = (Path(__file__).parents[3] / "docs" / "command-line.md").read_text(encoding="utf-8")
    quoted = {name: float(value) for name, value in re.findall(r"^ +\d+  (\w+) +([\d.]+)[*~ ] +█", page, re.MULTILINE)}
    assert quoted == {name: pytest.approx(value, abs=0.002) for name, value in explanation.main.items()}
    report = tmp_path / done.stdout.splitlines()[-1]
    assert report.name == "report.html"
    assert "<html" in report.read_text(encoding="utf-8")[:1000].lower()
    figures = {path.stem for path in (tmp_path / "rsens-demo" / "figures").iterdir()}
    assert {"variables", "rows", "pairs", "calibration", "profile-1-s5"} <= figures
    assert [path.name for path in tmp_path.iterdir()] == ["rsens-demo"]
    assert not (tmp_path / "rsens-demo" / "refits").exists()


@pytest.mark.slow
def test_two_classes_from_standard_input(tmp_path):
    """The size and the outline of the nuclei tell tumours apart, their smoothness hardly."""
    columns = "mean smoothness,mean symmetry,worst area,worst concave points"
    table = with_labels(load_breast_cancer(as_frame=True)).to_csv(index=False)
    options = ["--target", "label", "--columns", columns, "--rows", "100", "--cv", "2", "--no-report", "--no-null"]
    done = rsens_process("explain", "-", *options, cwd=tmp_path, stdin=table)
    assert told(done)
    assert "stdin: 569 rows (100 used), 4 columns" in done.stdout
    assert set(ranked(done.stdout)[:2]) == {"worst area", "worst concave points"}
    assert (tmp_path / "rsens-stdin" / "importance.csv").is_file()


@pytest.mark.slow
def test_counts_with_categories_in_parquet(tmp_path, data_folder):
    """Bicycles are hired by the hour of the day."""
    bike = pd.read_csv(data_folder / "bike_hour.csv")
    weather = bike["weathersit"].map({1: "clear", 2: "mist", 3: "rain", 4: "storm"})
    bike.assign(weather=weather).to_parquet(tmp_path / "bike.parquet")
    columns = ["--columns", "hr,temp,windspeed", "--columns", "weather"]
    options = ["--target", "cnt", "--rows", "200", "--pairs", "0", "--cv", "3", "--no-null", "--no-report", "--json"]
    done = command("explain", "bike.parquet", *columns, *options, cwd=tmp_path)
    assert told(done)
    answer = json.loads(done.stdout)
    assert answer["likelihood"]["kind"] == "negative_binomial"
    assert answer["quality"]["gain"] > 2 * answer["quality"]["gain_error"]
    assert answer["variables"][0]["name"] == "hr"
    assert {line["name"]: line["per"] for line in answer["variables"]}["weather"] == "sd"
    assert answer["data"]["rows"] == 17379
