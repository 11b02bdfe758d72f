"""Work on a Dask cluster: a real one, of two processes on this machine."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from joblib import parallel_config

import rsens
from rsens._progress import progress_of
from rsens._refits import run_pieces

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
        parallel_config(backend="dask", client=client),
    ):
        yield client


def row_sum(rows, offset, number):
    time.sleep(0.05)
    return os.getpid(), float(rows[number].sum()) + offset


def pieces(count):
    rows = np.arange(2.0 * count).reshape(count, 2)
    found = run_pieces(
        row_sum, count, lambda k: (k,), shared=(rows, 0.5), n_jobs=None, progress=progress_of(False), noun="piece"
    )
    return [pid for pid, _ in found], [value for _, value in found], list(rows.sum(axis=1) + 0.5)


def test_pieces_run_on_the_workers_and_come_in_order(client):
    workers = set(client.run(os.getpid).values())
    where, values, expected = pieces(12)
    assert values == expected
    assert set(where) <= workers
    assert os.getpid() not in workers


def test_equal_data_twice(client):
    """The same shared values in two calls that follow each other: the second must not lose them with the first."""
    for _ in range(3):
        _, values, expected = pieces(4)
        assert values == expected


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    return X, X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=80)


@pytest.mark.slow
def test_a_worker_killed_half_way_changes_nothing(client):
    """Refits with probes and folds: the values are those of one process, to the last bit."""
    X, y = data()
    model = rsens.GPRegressor(n_restarts=0, random_state=0).fit(X, y)
    with parallel_config(backend="sequential"):
        expected = rsens.explain(model, X, y, random_state=1)
    address, victim = next(iter(client.run(os.getpid).items()))

    def kill_at_work():
        while not client.processing().get(address):
            time.sleep(0.01)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill_at_work, daemon=True)
    killer.start()
    found = rsens.explain(model, X, y, random_state=1)
    killer.join(timeout=30.0)
    assert not killer.is_alive()
    deadline = time.monotonic() + 30.0
    while victim in (pids := set(client.run(os.getpid).values())) or len(pids) < 2:  # its nanny starts another
        assert time.monotonic() < deadline
        time.sleep(0.2)
    np.testing.assert_array_equal(found.main, expected.main)
    np.testing.assert_array_equal(found.null, expected.null)
    np.testing.assert_array_equal(found.intervals, expected.intervals)
    np.testing.assert_array_equal(found.pair_intervals, expected.pair_intervals)
