"""A command is one record in a list: everything else learns of it from there."""

import json
from dataclasses import dataclass

import pandas as pd
import pytest

from rsens._app.cli._command import TableCommand, from_click
from rsens._app.cli._main import COMMANDS, main
from rsens._app.cli._options import CHECK, option, table_options
from rsens._app.study import Settings
from rsens._arguments import whole_number
from rsens._document import Column, ShownTable
from rsens._errors import Argument, Sentence
from tests.app.study.tables import numbers


@dataclass(frozen=True, kw_only=True)
class ExtremesSettings(Settings):
    """With how many rows to show."""

    most: int = 1

    def __post_init__(self):
        super().__post_init__()
        whole_number(self.most, "most", 1)


def largest(setup, folder):
    mean = pd.Series(setup.model.predict(setup.table.X), index=setup.table.X.index)
    return mean.nlargest(setup.settings.most).rename_axis("row").reset_index(name="prediction")


def answer(found):
    return [Sentence(f"Row {found['row'][0]} has the largest prediction; for more use ", Argument("most"), ".")]


def details(found, analysis):
    columns = [Column(name, list(map(str, found[name]))) for name in ("row", "prediction")]
    return [ShownTable(f"Largest predictions of {analysis.settings['target']}", columns)]


EXTREMES = TableCommand(
    name="extremes",
    summary="Show the rows with the largest predictions.",
    paragraphs=("Show the rows of a table with the largest predictions.",),
    examples=("rsens extremes data.csv --target price",),
    options=table_options("rsens-NAME-extremes", option("--most", type=int, metavar="N", help="How many."), CHECK),
    settings=lambda given: ExtremesSettings(**from_click(given)),
    question=lambda settings: settings.plain("most"),
    step=lambda settings: "predicting",
    work=largest,
    answer=answer,
    details=details,
    tables=lambda found: {"extremes": found},
    figures=lambda found: {"predictions": lambda: found.plot(y="prediction")},
    to_dict=lambda found: {"rows": [int(row) for row in found["row"]]},
)


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numbers(40).to_csv("table.csv", index=False)
    COMMANDS.append(EXTREMES)
    yield tmp_path
    COMMANDS.pop()


def test_it_has_help(table, capsys):
    assert main(["--help"]) == 0
    assert "extremes   Show the rows with the largest predictions." in capsys.readouterr().out
    assert main(["extremes", "--help"]) == 0
    said = capsys.readouterr().out
    assert "--most N" in said
    assert "rsens extremes data.csv --target price" in said


def test_it_runs_and_writes_its_folder(table, capsys):
    assert main(["extremes", "table.csv", "--target", "y", "--most", "3", "--cv", "2"]) == 0
    said = capsys.readouterr()
    assert said.err.startswith("table: 40 rows, 4 columns; target 'y'\n")
    first = numbers(40)["y"].idxmax()
    assert said.out.startswith(f"Row {first} has the largest prediction; for more use --most.\n")
    assert "Largest predictions of y" in said.out
    folder = table / "rsens-table-extremes"
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert files == {"extremes.csv", "summary.json", "figures/predictions.png", "figures/predictions.svg"}
    assert pd.read_csv(folder / "extremes.csv")["row"][0] == first
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["command"] == "extremes"
    assert summary["rows"][0] == first
    assert summary["settings"]["arguments"] == {"most": 3, "model": "gp", "seed": 0}
    assert summary["quality"]["n_folds"] == 2


def test_it_has_json_and_errors_like_all_others(table, capsys):
    options = ["extremes", "table.csv", "--target", "y", "--cv", "0"]
    assert main([*options, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 1
    assert main([*options, "--most", "0"]) == 2
    assert capsys.readouterr().err == "rsens: --most must be a whole number of at least 1; got 0.\n"
    assert main([*options, "--most", "2"]) == 2
    assert "results of another question (--most was 1)" in capsys.readouterr().err
