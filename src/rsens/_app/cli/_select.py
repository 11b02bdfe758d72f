"""`rsens select`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsens._app.cli._command import DATA, NAMES, TableCommand
from rsens._app.cli._options import flag, option, table_options
from rsens._errors import Argument, InputError, Sentence
from rsens._text import Pair, aligned, number, percent

if TYPE_CHECKING:
    import pandas as pd

    from rsens._app.study import Analysis, ModelSetup, Settings
    from rsens._select_interactions import Selection


class SelectCommand(TableCommand):
    """Score models with 0, 1, … pairs on rows they have not seen."""

    name = "select"
    summary = "Say how many interactions the data need."
    paragraphs = (
        "Say how many interactions of columns the data need, and which, by cross-validation.",
        DATA,
        "Finished splits are kept in the folder, and the same command goes on where it was stopped.",
        NAMES,
    )
    examples = (
        "rsens select data.csv --target price",
        "rsens select data.csv --target price --pairs 8",
    )
    options = table_options(
        "rsens-NAME-select",
        option("--pairs", type=int, default=5, metavar="K", help="Try 0 to K pairs.  [default: 5]"),
        option(
            "--methods",
            default="rsens2",
            metavar="NAMES",
            help="What ranks the pairs, with commas between.  [default: rsens2]",
        ),
        option("--cv", "folds", type=int, metavar="K", help="Folds.  [default: 5]"),
        option("--repeats", type=int, metavar="N", help="Rounds of folds.  [default: 2]"),
        flag("--no-check", "cv", sets=0, otherwise=None, help="Skip the check of the model with all pairs."),
        models="gp",
        groups=False,
    )
    pieces = "splits"
    fit = False

    def settings(self, given: Mapping[str, Any]) -> Settings:
        """All methods rank pairs, and only a Gaussian process can be a sum over chosen pairs."""
        settings = super().settings({**given, "order": 2})
        if settings.model != "gp":
            raise InputError(Argument("model"), f" must be 'gp' to choose pairs; got {settings.model!r}.")
        return settings

    def takes(self, option: str, value: Any) -> bool:
        """Pairs are chosen for a Gaussian process, whatever model was explained."""
        return option != "model" or value == "gp"

    def question(self, settings: Settings) -> dict[str, Any]:
        """Everything that changes the scores."""
        return {**settings.plain("pairs", "methods"), "cv": settings.folds, "repeats": settings.repeats}

    def n_fits(self, settings: Settings) -> int:
        """Two for each split and number of pairs; sums of kernels take about five times as long as one."""
        return 5 * 2 * (1 + settings.n_pairs) * settings.folds * settings.repeats

    def n_pieces(self, settings: Settings) -> int:
        """One for each split."""
        return settings.folds * settings.repeats

    def step(self, settings: Settings) -> str:
        """What the work is called."""
        return "fitting models with more and more pairs"

    def work(self, setup: ModelSetup, folder: Path | None) -> Selection:
        """What `rsens.select_interactions` finds."""
        from rsens._select_interactions import select_interactions

        settings = setup.settings
        return select_interactions(
            setup.model,
            setup.table.X,
            setup.table.y,
            settings.n_pairs,
            methods=settings.method_names,
            cv=settings.folds,
            repeats=settings.repeats,
            clusters=setup.clusters,
            folder=folder,
            numeric=setup.numeric,
            random_state=setup.seed,
            n_jobs=settings.n_jobs,
            progress=setup.listener.progress,  # type: ignore[arg-type]
        )

    def answer(self, found: Selection) -> Sequence[str]:
        """How many pairs are enough, by each method."""
        from rsens._select_interactions import answer

        if len(found.methods) == 1:
            return [answer(found, found.methods[0])]
        return [Sentence(f"{name}: ", answer(found, name)) for name in found.methods]

    def details(self, found: Selection, analysis: Analysis[Any]) -> str:
        """The scores, and the pairs."""
        return scores_text(found)

    def tables(self, found: Selection) -> dict[str, pd.DataFrame]:
        """Scores by number of pairs, and the pairs."""
        return {"scores": found.summary(), "pairs": found.pairs}

    def figures(self, found: Selection) -> dict[str, Callable[[], Any]]:
        """The scores by number of pairs."""
        return {"selection": found.plot}

    def to_dict(self, found: Selection) -> dict[str, Any]:
        """The number of pairs that is enough by each method, the scores, and the pairs."""
        from rsens._app.study import plain

        return {
            "suggested": {str(name): plain(k) for name, k in found.suggestions.items()},
            "scores": _lines(found.summary()),
            "pairs": _lines(found.pairs),
        }


def scores_text(found: Selection) -> str:
    """The scores by number of pairs, and the leading pairs."""
    import pandas as pd

    from rsens._app.study import table
    from rsens._compare import legend

    several = len(found.methods) > 1
    summary = found.summary()
    write = aligned(float(summary["difference_se"].max()), 2)
    rows = [
        [
            str(line["method"]) if several else "",
            "all" if pd.isna(line["k"]) else str(line["k"]),
            number(line["mean"]),
            "" if pd.isna(line["k"]) else f"{write(line['difference'])} ± {write(line['difference_se'])}",
        ]
        for line in summary.to_dict("records")
    ]
    scores = table(["method" if several else "", "pairs", "log score", "against all pairs"], rows, "<>>>")
    pairs = [
        [
            str(line["method"]) if several else "",
            str(line["rank"]),
            Pair(line["first"], line["second"]),
            number(line["value"]),
            percent(line["share"]),
        ]
        for line in found.pairs.to_dict("records")
    ]
    meaning = [
        "log score: log density of a held-out row, larger is better; ±: one standard error",
        "enough: the fewest pairs within one standard error of the best number of them, if that is within two of all "
        "pairs",
    ]
    blocks = [_block(f"Log score per held-out row, {found.n_splits} splits", scores, meaning)]
    if pairs:
        leading = table(["method" if several else "", "", "pair", "value", "in splits"], pairs, "<>~>>")
        of_pairs = [
            f"value: by {'the method' if several else found.methods[0]}, on all rows ({legend(found.methods, 2)})",
            f"in splits: how often the pair was among the first {found.k}",
        ]
        blocks.append(_block("Leading pairs", leading, of_pairs))
    return "\n\n".join(blocks)


def _block(title: str, lines: str, meaning: list[str]) -> str:
    from rsens._app.study import paragraph

    return "\n".join([title, lines, *(paragraph(line, "  ", "    ") for line in meaning)])


def _lines(frame: pd.DataFrame) -> list[dict[str, object]]:
    from rsens._app.study import plain

    return [{str(name): plain(value) for name, value in line.items()} for line in frame.to_dict("records")]
