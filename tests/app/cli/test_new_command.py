"""A command is one function in a list: everything else learns of it from there."""

import json
from dataclasses import dataclass

import click
import pandas as pd
import pytest

from rsens._app.cli._command import Command, Question, Views
from rsens._app.cli._main import COMMANDS, main
from rsens._app.cli._options import as_settings, option, table_options
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


class Extremes(Question):
    """The rows with the largest predictions."""

    name = "extremes"
    step = "predicting"

    def read(self, given):
        return ExtremesSettings(**as_settings(given))

    def question(self):
        return self.settings.plain("most")

    def result(self, setup):
        mean = pd.Series(setup.model.predict(setup.table.X), index=setup.table.X.index)
        return mean.nlargest(setup.settings.most).rename_axis("row").reset_index(name="prediction")

    def views(self, found, terms):
        columns = [Column(name, list(map(str, found[name]))) for name in ("row", "prediction")]
        return Views(
            answer=[
                Sentence(f"Row {found['row'][0]} has the largest prediction; for more use ", Argument("most"), ".")
            ],
            details=[ShownTable("Largest predictions", columns)],
            tables={"extremes": found},
            figures={"predictions": lambda: found.plot(y="prediction")},
            content={"rows": [int(row) for row in found["row"]]},
        )


@click.command(
    cls=Command,
    params=table_options(),
    short_help="Show the rows with the largest predictions.",
    examples=["rsens extremes data.csv --target price"],
)
@option("--most", type=int, metavar="N", help="How many.")
def extremes(**given):
    """Show the rows of a table with the largest predictions."""
    Extremes(**given).run()


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numbers(40).to_csv("table.csv", index=False)
    COMMANDS.append(extremes)
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
    assert "Largest predictions" in said.out
    folder = table / "rsens-table-extremes"
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert files == {"extremes.csv", "summary.json", "figures/predictions.png", "figures/predictions.svg"}
    summary = json.loads((folder / "summary.json").read_text())
    assert (summary["command"], summary["rows"][0]) == ("extremes", first)
    assert summary["settings"]["arguments"] == {"most": 3, "model": "gp", "seed": 0}
    assert summary["quality"]["n_folds"] == 2


def test_it_has_json_and_errors_like_all_others(table, capsys):
    options = ["extremes", "table.csv", "--target", "y", "--cv", "0"]
    assert main([*options, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 1
    assert main([*options, "--most", "0"]) == 2
    assert capsys.readouterr().err == "rsens: --most must be a whole number of at least 1; got 0.\n"
    assert main([*options, "--most", "2"]) == 2
    assert "--most was 1" in capsys.readouterr().err
