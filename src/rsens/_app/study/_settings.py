"""Everything that a study depends on: what was asked, the data, the seed, and the versions."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

from rsens._app.study._gather import Gathered
from rsens._files import fingerprint
from rsens._version import __version__

PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas")


def settings_of(table: Gathered, asked: dict[str, Any]) -> dict[str, Any]:
    """Plain values, ready for JSON. The fingerprint is that of the rows that were used."""
    return {
        "data": table.name,
        "target": str(table.recipe["target"]),
        "rows_in_data": table.n_rows,
        "rows_used": len(table.X),
        "columns_used": [str(name) for name in table.X.columns],
        "fingerprint": fingerprint(table.X, None if table.y is None else table.y.to_numpy()),
        "arguments": asked,
        "versions": {
            "rsens": __version__,
            "python": platform.python_version(),
            **{package: version(package) for package in PACKAGES},
        },
    }
