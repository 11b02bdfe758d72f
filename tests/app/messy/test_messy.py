"""Messy tables through the command: each is read right, or the answer has a WARNING above it."""

import pytest

from rsens import Explanation
from rsens._app.cli._main import main
from tests.app.messy.tables import MESSY, no_header

QUICK = ("--no-report", "--no-null", "--cv", "0", "--pairs", "0")


@pytest.fixture
def explain(tmp_path, monkeypatch, capsys):
    """Explain a table, and give the exit code and what was printed, on one line each."""
    monkeypatch.chdir(tmp_path)

    def run(text, *options):
        (tmp_path / "data.csv").write_text(text)
        code = main(["explain", "data.csv", *options, *QUICK])
        return code, *(" ".join(each.split()) for each in capsys.readouterr())

    return run


@pytest.mark.parametrize("make", MESSY, ids=lambda make: make.__name__)
def test_the_leading_column_is_found(make, explain):
    messy = make()
    target = "x3" if "--no-header" in messy.options else "y"
    code, out, err = explain(messy.text, "--target", target, *messy.options)
    assert code == 0, err
    assert not [sentence for sentence in messy.said if sentence not in out]
    assert out.startswith("WARNING") == messy.warned
    explanation = Explanation.load("rsens-data/explanation.json")
    assert explanation.main.idxmax() == messy.leader
    assert f"depends most on {messy.leader}" in out
    assert explanation.main[messy.leader] > 1.5 * explanation.main.drop(messy.leader).max()


def test_a_file_without_names_is_refused_with_the_way_out(explain):
    code, _, err = explain(no_header().text, "--target", "y")
    assert code == 2
    assert "data.csv seems to have no line with the names" in err
    assert "--no-header" in err
