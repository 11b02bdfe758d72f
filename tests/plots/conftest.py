"""Every test here draws without a screen, from matplotlib's own defaults, and leaves no figure behind."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib
import pytest

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def clean_matplotlib() -> Iterator[None]:
    from matplotlib import pyplot as plt

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.use("agg")
        yield
    plt.close("all")
