"""Which rows of a whole table an explanation is of: stretches of row numbers, each drawn under a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsens._errors import Argument, InputError
from rsens._files import fingerprint
from rsens._results import Part, stored
from rsens._typing import Positions


@dataclass(frozen=True, eq=False, kw_only=True)
class Stretches(Part):
    """Numbers of rows, from each start up to (and without) its stop, in the order of the rows."""

    stretch_starts: NDArray[np.int64] = stored("The number of the first row of each stretch of rows.", "stretch_seeds")
    stretch_stops: NDArray[np.int64] = stored("The number behind the last row of each stretch.", "stretch_seeds")
    stretch_seeds: tuple[str, ...] = stored("A fingerprint of the seed of the bootstrap of each stretch.")

    @classmethod
    def of(cls, start: int, stop: int, seed: np.random.SeedSequence) -> Stretches:
        """One stretch."""
        return cls._of([(start, stop, fingerprint([str(seed.entropy), *map(str, seed.spawn_key)]))])

    @classmethod
    def together(cls, parts: Sequence[Stretches]) -> Stretches:
        """The stretches of all parts.

        A row that has a number under the same seed in two parts is an `InputError`: its counts would be drawn twice.
        """
        found = sorted((stretch for part in parts for stretch in part._list()), key=lambda stretch: stretch[0])
        latest: dict[str, int] = {}
        for start, stop, seed in found:
            if start < latest.get(seed, 0):
                raise InputError(
                    f"Row {start} is in two of the explanations. Give each part the number of its first row, ",
                    Argument("first_row"),
                    ", and every row to one part only.",
                )
            latest[seed] = max(stop, latest.get(seed, 0))
        return cls._of(_without_seams(found))

    @staticmethod
    def order(parts: Sequence[Stretches]) -> Positions | None:
        """Where the rows of all parts, one after the other, stand by number; None if they are in order."""
        stretches = [stretch for part in parts for stretch in part._list()]
        starts = [start for start, _, _ in stretches]
        if starts == sorted(starts):
            return None
        numbers = [np.arange(start, stop) for start, stop, _ in stretches]
        return np.argsort(np.concatenate(numbers), kind="stable")

    def _list(self) -> list[tuple[int, int, str]]:
        return list(zip(self.stretch_starts.tolist(), self.stretch_stops.tolist(), self.stretch_seeds, strict=True))

    @classmethod
    def _of(cls, stretches: Sequence[tuple[int, int, str]]) -> Stretches:
        starts, stops, seeds = zip(*stretches, strict=True)
        return cls(stretch_starts=np.array(starts), stretch_stops=np.array(stops), stretch_seeds=tuple(seeds))


def _without_seams(stretches: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Neighbours that follow each other under the same seed are one."""
    found = [stretches[0]]
    for start, stop, seed in stretches[1:]:
        if found[-1][1:] == (start, seed):
            found[-1] = (found[-1][0], stop, seed)
        else:
            found.append((start, stop, seed))
    return found
