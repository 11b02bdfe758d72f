"""What all scripts take from the command line, and where their parallel work runs."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def parser(description: str, repetitions: int, *, published: bool = True) -> argparse.ArgumentParser:
    """The options of every script; `repetitions` is the paper's number, unless it has none that was `published`."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument(
        "--repetitions", type=_count, default=repetitions, help="default: %(default)s" + ", as published" * published
    )
    options.add_argument("--n-jobs", type=int, default=-1, help="processes, as in joblib; default: all cores")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--out", type=Path, default=RESULTS, help="folder for results; default: %(default)s")
    options.add_argument("--dask", metavar="ADDRESS", help="run on this Dask cluster; 'local' starts one here")
    return options


def parallel(options: argparse.Namespace) -> AbstractContextManager[Any]:
    """Where joblib's work runs: processes of this machine, or a Dask cluster (`pip install 'rsens[distributed]'`)."""
    if options.dask is None:
        return nullcontext()
    from distributed import Client
    from joblib import parallel_config

    client = Client() if options.dask == "local" else Client(options.dask)
    return parallel_config(backend="dask", client=client)


def _count(text: str) -> int:
    value = int(text)
    if value < 2:
        raise argparse.ArgumentTypeError("at least 2, for an interval")
    return value
