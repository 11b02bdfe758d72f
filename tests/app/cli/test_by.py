"""--by from a table to the printed lines, by.csv and the JSON document."""

import json

import numpy as np
import pandas as pd
import pytest

from rsens import Explanation
from rsens._app.cli._main import main
from tests.app.cli.command import rsens

QUICK = ["--target", "y", "--no-null", "--pairs", "0", "--no-report"]


def regions(n=150) -> pd.DataFrame:
    """In the south, `a` moves y ten times as far as elsewhere; `b` everywhere alike."""
    rng = np.random.default_rng(0)
    region = np.array(["north", "south", "east"])[np.arange(n) % 3]
    a, b = rng.normal(size=(2, n))
    y = np.where(region == "south", 3.0, 0.3) * a + b + 0.3 * rng.normal(size=n)
    return pd.DataFrame({"a": a, "b": b, "region": region, "y": y})


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    regions().to_csv("data.csv", index=False)
    return tmp_path


def test_from_a_table_to_the_answers(table):
    done = rsens("explain", "data.csv", *QUICK, "--by", "region", cwd=table)
    assert done.returncode == 0
    folder = table / "rsens-data"
    frame = pd.read_csv(folder / "by.csv")
    assert list(frame["subgroup"].unique()) == ["east", "north", "south"]
    assert set(frame["rows"]) == {50}
    assert set(frame["interval_kind"]) == {"refits"}

    cells = frame.set_index(["term", "subgroup"])
    assert cells.loc["a", "differs"].all()
    assert not cells.loc["b", "differs"].any()
    assert cells.loc[("a", "south"), "value"] > 5.0 * cells.loc[("a", "north"), "value"]
    pd.testing.assert_frame_equal(
        frame, Explanation.load(folder / "explanation.json").by_frame(), check_dtype=False, rtol=1e-12
    )

    said = done.stdout.split("Subgroups by 'region': R-sens over all rows, and within each\n")[1].split("\n\n")[0]
    assert said.splitlines()[0].split() == ["variable", "all", "rows", "east", "north", "south"]
    marks = cells["differs"].map({True: "≠", False: ""})
    importance = pd.read_csv(folder / "importance.csv")
    for line, name, value in zip(said.splitlines()[1:], importance["term"], importance["value"], strict=False):
        shown = [f"{cells.loc[(name, group), 'value']:.2f}{marks[name, group]}" for group in ("east", "north", "south")]
        assert line.split() == [name, f"{value:.2f}", *shown]
    assert "rows: east 50, north 50, south 50" in said
    assert "≠ differs from the other rows" in said

    answer = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert answer["settings"]["arguments"]["by"] == "region"
    pd.testing.assert_frame_equal(pd.DataFrame(answer["by"]), frame, check_dtype=False, rtol=1e-12)


@pytest.mark.parametrize(
    ("column", "text"),
    [("y", "'y' is named as --target and as --by."), ("regoin", "Did you mean 'region'?")],
)
def test_what_is_refused(table, capsys, column, text):
    assert main(["explain", "data.csv", *QUICK, "--by", column]) == 2
    assert text in " ".join(capsys.readouterr().err.split())
