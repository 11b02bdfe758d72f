"""Where the variables of a network stand: around a circle, with room for their names."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from rsens._typing import Array
from rsens.plots._style import LETTER, LINE_HEIGHT, axes_points, font_size, short_labels, small

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The most characters of a name: the first of these that leaves enough room for the circle.
LABEL_LENGTHS = (30, 24, 16, 10)
#: Largest diameter of a circle, in points.
LARGEST = 34.0
#: Between a circle and its name, in points.
GAP = 4.0


@dataclass(frozen=True)
class Ring:
    """Where the variables stand. Lengths in points are `radius` times those in the axes, where the radius is 1."""

    angles: Array
    radius: float  # in points
    largest: float  # diameter of a circle, in points
    labels: tuple[str, ...]
    size: float  # of the labels, in points
    radial: bool  # whether labels are turned outwards
    width: float  # of the axes, in units of the radius
    height: float
    lowered: float  # how far the middle of the axes lies below the middle of the circle

    @property
    def points(self) -> Array:
        """Positions (n, 2); one variable alone stands in the middle."""
        reach = 1.0 if len(self.angles) > 1 else 0.0
        return reach * np.column_stack([np.cos(self.angles), np.sin(self.angles)])

    @classmethod
    def around(cls, ax: Axes, names: list[str], lines: int) -> Ring:
        """The largest circle that leaves room for the names around it and for the lines of the legend below."""
        n = len(names)
        angles = 0.5 * np.pi - 2.0 * np.pi * np.arange(n) / n
        width, height = axes_points(ax)
        legend = (1.7 + 1.8 * lines) * small()
        room = np.array([width, max(height - legend, 0.5 * height)]) / 2.0
        full = font_size(ax, 0)
        for length, size in product(LABEL_LENGTHS, (full, 0.85 * full, 0.7 * full)):
            labels = short_labels(names, length)
            lengths = LETTER * size * np.array([len(label) for label in labels])
            radial, radius = _radius(angles, lengths, size, room)
            if radius > 0.5 * room.min():
                break
        radius = max(radius, 0.25 * float(room.min()))
        spacing = 2.0 * np.sin(np.pi / max(n, 2)) * radius
        largest = float(min(LARGEST, 0.3 * radius + 4.0, 0.85 * spacing))
        return cls(
            angles=angles,
            radius=radius,
            largest=largest,
            labels=tuple(labels),
            size=size,
            radial=radial,
            width=width / radius,
            height=height / radius,
            lowered=0.5 * legend / radius,
        )


def _radius(angles: Array, lengths: Array, size: float, room: Array) -> tuple[bool, float]:
    """Whether names are turned, and the radius, in points, at which they all stay within half of the axes, `room`."""
    across, up = np.abs(np.cos(angles)), np.abs(np.sin(angles))
    away = 0.5 * LARGEST + GAP
    line = LINE_HEIGHT * size
    step = angles[0] - angles[1] if len(angles) > 1 else np.pi

    def largest(beside: Array, over: Array) -> float:
        """The radius r with r |cos| + beside ≤ half the width, and r |sin| + over ≤ half the height, for all names."""
        with np.errstate(divide="ignore"):
            limits = np.concatenate([(room[0] - beside) / across, (room[1] - over) / up])
        return float(limits[np.concatenate([across, up]) > 1e-9].min())

    level = largest(away * across + np.where(across < 1e-9, 0.5, 1.0) * lengths, away * up + line)
    if level * (1.0 - np.cos(step)) > line or len(angles) <= 4:  # the name at the top clears its neighbours
        return False, level
    return True, largest((away + lengths) * across + 0.5 * line, (away + lengths) * up + 0.5 * line)
