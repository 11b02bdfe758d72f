"""--by, --cluster and --group from a table to printed lines, files and kept work."""

import json

import numpy as np
import pandas as pd
import pytest

from rsens import Explanation
from rsens._app.cli._main import main
from tests.app.study.test_clusters import persons
from tests.app.study.test_groups import seasons

QUICK = ["--no-null", "--no-report", "--cv", "0", "--pairs", "0"]
#: A table for each option, and further options.
TABLES = {"by": ["by.csv", "--target", "y"], "cluster": ["cluster.csv", "--target", "y"]}
TABLES["group"] = ["group.csv", "--target", "y", "--model", "linear", "--cv", "0"]


def regions(n=150) -> pd.DataFrame:
    """In the south, `a` moves y ten times as far as elsewhere; `b` everywhere alike."""
    rng = np.random.default_rng(0)
    region = np.array(["north", "south", "east"])[np.arange(n) % 3]
    a, b = rng.normal(size=(2, n))
    y = np.where(region == "south", 3.0, 0.3) * a + b + 0.3 * rng.normal(size=n)
    return pd.DataFrame({"a": a, "b": b, "region": region, "y": y})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, frame in (("by", regions()), ("cluster", persons()), ("group", seasons())):
        frame.to_csv(f"{name}.csv", index=False)
    return tmp_path


def run(capsys, *arguments):
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def test_subgroups(folder, capsys):
    said = run(capsys, "explain", *TABLES["by"], *QUICK[:2], "--pairs", "0", "--by", "region")
    results = folder / "rsens-by"
    frame = pd.read_csv(results / "by.csv")
    assert list(frame["subgroup"].unique()) == ["east", "north", "south"]
    assert (set(frame["rows"]), set(frame["interval_kind"])) == ({50}, {"refits"})

    cells = frame.set_index(["term", "subgroup"])
    assert cells.loc["a", "differs"].all()
    assert not cells.loc["b", "differs"].any()
    assert cells.loc[("a", "south"), "value"] > 5.0 * cells.loc[("a", "north"), "value"]
    loaded = Explanation.load(results / "explanation.json").by_frame()
    pd.testing.assert_frame_equal(frame, loaded, check_dtype=False, rtol=1e-12)

    shown = said.split("Subgroups by 'region': R-sens over all rows, and within each\n")[1].split("\n\n")[0]
    assert shown.splitlines()[0].split() == ["variable", "all", "rows", "east", "north", "south"]
    assert shown.splitlines()[1].split()[0] == "a"
    assert shown.splitlines()[1].count("≠") == 3
    assert "rows: east 50, north 50, south 50" in shown

    answer = json.loads((results / "summary.json").read_text(encoding="utf-8"))
    assert answer["settings"]["arguments"]["by"] == "region"
    pd.testing.assert_frame_equal(pd.DataFrame(answer["by"]), frame, check_dtype=False, rtol=1e-12)


def test_clusters(capsys):
    command = ["stability", *TABLES["cluster"], "--methods", "rsens", "--samples", "2", "--cv", "0"]
    said = " ".join(run(capsys, *command, "--cluster", "person").split())
    assert "2 samples of 20 clusters" in said
    assert "40 clusters of 4" in said
    assert "WARNING" not in said
    assert main([*command, "--drop", "person"]) == 2
    assert "work on another question (--drop was not given)" in capsys.readouterr().err
    said = " ".join(run(capsys, "explain", *TABLES["cluster"], *QUICK, "--cluster", "person").split())
    assert "rsens stability cluster.csv --target y --cluster person" in said


def test_groups(capsys):
    season = ["--group", "season=sin,cos"]
    answer = json.loads(run(capsys, "explain", *TABLES["group"], *season, "--no-null", "--no-report", "--json"))
    assert sorted(line["name"] for line in answer["variables"]) == ["a", "flag", "kind", "season"]
    assert answer["settings"]["arguments"]["groups"] == {"season": ["sin,cos"]}
    compared = run(capsys, "compare", *TABLES["group"], *season, "--methods", "rsens2", "--order", "2")
    assert "season × a" in compared
    command = ["stability", *TABLES["group"], "--methods", "rsens", "--samples", "2"]
    answer = json.loads(run(capsys, *command, *season, "--json"))
    assert sorted(line["term"] for line in answer["terms"]) == ["a", "flag", "kind", "season"]
    assert main(command) == 2
    assert "work on another question (--group was season=sin,cos)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value", "text"),
    [
        ("by", "y", "'y' is named as --target and as --by."),
        ("by", "regoin", "Did you mean 'region'?"),
        ("cluster", "y", "is named as --target and as --cluster."),
        ("cluster", "persn", "Did you mean 'person'?"),
        ("group", "season", "--group must look like NAME=A,B; got 'season'."),
        ("group", "g=sin,coz", "no column for 'g' 'coz'. Did you mean 'cos'?"),
        ("group", "a=sin,cos", "--group: the name 'a' belongs to a column outside the group too"),
        ("group", "g=a,y", "no column for 'g' 'y'"),
    ],
)
def test_what_is_refused(option, value, text, capsys):
    assert main(["explain", *TABLES[option], f"--{option}", value]) == 2
    assert text in " ".join(capsys.readouterr().err.split())
