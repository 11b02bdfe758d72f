"""Write docs/reproduction.md from the CSV files in experiments/results.

    python -m experiments.page

No number on the page is typed by hand. If a result is missing, the page says so and gives the command that makes it.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from experiments._command import RESULTS
from experiments._tables import write_text
from experiments.page import _beyond, _entropies, _interactions, _main_effects, _real_data, _settings, _times
from experiments.page._markdown import Results

DOCS = Path(__file__).parents[2] / "docs"

RUN = """\
## How to run

`make paper` does everything. `make paper-quick` does the same with few repetitions, in a few minutes, and writes to
`build/paper-quick`. To run one script:

```sh
python -m experiments.main_effects --bias per-call --inputs t3
python -m experiments.interactions --n-jobs 4
python -m experiments.real_data --data concrete --splits 50
python -m experiments.page
```

Every repetition is written to a file (`*.jsonl` next to the tables) as it finishes. If a script is interrupted, start
it again: it carries on where it stopped and ends with the same tables. Parts you do not ask for this time stay in the
tables. `--n-jobs` does not change a number either. To run on a Dask cluster, add `--dask tcp://scheduler:8786`, or
`--dask local` to start one on this machine (`pip install '.[distributed]'`).
"""


def page(results: Results) -> str:
    """The whole page."""
    lines = [
        "# The paper, reproduced",
        "",
        "The tables and figures of Paananen, Andersen and Vehtari (2021), *Uncertainty-aware Sensitivity Analysis "
        "Using Rényi Divergences*, published and ours. `python -m experiments.page` makes every number on this page "
        "from the CSV files in `experiments/results`. ± is the half-width of a 95 % interval throughout.",
        "",
        "## In short",
        "",
        *_main_effects.summary(results),
        *_interactions.summary(results),
        *_real_data.summary(results),
        *_entropies.summary(results),
        *_interactions.supplement_summary(results),
        "- **Partly a fit:** the paper leaves [many settings open](#settings-that-the-paper-leaves-open), and we chose "
        "several of them so that the published numbers come out.",
        *_times.summary(results),
        "",
        *_illustrations(results),
        *_main_effects.section(results),
        *_interactions.section(results),
        "## Section 3.3: Concrete and Bike (Figure 4 and Table 2)",
        "",
        *_real_data.section(results),
        *_entropies.section(results),
        *_interactions.supplement(results),
        *_settings.section(),
        *_beyond.section(results),
        *_times.section(results),
        *RUN.splitlines(),
        "",
        *_main_effects.supplement(results),
        *_beyond.cells_of_families(results),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _illustrations(results: Results) -> list[str]:
    figures = {
        "illustration_gp": ("Figure 1", "a Gaussian process: R-sens falls where the uncertainty grows."),
        "illustration_linear": ("Figure 2", "linear regression: the two summands of equation 5."),
        "illustration_probit": ("Supplement", "probit regression on 1000 observations."),
    }
    lines = ["## Figures 1 and 2, and the supplement's figure of a binary model", ""]
    lines += ["The paper does not give the data behind its illustrations, so we made up similar data.", ""]
    for name, (where, words) in figures.items():
        image = results.figure(name, f"{where}: {words}")
        lines += [f"**{where}**, {words}", "", *image] if image else []
    return lines


def main(arguments: list[str] | None = None) -> None:
    """Write the page and copy its figures next to it."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--out", type=Path, default=RESULTS, help="folder with the results; default: %(default)s")
    options.add_argument("--docs", type=Path, default=DOCS, help="folder for the page; default: %(default)s")
    given = options.parse_args(arguments)
    results = Results(given.out)
    text = page(results)
    folder = given.docs / "figures" / "reproduction"
    folder.mkdir(parents=True, exist_ok=True)
    for name, path in results.figures.items():
        shutil.copyfile(path, folder / name)
    write_text(given.docs / "reproduction.md", text)


if __name__ == "__main__":
    main()
