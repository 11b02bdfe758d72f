"""The figures of a study as files, PNG and SVG, from the list `rsens.plots.PLOTS`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._app.report import Facts
from rsens.plots import PLOTS, lay_out, short_labels

if TYPE_CHECKING:
    from rsens._app.study._result import Study

#: How many variables have a figure of their own, such as a profile, and how many pairs, such as a surface.
VARIABLES, PAIRS = 3, 2
#: Of PNG, in dots per inch.
RESOLUTION = 150


def figures_of(study: Study) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The name of each figure, and what draws it."""
    facts = Facts.of(study)
    given = {"model": facts.model, "X": facts.X, "y": _points(study)}
    subjects: dict[str, list[tuple[str, ...]]] = {
        "variable": [(term,) for term in facts.columns_that_vary[:VARIABLES]],
        "pair": list(facts.pairs_that_vary[:PAIRS]),
    }
    for plot in PLOTS:
        result = facts.result_of(plot)
        if result is None:
            continue
        options = {name: given[name] for name in plot.takes} | dict(plot.options)
        for number, terms in enumerate(subjects.get(plot.of, [()]), start=1):
            file = "-".join([plot.file, str(number), *map(plain, terms)]) if terms else plot.file
            yield file, partial(plot.draw, result, *terms, **options)


def _points(study: Study) -> Any:
    """Targets as points of a profile: numbers, or 0 and 1 for the second of two classes; none of more classes."""
    classes = study.likelihood.classes
    if study.y is None or (classes is not None and len(classes) > 2):
        return None
    y = study.y if classes is None else (study.y.map(str) == str(classes[1])).astype(float)
    return y.rename(short_labels([str(y.name)])[0])  # it becomes a label


def plain(name: str) -> str:
    """A name as part of the name of a file: letters, digits and underscores, at most 30."""
    return re.sub(r"[^0-9A-Za-z_]+", "_", name).strip("_")[:30] or "x"


def draw(plot: Callable[[], Any], folder: Path, name: str) -> None:
    """Draw a figure of its own and write it as PNG and SVG; the same figure gives the same bytes."""
    from matplotlib import pyplot as plt
    from matplotlib import rc_context

    axes = np.asarray(plot(), dtype=object).ravel()
    figure = axes[0].figure
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with rc_context({"svg.hashsalt": "rsens"}):
            figure.set_dpi(RESOLUTION)
            lay_out(figure)
            figure.savefig(folder / f"{name}.png", dpi=RESOLUTION)
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    finally:
        plt.close(figure)
