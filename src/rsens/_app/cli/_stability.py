"""`rsens stability`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsens._app.cli._command import DATA, NAMES, TableCommand
from rsens._app.cli._compare import term_cells
from rsens._app.cli._options import CHECK, ORDER, option, table_options
from rsens._text import listed

if TYPE_CHECKING:
    import pandas as pd

    from rsens._app.study import Analysis, ModelSetup, Settings
    from rsens._stability import Stability

#: How many variables or pairs are listed.
TERMS = 30


class StabilityCommand(TableCommand):
    """Fit the model to many samples of the rows, and rank in each of them."""

    name = "stability"
    summary = "Say whether the ranking holds on other samples."
    paragraphs = (
        "Say how far rankings depend on the rows: the model is fitted to many samples of them.",
        DATA,
        "Finished samples are kept in the folder, and the same command goes on where it was stopped.",
        NAMES,
    )
    examples = (
        "rsens stability data.csv --target price",
        "rsens stability data.csv --target price --samples 100 --methods rsens,ead",
    )
    options = table_options(
        "rsens-NAME-stability",
        option("--samples", type=int, metavar="N", help="How many samples.  [default: 50]"),
        option(
            "--methods",
            default="cheap",
            metavar="NAMES",
            help="Methods, with commas between.  [default: the cheap ones]",
        ),
        ORDER,
        CHECK,
    )
    pieces = "samples"
    fit = False

    def question(self, settings: Settings) -> dict[str, Any]:
        """More samples add to fewer; fewer are another question."""
        return settings.plain("methods", "order", "samples")

    def work_question(self, settings: Settings) -> dict[str, Any]:
        """A sample does not depend on how many there are."""
        return settings.plain("methods", "order")

    def n_fits(self, settings: Settings) -> int:
        """The methods ask so much that a sample of few rows takes as long as 20 fits, about 0.2 s."""
        return 20 * settings.samples

    def n_pieces(self, settings: Settings) -> int:
        """One for each sample."""
        return settings.samples

    def step(self, settings: Settings) -> str:
        """What the work is called."""
        return f"fitting to {settings.samples} samples"

    def work(self, setup: ModelSetup, folder: Path | None) -> Stability:
        """What `rsens.stability` finds."""
        from rsens._stability import stability

        settings = setup.settings
        return stability(
            setup.model,
            setup.table.X,
            setup.table.y,
            n_boot=settings.samples,
            methods=settings.method_names,
            order=settings.order,  # type: ignore[arg-type]
            clusters=setup.clusters,
            folder=folder,
            groups=setup.groups,
            numeric=setup.numeric,
            random_state=setup.seed,
            n_jobs=settings.n_jobs,
            progress=setup.listener.progress,  # type: ignore[arg-type]
        )

    def answer(self, found: Stability) -> Sequence[str]:
        """Whether the same terms lead in all samples."""
        from rsens._stability import answer

        return [answer(found)]

    def details(self, found: Stability, analysis: Analysis[Any]) -> str:
        """Mean ranks by method, and how much they vary."""
        return mean_ranks_text(found, list(analysis.terms))

    def tables(self, found: Stability) -> dict[str, pd.DataFrame]:
        """A summary by method and term, and all ranks."""
        return {"stability": found.to_frame(), "ranks": found.ranks}

    def figures(self, found: Stability) -> dict[str, Callable[[], Any]]:
        """The ranks by each method."""
        return {f"ranks-{name}": partial(found.plot, method=name, top=TERMS) for name in _methods(found)}

    def to_dict(self, found: Stability) -> dict[str, Any]:
        """The entropy of each method, and a summary by method and term."""
        from rsens._app.study import plain

        terms = found.to_frame().to_dict("records")
        return {
            "entropy": {name: plain(value) for name, value in found.entropy.items()},
            "terms": [{name: plain(value) for name, value in line.items()} for line in terms],
        }


def _methods(found: Stability) -> list[str]:
    """The methods that ranked at least one sample."""
    return [str(name) for name in found.entropy.dropna().index]


def mean_ranks_text(found: Stability, columns: Sequence[str] = ()) -> str:
    """Mean ranks by method, the range of ranks by the first of them, and the entropy of each."""
    from rsens._app.study import paragraph, table
    from rsens._compare import legend
    from rsens._stability import drawn

    names = _methods(found)
    mean = found.mean_rank[names].sort_values(names[0], kind="stable")
    summary: Any = found.to_frame().set_index(["method", "term"])
    cells = term_cells(list(mean.index), columns, found.order)
    rows = []
    for term in mean.index[:TERMS]:
        low, high = (int(summary.at[(names[0], term), side]) for side in ("lower", "upper"))
        spread = str(low) if low == high else f"{low}–{high}"
        rows.append([cells[str(term)], spread, *(f"{value:.1f}" for value in mean.loc[term])])
    entropies = [f"{value:.2f}" for value in found.entropy[names]]
    rows += [["", *[""] * (1 + len(names))], ["entropy", "", *entropies]]
    # Where there is no room, the last methods are left out first.
    header, align = ["", f"90 % by {names[0]}", *names], "~" + ">" * (1 + len(names))
    side_by_side = table(header, rows, align, give_way=[[k] for k in range(len(names) + 1, 2, -1)])
    hidden = [name for name in names if name not in side_by_side.split("\n")[0].split()]
    what = "pairs" if found.order == 2 else "variables"
    lines = [
        f"… and {len(mean) - TERMS} more in stability.csv" if len(mean) > TERMS else "",
        f"90 % by {names[0]}: the ranks by {names[0]} in the middle 90 % of the samples",
        f"entropy: 0 if all rankings are the same, {log(len(found.terms)):.2f} if they are random",
        legend(names, found.order),
        f"no room for {listed(hidden)}: see stability.csv" if hidden else "",
    ]
    heading = (
        f"Mean ranks of {what} by models fitted to {found.n_boot} samples of {drawn(found)}, 1 for what matters most"
    )
    return "\n".join([paragraph(heading), side_by_side, *(paragraph(line, "  ", "    ") for line in lines if line)])
