"""Every test here draws from matplotlib's own defaults, and leaves no figure behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_figures_left() -> Iterator[None]:
    from matplotlib import pyplot as plt

    before = plt.get_fignums()
    yield
    assert plt.get_fignums() == before
