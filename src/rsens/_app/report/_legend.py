"""The legend that all profiles share, as entries of the page."""

from __future__ import annotations

from dataclasses import dataclass

from rsens._app.report._facts import Facts
from rsens._app.report._format import shortened
from rsens._app.report._live import PART_COLOURS
from rsens._app.report._live_profile import DASHES, OUTPUTS, PART_DASHES
from rsens._app.report._static import BANDS
from rsens.plots import output_names, part_labels, percent


@dataclass(frozen=True)
class Entry:
    """A sample of a line or a band, and what it is."""

    mark: str  # "band", or the dash of a line
    colour: str  # as the theme calls it
    text: str


def legend(facts: Facts) -> list[Entry]:
    """Lines and bands of the upper panel, then those of the lower."""
    return [*_above(facts), Entry("solid", "vermillion", "R-sens"), *_parts(facts)]


def _above(facts: Facts) -> list[Entry]:
    if facts.outputs_are_probabilities:
        outputs = facts.family.mean.reshape(len(facts.point), -1).shape[1]
        if outputs == 1:
            return [Entry("solid", "ink", "probability")]
        names = shortened(output_names(facts.model, "probability", outputs))
        return [
            Entry(DASHES[k % len(DASHES)], OUTPUTS[k % len(OUTPUTS)].removeprefix("@"), name)
            for k, name in enumerate(names)
        ]
    bands = zip(("band", "band-wide"), BANDS, strict=True)
    return [
        Entry("solid", "ink", "prediction"),
        *(Entry("band", colour, f"{percent(share)} interval") for colour, share in bands),
    ]


def _parts(facts: Facts) -> list[Entry]:
    parts = facts.explanation.parts
    if parts is None or parts.shape[1] < 2:
        return []
    return [
        Entry(PART_DASHES[k % len(PART_DASHES)], PART_COLOURS[k % len(PART_COLOURS)].removeprefix("@"), label)
        for k, label in enumerate(part_labels(parts.columns))
    ]
