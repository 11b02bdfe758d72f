"""Where a result comes from: the data, what was asked, and the versions. Enough to do it again."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import pandas as pd

from rsens._app.study._model_table import ModelTable
from rsens._files import fingerprint
from rsens._version import __version__

PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas")


def provenance(table: ModelTable, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values, ready for JSON. The fingerprint covers the rows that were used, and which belong together."""
    clusters = () if table.clusters is None else (pd.factorize(table.clusters)[0],)
    kept = {} if table.kept is None else {"rows_kept": table.kept.plain}
    return {
        "data": table.name,
        "target": str(table.recipe["target"]),
        "rows_in_data": table.n_rows,
        "rows_used": len(table.X),
        **kept,
        "columns_used": [str(name) for name in table.X.columns],
        "clusters": None if table.clusters is None else int(table.clusters.nunique()),
        "fingerprint": fingerprint(table.X, None if table.y is None else table.y.to_numpy(), *clusters),
        "arguments": dict(arguments),
        "versions": {
            "rsens": __version__,
            "python": platform.python_version(),
            **{package: version(package) for package in PACKAGES},
        },
    }
