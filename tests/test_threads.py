"""One thread for small matrices and for refits."""

import sys
from types import ModuleType

import threadpoolctl

from rsens import _threads
from rsens._threads import one_thread


def threads(user_api):
    return [library["num_threads"] for library in threadpoolctl.threadpool_info() if library["user_api"] == user_api]


def test_one_thread_inside_and_as_before_outside():
    with threadpoolctl.threadpool_limits(2):
        before = threads("blas"), threads("openmp")
        with one_thread():
            assert set(threads("blas")) == {1}
            assert set(threads("openmp")) <= {1}
            with one_thread("blas"):
                assert set(threads("blas")) == {1}
            assert set(threads("blas")) == {1}
        assert (threads("blas"), threads("openmp")) == before
        with one_thread("blas"):
            assert set(threads("blas")) == {1}
            assert threads("openmp") == before[1]
        assert (threads("blas"), threads("openmp")) == before


def test_libraries_are_looked_for_once_and_again_after_an_import(monkeypatch):
    looked = []

    class Counting(threadpoolctl.ThreadpoolController):
        def __init__(self):
            looked.append(True)
            super().__init__()

    _threads._libraries.cache_clear()
    monkeypatch.setattr(threadpoolctl, "ThreadpoolController", Counting)
    for _ in range(3):
        with one_thread():
            pass
    assert len(looked) == 1
    monkeypatch.setitem(sys.modules, "brings_threads", ModuleType("brings_threads"))
    with one_thread():
        pass
    assert len(looked) == 2
    _threads._libraries.cache_clear()
