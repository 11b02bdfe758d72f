"""Figures that a test does not look at are laid out, but not drawn."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from matplotlib.figure import Figure


@contextmanager
def undrawn() -> Iterator[None]:
    """An empty file stands for each figure. As a decorator, of a test that another one of the same script backs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", lambda figure, path, **_: Path(path).touch())
        yield
