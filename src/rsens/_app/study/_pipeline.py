"""The pipeline that `study` and all commands run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from rsens._app.study._analysis import Analysis
from rsens._app.study._check import check_model
from rsens._app.study._collinear_notes import not_said_yet
from rsens._app.study._listener import Listener
from rsens._app.study._models import notes_on_fit
from rsens._app.study._settings import Settings
from rsens._app.study._setup import ModelSetup, set_up
from rsens._app.tables import Note
from rsens._assess import Assessment
from rsens._errors import RsensWarning
from rsens._files import Checkpoint
from rsens._refits import workers

Result = TypeVar("Result", bound=Analysis[Any])


#: Within this, work runs that keeps finished pieces; it gives where refits are kept, if they are.
Keep = Callable[[ModelSetup], AbstractContextManager[Checkpoint | None]]


def keep_nothing(_: ModelSetup) -> AbstractContextManager[None]:
    """Nothing is kept."""
    return nullcontext()


@dataclass(frozen=True)
class SoFar:
    """What is there when the work is stopped, and what is not, in words."""

    found: Any
    assessment: Assessment | None
    missing: tuple[str, ...]


class Unfinished(KeyboardInterrupt):
    """Stopped with Ctrl-C when a part of the result was there already.

    Attributes:
        analysis: The result without what is missing.
        missing: What that is, in words.
    """

    def __init__(self, analysis: Any, missing: tuple[str, ...]) -> None:
        super().__init__()
        self.analysis, self.missing = analysis, missing


@dataclass(frozen=True)
class Task(Generic[Result]):
    """What is asked of a model.

    step: What the work is called on the progress line.
    work: Computes what is found.
    result: The type of the result.
    arguments: What the result records as asked.
    fit: Whether the work needs a model that is fitted to all rows.
    keep: Within this, the work runs: for work that keeps finished pieces.
    check: How good the model is. Work that looks at the refits of the check brings its own.
    first: Work that is done before the check, with its name on the progress line.
    so_far: What is there if the work is stopped; None if that is nothing.
    """

    step: str
    work: Callable[[ModelSetup], Any]
    result: type[Result]
    arguments: Mapping[str, Any]
    fit: bool = True
    keep: Keep = keep_nothing
    check: Callable[[ModelSetup], Assessment | None] = check_model
    first: tuple[str, Callable[[ModelSetup], object]] | None = None
    so_far: Callable[[ModelSetup], SoFar | None] = lambda setup: None


def analyse(settings: Settings, task: Task[Result], *, listener: Listener | None = None) -> Result:
    """Read the table, choose a model, fit it, check it, and do the task.

    A model from a file is neither fitted nor checked. Ctrl-C is `Unfinished`, a KeyboardInterrupt, if something is
    there by then.
    """
    listener = Listener(settings.progress) if listener is None else listener
    notes: list[Note] = []
    new = settings.model_file is None
    setup: ModelSetup | None = None
    try:
        steps = 2 + new * (1 + task.fit) + (task.first is not None)
        with listener.steps(steps), _warnings_as_notes(notes), workers():
            listener.step("reading")
            setup = replace(set_up(settings, task.arguments, notes), listener=listener)
            listener.read(setup)
            with task.keep(setup) as keep:
                setup = replace(setup, keep=keep)
                assessment = _fit_and_check(setup, task) if new else None
                listener.step(task.step)
                found = task.work(setup)
    except KeyboardInterrupt:
        so_far = None if setup is None else task.so_far(setup)
        if setup is None or so_far is None:
            raise
        raise Unfinished(_result(setup, task, so_far.found, so_far.assessment), so_far.missing) from None
    return _result(setup, task, found, assessment)


def _fit_and_check(setup: ModelSetup, task: Task[Any]) -> Assessment | None:
    step = setup.listener.step
    if task.fit:
        step("fitting")
        setup.model.fit(setup.table.X, setup.table.y)
        setup.notes.extend(notes_on_fit(setup.model, setup.settings))
    if task.first is not None:
        what, work = task.first
        step(what)
        work(setup)
    step("checking the model")
    return task.check(setup)


def _result(setup: ModelSetup, task: Task[Result], found: Any, assessment: Assessment | None) -> Result:
    return task.result(
        model=setup.model,
        assessment=assessment,
        notes=tuple(setup.notes),
        likelihood=setup.likelihood,
        X=setup.table.X,
        y=setup.table.y,
        settings=setup.provenance,
        recipe=setup.table.recipe,
        clusters=setup.clusters,
        groups=setup.groups,
        found=found,
    )


@contextmanager
def _warnings_as_notes(notes: list[Note]) -> Iterator[None]:
    """Within this, warnings of rsens become notes, each once; other warnings stay warnings."""
    raised: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always", RsensWarning)
            yield
    finally:
        ours = [warning.message for warning in raised if isinstance(warning.message, RsensWarning)]
        left = [message for each in ours if (message := not_said_yet(each, notes)) is not None]
        new = dict.fromkeys(Note("warning", (), message.sentence) for message in left)
        notes.extend(note for note in new if note not in notes)
    for warning in raised:
        if not isinstance(warning.message, RsensWarning):
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno, source=warning.source
            )
