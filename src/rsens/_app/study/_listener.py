"""Who hears what the pipeline does. The plain listener shows the step at work on one line of the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rsens._assess import Assessment
from rsens._explain import Explanation
from rsens._progress import Progress, StatusLine, bar

if TYPE_CHECKING:
    from rsens._app.study._setup import ModelSetup


class Listener(StatusLine):
    """Shows the step at work on standard error; nothing where that is not a terminal.

    `progress` is for the calls that the steps make: how far they are stands on the same line.
    """

    def __init__(self, progress: bool | None = None) -> None:
        self._shows = progress
        self._line: Any = None
        self._called = ""
        self._total = self._number = 0
        self.progress = Progress(self)

    @contextmanager
    def steps(self, total: int) -> Iterator[None]:
        """Within this, there are `total` steps."""
        # disable=None: silent unless the output is a terminal.
        disable = None if self._shows is None else not self._shows
        self._line = bar(total=total, bar_format="{desc}", disable=disable, leave=False)
        self._total, self._number = total, 0
        try:
            yield
        finally:
            self._line.close()
            self._line = None

    def step(self, what: str) -> str:
        """The next step begins; what it is called."""
        self._number += 1
        self._called = what if self._total == 1 else f"step {self._number} of {self._total}: {what}"
        self.detail(self._called)
        return self._called

    def detail(self, what: str) -> None:
        """What the step is doing now."""
        if self._line is not None:
            self._line.set_description_str(f"{what} …")

    def show(self, words: str, share: float) -> None:
        """How far the step is."""
        self.detail(f"{self._called}, {words}")

    def clear(self) -> None:
        """What could be counted is done; the step may go on."""
        self.detail(self._called)

    def read(self, setup: ModelSetup) -> None:
        """The table is read, and the model for it is chosen."""

    def ranked(self, found: Explanation) -> None:
        """The ranking is there; refits follow."""

    def checked(self, assessment: Assessment) -> None:
        """How good the model is; more refits follow."""

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Within this, the line is gone, so that something else can be printed."""
        if self._line is not None:
            self._line.clear()
        yield
        if self._line is not None:
            self._line.refresh()
