"""--cluster in the commands."""

import pytest

from rsens._app.cli._main import main
from tests.app.study.test_clusters import persons

TABLE = ["table.csv", "--target", "y"]


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    persons().to_csv("table.csv", index=False)
    return tmp_path


def run(capsys, *arguments):
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def test_stability_draws_persons(capsys):
    command = ["stability", *TABLE, "--methods", "rsens", "--samples", "2", "--cv", "0"]
    said = run(capsys, *command, "--cluster", "person")
    assert "2 samples of 20 clusters (about 80 rows)" in " ".join(said.split())
    assert "Rows with the same 'person' belong together: 40 clusters of 4 rows." in " ".join(said.split())
    assert "WARNING" not in said
    assert main([*command, "--drop", "person"]) == 2
    assert "work on another question (--drop was not given)" in capsys.readouterr().err
    assert main([*command]) == 2
    assert "work on another question (--cluster was person)" in capsys.readouterr().err


def test_explain_names_the_clusters_in_what_to_do_next(capsys):
    quick = ["--no-null", "--no-report", "--pairs", "0", "--cv", "0"]
    said = " ".join(run(capsys, "explain", *TABLE, *quick, "--cluster", "person").split())
    assert "WARNING" not in said
    assert "rsens stability table.csv --target y --cluster person" in said


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--cluster", "y"], "is named as --target and as --cluster."),
        (["--cluster", "persn"], "Did you mean 'person'?"),
        (["--cluster", "person", "--drop", "person"], "'person' is named as --cluster and in --drop"),
    ],
)
def test_what_is_refused(options, text, capsys):
    assert main(["stability", *TABLE, *options]) == 2
    assert text in capsys.readouterr().err
