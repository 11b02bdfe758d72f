"""`--dask`: the work of a command on a Dask cluster, through joblib."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from rsens._app.study import Settings
from rsens._errors import Argument, InputError, MissingExtraError

#: The address that stands for a cluster of processes on this machine.
LOCAL = "local"
#: Seconds until a cluster must have answered.
PATIENCE = 10.0


@contextmanager
def on_cluster(settings: Settings) -> Iterator[Settings]:
    """Within this, refits and rows go to the cluster at `settings.dask`, if it has one; gives the settings for there.

    Seeds belong to pieces of work, not to workers: the numbers are those of one machine. The scheduler repeats the work
    of a worker that is lost.
    """
    if settings.dask is None:
        yield settings
        return
    from joblib import parallel_config

    if settings.dask != LOCAL and settings.n_jobs is not None:
        raise InputError(
            Argument("n_jobs"),
            " is for this machine, and a cluster uses all its workers. Leave it out, or use ",
            Argument("dask", LOCAL),
            ".",
        )
    with ExitStack() as stack:
        client = stack.enter_context(_client(settings.dask, settings.n_jobs))
        stack.enter_context(parallel_config(backend="dask", client=client))
        yield replace(settings, n_jobs=None, all_cores=False)


@contextmanager
def _client(address: str, n_jobs: int | None) -> Iterator[Any]:
    """A connection, and for "local" the cluster too, until the end."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise MissingExtraError("distributed", "distributed") from None
    from joblib import cpu_count

    # What a worker says when it is lost or the cluster is closed is not for the user of a command.
    for name in ("distributed", "distributed.nanny", "distributed.scheduler", "distributed.worker"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if address == LOCAL:
        workers = cpu_count() if n_jobs is None or n_jobs < 1 else n_jobs
        here = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}  # any free port: no warning beside another
        with LocalCluster(n_workers=workers, threads_per_worker=1, **here) as cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, ValueError) as error:  # a TimeoutError is an OSError
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise InputError(
            Argument("dask"),
            f": no Dask cluster answers at {address!r} ({reason}). Give the address of a scheduler, such as "
            "tcp://10.0.0.1:8786, or use ",
            Argument("dask", LOCAL),
            ".",
        ) from None
    with client:
        yield client
