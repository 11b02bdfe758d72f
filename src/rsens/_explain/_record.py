"""The numbers of an explanation, as arrays: what is computed, what is stored, and what `Explanation` shows."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._explain._subgroups import Label
from rsens._typing import Array

#: What exists only together with something else.
NEEDS = (
    ("local_pairs", "pairs"),
    ("pair_intervals", "pairs"),
    ("pair_intervals", "intervals"),
    ("null_pairs", "pairs"),
    ("null_pairs", "null"),
    ("null", "reached"),
    ("reached", "null"),
    ("null_pairs", "reached_pairs"),
    ("reached_pairs", "null_pairs"),
    ("null", "probe_values"),
    ("probe_values", "probe_terms"),
    ("probe_terms", "null"),
    ("subgroup_values", "subgroups"),
    ("subgroups", "subgroup_counts"),
    ("subgroup_counts", "subgroup_values"),
)


@dataclass(frozen=True)
class WithinSubgroups:
    """Values within subgroups of rows."""

    subgroups: tuple[Label, ...]
    subgroup_counts: NDArray[np.int64]
    subgroup_values: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Record:
    """n rows, D columns, T terms (columns, or groups in their place), pairs in the order of `np.triu_indices(T, 1)`.

    None stands for what was not asked for or does not exist. The arrays belong to the record and become read-only.
    """

    family: str
    alpha: float
    aggregate: str
    level: float
    scale: str  # "sd", "raw" or "given"
    columns: tuple[str, ...]
    units: Array  # (D,)
    categorical: tuple[int, ...] = ()  # positions of the columns that are counted per switch of the level
    terms: tuple[str, ...]
    members: tuple[tuple[int, ...], ...]  # columns of each term, by position
    outputs: tuple[str, ...]
    row_labels: tuple[Label, ...] | None = None  # None: 0, 1, …
    row_label_name: str | None = None
    main: Array  # (T,)
    pairs: Array | None  # (pairs,)
    direction: Array  # (T, outputs); NaN for groups
    consistency: Array  # (T, outputs); NaN for groups, and where the prediction does not move
    part_names: tuple[str, ...]
    parts: Array | None  # (T, part names)
    intervals: Array | None  # (2, T); NaN where one row decides
    pair_intervals: Array | None  # (2, pairs)
    null: Array | None = None  # (T,); NaN where the unit of a term has nothing to do with its spread
    null_pairs: Array | None = None  # (pairs,)
    reached: Array | None = None  # (T,); the share of probes that reach the value of a term
    reached_pairs: Array | None = None  # (pairs,)
    probe_terms: tuple[str, ...] | None = None  # the term that each probe was a copy of
    probe_values: Array | None = None  # (probes,)
    subgroups: tuple[Label, ...] | None = None
    subgroup_counts: NDArray[np.int64] | None = None  # (subgroups,)
    subgroup_values: Array | None = None  # (subgroups, T)
    extrapolation: NDArray[np.bool_]  # (n,)
    local_main: Array  # (n, T)
    local_pairs: Array | None  # (n, T, T)

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    @property
    def n(self) -> int:
        return len(self.local_main)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape that each array must have."""
        n, t = len(self.extrapolation), len(self.terms)
        pairs = t * (t - 1) // 2
        groups = len(self.subgroups or ())
        return {
            "units": (len(self.columns),),
            "main": (t,),
            "pairs": (pairs,),
            "direction": (t, len(self.outputs)),
            "consistency": (t, len(self.outputs)),
            "parts": (t, len(self.part_names)),
            "intervals": (2, t),
            "pair_intervals": (2, pairs),
            "null": (t,),
            "null_pairs": (pairs,),
            "reached": (t,),
            "reached_pairs": (pairs,),
            "probe_values": (len(self.probe_terms or ()),),
            "subgroup_counts": (groups,),
            "subgroup_values": (groups, t),
            "extrapolation": (n,),
            "local_main": (n, t),
            "local_pairs": (n, t, t),
        }

    def check(self) -> None:
        """An `InputError` unless all sizes agree; for records that come from a file."""
        for name, shape in self.shapes().items():
            array: Any = getattr(self, name)
            if array is not None and array.shape != shape:
                raise InputError(f"{name} has shape {array.shape}, expected {shape}")
        if len(self.members) != len(self.terms):
            raise InputError(f"members has {len(self.members)} entries, expected {len(self.terms)}")
        if sorted(d for member in self.members for d in member) != list(range(len(self.columns))):
            raise InputError("members do not name every column once")
        if any(d >= len(self.columns) for d in self.categorical) or len(set(self.categorical)) < len(self.categorical):
            raise InputError("categorical does not name columns, each once")
        if self.row_labels is not None and len(self.row_labels) != self.n:
            raise InputError(f"row_labels has {len(self.row_labels)} entries, expected {self.n}")
        for names in ("columns", "terms", "outputs", "part_names"):
            if len(set(getattr(self, names))) != len(getattr(self, names)):
                raise InputError(f"{names} are not all different")
        for name, needed in NEEDS:
            if getattr(self, name) is not None and getattr(self, needed) is None:
                raise InputError(f"{name} without {needed}")
        if not self.n or not self.columns or not self.outputs:
            raise InputError("there are no rows, no columns or no outputs")
        if not (self.alpha > 0.0 and 0.0 < self.level < 1.0):
            raise InputError(f"alpha is {self.alpha:g} and level is {self.level:g}")
        for name in ("main", "pairs", "local_main", "local_pairs", "units"):
            array = getattr(self, name)
            if array is not None and (array < 0.0).any():
                raise InputError(f"{name} has negative values")
        if ((self.consistency < 0.0) | (self.consistency > 1.0)).any():
            raise InputError("consistency is not between 0 and 1")
        for name in ("intervals", "pair_intervals"):
            bounds = getattr(self, name)
            if bounds is not None and (bounds[0] > bounds[1]).any():
                raise InputError(f"{name} has a lower end above its upper end")
        if not self.family.isidentifier() or not all(name.isidentifier() for name in self.part_names):
            raise InputError("the names of the family and its parts are not those of a family")
        if self.aggregate not in ("mean", "rms") or self.scale not in ("sd", "raw", "given"):
            raise InputError(f"aggregate is {self.aggregate!r:.40} and scale is {self.scale!r:.40}")
