"""The figures of a study as files, PNG and SVG."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rsens._app.study._result import Study

#: How many variables have a profile, how many pairs a surface, and how many variables the ranked figures show.
PROFILES, SURFACES, TOP = 3, 2, 30
#: Of PNG, in dots per inch.
RESOLUTION = 150


def figures_of(study: Study) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The name of each figure, and what draws it."""
    explanation, assessment, X = study.explanation, study.assessment, study.X
    points = _points(study)
    yield "variables", partial(explanation.plot_bars, top=TOP)
    yield "rows", explanation.plot_beeswarm
    if explanation.order == 2:
        yield "pairs", partial(explanation.plot_pairs, top=TOP)
        yield "network", partial(explanation.plot_network, top=TOP)
    if assessment is not None:
        yield "calibration", assessment.plot
    varying = [name for name in explanation.top(len(explanation.names)).index if X[name].nunique() > 1]
    for number, name in enumerate(varying[:PROFILES], start=1):
        yield f"profile-{number}-{plain(name)}", partial(explanation.plot_profile, name, y=points)
    if explanation.order == 2:
        ranked = explanation.top(len(explanation.pairs), order=2).index
        strongest = [pair for pair in ranked if set(pair) <= set(varying)]
        for number, (first, second) in enumerate(strongest[:SURFACES], start=1):
            name = f"pair-{number}-{plain(first)}-{plain(second)}"
            yield name, partial(explanation.plot_surface, first, second)


def _points(study: Study) -> Any:
    """Targets as points of a profile: numbers, or 0 and 1 for the second of two classes; none of more classes."""
    from rsens.plots import short_labels

    classes = study.likelihood.classes
    if study.y is None or (classes is not None and len(classes) > 2):
        return None
    y = study.y if classes is None else (study.y.map(str) == str(classes[1])).astype(float)
    return y.rename(short_labels([str(y.name)])[0])  # it becomes a label


def plain(name: str) -> str:
    """A name as part of that of a file: letters, digits and underscores, at most 30."""
    return re.sub(r"[^0-9A-Za-z_]+", "_", name).strip("_")[:30] or "x"


def draw(plot: Callable[[], Any], folder: Path, name: str) -> None:
    """Draw a figure of its own and write it as PNG and SVG; the same figure gives the same bytes."""
    from matplotlib import pyplot as plt
    from matplotlib import rc_context

    from rsens.plots import lay_out

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
