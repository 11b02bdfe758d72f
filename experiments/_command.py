"""The command-line options that all scripts share, and where their parallel work runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from joblib import effective_n_jobs, parallel_config

RESULTS = Path(__file__).parent / "results"


class Options(argparse.ArgumentParser):
    """A parser that runs `checks` on the parsed options: each returns an error text, or None.

    Results go to one folder, unless `folders` names an option: then each of its values has its own folder.
    """

    def __init__(self, description: str, folders: str | None) -> None:
        super().__init__(description=description)
        self.folders = folders
        self.checks: list[Callable[[argparse.Namespace], str | None]] = []

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> argparse.Namespace:
        given = super().parse_args(args, namespace)
        if given.out is None:
            given.out = RESULTS / getattr(given, self.folders) if self.folders else RESULTS
        for check in self.checks:
            wrong = check(given)
            if wrong is not None:
                self.error(wrong)
        return given


def whole_number(lowest: int, why: str = "") -> Callable[[str], int]:
    """The type of an option that takes a whole number of at least `lowest`."""

    def checked(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = lowest - 1
        if value < lowest:
            raise argparse.ArgumentTypeError(f"a whole number, at least {lowest}{why}; got {text!r}")
        return value

    return checked


#: The type of options that count repetitions.
REPETITIONS = whole_number(2, ", for an interval")


def parser(description: str, repetitions: int, *, published: bool = True, folders: str | None = None) -> Options:
    """The options of every script. `repetitions` is the default, which is the paper's number if it is `published`."""
    options = Options(description, folders)
    about = "default: %(default)s" + ", as published" * published
    options.add_argument("--repetitions", type=REPETITIONS, default=repetitions, help=about)
    options.add_argument("--n-jobs", type=_jobs, default=-1, help="processes, as in joblib; default: all cores")
    options.add_argument("--seed", type=whole_number(0), default=0)
    default = RESULTS / f"<{folders}>" if folders else RESULTS
    options.add_argument("--out", type=Path, help=f"folder for results; default: {default}")
    options.add_argument("--dask", metavar="ADDRESS", help="run on this Dask cluster; 'local' starts one here")
    options.checks += [_without_dask, _not_writable]
    return options


def _jobs(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value == 0:
        raise argparse.ArgumentTypeError(f"a number of processes, or -1 for all cores; got {text!r}")
    return value


def _without_dask(given: argparse.Namespace) -> str | None:
    if given.dask is None or find_spec("distributed") is not None:
        return None
    return "argument --dask: needs the package distributed; pip install '.[distributed]'"


def _not_writable(given: argparse.Namespace) -> str | None:
    try:
        given.out.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=given.out):
            return None
    except OSError as error:
        return f"argument --out: cannot write to {given.out} ({error.strerror})"


@contextmanager
def parallel(given: argparse.Namespace) -> Iterator[None]:
    """Run joblib's work in processes on this machine or on a Dask cluster. Ctrl-C stops it without a traceback."""
    try:
        with ExitStack() as stack:
            if given.dask is not None:
                client = stack.enter_context(_client(given.dask, given.n_jobs))
                stack.enter_context(parallel_config(backend="dask", client=client))
            yield
    except KeyboardInterrupt:
        sys.stderr.write("stopped; run again to continue\n")
        raise SystemExit(130) from None


def _client(address: str, n_jobs: int) -> Any:
    """A client that closes its connection, and its cluster if it started one."""
    from distributed import Client

    if address == "local":  # one thread per worker, or processor time would cover several repetitions
        return Client(n_workers=effective_n_jobs(n_jobs), threads_per_worker=1, dashboard_address="127.0.0.1:0")
    try:
        return Client(address)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"no Dask cluster at {address}: {error}\n")
        raise SystemExit(2) from None
