"""One thread for small matrices and for refits."""

import threadpoolctl

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
