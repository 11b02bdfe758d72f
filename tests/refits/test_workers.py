"""Nothing that a call started is left after it: no process, no thread."""

import multiprocessing
import sys
import threading

import numpy as np
import pytest
from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor
from sklearn.linear_model import BayesianRidge

from rsens._progress import progress_of
from rsens._refits import run_pieces, workers
from tests.few_probes import explain_with_probes

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(30, 2)), RNG.normal(size=30)


@pytest.fixture(autouse=True)
def _no_pool():
    """Neither before the test nor after it."""
    get_reusable_executor().shutdown(wait=True)
    yield
    get_reusable_executor().shutdown(wait=True)


def processes():
    """Those that work. Two that only tidy up after crashes, one of joblib's and one of Python's, stay."""
    executor = sys.modules["joblib.externals.loky.reusable_executor"]._executor
    pool = {} if executor is None or executor._processes is None else executor._processes
    return {process.pid for process in (*pool.values(), *multiprocessing.active_children())}


def threads():
    return {thread.name for thread in threading.enumerate()}


def run(n_jobs=2):
    return run_pieces(abs, 3, lambda k: (-k,), n_jobs=n_jobs, progress=progress_of(False), noun="piece")


def test_processes_end_with_the_call_and_stages_share_them():
    before = threads()
    with workers():
        run()
        first = processes()
        assert len(first) == 2
        run()
        other = threading.Thread(target=run)  # its end is not the end of this call
        other.start()
        other.join()
        assert processes() == first
    assert not processes()
    assert threads() == before


def test_a_pool_that_was_there_before_stays():
    Parallel(n_jobs=2)(delayed(abs)(k) for k in range(4))
    before = processes()
    run()
    assert len(before) == 2
    assert processes() == before


def test_processes_end_with_a_call_that_fails():
    with pytest.raises(ZeroDivisionError):
        run_pieces(divmod, 3, lambda k: (1, k), n_jobs=2, progress=progress_of(False), noun="piece")
    assert not processes()


@pytest.mark.slow
def test_explain_leaves_neither_processes_nor_threads(monkeypatch):
    monkeypatch.setattr("rsens._progress.DELAY", 0.0)  # a bar is made, and shown nowhere
    before = threads()
    explain_with_probes(BayesianRidge().fit(X, Y), X, Y, n_probes=4, n_jobs=2, random_state=0)
    assert threads() <= before
    assert not processes()
