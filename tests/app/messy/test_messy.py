"""Messy tables through the command: each is read right, or the answer has a WARNING above it."""

import pytest

from rsens import Explanation
from tests.app.cli.command import rsens
from tests.app.messy.tables import MESSY, no_header

QUICK = ("--no-report", "--no-null", "--cv", "0", "--pairs", "0")


def words(text):
    return " ".join(text.split())


@pytest.mark.parametrize("make", MESSY, ids=lambda make: make.__name__)
def test_the_leading_column_is_found(make, tmp_path):
    messy = make()
    (tmp_path / "data.csv").write_text(messy.text)
    target = "x3" if "--no-header" in messy.options else "y"
    done = rsens("explain", "data.csv", "--target", target, *QUICK, *messy.options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for sentence in messy.said:
        assert sentence in words(done.stdout)
    assert done.stdout.startswith("WARNING") == messy.warned
    explanation = Explanation.load(tmp_path / "rsens-data" / "explanation.json")
    assert explanation.main.idxmax() == messy.leader
    assert f"depends most on {messy.leader}" in words(done.stdout)
    assert explanation.main[messy.leader] > 1.5 * explanation.main.drop(messy.leader).max()


def test_a_file_without_names_is_refused_with_the_way_out(tmp_path):
    (tmp_path / "data.csv").write_text(no_header().text)
    done = rsens("explain", "data.csv", "--target", "y", *QUICK, cwd=tmp_path)
    assert done.returncode == 2
    assert (
        "the target column 'y' does not exist: data.csv seems to have no line with the names of its columns"
        in words(done.stderr)
    )
    assert "--no-header" in done.stderr
