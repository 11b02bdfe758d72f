"""Figures that a test does not look at are laid out, but not drawn."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from matplotlib.figure import Figure


@contextmanager
def undrawn() -> Iterator[None]:
    """Write an empty file for each figure. For tests of scripts whose figures another test draws."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", lambda figure, path, **_: Path(path).touch())
        yield
