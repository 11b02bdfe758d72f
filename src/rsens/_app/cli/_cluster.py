"""`--dask`: a cluster behind joblib."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rsens._errors import Argument, InputError, MissingExtraError

if TYPE_CHECKING:
    from rsens._app.study import Settings

#: The value of `--dask` for a cluster of processes on this machine.
LOCAL = "local"
#: Seconds until a cluster must have answered.
PATIENCE = 10.0


@contextmanager
def on_cluster(settings: Settings, address: str | None) -> Iterator[Settings]:
    """Send refits and rows to the cluster at this address within the block; gives the settings for there.

    Seeds belong to pieces of work, not to workers: the numbers are the same as on one machine. The scheduler repeats
    the work of a lost worker.
    """
    if address is None:
        yield settings
        return
    from joblib import parallel_config

    local = Argument("dask", LOCAL)
    if address != LOCAL and settings.n_jobs is not None:
        why = " is for this machine, and a cluster uses all its workers. Leave it out, or use "
        raise InputError(Argument("n_jobs"), why, local, ".")
    try:
        client = _client(address, settings.n_jobs)
    except (OSError, ValueError) as error:  # a TimeoutError is an OSError
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        wrong = f": no Dask cluster answers at {address!r} ({reason}). Give the address of a scheduler, such as "
        raise InputError(Argument("dask"), f"{wrong}tcp://10.0.0.1:8786, or use ", local, ".") from None
    with client, parallel_config(backend="dask", client=client):
        yield replace(settings, n_jobs=None, fits=0)


def _client(address: str, n_jobs: int | None) -> Any:
    """A connection; for "local" it starts the cluster too, and ends it."""
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError("distributed", "distributed") from None
    from joblib import cpu_count

    # Messages of lost workers and closed clusters are not for the user of a command.
    for name in ("distributed", "distributed.nanny", "distributed.scheduler", "distributed.worker"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if address != LOCAL:
        return Client(address, timeout=PATIENCE)
    workers = cpu_count() if n_jobs is None or n_jobs < 1 else n_jobs
    # Any free port for the dashboard: another cluster may have the usual one.
    return Client(n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0")
