"""--dask: the same answer, from a cluster."""

import json

import pytest

from rsens._app.cli._main import main
from tests.app.study.tables import numbers

distributed = pytest.importorskip("distributed")

COMMANDS = {
    "explain": ["--no-report"],
    "compare": ["--methods", "rsens,pfi", "--budget", "paper"],
    "stability": ["--methods", "rsens,pfi", "--samples", "3"],
}


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numbers(40).to_csv("table.csv", index=False)


@pytest.fixture(scope="module")
def cluster():
    """A cluster inside this process: quick to start, and reached by its address all the same."""
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", host="127.0.0.1", dashboard_address=":0"
    ) as cluster:
        yield cluster.scheduler_address


def answer(capsys, *arguments):
    """The document, without times."""
    assert main([*arguments, "--target", "y", "--json", "--overwrite"]) == 0
    found = json.loads(
        capsys.readouterr().out, object_hook=lambda each: {k: v for k, v in each.items() if k != "seconds"}
    )
    return {name: value for name, value in found.items() if name not in ("created", "settings")}


@pytest.mark.parametrize(
    "command", [*list(COMMANDS)[:1], *(pytest.param(name, marks=pytest.mark.slow) for name in list(COMMANDS)[1:])]
)
def test_the_same_numbers(command, table, cluster, capsys):
    asked = [command, "table.csv", "--model", "linear", *COMMANDS[command]]
    here = answer(capsys, *asked, "--n-jobs", "1")
    assert here == answer(capsys, *asked, "--dask", cluster)


def test_no_cluster_there(table, capsys, monkeypatch):
    monkeypatch.setattr("rsens._app.cli._cluster.PATIENCE", 0.5)
    assert main(["explain", "table.csv", "--target", "y", "--dask", "tcp://127.0.0.1:9"]) == 2
    said = capsys.readouterr().err
    assert "--dask: no Dask cluster answers at 'tcp://127.0.0.1:9'" in said
    assert "--dask local" in said


def test_jobs_are_for_this_machine(table, capsys):
    assert main(["explain", "table.csv", "--target", "y", "--dask", "tcp://127.0.0.1:9", "--n-jobs", "2"]) == 2
    assert "--n-jobs is for this machine" in capsys.readouterr().err
