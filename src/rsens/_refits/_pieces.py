"""Work in pieces, one after the other or several at once; each is kept once it is done."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
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
    tasks = ((number, work, *arguments(number)) for number in missing)
    with progress.stage(noun, count, name=stage, done=count - len(missing)) as advance:
        done(pieces)
        with closing(_results(tasks, _Shared(tuple(shared)), n_jobs)) as results:
            for number, piece, warnings_of_piece in results:
                warned[number] = warnings_of_piece
                if kept is not None:
                    kept.put(number, piece)
                pieces[number] = piece
                advance()
                done(pieces)
    emit_once([warned[number] for number in sorted(warned)], count, noun)
    return pieces


@dataclass(frozen=True, eq=False)
class _Shared:
    """Arguments of all pieces, with a key: Dask names equal contents alike, and forgets them when earlier work ends."""

    values: tuple[Any, ...]
    key: str = field(default_factory=lambda: uuid4().hex)


def _results(
    tasks: Iterable[tuple[Any, ...]], shared: _Shared, n_jobs: int | None
) -> Generator[tuple[int, Any, list[Warned]]]:
    """The number of each piece, the piece and its warnings, in the order in which they finish."""
    from joblib import Parallel, delayed, effective_n_jobs, parallel_config
    from joblib.parallel import get_active_backend

    backend, active = get_active_backend()
    client, once = getattr(backend, "client", None), nullcontext()
    if client:  # with joblib's Dask backend, send it to every worker once, so that it is not lost with one of them
        once = parallel_config(backend="dask", client=client, n_jobs=active, scatter=[shared])
    # Pieces in threads change and restore how this process warns, in any order: this restores it in the end.
    with once, warnings.catch_warnings():
        # JAX warns of forks. Older versions of joblib fork and replace the process at once, which is safe.
        warnings.filterwarnings("ignore", r"os\.fork\(\) was called", RuntimeWarning)
        # Ctrl-C while a result is kept: joblib would advise to hand out less work.
        warnings.filterwarnings("ignore", r"\d+ tasks (have been successfully|which were still)", UserWarning)
        results = None
        try:
            with _without_interrupts() if effective_n_jobs(n_jobs) > 1 else nullcontext():
                numbered = (delayed(_numbered)(shared, *task) for task in tasks)
                results = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(numbered)
            yield from results
        finally:
            if results is not None:  # the end of the loop, for any reason, ends the work
                results.close()


def _numbered(shared: _Shared, number: int, work: Callable[..., Any], *arguments: Any) -> tuple[int, Any, list[Warned]]:
    with recorded_warnings() as warned:
        piece = work(*shared.values, *arguments)
    return number, piece, warned


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
