"""The pipeline that `study` and all commands run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rsens._app.study._analysis import Analysis
from rsens._app.study._check import check_model
from rsens._app.study._listener import Listener
from rsens._app.study._models import notes_on_fit
from rsens._app.study._settings import Settings
from rsens._app.study._setup import ModelSetup, set_up
from rsens._app.tables import Note
from rsens._assess import Assessment
from rsens._errors import RsensWarning

Result = TypeVar("Result", bound=Analysis[Any])


def _keep_nothing(_: ModelSetup) -> AbstractContextManager[None]:
    return nullcontext()


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
    """

    step: str
    work: Callable[[ModelSetup], Any]
    result: type[Result]
    arguments: Mapping[str, Any]
    fit: bool = True
    keep: Callable[[ModelSetup], AbstractContextManager[None]] = _keep_nothing
    check: Callable[[ModelSetup], Assessment | None] = check_model


def analyse(settings: Settings, task: Task[Result], *, listener: Listener | None = None) -> Result:
    """Read the table, choose a model, fit it, check it, and do the task.

    A model from a file is neither fitted nor checked.
    """
    listener = Listener(settings.progress) if listener is None else listener
    notes: list[Note] = []
    new = settings.model_file is None
    with listener.steps(2 + new * (1 + task.fit)), _warnings_as_notes(notes):
        listener.step("reading")
        setup = set_up(settings, task.arguments, notes)
        listener.read(setup)
        with task.keep(setup):
            assessment = _fit_and_check(setup, task, listener) if new else None
            listener.step(task.step)
            found = task.work(setup)
    return task.result(
        model=setup.model,
        assessment=assessment,
        notes=tuple(notes),
        likelihood=setup.likelihood,
        X=setup.table.X,
        y=setup.table.y,
        settings=setup.provenance,
        recipe=setup.table.recipe,
        clusters=setup.clusters,
        found=found,
    )


def _fit_and_check(setup: ModelSetup, task: Task[Any], listener: Listener) -> Assessment | None:
    if task.fit:
        listener.step("fitting")
        setup.model.fit(setup.table.X, setup.table.y)
        setup.notes.extend(notes_on_fit(setup.model, setup.settings))
    listener.step("checking the model")
    return task.check(setup)


@contextmanager
def _warnings_as_notes(notes: list[Note]) -> Iterator[None]:
    """Within this, warnings of rsens become notes, each once; other warnings stay warnings."""
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always", RsensWarning)
        yield
    for warning in raised:
        if isinstance(warning.message, RsensWarning):
            note = Note("warning", (), warning.message.sentence)
            if note not in notes:
                notes.append(note)
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno, source=warning.source
            )
