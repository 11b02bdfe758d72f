"""Rows that belong together, from the table to the result; and how many fits run at once."""

import numpy as np
import pandas as pd
import pytest

from rsens._app.study import Settings, study
from rsens._app.study._setup import set_up
from rsens._errors import InputError
from tests.app.study.tables import numbers

PERSON = np.repeat(np.arange(40), 4)


def persons(within: float = 0.02) -> pd.DataFrame:
    """40 persons with 4 rows each, and a target that is a matter of the person."""
    rng = np.random.default_rng(1)
    columns = rng.normal(size=(40, 3))[PERSON] + within * rng.normal(size=(160, 3))
    frame = pd.DataFrame(columns, columns=["age", "weight", "height"])
    return frame.assign(person=[f"p{k}" for k in PERSON], y=rng.normal(size=40)[PERSON] + 0.2 * rng.normal(size=160))


def setup(data, **options):
    found = set_up(Settings(data=data, target="y", **options), {}, [])
    return found, found.notes


def test_the_analysis_has_the_clusters():
    """Also of rows that are drawn."""
    found, notes = setup(persons(), cluster="person")
    assert found.clusters.tolist() == persons()["person"].tolist()
    assert list(found.table.X.columns) == ["age", "weight", "height"]
    assert found.settings["clusters"] == 40
    assert found.settings["arguments"]["cluster"] == "person"
    assert [note.kind for note in notes if note.severe] == []
    assert setup(numbers())[0].clusters is None
    frame = persons()
    frame.index = [f"row {k}" for k in range(160)]
    found, _ = setup(frame, cluster="person", rows=50)
    assert found.clusters.index.equals(found.table.X.index)
    assert found.clusters.tolist() == frame.loc[found.clusters.index, "person"].tolist()


def test_other_clusters_are_other_data():
    frame = persons()
    prints = [setup(frame, cluster="person")[0].settings["fingerprint"]]
    prints.append(setup(frame.assign(person=PERSON // 2), cluster="person")[0].settings["fingerprint"])
    prints.append(setup(frame.drop(columns="person"))[0].settings["fingerprint"])
    assert len(set(prints)) == 3


def test_new_rows_need_no_cluster_and_may_have_it(tmp_path):
    first = study(persons(), "y", cluster="person", null=False, cv=0, pairs=0, model="linear")
    first.write(tmp_path / "out", report=False)
    file = tmp_path / "out" / "model.rsens"
    for rows in (persons().head(12), persons().head(12).drop(columns="person")):
        again = study(rows, model=file, pairs=0)
        assert list(again.X.columns) == ["age", "weight", "height"]
        assert not [note for note in again.notes if "does not know" in note.text]
    with pytest.raises(InputError, match="name of one column; got a list"):
        study(persons(), "y", cluster=["person"])
    with pytest.raises(InputError, match="cluster is fixed by the saved model"):
        study(persons(), model=file, cluster="person")


# ---- how many fits run at once ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "options", "expected"),
    [
        (442, {}, None),
        (700, {}, -1),
        (700, {"model": "linear"}, None),
        (60, {"fits": 1000}, -1),
        (60, {"n_jobs": 2}, 2),
        (700, {"n_jobs": 1}, 1),
        (700, {"fits": 0}, None),
    ],
)
def test_processes_only_where_they_save_time(rows, options, expected):
    assert setup(numbers(rows), **{"fits": 25, **options})[0].asked.n_jobs == expected
