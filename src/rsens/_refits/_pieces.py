"""Work in pieces, one after the other or several at once; each is kept once it is done."""

from __future__ import annotations

import signal
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from rsens._errors import InputError, Warned, emit_once, recorded_warnings
from rsens._files import Checkpoint
from rsens._progress import Progress


@dataclass(frozen=True)
class Kept:
    """Finished pieces by number, in a checkpoint; one that is not `required` and cannot be kept is done again."""

    checkpoint: Checkpoint
    name: str
    records: tuple[type, ...] = ()
    required: bool = True

    def get(self, number: int) -> Any:
        """The piece, or None."""
        return self.checkpoint.get(self._key(number), *self.records)

    def put(self, number: int, piece: Any) -> None:
        """Keep a piece."""
        with nullcontext() if self.required else suppress(InputError, OSError):
            self.checkpoint.put(self._key(number), piece, *self.records)

    def _key(self, number: int) -> str:
        return f"{self.name}-{number:05d}"


def run_pieces(
    work: Callable[..., Any],
    count: int,
    arguments: Callable[[int], Sequence[Any]],
    *,
    shared: Sequence[Any] = (),
    n_jobs: int | None,
    progress: Progress,
    noun: str,
    stage: str = "",
    kept: Kept | None = None,
    done: Callable[[list[Any]], None] = lambda pieces: None,
) -> list[Any]:
    """work(*shared, *arguments(k)) for k = 0, …, count − 1, in this order, whichever piece is finished first.

    `shared` is sent once to a Dask cluster. `done` is called after each piece with all, None where one is missing.
    """
    pieces = [None if kept is None else kept.get(number) for number in range(count)]
    missing = [number for number, piece in enumerate(pieces) if piece is None]
    warned: dict[int, list[Warned]] = {}
    with progress.stage(noun, count, name=stage, done=count - len(missing)) as advance:
        done(pieces)
        with closing(_results(work, missing, arguments, shared, n_jobs)) as results:
            for number, piece, heard_of in results:
                warned[number] = heard_of
                if kept is not None:
                    kept.put(number, piece)
                pieces[number] = piece
                advance()
                done(pieces)
    emit_once([warned[number] for number in sorted(warned)], count, noun)
    return pieces


def _results(
    work: Callable[..., Any],
    numbers: Sequence[int],
    arguments: Callable[[int], Sequence[Any]],
    shared: Sequence[Any],
    n_jobs: int | None,
) -> Generator[tuple[int, Any, list[Warned]]]:
    """The number of each piece, the piece and its warnings, in the order in which they finish."""
    from joblib import Parallel, delayed, effective_n_jobs

    # Pieces in threads change and restore how this process warns, in any order: this restores it in the end.
    with workers(), _sent_once(_Shared(tuple(shared))) as sent, warnings.catch_warnings():
        # JAX warns of forks. Older versions of joblib fork and replace the process at once, which is safe.
        warnings.filterwarnings("ignore", r"os\.fork\(\) was called", RuntimeWarning)
        # Ctrl-C while a result is kept: joblib would advise to hand out less work.
        warnings.filterwarnings("ignore", r"\d+ tasks (have been successfully|which were still)", UserWarning)
        tasks = (delayed(_numbered)(number, work, sent, *arguments(number)) for number in numbers)
        results = None
        try:
            with _without_interrupts() if effective_n_jobs(n_jobs) > 1 else nullcontext():
                results = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(tasks)
            yield from results
        finally:
            if results is not None:  # the end of the loop, for any reason, ends the processes
                results.close()


@dataclass(frozen=True, eq=False)
class _Shared:
    """Arguments of all pieces, with a key: Dask names equal contents alike, and forgets them when earlier work ends."""

    values: tuple[Any, ...]
    key: str = field(default_factory=lambda: uuid4().hex)


def _numbered(number: int, work: Callable[..., Any], shared: _Shared, *arguments: Any) -> tuple[int, Any, list[Warned]]:
    with recorded_warnings() as warned:
        piece = work(*shared.values, *arguments)
    return number, piece, warned


@contextmanager
def _sent_once(shared: _Shared) -> Iterator[_Shared]:
    """With joblib's Dask backend, send it to every worker once, so that it is not lost with one of them."""
    from joblib import parallel_config
    from joblib.parallel import get_active_backend

    backend, n_jobs = get_active_backend()
    client = getattr(backend, "client", None)
    with parallel_config(backend="dask", client=client, n_jobs=n_jobs, scatter=[shared]) if client else nullcontext():
        yield shared


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Processes started within this ignore Ctrl-C, which a terminal sends to all: each would print a traceback."""
    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield  # Windows; or a thread, which gets no signals
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # Python's own helper process: Ctrl-C is not blocked after it is started
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_lock = threading.Lock()
_calls = 0
_before: Any = None


@contextmanager
def workers() -> Iterator[None]:
    """Within this, joblib may start processes; they end with it, unless they were there before: those are the user's.

    joblib has one pool for the whole process, so calls in several threads share it, and the last of them ends it.
    """
    global _calls, _before
    with _lock:
        if not _calls:
            _before = _pool()
        _calls += 1
    try:
        yield
    finally:
        with _lock:
            _calls -= 1
            pool = None if _calls else _pool()
            # Other work that was given to the pool meanwhile is the user's, and so is the pool from then on.
            if pool is not None and pool is not _before and not pool._pending_work_items:
                pool.shutdown(wait=True)
            if not _calls:
                _before = None


def _pool() -> Any:
    """joblib's pool of processes, None if there is none; found without starting one."""
    module = sys.modules.get("joblib.externals.loky.reusable_executor")
    return None if module is None else module._executor
