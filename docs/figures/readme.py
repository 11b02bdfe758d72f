"""Draws the figure of the README by running the README's own example."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

HERE = Path(__file__).parent


def main() -> None:
    """Run the first Python block of the README and save the figure it leaves."""
    readme = (HERE.parents[1] / "README.md").read_text(encoding="utf-8")
    example = re.search(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert example, "the README has no Python block"
    exec(example.group(1), {})
    plt.gcf().savefig(HERE / "readme.png", dpi=120, bbox_inches="tight")


if __name__ == "__main__":
    main()
