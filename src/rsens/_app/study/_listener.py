"""Who hears what the pipeline does. The plain listener shows the step at work on one line of the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rsens._arguments import progress_bar

if TYPE_CHECKING:
    from rsens._app.study._setup import ModelSetup


class Listener:
    """Shows the step at work on standard error; nothing where that is not a terminal.

    Steps that take long show a progress bar of their own below it.
    """

    def __init__(self, progress: bool | None = None) -> None:
        self._progress = progress
        self._line: Any = None
        self._total = self._number = 0

    @contextmanager
    def steps(self, total: int) -> Iterator[None]:
        """Within this, there are `total` steps."""
        self._line = progress_bar(self._progress)(total=total, bar_format="{desc}", delay=0.0)
        self._total, self._number = total, 0
        try:
            yield
        finally:
            self._line.close()
            self._line = None

    def step(self, what: str) -> str:
        """The next step begins; what it is called."""
        self._number += 1
        called = what if self._total == 1 else f"step {self._number} of {self._total}: {what}"
        self.detail(called)
        return called

    def detail(self, what: str) -> None:
        """What the step is doing now."""
        self._line.set_description_str(f"{what} …")

    def read(self, setup: ModelSetup) -> None:
        """The table is read, and the model for it is chosen."""

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Within this, the line is gone, so that something else can be printed."""
        if self._line is not None:
            self._line.clear()
        yield
        if self._line is not None:
            self._line.refresh()
