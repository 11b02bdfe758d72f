"""--group in the commands."""

import json

import pytest

from rsens._app.cli._main import main
from tests.app.study.test_groups import seasons

TABLE = ["table.csv", "--target", "y", "--model", "linear", "--cv", "0"]
SEASON = ["--group", "season=sin,cos"]


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seasons().to_csv("table.csv", index=False)
    return tmp_path


def run(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_explain(capsys):
    answer = run(capsys, "explain", *TABLE, *SEASON, "--no-null", "--no-report")
    assert sorted(line["name"] for line in answer["variables"]) == ["a", "flag", "kind", "season"]
    assert answer["settings"]["arguments"]["groups"] == {"season": ["sin,cos"]}


def test_pairs_of_groups_are_printed_as_two_names(capsys):
    assert main(["compare", *TABLE, *SEASON, "--methods", "rsens2", "--order", "2"]) == 0
    assert "season × a" in capsys.readouterr().out


def test_stability_and_its_kept_work(capsys):
    command = ["stability", *TABLE, "--methods", "rsens", "--samples", "2"]
    answer = run(capsys, *command, *SEASON)
    assert sorted(line["term"] for line in answer["terms"]) == ["a", "flag", "kind", "season"]
    assert main(command) == 2
    assert "work on another question (--group was season=sin,cos)" in capsys.readouterr().err
    assert main([*command, "--group", "other=sin,cos"]) == 2


@pytest.mark.parametrize(
    ("group", "text"),
    [
        ("season", "--group must look like NAME=A,B; got 'season'."),
        ("g=sin,coz", "no column for 'g' 'coz'. Did you mean 'cos'?"),
        ("a=sin,cos", "--group: the name 'a' belongs to a column outside the group too"),
        ("g=a,y", "no column for 'g' 'y'"),
    ],
)
def test_what_is_refused(group, text, capsys):
    assert main(["explain", *TABLE, "--group", group]) == 2
    assert text in capsys.readouterr().err
