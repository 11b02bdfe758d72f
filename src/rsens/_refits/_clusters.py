"""Rows that belong together: several of one person, one field, one batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from rsens._errors import Argument, InputError
from rsens._frames import as_pandas
from rsens._typing import Positions

CLUSTERS = Argument("clusters")


def read_clusters(clusters: Any, n: int) -> Positions | None:
    """The cluster of each row, numbered from 0; None where no clusters are given. Labels may be of any type."""
    if clusters is None:
        return None
    clusters = as_pandas(clusters, "clusters")
    if isinstance(clusters, str | bytes | dict) or not hasattr(clusters, "__len__") or len(clusters) != n:
        sized = hasattr(clusters, "__len__") and not isinstance(clusters, str | bytes)
        got = len(clusters) if sized else repr(clusters)[:40]
        raise InputError(CLUSTERS, f" must have one label for each of the {n} rows of X; got {got}.")
    labels = pd.Series(list(np.asarray(clusters, dtype=object)))
    missing = int(labels.isna().sum())
    if missing:
        raise InputError(CLUSTERS, f" has no label for {missing} of {n} rows. Drop these rows, or give them labels.")
    try:
        codes, found = pd.factorize(labels)
    except TypeError:  # lists or dicts
        raise InputError(
            CLUSTERS, f": labels must be text, numbers or dates; got {type(labels.iloc[0]).__name__}."
        ) from None
    if len(found) < 2:
        raise InputError(CLUSTERS, f" puts all {n} rows into one cluster; at least two clusters are needed.")
    return np.asarray(codes, dtype=np.intp)
