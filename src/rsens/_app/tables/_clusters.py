"""Rows that belong together, by the labels of a column."""

from __future__ import annotations

from typing import Any

import pandas as pd

from rsens._app.tables._columns import CLUSTER
from rsens._app.tables._notes import Note
from rsens._app.tables._useless import shown
from rsens._errors import InputError


def cluster_note(labels: Any) -> Note:
    """A note on the clusters of a table; an error if they divide nothing."""
    name, n = str(labels.name), len(labels)
    odd = [type(label).__name__ for label in labels if not pd.api.types.is_hashable(label)]  # lists and the like
    if odd:
        raise InputError(CLUSTER, f": {name!r} must have text, numbers or dates; got values of type {odd[0]}.")
    sizes = labels.value_counts()
    if len(sizes) == 1:
        raise InputError(
            CLUSTER,
            f": {name!r} has only one value, {shown(labels.iloc[0])}, so all rows would belong together. Name a column "
            "with more, or leave it out.",
        )
    if len(sizes) == n:
        text = f"{name!r} has a different value in each row: every row is its own cluster, as without it."
        return Note("clusters", (name,), text)
    least, most = int(sizes.min()), int(sizes.max())
    each = f"{most}" if least == most else f"{least} to {most}"
    text = (
        f"Rows with the same {name!r} belong together: {len(sizes):,} clusters of {each} rows. They stay together "
        "wherever the model is fitted to a part of the rows."
    )
    return Note("clusters", (name,), text)
